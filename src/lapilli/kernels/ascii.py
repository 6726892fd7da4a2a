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
    """Writes a decimal number and then one character into the byte array `out`.

    Args:
        out: array of bytes to write into.
        index: index in `out` of the first byte.
        number: the number.
        after: code of the character after the number.

    Returns:
        The index after the last byte written.
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
    """Writes a word and then one character into the byte array `out`. Returns the index after the last byte written.

    Args:
        out: array of bytes to write into.
        index: index in `out` of the first byte.
        word: the word's bytes, such as one item of the array that `words` returns.
        after: code of the character after the word.
    """
    for k in range(len(word)):
        out[index + k] = word[k]
    out[index + len(word)] = after
    return index + len(word) + 1


def words(texts: Sequence[str], length: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Returns an array with the bytes of each ASCII word, for `put_word`.

    The array's shape is (number of words, `length`). A word shorter than `length` is followed by zeros.
    """
    rows = np.zeros((len(texts), length), np.uint8)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = list(text.encode("ascii"))
    return rows


def written(size: int, write: Callable[..., int], *position: Any) -> str:
    """Calls a kernel that writes a text about a position, and returns the text as a string.

    Args:
        size: greatest length of the text, in bytes.
        write: the kernel. Its arguments are `position` and then the byte array to fill. It returns the text's length.
        position: the arguments of `write` that describe the position.
    """
    out = np.empty(size, np.uint8)
    return out[: write(*position, out)].tobytes().decode("ascii")
