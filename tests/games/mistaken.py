"""Turns of random matches beside other turns, for tests of the sentences that say why one is worse."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from lapilli.core.api import CHANCE, Game, Mistake, Setup, State, Step
from lapilli.match.reasons import reason_of
from lapilli.players.engines.builtin import builtin_engines, random_turn


class Told(NamedTuple):
    """Why a turn is worse than another, and both turns."""

    sentence: str
    mistake: Mistake


def told_reasons(game: Game, seeds: range, turns: int, **setup: str | int) -> Iterator[Told]:
    """Yields the sentences about turns of matches between the strongest simple engine and random players.

    At every turn, a random turn is compared with the engine's turn, the other way round, and with another random turn.
    """
    strongest = list(builtin_engines(game).values())[-1]
    for seed in seeds:
        random = Random(seed)
        state = game.new_initial_state(Setup.from_dict({"seed": seed, **setup}))
        while not state.is_terminal() and state.turn < turns:
            asked = state.asked()
            replies = {player: _reply(state, player, random_turn, random) for player in asked}
            for player in asked:
                best = _reply(state, player, strongest, random)
                other = _reply(state, player, random_turn, random)
                for played, better in ((replies[player], best), (best, other), (replies[player], other)):
                    if told := told_reason(state, player, replies | {player: played}, better):
                        yield told
                replies[player] = random.choice((best, replies[player]))
            game.protocol.play_turn(state, replies)


def told_reason(state: State, player: int, replies: dict[int, str], better: str) -> Told | None:
    """Returns what is said of a player's turn; None if nothing is."""
    game = state.game
    after, instead = state.clone(), state.clone()
    played = Step(state, game.protocol.play_turn(after, dict(replies)))
    rather = Step(state, game.protocol.play_turn(instead, replies | {player: better}))
    sentence = reason_of(played, after, player, better)
    return Told(sentence, Mistake(player, played, after, rather, instead)) if sentence else None


def _reply(state: State, player: int, engine: object, random: Random) -> str:
    assert callable(engine)
    actions = engine(state.determinised(1), player, random)
    return state.game.protocol.format_reply(state, player, actions)


def settled(state: State) -> State:
    """Returns the position after all that chance does next, in a game in which chance has one outcome."""
    after = state.clone()
    while after.current_player() == CHANCE:
        (outcome,) = after.legal_actions()
        after.apply_action(outcome)
    return after
