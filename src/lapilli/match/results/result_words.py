"""Describes results in words for people: who won, by how much, and why. A reader who took part in the match is called
"you"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lapilli.core.api import Fault, Game, Outcome, Termination

_LEFT = {
    Termination.RESIGNED: "resigned",
    Termination.TIMEOUT: "ran out of time",
}
"""For some kinds of fault, the words that follow the player's name. Other faults are described by their reason."""
_ORDINALS = ("first", "second", "third")
_POINTS = re.compile(r"[^:]*? (−?\d+(?:–−?\d+)+)(?=[,:]|$)")
"""The points in a result in words."""


def with_names(text: str, sides: Sequence[str], names: Sequence[str]) -> str:
    """Returns a game's text with the players' names in place of the names of their sides.

    Args:
        text: the text, such as "Blue grows N11".
        sides: names of the sides, by player number, as in `Game.sides`.
        names: names of the players.
    """
    called = dict(zip(sides, names, strict=False))
    return re.sub(rf"\b({'|'.join(map(re.escape, called))})\b", lambda found: called[found[1]], text)


def told_apart(names: Sequence[str], sides: Sequence[str]) -> list[str]:
    """Returns the players' names. If several players have the same name, their sides are added in brackets."""
    return [f"{name} ({side})" if names.count(name) > 1 else name for name, side in zip(names, sides, strict=False)]


def result_in_words(game: Game, outcome: Outcome, names: Sequence[str], reader: int | None = None) -> str:
    """Returns a result in one sentence, such as "You win 10–3: you captured every colour".

    Args:
        game: the game.
        outcome: the outcome of the match.
        names: the players' names, by player number.
        reader: the player who reads the sentence, and is called "you"; None for anybody else.
    """
    called = ["you" if player == reader else name for player, name in enumerate(names)]
    result = _winners(game, outcome, called, reader)
    why = _reason(game, outcome, called)
    return f"{result}: {why}" if why else result


def points_in(result: str) -> list[str]:
    """Returns the points that a sentence of `result_in_words` states, the best player's first; [] if it states none.

    `result`: a sentence that calls no player "you".
    """
    found = _POINTS.match(result)
    return found[1].split("–") if found else []


def winner_in(result: str, names: Sequence[str]) -> int | None:
    """Returns the player who has won alone, by a sentence of `result_in_words` for these names; None if nobody has."""
    return next((player for player, name in enumerate(names) if result.startswith(f"{name} wins")), None)


def fault_in_words(fault: Fault) -> str:
    """Describes a fault in a few words for a list of turns, such as "ran out of time"."""
    return _LEFT.get(fault.termination, fault.reason)


def _winners(game: Game, outcome: Outcome, called: Sequence[str], reader: int | None) -> str:
    """Returns the first part of a result in words: who won, and by how much, as in "You win 10–3".

    `called` contains the players' names, with "you" for the player `reader`; `reader` is None for other readers.
    """
    best = [player for player, rank in enumerate(outcome.ranks) if rank == 1]
    if outcome.termination == Termination.AGREED:
        return "Draw by agreement"
    if len(best) == len(called):
        return "Draw" + _margin(game, outcome, range(len(called)))
    if best == [reader]:
        return f"You win{_margin(game, outcome, _order(outcome))}"
    if reader is not None and len(called) == 2:
        return f"You lose{_margin(game, outcome, [reader, 1 - reader])}"
    who = " and ".join(called[player] for player in best)
    won = f"{who} {'wins' if len(best) == 1 else 'share first place'}{_margin(game, outcome, _order(outcome))}"
    if reader is not None and reader not in best:
        won += f", you are {_ORDINALS[outcome.ranks[reader] - 1] if outcome.ranks[reader] < 4 else 'last'}"
    return "You" + won[3:] if best[0] == reader else won


def _order(outcome: Outcome) -> list[int]:
    return sorted(range(len(outcome.ranks)), key=lambda player: outcome.ranks[player])


def _margin(game: Game, outcome: Outcome, players: Sequence[int]) -> str:
    """Returns the points of these players, in this order, such as " 10–3".

    Returns "" if the game counts no points, if the outcome has no scores, or if a fault decided the match.
    """
    if not game.counts_points or not outcome.scores or outcome.culprit is not None:
        return ""
    return " " + "–".join(str(outcome.scores[player]).replace("-", "−") for player in players)


def _reason(game: Game, outcome: Outcome, called: Sequence[str]) -> str:
    if outcome.termination == Termination.AGREED:
        return ""
    if outcome.culprit is None:
        return with_names(outcome.reason, game.sides, called)
    who = called[outcome.culprit]
    if outcome.termination in _LEFT:
        return f"{who} {_LEFT[outcome.termination]}"
    return f"{who} made a mistake ({with_names(outcome.reason, game.sides, called)})"
