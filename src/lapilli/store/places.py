"""The default location of the store, and the folders beside a store."""

from __future__ import annotations

import os
from pathlib import Path


def default_store() -> Path:
    """Returns the path of the file that stores matches by default."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return base / "lapilli" / "arena.db"


def beside(where: str | os.PathLike[str] | None, what: str) -> Path:
    """Returns the folder named `what` of a store: beside its file, or in this user's data folder for a server's store.

    Args:
        where: the store, as for `Store.open`; None for the default file.
    """
    file = default_store() if where is None or "://" in os.fspath(where) else Path(where)
    return file.absolute().with_suffix(f".{what}")
