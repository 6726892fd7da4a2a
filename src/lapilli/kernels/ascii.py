"""Kernels that write ASCII text, for example a bot's input, into an array of bytes.

Each kernel takes the index at which to write and returns the index after the last byte written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lapilli.kernels.kernel import kernel

BLANK, NEWLINE, MINUS, ZERO = (ord(sign) for sign in " \n-0")


@kernel
def put(out: Any, index: int, number: int, after: int) -> int:
    """Writes a number in decimal, and then the character with the code `after`, into `out` from `index` on.

    Returns the index after the last byte written.
    """
    if number < 0:
        out[index] = MINUS
        index += 1
        number = -number
    digits = 1
    rest = number // 10
    while rest:
        digits += 1
        rest //= 10
    for k in range(digits - 1, -1, -1):
        out[index + k] = ZERO + number % 10
        number //= 10
    out[index + digits] = after
    return index + digits + 1


@kernel
def put_word(out: Any, index: int, word: Any, after: int) -> int:
    """Writes a word, and then the character with the code `after`, into `out` from `index` on.

    The word is one row of the array that `words` returns. Returns the index after the last byte written.
    """
    for k in range(len(word)):
        out[index + k] = word[k]
    out[index + len(word)] = after
    return index + len(word) + 1


def words(texts: Sequence[str], length: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Returns ASCII words as rows of `length` bytes each; an empty word becomes a row of zeros."""
    rows = np.zeros((len(texts), length), np.uint8)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = list(text.encode("ascii"))
    return rows


def written(size: int, write: Callable[..., int], *position: Any) -> str:
    """Calls a kernel that writes a text about a position, and returns the text as a string.

    Args:
        size: greatest length of the text, in bytes.
        write: kernel that takes `position` and, as its last argument, the array to fill; it returns the length written.
        position: the arguments of `write` that describe the position.
    """
    out = np.empty(size, np.uint8)
    return out[: write(*position, out)].tobytes().decode("ascii")
