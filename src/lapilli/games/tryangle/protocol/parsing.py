"""Parses a bot's reply, one line, into commands.

A compiled kernel splits the line into parts (see `parts`) and checks the commands. For the texts that Python needs, the
kernel stores start and end: a few errors of each kind, a message, the first unknown part, and the first drawings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lapilli.core.reading.text import message_of, shortened
from lapilli.games.tryangle.board import ADD_PATH, ATTACK, ATTACK_LEAGUE, MOVE, PATH_LEAGUE, REMOVE_PATH, SPAWN
from lapilli.games.tryangle.protocol.parts import (
    DRAWINGS,
    LINE,
    NUMBERS,
    SAYS,
    TEXT,
    UNKNOWN,
    note,
    part_end,
    read_part,
)
from lapilli.games.tryangle.rules.commands import command
from lapilli.games.tryangle.rules.position import NONE, TRYANGLE, bit, can_connect, mask_of, near_houses
from lapilli.games.tryangle.rules.turn import is_possible
from lapilli.kernels.kernel import Ints, Position, kernel

# Errors ("flaws") of a command. Errors of one kind are reported together. BAD_TARGET and BAD_REMOVAL both mean that a
# target is out of reach, and are one kind.
GOOD, BAD_HOUSE, BAD_TRIANGLE, BAD_AMOUNT, BAD_PATH, BAD_TARGET, BAD_REMOVAL, BAD_LEAGUE, BAD_NOW = range(9)
_FLAWS = 9
_SHOWN = 3
"""Greatest number of errors of one kind to show. If there are more, the last one is replaced by a line with the number
of errors that are not shown."""
_MOST_DRAWINGS = 50
# By kind of command: the first league that has this command, and how many of the command's numbers are houses.
_NEEDS_LEAGUE = np.array([ATTACK_LEAGUE, 1, 1, PATH_LEAGUE, PATH_LEAGUE], np.int64)
_HOUSES = np.array([4, 2, 3, 4, 4], np.int64)
_MESSAGE, _UNKNOWN = 0, 1
"""Indices of the array `spans`, which has start and end of texts in the line: of the last message, and of the first
unknown part."""


@kernel
def kind_of(flaw: int) -> int:
    """Returns the kind of an error in a bot's reply. The errors of one kind are counted and reported together.

    `flaw` is the error, a number such as BAD_TARGET. The kind of BAD_REMOVAL is BAD_TARGET. The kind of any other error
    is the same number as the error.
    """
    return BAD_TARGET if flaw == BAD_REMOVAL else flaw


@kernel
def find_triangle(p: Position, a: int, b: int, c: int) -> int:
    """Returns the index of the first triangle that has the houses a, b and c as corners; -1 if there is none.

    Two or all three of the numbers may be equal. Then the triangle must have the different ones as corners.
    """
    wanted = bit(a) | bit(b) | bit(c)
    for t in range(int(p.triangles)):
        if wanted & ~mask_of(p, t) == NONE:
            return t
    return -1


@kernel
def check(p: Position, player: int, kind: int, words: Ints) -> tuple[int, int]:
    """Returns a command's first error, or GOOD if it has none, and the command as an integer (see `rules.commands`).

    Args:
        p: the position.
        player: the player who gives the command.
        kind: kind of the command.
        words: the numbers of the command. If a house does not exist, its number is copied to words[0], for the error
            message.
    """
    for index in range(_HOUSES[kind]):
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
        if kind == ADD_PATH and not can_connect(p, a, target):
            return BAD_PATH, 0
        if kind == ATTACK and near_houses(p, triangle) & bit(target) == NONE:
            return BAD_TARGET, 0
        if kind == REMOVE_PATH and near_houses(p, triangle) & bit(target) == NONE:
            return BAD_REMOVAL, 0
        given = command(kind, triangle, a, target, 0)
    if p.league < _NEEDS_LEAGUE[kind]:
        return BAD_LEAGUE, 0
    return (GOOD if is_possible(p, p, player, given) else BAD_NOW), given


@kernel
def parse(
    p: Position,
    player: int,
    line: Any,
    commands: Ints,
    flaws: Any,
    counts: Ints,
    drawn: Any,
    spans: Any,
    words: Ints,
) -> tuple[int, int, int]:
    """Parses a bot's reply: writes its valid commands, its errors and its drawings into arrays.

    Args:
        p: the position.
        player: the player who replied.
        line: the reply as bytes of UTF-8.
        commands: filled with the valid commands as integers; one element per part of the line is enough.
        flaws: filled with the invalid commands, up to _SHOWN for each kind of error. Each gets a row: the error, start
            and end of the command in the line, and the command's numbers.
        counts: filled with the number of errors of each kind; zeros at first.
        drawn: filled with the first drawings, as many as there is space for. Each gets a row: its kind, start and end
            in the line, and its numbers.
        spans: filled with start and end of the last message and of the first unknown part; -1 at first.
        words: scratch array of NUMBERS integers.

    Returns:
        The numbers of elements written into `commands`, `flaws` and `drawn`.
    """
    good = bad = drawings = start = 0
    while start <= len(line):
        end = part_end(line, start)
        kind = read_part(line, start, end, words)
        if kind <= REMOVE_PATH:
            flaw, given = check(p, player, kind, words)
            if flaw == GOOD:
                commands[good] = given
                good += 1
            else:
                counts[kind_of(flaw)] += 1
                if counts[kind_of(flaw)] <= _SHOWN:
                    note(flaws, bad, flaw, start, end, words)
                    bad += 1
        elif kind <= TEXT:
            if drawings < len(drawn):
                note(drawn, drawings, kind, start, end, words)
                drawings += 1
        elif kind == SAYS:
            spans[_MESSAGE, 0], spans[_MESSAGE, 1] = words[0], end
        elif kind == UNKNOWN and spans[_UNKNOWN, 0] < 0:
            spans[_UNKNOWN, 0], spans[_UNKNOWN, 1] = start, end
        start = end + 1
    return good, bad, drawings


# -- in Python ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing that a bot made on the map, for debugging.

    Attributes:
        kind: "line", "rect", "circle" or "text".
        numbers: coordinates and sizes, as the bot wrote them.
        text: the text, at most 20 characters, if the kind is "text".
    """

    kind: str
    numbers: tuple[int, ...]
    text: str = ""


@dataclass
class Reading:
    """The result of parsing a bot's reply.

    Attributes:
        commands: the valid commands as integers (see `rules.commands`).
        notes: error messages about invalid commands, grouped by kind as in the original.
        unknown: error message about the first unknown command, which puts the player out; None if there is none.
        message: the message that viewers show beside the player; "" if there is none.
    """

    commands: Ints
    notes: list[str] = field(default_factory=list)
    unknown: str | None = None
    message: str = ""
    _shapes: tuple[bytes, list[list[int]]] = b"", []

    @cached_property
    def drawings(self) -> list[Drawing]:
        """The bot's drawings, at most 50. They do not affect play, so they are created only at the first access."""
        data, rows = self._shapes
        return [_drawing(data, *row) for row in rows]


_BLANKS = "".join(map(chr, range(33)))
_LINE_END = re.compile("[\n\r\x85\u2028\u2029]")
_MESSAGE_LENGTH, _TEXT_LENGTH, _PART_LENGTH = 50, 20, 100


def drawings(line: str) -> list[Drawing]:
    """Returns the drawings that a bot's reply contains, at most 50. They do not depend on the position."""
    nowhere = np.zeros((), TRYANGLE)[()]
    return read_line(nowhere, 0, line).drawings


def _drawing(data: bytes, kind: int, start: int, end: int, *words: int) -> Drawing:
    """Makes a Drawing from the numbers that `parts.note` has written for a part of a bot's reply.

    Args:
        data: the bot's reply in UTF-8.
        kind: kind of the drawing.
        start, end: where the part begins and ends in `data`.
        words: the part's numbers.
    """
    name = DRAWINGS[kind - LINE].lower()
    if kind == TEXT:
        text = _decoded(data, words[2], end).strip(_BLANKS)
        return Drawing(name, words[:2], _cut(text, _TEXT_LENGTH))
    return Drawing(name, words[: 3 if name == "circle" else 4])


def _decoded(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "surrogatepass")


def _cut(text: str, length: int) -> str:
    """Returns the first `length` UTF-16 code units of a text, as in Java. Half a character at the end is left out."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * length].decode("utf-16-le", "ignore")


def read_line(record: Any, player: int, line: str) -> Reading:
    """Parses the reply `line` of `player` at the position with this record."""
    data = line.encode("utf-8", "surrogatepass")
    commands, words = np.empty(data.count(b";") + 1, np.int64), np.zeros(NUMBERS, np.int64)
    flaws, counts = np.empty((_SHOWN * _FLAWS, 3 + NUMBERS), np.int64), np.zeros(_FLAWS, np.int64)
    drawn, spans = np.empty((_MOST_DRAWINGS, 3 + NUMBERS), np.int64), np.full((2, 2), -1, np.int64)
    text = np.frombuffer(data, np.uint8)
    good, bad, shapes = parse(record, player, text, commands, flaws, counts, drawn, spans, words)
    reading = Reading(commands[:good].copy())
    if shapes:
        reading._shapes = data, drawn[:shapes].tolist()
    if bad:
        reading.notes = _notes(data, flaws[:bad].tolist(), counts.tolist())
    message, unknown = spans.tolist()
    if message[0] >= 0:
        reading.message = message_of(_cut(_decoded(data, *message).strip(_BLANKS), _MESSAGE_LENGTH))
    if unknown[0] >= 0:
        reading.unknown = f"Unknown command: {_shown(_decoded(data, *unknown))}"
    return reading


def _notes(data: bytes, flaws: list[list[int]], counts: list[int]) -> list[str]:
    """Returns error messages, grouped by kind in the order in which the kinds first occur.

    Args:
        data: the bot's reply in UTF-8.
        flaws: the errors to show. Each is a list of integers: the error, start and end of the command in `data`, and
            the command's numbers.
        counts: by kind, the number of all errors.
    """
    groups: dict[int, list[str]] = {}
    for flaw, start, end, *words in flaws:
        groups.setdefault(kind_of(flaw), []).append(_error(flaw, _decoded(data, start, end), words))
    notes = []
    for kind, texts in groups.items():
        more = counts[kind] - _SHOWN + 1
        notes += texts if counts[kind] <= _SHOWN else [*texts[:-1], f"{more} more errors of that type"]
    return notes


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
    """Returns a part of a reply for an error message: in one line, shortened to _PART_LENGTH characters."""
    return _LINE_END.sub(" ", shortened(part, _PART_LENGTH))
