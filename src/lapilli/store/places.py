"""Where stores are, and what lies beside them."""

from __future__ import annotations

import os
from pathlib import Path


def default_store() -> Path:
    """The file that matches are stored in where nobody says otherwise."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return base / "lapilli" / "arena.db"


def beside(where: str | os.PathLike[str] | None, what: str) -> Path:
    """The folder for `what` of a store: beside its file, or with this user's data where it is a server's.

    Args:
        where: as `Store.open` takes it; None for the usual file.
    """
    file = default_store() if where is None or "://" in os.fspath(where) else Path(where)
    return file.absolute().with_suffix(f".{what}")
