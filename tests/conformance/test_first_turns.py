"""Counts of first turns that come with games: whole, small, and true to the rules of today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.walks import home
from lapilli.core.api import Game, Setup
from lapilli.core.content.first_turns import FirstTurns, file_of, read_first_turns, write_first_turns
from lapilli.core.errors import LapilliError
from lapilli.core.rules.folding import Folding
from lapilli.games import load, names
from lapilli.players.engines.turns import after

LARGEST = 200_000
"""Bytes of a file, at most."""
OFTEN = 5_000
"""So many matches have been counted, at least."""
FEW_STARTS = 8


def forms(game: Game) -> Iterator[tuple[Setup, FirstTurns]]:
    """Each form of a game that has counts, with these."""
    for variant in game.variants or (None,):
        setup = game.complete(Setup(seed=1, variant=variant))
        if (found := game.first_turns(setup)) is not None:
            yield setup, found


FORMS = [
    pytest.param(setup, found, game, id=f"{game.name} {setup.variant or ''}".strip())
    for game in map(load, names())
    for setup, found in forms(game)
]


@pytest.mark.parametrize(("setup", "found", "game"), FORMS)
def test_counts_are_of_this_game_and_lead_on(setup: Setup, found: FirstTurns, game: Game) -> None:
    """Whoever plays the most frequent turn again and again meets positions that were counted, and legal turns."""
    assert (home(game) / "content" / file_of(setup.variant)).stat().st_size < LARGEST
    starts = {game.new_initial_state(replace(setup, seed=seed)).position() for seed in range(FEW_STARTS)}
    assert len(starts) == 1, "where matches begin differently, positions do not repeat"
    state, folding, depth = game.new_initial_state(setup), Folding(game, setup), 0
    counts = []
    while (asked := state.asked()) and not state.is_terminal():
        here = folding.position(state, asked[0])
        turns = found.of(here.key)
        counts.append(sum(turn.matches for turn in turns))
        if not turns:
            break
        assert all(turn.matches >= found.origin.least for turn in turns)
        for turn in turns:
            reply = game.protocol.format_reply(state, asked[0], folding.unfold(turn.turn, here))
            following = after(state, asked[0], reply)
            assert folding.position(following, asked[0]).key == turn.after
        state = after(state, asked[0], game.protocol.format_reply(state, asked[0], folding.unfold(turns[0].turn, here)))
        depth += 1
        while not state.asked() and not state.is_terminal():
            game.protocol.play_turn(state, {})
    assert depth >= 3
    assert OFTEN * 0.75 <= counts[0] <= found.origin.matches >= OFTEN


@pytest.mark.parametrize(("setup", "found", "game"), FORMS[:1])
def test_what_is_written_is_read_and_what_is_damaged_is_one_line(
    tmp_path: Path, setup: Setup, found: FirstTurns, game: Game
) -> None:
    file = tmp_path / file_of("odd")
    assert read_first_turns(tmp_path, "odd") is None
    with file.open("wb") as out:
        write_first_turns(out, found)
    read = read_first_turns(tmp_path, "odd")
    assert read is not None
    assert (read.origin, read.turns) == (found.origin, found.turns)
    with np.load(file) as arrays:
        parts = dict(arrays)
    for damage in ({"about": np.array("{}")}, {"after": parts["after"][1:]}, {"results": parts["results"][:, :2]}):
        np.savez(file, **parts | damage)
        with pytest.raises(LapilliError, match="not valid first turns") as caught:
            read_first_turns(tmp_path, "odd")
        assert "\n" not in str(caught.value)
