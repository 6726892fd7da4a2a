"""Where matches are kept, if nobody says otherwise."""

from __future__ import annotations

import os
from pathlib import Path


def default_store() -> Path:
    """The user's own store, `lapilli/arena.db` below $XDG_DATA_HOME or ~/.local/share; its folder is made."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = Path(base) / "lapilli"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "arena.db"
