"""cgarena: the seed, the file of the replay and the players come in this order; one JSON object goes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lapilli.arena.interop.attributes import attributes
from lapilli.arena.interop.brutaltester import faulty
from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.match.record import Record

COMPATIBILITY = "cgarena-referee-v1"
"""What the tool's probe wants to read."""
REPLAY_PAGE = "test.html"
"""The file that it opens of the folder that it names."""


class Call(NamedTuple):
    """What the tool asks for.

    Attributes:
        seed: of the match. replay: where the replay goes; the tool's older form names none. players: their commands.
    """

    seed: int
    replay: Path | None
    players: list[str]


def call_of(words: list[str]) -> Call:
    """Takes `SEED [REPLAY_PATH] PLAYERS` apart.

    The tool's replays are named `.json`, which no program is; so a single word that ends so is one.

    Raises:
        SetupError: the first word is no number.
    """
    seed, *rest = words
    try:
        number = int(seed)
    except ValueError:
        raise SetupError(f"{quoted(seed)} is no seed: expected SEED [REPLAY_PATH] PLAYERS") from None
    if rest and rest[0].endswith(".json") and len(rest[0].split()) == 1:
        return Call(number, Path(rest[0]), rest[1:])
    return Call(number, None, rest)


def result(record: Record) -> dict[str, Any]:
    """The answer about a match.

    The tool has no word for a match that counts for nobody, and stops at an answer that is none. So that one comes as
    a draw without errors, and with an attribute `abandoned` by which it can be left out.
    """
    outcome = record.outcome
    assert outcome is not None
    number = len(record.players)
    at_fault = faulty(record)
    told = [attribute._asdict() for attribute in attributes(record)]
    if not outcome.counts:
        told.append({"name": "abandoned", "player": None, "turn": None, "value": outcome.reason})
    return {
        "ranks": [rank - 1 for rank in outcome.ranks or [1] * number],
        "errors": [int(player in at_fault and outcome.counts) for player in range(number)],
        "scores": outcome.scores or [],
        "attributes": told,
    }
