"""Reads files of arrays that `numpy.savez` wrote. This is safe even if a file is damaged or comes from a stranger."""

from __future__ import annotations

import os
import stat
import warnings
import zipfile
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from lapilli.core.reading.text import shortened

MOST_BYTES = 1 << 30
_MOST_HEADER = 1024
"""Greatest length of an array's header, in characters. Headers in Lapilli's own files have about 120 characters. A
header is a Python literal, and a long literal with nested parentheses could exhaust the parser's stack."""
_SPARE = 1 << 16
"""Greatest number of bytes in a file besides its arrays: names, and the zip file's directory."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression methods that `numpy.savez` uses. With other methods, one read could fill the whole memory."""


def read_arrays(file: Path, *names: str, most: int = MOST_BYTES) -> list[Any]:
    """Returns the arrays with these names from a file of `numpy.savez`, in the order of the names.

    Raises:
        ValueError: the file cannot be read, lacks one of the arrays, or contains more than `most` bytes of arrays. The
            message is the reason, as a clause about the file: "it is damaged".
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns about arrays from Python 2
            return _read(file, names, most)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    except Exception as error:  # with damaged files the readers raise any exception, even MemoryError
        raise ValueError(shortened(" ".join(str(error).split()), 200) or "it is damaged") from None


def _read(file: Path, names: tuple[str, ...], most: int) -> list[Any]:
    status = os.stat(file)
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    if status.st_size > most + _SPARE:
        raise ValueError("it is too large")
    with zipfile.ZipFile(file) as parts:
        if sum(part.file_size for part in parts.infolist()) > most:
            raise ValueError("it is too large")
        return [_read_array(parts, name) for name in names]


def _read_array(parts: zipfile.ZipFile, name: str) -> Any:
    """Reads the array `name` from a file of `numpy.savez`. `parts`: the file, opened as the ZIP archive that it is.

    Raises:
        ValueError: the file lacks the array, or the array's size differs from the size in its header.
    """
    try:
        part = parts.getinfo(f"{name}.npy")
    except KeyError:
        raise ValueError(f"it has no array {name!r}") from None
    if part.compress_type not in _METHODS:
        raise ValueError(f"its array {name!r} is compressed in an unknown way")
    with parts.open(part) as file:
        version = npy.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"its array {name!r} is of an unknown version")
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, in_columns, dtype = read_header(file, max_header_size=_MOST_HEADER)
        if dtype.hasobject:
            raise ValueError("arrays of Python objects are refused: loading them can run code")
        data = file.read()  # to the end, where the checksum is verified
    count = prod(shape)
    if min(shape, default=0) < 0 or count * dtype.itemsize != len(data):
        raise ValueError(f"its array {name!r} has another size than its header says")
    return np.frombuffer(data, dtype, count).reshape(shape, order="F" if in_columns else "C").copy()
