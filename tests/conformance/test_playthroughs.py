"""Readable playthroughs: what a game says and shows along one seeded random game, kept as text whose diffs show boards.

After a wanted change, write them anew and read the diff:

    cd tests; LAPILLI_GAMES=fifth python -m conformance.test_playthroughs
"""

from __future__ import annotations

from random import Random

import pytest

from conformance.walks import GAMES, data, place
from lapilli.core.api import Game
from lapilli.players.engines.builtin import random_turn

TURNS = 24


def playthrough(game: Game) -> str:
    """The first turns of a random game, and its end."""
    state, random = game.new_initial_state(seed=20), Random(20)
    said = [f"{game.title}, seed 20", "", str(state), f"position: {state.position()}"]
    while state.asked() or not state.is_terminal():
        before = state.clone()
        replies = {
            player: game.protocol.format_reply(before, player, random_turn(before.clone(), player, random))
            for player in state.asked()
        }
        report = game.protocol.play_turn(state, replies)
        ending = state.is_terminal()
        if report.turn > TURNS and not ending:
            continue
        said += ["", f"== turn {report.turn} {report.event}".rstrip()]
        said += [f"{game.sides[player]} says {text!r}" for player, text in sorted(report.actions.items())]
        said += [f"{game.sides[player]} is told {text!r}" for player, text in report.notes]
        said += ["", str(state), f"position: {state.position()}"]
    outcome = state.outcome()
    assert outcome is not None
    said += ["", f"outcome: {outcome.scores}, ranks {outcome.ranks}, {outcome.termination}: {outcome.reason}"]
    return "\n".join(line.rstrip() for line in "\n".join(said).split("\n")) + "\n"


@pytest.mark.parametrize("game", GAMES)
def test_a_game_plays_as_it_did(game: Game) -> None:
    assert playthrough(game) == data(game, "playthrough.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for case in GAMES:
        (written,) = case.values
        assert isinstance(written, Game)
        (place(written) / "playthrough.txt").write_text(playthrough(written), encoding="utf-8")
