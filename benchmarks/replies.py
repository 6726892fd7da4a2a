"""Cost of the longest replies for the referee: the costliest of many replies of maximum length, and an ordinary reply.

    python benchmarks/replies.py

For each game it takes a position some turns into a match of the strongest engine; that engine's next reply is the
ordinary one. Long replies repeat the legal actions, or one of them, or lines from the tests that could be slow to parse
(`odd_replies.json`); all have the maximum length. A cost is the processor time to process the replies of all players,
the record's entries included, and to draw the turn's pictures: the minimum of several rounds. Ratios compare figures
of one run, and sizes are those of the turn's entries in a record.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import process_time
from typing import NamedTuple

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from core.test_odd_replies import LINES, filled
from lapilli.core.api import Game, Setup, State
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.games import load, names
from lapilli.match import Referee
from lapilli.players import Answer, Identity
from lapilli.players.engines.builtin import builtin_engines

TURNS, ROUNDS, SINGLE = 60, 5, 30


class Cost(NamedTuple):
    """The cost of one turn.

    Attributes:
        hearing: processor time to process the replies, in seconds.
        drawing: processor time for the pictures, in seconds.
        size: bytes in a record.
        reply: the reply.
    """

    hearing: float
    drawing: float
    size: int
    reply: str


def ordinary(game: Game, state: State) -> dict[int, str]:
    """Returns an engine's reply for each player who is asked in this position, by player number."""
    *_, engine = builtin_engines(game).values()
    return {
        player: game.protocol.format_reply(state, player, engine(state.clone(), player, Random(1)))
        for player in state.asked()
    }


def middle_of_a_match(game: Game) -> State:
    """Returns a position, some turns into a match, in which a player is asked; in short matches, it is half-way."""
    for turns in (TURNS, TURNS // 6):
        state = game.new_initial_state(seed=1)
        while not state.is_terminal() and (state.turn < turns or not state.asked()):
            game.protocol.play_turn(state, ordinary(game, state))
        if state.asked():
            return state
    raise SystemExit(f"{game.title} is over so soon that there is nothing to measure")


def long_replies(game: Game, state: State) -> Iterator[str]:
    """Yields replies of the maximum length, or slightly shorter."""
    (player, *_) = state.asked()
    words = [state.action_to_string(action, player) for action in state.legal_actions(player)]
    for chosen in (words, *([word] for word in words[:: 1 + len(words) // SINGLE])):
        for separator in "; ":
            text = separator.join(chosen * (1 + MAX_REPLY // sum(len(word) + 1 for word in chosen)))
            yield text if len(text) <= MAX_REPLY else text[:MAX_REPLY].rpartition(separator)[0]
    yield from map(filled, LINES)


def cost(game: Game, state: State, replies: dict[int, str]) -> Cost:
    """Returns the cost of the turn with these replies."""
    hearing, drawing, size = [], [], 0
    for _ in range(ROUNDS):
        setup = Setup(seed=1, league=state.setup.league, position=state.position())
        referee = Referee(game, [Identity("a")] * state.num_players, setup)
        answers = {player: Answer(reply) for player, reply in replies.items()}
        began = process_time()
        step = referee.play_step(answers)
        heard = process_time()
        game.pictures(referee.state, step)
        drawing.append(process_time() - heard)
        hearing.append(heard - began)
        size = len(msgspec.json.encode(referee.record.turns))
    return Cost(min(hearing), min(drawing), size, max(replies.values(), key=len))


def main() -> None:
    for game in map(load, names()):
        state = middle_of_a_match(game)
        usual = cost(game, state, ordinary(game, state))
        costs = [cost(game, state, dict.fromkeys(state.asked(), reply)) for reply in long_replies(game, state)]
        slowest, slowest_drawn = max(costs), max(costs, key=lambda cost: cost.drawing)
        print(
            f"{game.name:11} ordinary {1e6 * usual.hearing:6.0f} us; the worst of {len(costs)} long replies "
            f"{1e6 * slowest.hearing:6.0f} us, {slowest.hearing / usual.hearing:5.1f} x, {slowest.reply[:24]!r}\n"
            f"{'':11} pictures {1e3 * usual.drawing:6.1f} ms; the worst {1e3 * slowest_drawn.drawing:6.1f} ms, "
            f"{slowest_drawn.drawing / usual.drawing:5.1f} x, {slowest_drawn.reply[:24]!r}; "
            f"record {usual.size} bytes, at most {max(cost.size for cost in costs):,}"
        )


if __name__ == "__main__":
    main()
