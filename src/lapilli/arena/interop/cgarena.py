"""The format of cgarena, which calls a referee with seed, replay path and players, and reads a JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lapilli.arena.interop.attributes import attributes
from lapilli.arena.interop.brutaltester import faulty
from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.match.record import Record

COMPATIBILITY = "cgarena-referee-v1"
"""Text that cgarena expects when it checks whether a referee is compatible."""
REPLAY_PAGE = "test.html"
"""Name of the file that cgarena opens in its replay folder."""


class Call(NamedTuple):
    """The arguments with which cgarena calls a referee.

    Attributes:
        seed: seed of the match.
        replay: path of the replay to write; None if the call names no path, as in older versions of cgarena.
        players: commands of the players.
    """

    seed: int
    replay: Path | None
    players: list[str]


def call_of(words: list[str]) -> Call:
    """Parses the words of a referee call: `SEED [REPLAY_PATH] PLAYERS`.

    The word after the seed is the path of the replay if this word ends with `.json` and has no spaces. No player's
    command has this form.

    Raises:
        SetupError: the first word is not a number.
    """
    seed, *rest = words
    try:
        number = int(seed)
    except ValueError:
        raise SetupError(f"{quoted(seed)} is not a seed: expected SEED [REPLAY_PATH] PLAYERS") from None
    if rest and rest[0].endswith(".json") and len(rest[0].split()) == 1:
        return Call(number, Path(rest[0]), rest[1:])
    return Call(number, None, rest)


def result(record: Record) -> dict[str, Any]:
    """Returns the JSON object that cgarena reads after a match.

    Cgarena has no abandoned matches, and stops if the object is not valid. So an abandoned match is returned as a draw
    without errors, with an attribute `abandoned` by which the user can exclude the match.
    """
    outcome = record.outcome
    assert outcome is not None
    number = len(record.players)
    at_fault = faulty(record)
    own_attributes = [attribute._asdict() for attribute in attributes(record)]
    if not outcome.by_rules:
        own_attributes.append({"name": "abandoned", "player": None, "turn": None, "value": outcome.reason})
    return {
        "ranks": [rank - 1 for rank in outcome.ranks or [1] * number],
        "errors": [int(player in at_fault and outcome.by_rules) for player in range(number)],
        "scores": outcome.scores or [],
        "attributes": own_attributes,
    }
