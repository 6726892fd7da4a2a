"""Folders for files that matches need, such as unpacked bots, in the user's cache beside the cache of kernels."""

from __future__ import annotations

from pathlib import Path

from lapilli.core.errors import LapilliError
from lapilli.kernels.cache import cache_base
from lapilli.kernels.folder_trust import why_untrusted


def own_folder(name: str, what: str) -> Path:
    """Returns a folder beside the cache of kernels, after creating it if necessary.

    Args:
        name: name of the folder.
        what: contents of the folder in words, for the error message.

    Raises:
        LapilliError: other users could write to the folder.
    """
    folder = cache_base().with_name(name)
    folder.mkdir(mode=0o700, exist_ok=True)
    if why := why_untrusted(folder):
        raise LapilliError(f"{what} cannot be stored in {folder}: {why}")
    return folder
