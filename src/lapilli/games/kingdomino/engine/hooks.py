"""The functions of Kingdomino that the search method sequential halving calls.

`lapilli.search.templates.sequential_halving_template.SequentialHalvingHooks` describes these functions. Their last
arguments are the arrays that `new_scratch` returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL
from lapilli.games.kingdomino.engine.beginner import choose_beginners_turn
from lapilli.games.kingdomino.engine.network.weights import read_weights
from lapilli.games.kingdomino.engine.plain import propose_plain, value_of_playout
from lapilli.games.kingdomino.engine.rounds import value_after_rounds
from lapilli.games.kingdomino.engine.scratch import MOST_TURNS, DraftScratch, new_draft_scratch
from lapilli.games.kingdomino.engine.turns import propose_turns
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.position import KINGDOMINO, OPEN
from lapilli.games.kingdomino.rules.territory import MAX_ZONES
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, kernel, random_word

TURN = 2
MOST = MOST_TURNS
_WAYS, _WIDTH = 8, 3
"""`_WAYS`: number of PUTs that `propose` examines for a turn. `_WIDTH`: number of territories that a beam search
keeps."""
_WAYS_EXPECTED, _WIDTH_EXPECTED = 4, 1
"""The same numbers for `expect`. They are smaller, because its turns are only shown in results and need less
accuracy."""


def new_scratch() -> tuple[Any, ...]:
    """Returns new scratch arrays for both searches.

    The first four are for the search `mce`: positions, actions, zones, and the values of turns. The last is for the
    search `draft`: a DraftScratch with the trained weights.
    """
    return (
        np.zeros(2, KINGDOMINO),
        np.zeros((2, MAX_LEGAL), np.int64),
        np.zeros((2, MAX_ZONES, 3), np.uint64),
        np.zeros(MOST, np.int64),
        new_draft_scratch(read_weights()),
    )


@kernel
def hide(p: Position) -> None:
    """Removes the random generator that draws tiles from a position, so that a search cannot foresee the draws."""
    p.lots = OPEN


@kernel
def redraw(p: Position, rng: Rng) -> None:
    """Gives the position a random generator with a random seed, and draws the tiles that must be drawn now."""
    p.lots = np.int64(random_word(rng) >> np.uint64(16))
    rules.settle(p)


@kernel
def propose(
    p: Position,
    player: int,
    most: int,
    rounds: int,
    turns: Any,
    priors: Any,
    starts: Batch,
    positions: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    scratch: DraftScratch,
) -> int:
    """Proposes turns of the player to move, the most promising first; returns their number.

    If `rounds` is 0, the turns are ranked by the greedy opponent's evaluation. Otherwise they are ranked by the trained
    network (module `value`).

    Args:
        p: the position; it may be changed.
        player: the player to move.
        most: greatest number of turns.
        rounds: number of rounds in a sample; 0 for samples to the end of the game.
        turns: filled with the actions of each turn; -1 in place of a missing action.
        priors: filled with an estimate of the expected score after each turn.
        starts: filled with the position at which the samples of each turn start.
        positions, actions, zones, order, scratch: the arrays from `new_scratch`.
    """
    if rounds == 0:
        return propose_plain(p, player, most, turns, priors, starts, positions, actions, order)
    return propose_turns(p, player, most, _WAYS, _WIDTH, turns, priors, starts, scratch)


@kernel
def expect(
    p: Position,
    player: int,
    rounds: int,
    turns: Any,
    priors: Any,
    starts: Batch,
    positions: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    scratch: DraftScratch,
) -> None:
    """Finds the most promising turn of `player`, and writes it into `turns[0]`.

    The search shows such turns as the probable continuation of the game. If the trained network ranks the turns
    (`rounds` is not 0), fewer turns are examined than in `propose`.

    Args:
        p: the position; it may be changed.
        player: the player to move.
        rounds: number of rounds in a sample; 0 for samples to the end of the game.
        turns: filled with the actions of the turn; -1 in place of a missing action.
        priors, starts: scratch arrays, of the same shapes as the arguments of `propose`.
        positions, actions, zones, order, scratch: the arrays from `new_scratch`.
    """
    if rounds == 0:
        propose_plain(p, player, 1, turns, priors, starts, positions, actions, order)
    else:
        propose_turns(p, player, 1, _WAYS_EXPECTED, _WIDTH_EXPECTED, turns, priors, starts, scratch)


@kernel
def evaluate(
    p: Position,
    player: int,
    rounds: int,
    rng: Rng,
    positions: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    scratch: DraftScratch,
) -> float:
    """Plays one sample from a position; returns the player's expected score after it.

    If `rounds` is 0, the sample is a quick playout to the end of the game, and the score is in [0, 1]. Otherwise the
    sample has this number of rounds, after which the trained network (module `value`) evaluates the territories. Then
    the score can exceed this range a little (see `value_after_rounds`).

    Args:
        p: the position; it is changed.
        player: the player.
        rounds: number of rounds; 0 for a playout.
        rng: state of the random generator.
        positions, actions, zones, order, scratch: the arrays from `new_scratch`.
    """
    if rounds == 0:
        return value_of_playout(p, player, rng, zones, actions[0])
    return value_after_rounds(p, player, rounds, scratch)


@kernel
def beginner(
    p: Position,
    player: int,
    sees: int,
    rng: Rng,
    turn: Ints,
    positions: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    scratch: DraftScratch,
) -> None:
    """Fills `turn` with the turn of a beginner: the best of some random turns, by points and crowns.

    Args:
        p: the position.
        player: the player to move.
        sees: number of random turns to compare.
        rng: state of the random generator.
        turn: filled with one or two actions; the second is -1 if the turn has only one action.
        positions, actions, zones, order, scratch: the arrays from `new_scratch`.
    """
    choose_beginners_turn(p, player, sees, rng, turn, positions, actions[0])
