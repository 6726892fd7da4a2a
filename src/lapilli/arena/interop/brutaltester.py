"""The format of brutaltester: a referee prints one integer per player (negative for an error), then the seed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.match.record import Record

PLAYER_OPTIONS = ("-p1", "-p2", "-p3", "-p4")


def output(record: Record) -> str:
    """Returns the text that brutaltester reads after a finished match: a line per player (`points`), then the seed."""
    return "".join(f"{line}\n" for line in (*points(record), f"seed={record.load_setup().seed}"))


def points(record: Record) -> list[int]:
    """Returns a number for each player of a finished match. Brutaltester derives the result from these numbers.

    The numbers are the game's scores if the scores order the players as the ranks do. Otherwise, such as after a
    tie-break, a player's number is the number of players ranked behind that player. The number of a player with a fault
    is negative: the rank with a minus sign. Brutaltester counts a negative number as an error. The numbers of players
    without faults are always higher.
    """
    outcome = record.outcome
    assert outcome is not None
    assert outcome.scores is not None
    assert outcome.ranks is not None
    scores, ranks = outcome.scores, outcome.ranks
    at_fault = faulty(record)
    fair = [player for player in range(len(ranks)) if player not in at_fault]
    scores_fit = all(
        (scores[one] > scores[other]) == (ranks[one] < ranks[other]) for one in fair for other in fair if one != other
    )
    beaten = [sum(own < other for other in ranks) for own in ranks]
    return [
        -ranks[player] if player in at_fault else scores[player] if scores_fit else beaten[player]
        for player in range(len(ranks))
    ]


def faulty(record: Record) -> set[int]:
    """Returns the numbers of the players who had a fault, such as an invalid or missing reply."""
    return {entry.player for entry in record.turns if entry.fault is not None and entry.fault.termination.is_fault}


def seed_of(data: str) -> int:
    """Returns the seed in a text "seed=NUMBER" from brutaltester. Raises SetupError for any other text."""
    found = re.fullmatch(r"\s*seed\s*=\s*([+-]?\d{1,20})\s*", data)
    if found is None:
        raise SetupError(f"-d {quoted(data)}: expected seed=NUMBER; other parts of a setup have their own options")
    return int(found[1])


def rejoined(words: Sequence[str], options: Collection[str]) -> list[str]:
    """Returns the words of a command line that brutaltester printed, with each player's command as one word.

    Brutaltester prints a command line with which a user can watch a match, but without quotes. So all words after a
    player's option, up to the next option, belong to the player's command. The printed line ends with a second option
    `-d`, because brutaltester prints the value of this option, the seed, on the next line. This second `-d` is dropped.

    Args:
        words: words of the printed command line.
        options: names of all options of the command.
    """
    joined: list[str] = []
    for word in words:
        if joined[-2:-1] and joined[-2] in PLAYER_OPTIONS and word.partition("=")[0] not in options:
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined[:-1] if joined[-1:] == ["-d"] and "-d" in joined[:-1] else joined
