"""Counts the first turns of matches. Turns that differ only by a symmetry of the game are counted together."""

from __future__ import annotations

from collections.abc import Sequence

from lapilli.core.api import State
from lapilli.core.content.first_turns import FIRST_TURNS, CountedTurn
from lapilli.core.rules.folding import Folding
from lapilli.match.record import Record
from lapilli.match.replay import replay
from lapilli.players.engines.turns import actions_in


def counted(
    folding: Folding, before: State, player: int, turn: Sequence[int], after: State, ranks: Sequence[int]
) -> CountedTurn:
    """Returns one turn of a match as an entry of statistics: the turn, with one win, draw or loss for its player.

    In the entry, turns that differ only by a symmetry of the game are equal.

    Args:
        folding: the symmetries of the game.
        before, after: the positions before the turn and just after it.
        player: the player who made the turn.
        turn: the turn's atomic actions.
        ranks: rank of each player in the match; 1 is best, ties share a rank.
    """
    position = folding.position(before, player)
    key = folding.position(after, player).key
    is_first = ranks[player] == 1
    is_shared = list(ranks).count(1) > 1
    results = (int(is_first and not is_shared), int(is_first and is_shared), int(not is_first))
    return CountedTurn(position.key, key, folding.fold(turn, position), *results)


def counted_turns(record: Record, most: int = FIRST_TURNS) -> list[CountedTurn]:
    """Returns the first turns of a match, each with the match's result.

    Stops before the first turn with a fault, and before the first turn in which several players act simultaneously.
    Returns an empty list for a match without ranks.

    Args:
        record: record of the match, which must be correct.
        most: greatest number of turns.
    """
    ranks = record.outcome.ranks if record.outcome else None
    if not ranks:
        return []
    folding = Folding(record.load_game(), record.load_setup())
    turns: list[CountedTurn] = []
    for after, step in replay(record):
        if step is None or not (asked := step.before.asked()):
            continue
        if len(turns) == most or len(asked) > 1 or step.report.faults:
            break
        (player,) = asked
        actions = actions_in(step.before, player, step.report.actions[player])
        turns.append(counted(folding, step.before, player, actions, after, ranks))
    return turns
