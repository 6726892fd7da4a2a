"""What bot text is written with: kernels that put bytes into an array from a place on and return the place behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lapilli.kernels.kernel import kernel

BLANK, NEWLINE, MINUS, ZERO = (ord(sign) for sign in " \n-0")


@kernel
def put(out: Any, place: int, number: int, after: int) -> int:
    """Writes a number and a sign after it."""
    if number < 0:
        out[place] = MINUS
        place += 1
        number = -number
    digits = 1
    rest = number // 10
    while rest:
        digits += 1
        rest //= 10
    for k in range(digits - 1, -1, -1):
        out[place + k] = ZERO + number % 10
        number //= 10
    out[place + digits] = after
    return place + digits + 1


@kernel
def put_word(out: Any, place: int, word: Any, after: int) -> int:
    """Writes a row of `words` and a sign after it."""
    for k in range(len(word)):
        out[place + k] = word[k]
    out[place + len(word)] = after
    return place + len(word) + 1


def words(texts: Sequence[str], length: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """ASCII words of one length as rows of bytes; an empty text gives zeros."""
    rows = np.zeros((len(texts), length), np.uint8)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = list(text.encode("ascii"))
    return rows


def written(size: int, write: Callable[..., int], *position: Any) -> str:
    """The text that the kernel `write` makes of a position, at most `size` bytes; the array is its last argument."""
    out = np.empty(size, np.uint8)
    return out[: write(*position, out)].tobytes().decode("ascii")
