"""brutaltester: one whole number a player on standard output, a negative one for an error, then the match's data."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.match.record import Record

PLAYER_OPTIONS = ("-p1", "-p2", "-p3", "-p4")


def output(record: Record) -> str:
    """What the tool reads of a match that was played to its end: the numbers, and the data to play it again with."""
    return "".join(f"{line}\n" for line in (*points(record), f"seed={record.load_setup().seed}"))


def points(record: Record) -> list[int]:
    """A number for every player of a match that was played to its end; the tool knows nothing else of the result.

    They are the game's scores where those put the players in the order of their ranks, and otherwise (a game that
    is lost in another way than by points, a tie broken) the number of players that each has left behind. Whoever did
    something wrong gets its rank with a minus: an error, worse than whoever did not, and in order among themselves.
    """
    outcome = record.outcome
    assert outcome is not None
    assert outcome.scores is not None
    assert outcome.ranks is not None
    scores, ranks = outcome.scores, outcome.ranks
    at_fault = faulty(record)
    fair = [player for player in range(len(ranks)) if player not in at_fault]
    told = all(
        (scores[one] > scores[other]) == (ranks[one] < ranks[other]) for one in fair for other in fair if one != other
    )
    beaten = [sum(own < other for other in ranks) for own in ranks]
    return [
        -ranks[player] if player in at_fault else scores[player] if told else beaten[player]
        for player in range(len(ranks))
    ]


def faulty(record: Record) -> set[int]:
    """The players who did something wrong, or failed to answer."""
    return {entry.player for entry in record.turns if entry.fault is not None and entry.fault.termination.is_fault}


def seed_of(data: str) -> int:
    """The seed that the tool hands over. Raises SetupError where the data is none."""
    found = re.fullmatch(r"\s*seed\s*=\s*([+-]?\d{1,20})\s*", data)
    if found is None:
        raise SetupError(f"-d {quoted(data)}: expected seed=NUMBER; all else of a setup has options of its own")
    return int(found[1])


def rejoined(words: Sequence[str], options: Collection[str]) -> list[str]:
    """A command line in which the commands of players are one word each again.

    The tool prints one for a person to see a game, and quotes nothing. So what follows a player's option belongs to it
    up to the next option. It also breaks the line between a second `-d` and the seed; that one is passed over where the
    first has told it.
    """
    joined: list[str] = []
    for word in words:
        if joined[-2:-1] and joined[-2] in PLAYER_OPTIONS and word.partition("=")[0] not in options:
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined[:-1] if joined[-1:] == ["-d"] and "-d" in joined[:-1] else joined
