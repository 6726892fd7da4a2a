"""The greedy opponent, and a simple evaluation of positions."""

from __future__ import annotations

from math import tanh
from random import Random

from lapilli.core.state import State
from lapilli.games.pyramids.rules.points import score
from lapilli.games.pyramids.rules.turns import TurnOutcomes
from lapilli.games.pyramids.rules.verbs import DECIDED, TURNS_UP, play
from lapilli.games.pyramids.state.state import record_of

WIN = 1000.0
_SCALE = 15.0
"""The evaluation is tanh(lead / _SCALE): a lead of this many points has the value tanh(1), about 3/4. Two solid nests
have 14 points."""


def evaluation(state: State, player: int) -> float:
    """Returns the value of a position for a player, in [-1, 1].

    During the game, it depends on the player's lead in points. At the end of the game, it is the result.
    """
    outcome = state.outcome()
    if outcome is not None:
        return state.returns()[player]
    record = record_of(state)
    return tanh((score(record, player) - score(record, 1 - player)) / _SCALE)


def greedy(state: State, player: int, random: Random) -> list[int]:
    """Returns the turn after which the player has the largest lead in points; of several such turns, a random one.

    Every different eruption that is possible after steps without an eruption is tried. A turn that ends the game is
    best if the player wins, and worst if the player loses. If no eruption is possible, returns a single legal step.
    """
    outcomes = TurnOutcomes(record_of(state))
    best, choices = -2 * WIN, [tuple(state.legal_actions()[:1])]
    for index in outcomes.eruptions():
        actions = outcomes.actions(index)
        value = _value(state, player, actions)
        if value > best:
            best, choices = value, [actions]
        elif value == best:
            choices.append(actions)
    return list(random.choice(choices))


def _value(state: State, player: int, actions: tuple[int, ...]) -> float:
    """Returns the player's lead in points after a turn, plus WIN if the turn wins the game, or minus WIN if it loses
    the game.

    `actions` are the steps of the turn.
    """
    record = record_of(state).copy()
    for action in actions:
        play(record, action)
    lead = float(score(record, player) - score(record, 1 - player))
    if record["result"] in (DECIDED, TURNS_UP) and lead != 0:
        return lead + (WIN if lead > 0 else -WIN)
    return lead
