"""Where the store is by default, where folders of a store are, and how its file is recognized."""

from __future__ import annotations

import os
from pathlib import Path

APPLICATION_ID = 0x4C50_6C69
"""SQLite's application id of a store. The file's header contains it, for `file` and similar tools."""


def default_store() -> Path:
    """Returns the path of the store's file that is used when the user names no store."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return base / "lapilli" / "arena.db"


def beside(where: str | os.PathLike[str] | None, what: str) -> Path:
    """Returns the path of a folder that belongs to a store.

    It is beside the store's file, with the file's name and the extension `what`; for a store on a server, it is in this
    user's data folder.

    Args:
        where: the store, as for `Store.open`; None for the default file.
        what: extension of the folder, such as "league".
    """
    file = default_store() if where is None or "://" in os.fspath(where) else Path(where)
    return file.absolute().with_suffix(f".{what}")
