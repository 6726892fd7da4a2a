"""Paths of the default store and of the folders that belong to a store, and the id that marks a store's file."""

from __future__ import annotations

import os
from pathlib import Path

APPLICATION_ID = 0x4C50_6C69
"""SQLite's application id of a store. It is in the file's header, so that programs such as `file` recognize a store."""


def default_store() -> Path:
    """Returns the path of the store that is used if the user names no store."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return base / "lapilli" / "arena.db"


def beside(where: str | os.PathLike[str] | None, what: str) -> Path:
    """Returns the path of a folder that belongs to a store.

    For a store in the file `arena.db`, the folder for "leagues" is `arena.leagues` beside the file. For a store on a
    server, the folder is beside this user's default store.

    Args:
        where: path of the store's file, or URL of its server; None for the default store.
        what: extension of the folder, such as "leagues".
    """
    file = default_store() if where is None or "://" in os.fspath(where) else Path(where)
    return file.absolute().with_suffix(f".{what}")
