"""From a player's line to commands.

A kernel reads the five kinds of command and checks them; what it does not know (WAIT, MSG, drawings, mistakes) it
leaves to Python. Patterns and checks are the original's, see RULES.md.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lapilli.games.kernel import Ints, Position, kernel
from lapilli.games.numbers import INT32_MAX, INT32_MIN, int32
from lapilli.games.tryangle.board import ADD_PATH, ATTACK, KEYWORDS, MOVE, REMOVE_PATH, SPAWN
from lapilli.games.tryangle.rules.commands import command
from lapilli.games.tryangle.rules.geometry import Table
from lapilli.games.tryangle.rules.position import NONE, bit, can_connect, in_reach, mask_of
from lapilli.games.tryangle.rules.turn import can_apply
from lapilli.games.wording import message_of, shortened

# What is wrong with a part. Errors of one kind are reported together; the two that a target out of reach leads to
# are one kind. OTHER is not an error yet: Python has a look at the part.
GOOD, OTHER, BAD_HOUSE, BAD_TRIANGLE, BAD_AMOUNT, BAD_PATH, BAD_TARGET, BAD_REMOVAL, BAD_LEAGUE, BAD_NOW = range(10)
_KIND = {BAD_REMOVAL: BAD_TARGET}
_NEEDS_LEAGUE = np.array([2, 1, 1, 3, 3], np.int64)  # by kind of command
_WORDS = np.array([4, 3, 3, 4, 4], np.int64)

_LETTERS = np.zeros((len(KEYWORDS), 12), np.uint8)
for _row, _word in zip(_LETTERS, KEYWORDS, strict=True):
    _row[: len(_word)] = list(_word.encode())

_SEMICOLON, _MINUS, _ZERO, _NINE, _SPACE, _TAB, _RETURN, _LOWER_A, _LOWER_Z = (ord(sign) for sign in ";-09 \t\raz")


@kernel
def is_blank(sign: int) -> bool:
    """A blank between words: space, tab, line feed, vertical tab, form feed, carriage return."""
    return sign == _SPACE or _TAB <= sign <= _RETURN


@kernel
def skip_blanks(line: Any, start: int, end: int) -> int:
    """The place of the first sign in line[start:end] that is no blank, or the end."""
    while start < end and is_blank(line[start]):
        start += 1
    return start


@kernel
def read_keyword(line: Any, start: int, end: int) -> tuple[int, int]:
    """(kind, where it ends) of the keyword at `start`, in any case; kind -1 where there is none."""
    for kind in range(len(_LETTERS)):
        k = 0
        while k < 11 and _LETTERS[kind, k] and start + k < end:
            sign = int(line[start + k])
            if _LOWER_A <= sign <= _LOWER_Z:
                sign -= 32
            if sign != _LETTERS[kind, k]:
                break
            k += 1
        if not _LETTERS[kind, k] and start + k < end and is_blank(line[start + k]):
            return kind, start + k
    return -1, start


@kernel
def read_number(line: Any, start: int, end: int, signed: bool) -> tuple[int, int]:
    """(value, where it ends) of the decimal number at `start`; an end equal to the start where there is none.

    A value beyond 32 bits comes out as some value beyond 32 bits.
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
def read_part(line: Any, start: int, end: int, words: Any) -> int:
    """The kind of the command in line[start:end], its numbers in `words`; -1 where it is none."""
    kind, k = read_keyword(line, skip_blanks(line, start, end), end)
    if kind < 0:
        return -1
    for index in range(_WORDS[kind]):
        begin = skip_blanks(line, k, end)
        if begin == k:
            return -1
        value, k = read_number(line, begin, end, kind == MOVE and index == 2)
        if k == begin or value > INT32_MAX or value < INT32_MIN:
            return -1
        words[index] = value
    return kind if skip_blanks(line, k, end) == end else -1


@kernel
def find_triangle(p: Position, a: int, b: int, c: int) -> int:
    """The first triangle with all these houses among its corners (they may repeat); -1 where there is none."""
    wanted = bit(a) | bit(b) | bit(c)
    for t in range(int(p.triangles)):
        if wanted & ~mask_of(p, t) == NONE:
            return t
    return -1


@kernel
def check(p: Position, table: Table, player: int, kind: int, words: Ints) -> tuple[int, int]:
    """The first thing wrong with a command, or GOOD; and the command. A house that is none moves up in `words`."""
    for index in range(2 if kind == MOVE else _WORDS[kind]):
        if words[index] >= p.houses:
            words[0] = words[index]
            return BAD_HOUSE, 0
    a, target = words[0], words[1] if kind in (MOVE, SPAWN) else words[3]
    if kind == MOVE:
        if words[2] <= 0:
            return BAD_AMOUNT, 0
        given = command(kind, 0, a, target, words[2])
    else:
        triangle = find_triangle(p, a, words[1], words[2])
        if triangle < 0:
            return BAD_TRIANGLE, 0
        if kind == ADD_PATH and not can_connect(p, table, a, target):
            return BAD_PATH, 0
        if kind == ATTACK and not in_reach(p, triangle, target):
            return BAD_TARGET, 0
        if kind == REMOVE_PATH and not in_reach(p, triangle, target):
            return BAD_REMOVAL, 0
        given = command(kind, triangle, a, target, 0)
    if p.league < _NEEDS_LEAGUE[kind]:
        return BAD_LEAGUE, 0
    return (GOOD if can_apply(p, table, player, given) else BAD_NOW), given


@kernel
def parse(
    p: Position, table: Table, player: int, line: Any, commands: Ints, flaws: Any, words: Ints
) -> tuple[int, int]:
    """Takes a line (UTF-8) apart.

    Args:
        commands: takes the good commands; one a part will do.
        flaws: takes (what, start, end, words…) of every part that is none: where it lies, and its numbers.
        words: room for four numbers.

    Returns:
        How many commands and how many flaws.
    """
    good = bad = start = 0
    length = len(line)
    while start <= length:
        end = start
        visible = False
        while end < length and line[end] != _SEMICOLON:
            visible = visible or line[end] > _SPACE
            end += 1
        if visible:
            kind = read_part(line, start, end, words)
            flaw, given = (OTHER, 0) if kind < 0 else check(p, table, player, kind, words)
            if flaw == GOOD:
                commands[good] = given
                good += 1
            else:
                flaws[bad, 0], flaws[bad, 1], flaws[bad, 2] = flaw, start, end
                for k in range(4):
                    flaws[bad, 3 + k] = words[k]
                bad += 1
        start = end + 1
    return good, bad


# -- Python's part -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing for debugging: `kind` line, rect, circle or text; its numbers; a text's text, 20 signs at most."""

    kind: str
    numbers: tuple[int, ...]
    text: str = ""


@dataclass(slots=True)
class Reading:
    """What a line comes to.

    Attributes:
        commands: the good ones; number: how many.
        notes: error lines, unknown words left out, grouped as the original groups them.
        unknown: the first part that nobody understands, as an error line: it puts the player out.
        message: what the player wants shown.
    """

    commands: Any
    number: int
    notes: list[str] = field(default_factory=list)
    unknown: str | None = None
    message: str = ""


_BLANKS = "".join(map(chr, range(33)))
_BETWEEN = " \t\n\x0b\f\r"
_BLANK = f"[{_BETWEEN}]"
_LINE_END = re.compile("[\n\r\x85\u2028\u2029]")
_MESSAGE_LENGTH, _TEXT_LENGTH, _PART_LENGTH, _MOST_DRAWINGS = 50, 20, 100, 50


def _pattern(*words: str) -> re.Pattern[str]:
    return re.compile(f"{_BLANK}*{f'{_BLANK}+'.join(words)}{_BLANK}*", re.ASCII | re.IGNORECASE)


_NUMBER = "(-?[0-9]+)"
_DRAWINGS = {
    "line": _pattern("LINE", *[_NUMBER] * 4),
    "rect": _pattern("RECT", *[_NUMBER] * 4),
    "circle": _pattern("CIRCLE", *[_NUMBER] * 3),
    "text": re.compile(
        f"{_BLANK}*TEXT{_BLANK}+{_NUMBER}{_BLANK}+{_NUMBER}({_BLANK}.*)", re.ASCII | re.IGNORECASE | re.DOTALL
    ),
}


def _drawing(part: str) -> Drawing | None:
    for kind, pattern in _DRAWINGS.items():
        match = pattern.fullmatch(part)
        if match:
            words = match.groups()
            text = _text_drawn(words[2]) if kind == "text" else ""
            numbers = [int32(word) for word in (words[:2] if kind == "text" else words)]
            if text is None or None in numbers:
                return None
            return Drawing(kind, tuple(number for number in numbers if number is not None), text)
    return None


def _text_drawn(tail: str) -> str | None:
    """The text of a drawing, which begins with a blank here; None where the original's pattern does not fit.

    That pattern wants blanks, one or more signs that end no line, and blanks again.
    """
    core = tail.strip(_BETWEEN)
    if not core:
        return "" if tail[1:].strip("\n\r") else None
    return None if _LINE_END.search(core) else _cut(core.strip(_BLANKS), _TEXT_LENGTH)


def _cut(text: str, length: int) -> str:
    """The text's first signs, counted as Java counts them, in UTF-16; half a sign is left out."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * length].decode("utf-16-le", "ignore")


def drawings(line: str) -> list[Drawing]:
    """The drawings in a player's line, 50 at most. They have no effect on play."""
    drawn = [drawing for part in line.split(";") if (drawing := _drawing(part))]
    return drawn[:_MOST_DRAWINGS]


def read_line(record: Any, table: Table, player: int, line: str) -> Reading:
    """Takes `player`'s line apart in a position (a record, with its map's table)."""
    data = line.encode("utf-8", "surrogatepass")
    parts = data.count(b";") + 1
    flaws = np.empty((parts, 7), np.int64)
    reading, words = Reading(np.empty(parts, np.int64), 0), np.zeros(4, np.int64)
    reading.number, bad = parse(record, table, player, np.frombuffer(data, np.uint8), reading.commands, flaws, words)
    if bad:
        _explain(data, flaws[:bad].tolist(), reading)
    return reading


def _explain(data: bytes, flaws: list[list[int]], reading: Reading) -> None:
    groups: dict[int, list[str]] = {}
    counts: Counter[int] = Counter()
    for flaw, start, end, *words in flaws:
        kind = _KIND.get(flaw, flaw)
        counts[kind] += 1
        if flaw != OTHER and counts[kind] > 3:
            continue
        part = data[start:end].decode("utf-8", "surrogatepass")
        if flaw != OTHER:
            groups.setdefault(kind, []).append(_error(flaw, part, words))
        elif part.strip(_BLANKS).upper() == "WAIT" or _drawing(part):
            continue
        elif part.upper().startswith("MSG "):
            reading.message = message_of(_cut(part[4:].strip(_BLANKS), _MESSAGE_LENGTH))
        elif reading.unknown is None:
            reading.unknown = f"Unknown command: {_shown(part)}"
    for kind, texts in groups.items():
        number = counts[kind]
        reading.notes += texts if number <= 3 else [*texts[:2], f"{number - 2} more errors of that type"]


def _error(flaw: int, part: str, words: list[int]) -> str:
    a, b, c, target = words
    return {
        BAD_HOUSE: f"Invalid node: {a}",
        BAD_TRIANGLE: f"Invalid triangle: {a} {b} {c}",
        BAD_AMOUNT: "Amount of units to move must be positive",
        BAD_PATH: f"Can't connect houses {a} and {target}",
        BAD_TARGET: f"Can't attack house {target} from given triangle",
        BAD_REMOVAL: f"House {target} isn't connected to given triangle",
        BAD_LEAGUE: f"Command not available in your league: {_shown(part)}",
        BAD_NOW: f"Task can't be applied: {_shown(part)}",
    }[flaw]


def _shown(part: str) -> str:
    """A part as an error line shows it."""
    return shortened(_LINE_END.sub(" ", part), _PART_LENGTH)
