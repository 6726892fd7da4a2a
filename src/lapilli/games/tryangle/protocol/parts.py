"""Splits a bot's reply, one line, into parts: commands, drawings, messages. This does not depend on the position.

The kernels accept exactly the same text as the original referee (see RULES.md). They read each byte only a few times,
so the time for a line is proportional to its length, whatever the line contains. In all kernels, `line` is the reply as
an array of bytes in UTF-8, and `end` is the index at which the part ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.reading.numbers import INT32_MAX, INT32_MIN
from lapilli.games.tryangle.board import KEYWORDS, MOVE, REMOVE_PATH
from lapilli.kernels.kernel import Ints, kernel

# Kinds of parts: four kinds of drawings; an empty part or WAIT (NOTHING); a message (SAYS); an unknown part. Smaller
# numbers are the five kinds of command.
LINE, RECT, CIRCLE, TEXT, NOTHING, SAYS, UNKNOWN = range(REMOVE_PATH + 1, REMOVE_PATH + 8)
DRAWINGS = ("LINE", "RECT", "CIRCLE", "TEXT")
_NUMBERS = np.array([4, 3, 3, 4, 4, 4, 4, 3, 2], np.int64)  # by command or drawing
NUMBERS = 4
"""Greatest number of integers in a part of a reply, such as `ATTACK 1 2 3 4`."""

_LETTERS = np.zeros((len(KEYWORDS) + len(DRAWINGS), 12), np.uint8)
for _row, _word in zip(_LETTERS, KEYWORDS + DRAWINGS, strict=True):
    _row[: len(_word)] = list(_word.encode())
_WAIT, _MSG = (np.array(list(word), np.int64) for word in (b"WAIT", b"MSG"))

_SEMICOLON, _MINUS, _ZERO, _NINE, _SPACE = (ord(sign) for sign in ";-09 ")
_TAB, _NEWLINE, _RETURN = (ord(sign) for sign in "\t\n\r")
_I, _S, _LOWER_A, _LOWER_Z = (ord(sign) for sign in "ISaz")
_LOWER = _LOWER_A - ord("A")
_DOTLESS_I, _LONG_S, _NEXT_LINE = (int.from_bytes(sign.encode(), "big") for sign in "ıſ\x85")
_LINE_SEPARATOR, _PARAGRAPH_SEPARATOR = (int.from_bytes(sign.encode(), "big") for sign in "\u2028\u2029")


@kernel
def is_blank(sign: int) -> bool:
    """Returns whether a byte is a blank: space, tab, line feed, vertical tab, form feed or carriage return."""
    return sign == _SPACE or _TAB <= sign <= _RETURN


@kernel
def skip_blanks(line: Any, start: int, end: int) -> int:
    """Returns the index of the first byte in line[start:end] that is no blank; `end` if there is no such byte."""
    while start < end and is_blank(line[start]):
        start += 1
    return start


@kernel
def byte_at(line: Any, k: int, end: int) -> int:
    """Returns the byte `line[k]` as an int64; 0 if `k` is not below `end`, the end of a part of the line."""
    return int(np.int64(line[k])) if k < end else 0


@kernel
def part_end(line: Any, start: int) -> int:
    """Returns the end of the part that begins at `start`: the index of the next semicolon, or the line's length."""
    end = start
    while end < len(line) and line[end] != _SEMICOLON:
        end += 1
    return end


@kernel
def read_keyword(line: Any, start: int, end: int) -> tuple[int, int]:
    """Returns the kind of the command or drawing whose keyword begins at `start`, and the index after the keyword.

    The keyword may be in upper or lower case, and a blank must follow it. The kind is -1 if there is no keyword. The
    index `end` is the end of the part of `line` that is read.
    """
    for kind in range(len(_LETTERS)):
        k = 0
        while k < 11 and _LETTERS[kind, k] and start + k < end:
            sign = int(line[start + k])
            if _LOWER_A <= sign <= _LOWER_Z:
                sign -= _LOWER
            if sign != _LETTERS[kind, k]:
                break
            k += 1
        if not _LETTERS[kind, k] and start + k < end and is_blank(line[start + k]):
            return kind, start + k
    return -1, start


@kernel
def read_number(line: Any, start: int, end: int, signed: bool) -> tuple[int, int]:
    """Returns the value of the decimal number at `line[start]`, and the index after the number.

    The index is `start` if there is no number before the index `end`. Values above 1 << 40 are replaced by 1 << 40, so
    they are still seen to exceed 32 bits. A minus sign is allowed if `signed` is True.
    """
    k = start
    negative = signed and k < end and line[k] == _MINUS
    if negative:
        k += 1
    first, value = k, 0
    while k < end and _ZERO <= line[k] <= _NINE:
        value = min(value * 10 + int(line[k]) - _ZERO, 1 << 40)
        k += 1
    if k == first:
        return 0, start
    return (-value if negative else value), k


@kernel
def read_word(line: Any, start: int, end: int, word: Ints) -> int:
    """Returns the index after `word` if `line[start:end]` begins with this word; otherwise -1.

    Upper and lower case are equal by the rules of Unicode: a dotless i equals I, and a long s equals S. `word` has the
    codes of capital letters.
    """
    k = start
    for letter in word:
        if k >= end:
            return -1
        sign = byte_at(line, k, end)
        pair = sign << 8 | byte_at(line, k + 1, end)
        if (letter == _I and pair == _DOTLESS_I) or (letter == _S and pair == _LONG_S):
            k += 2
        elif sign in (letter, letter + _LOWER):
            k += 1
        else:
            return -1
    return k


@kernel
def ends_a_line(line: Any, k: int, end: int) -> bool:
    """Returns whether one of the characters that end a line in Unicode begins at the index `k`."""
    sign = byte_at(line, k, end)
    pair = sign << 8 | byte_at(line, k + 1, end)
    three = pair << 8 | byte_at(line, k + 2, end)
    if sign in (_NEWLINE, _RETURN):
        return True
    return pair == _NEXT_LINE or three in (_LINE_SEPARATOR, _PARAGRAPH_SEPARATOR)


@kernel
def is_text(line: Any, start: int, end: int) -> bool:
    """Returns whether line[start:end] can follow the numbers of the drawing command TEXT.

    The original's pattern requires blanks, one or more characters that do not end a line, and optional blanks.
    """
    first = skip_blanks(line, start, end)
    if first == start:
        return False
    if first == end:  # only blanks: one of them is the text
        first = start + 1
        while first < end and ends_a_line(line, first, end):
            first += 1
        return first < end
    while is_blank(line[end - 1]):
        end -= 1
    while first < end and not ends_a_line(line, first, end):
        first += 1
    return first == end


@kernel
def read_part(line: Any, start: int, end: int, words: Ints) -> int:
    """Returns the kind of the part line[start:end] of a reply, and writes the part's numbers into `words`.

    A part is a command, a drawing or a message. The text of a message is not copied: words[0] is the index in `line` at
    which the text begins. For the drawing command TEXT, words[2] is this index.
    """
    first = skip_blanks(line, start, end)
    if first == end:
        return NOTHING
    kind, k = read_keyword(line, first, end)
    if kind < 0:
        return read_other(line, start, end, words)
    for index in range(_NUMBERS[kind]):
        begin = skip_blanks(line, k, end)
        if begin == k:
            return UNKNOWN
        value, k = read_number(line, begin, end, kind > REMOVE_PATH or (kind == MOVE and index == 2))
        if k == begin or value > INT32_MAX or value < INT32_MIN:
            return UNKNOWN
        words[index] = value
    if kind == TEXT:
        words[2] = k
        return TEXT if is_text(line, k, end) else UNKNOWN
    return kind if skip_blanks(line, k, end) == end else UNKNOWN


@kernel
def read_other(line: Any, start: int, end: int, words: Ints) -> int:
    """Returns the kind of the part line[start:end], which has no keyword: SAYS (a message), NOTHING or UNKNOWN.

    For a message, words[0] gets the index in `line` at which its text begins.
    """
    k = read_word(line, start, end, _MSG)
    if 0 <= k < end and line[k] == _SPACE:
        words[0] = k + 1
        return SAYS
    while start < end and line[start] <= _SPACE:
        start += 1
    while end > start and line[end - 1] <= _SPACE:
        end -= 1
    return NOTHING if start == end or read_word(line, start, end, _WAIT) == end else UNKNOWN


@kernel
def note(rows: Any, row: int, what: int, start: int, end: int, words: Ints) -> None:
    """Writes a description of one part of a bot's reply, as integers, into `rows[row]`.

    The integers are `what` (the kind of the part, or its error), the indices `start` and `end` in the reply, and the
    part's numbers `words`.
    """
    rows[row, 0], rows[row, 1], rows[row, 2] = what, start, end
    for k in range(NUMBERS):
        rows[row, 3 + k] = words[k]
