"""Files of arrays, as `numpy.savez` writes them, that somebody else may have written or cut short."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

MOST_BYTES = 1 << 30


def read_arrays(file: Path, *names: str, most: int = MOST_BYTES) -> list[Any]:
    """The arrays of these names. Raises ValueError, which says why, where the file does not hold them, or would take
    more than so many bytes of memory."""
    try:
        with zipfile.ZipFile(file) as parts:
            if sum(part.file_size for part in parts.infolist()) > most:
                raise ValueError("it is too large")
        with np.load(file) as kept:
            if missing := [name for name in names if name not in kept.files]:
                raise ValueError(f"there is no array {missing[0]!r} in it")
            return [kept[name] for name in names]
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    except (EOFError, RuntimeError, MemoryError, SyntaxError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(" ".join(str(error).split()) or "it is damaged") from None
