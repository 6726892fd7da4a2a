"""The plain compiler of kernels. It uses only the public interface of Numba.

It replaces the fast compiler if the installed version of Numba is one that the fast compiler was not tested with. See
`compiler_choice`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

from lapilli.kernels.folder_trust import private_folder

_config: Any = numba.config


def plain_kernel(function: Callable[..., Any], parallel: bool, folder: Path) -> Any:
    """Returns the compiled form of a function, with its machine code stored below `folder`.

    Args:
        function: the Python function to compile.
        parallel: whether a call releases the GIL, so that other Python threads run meanwhile.
        folder: cache folder for the function's machine code (`kernels.cache.folder_of`). After a change of any source
            file that the code depends on, this is another folder. Numba itself checks only the function's own file.
    """
    own = {"CACHE_DIR": str(_writable(folder)), "CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    users = {name: getattr(_config, name, "") for name in own}
    vars(_config).update(own)
    try:
        return numba.njit(cache=True, nogil=parallel)(function)
    except RuntimeError:  # no file can be made, for example because no descriptor is free
        return numba.njit(nogil=parallel)(function)
    finally:
        vars(_config).update(users)


@cache
def _writable(folder: Path) -> Path:
    """Returns a folder that Numba can use as its cache: `folder` itself if this process can write there.

    If `folder` is read-only, as in a sandbox, Numba would not use it. Then the result is a new folder of this process,
    which contains links to all files in `folder`.
    """
    if os.access(folder, os.W_OK):
        return folder
    private = private_folder()
    for file in folder.rglob("*"):
        place = private / file.relative_to(folder)
        if file.is_dir():
            place.mkdir(parents=True)
        else:
            place.symlink_to(file)
    return private
