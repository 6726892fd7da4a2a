"""Players with the weights of a file of the user's: they use these weights, and report what is wrong with a file."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lapilli.arena.matches.contestants import contestant_of
from lapilli.core.errors import LapilliError
from lapilli.core.search.policy import policy_of, write_weights
from lapilli.games import load, names
from lapilli.players.engines.searches import find_search
from lapilli.search.budget import Budget
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import new_searcher

GAMES = [game for game in map(load, names()) if game.searches]
LEARNING = [game for game in GAMES if game.policy is not None]
OTHERS = [game for game in GAMES if game.policy is None]
GAME = LEARNING[0]
POLICY = policy_of(GAME)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Weights that make an action likelier, the lower the numbers of its patterns are."""
    made = tmp_path / "weights.npz"
    with made.open("wb") as file:
        write_weights(file, GAME, np.linspace(3, -3, POLICY.patterns, dtype=np.float32))
    return made


def searcher(player: str) -> Mcts:
    named = find_search(GAME, player)
    assert named is not None
    made = new_searcher(GAME, named.search, {})
    assert isinstance(made, Mcts)
    return made


def test_a_player_goes_by_the_weights_in_its_file(file: Path) -> None:
    assert not np.array_equal(GAME.weights, searcher(f"best:weights={file}").weights)
    state = GAME.new_initial_state(seed=1)
    for name in ("best", POLICY.search):
        own = searcher(f"{name}:weights={file},nodes=60")
        assert own.weights.tolist() == np.linspace(3, -3, POLICY.patterns, dtype=np.float32).astype(np.float16).tolist()
        others, theirs = (
            [(line.turn, line.nodes) for line in one.search(state.clone(), 0, Budget(nodes=60), 1).lines]
            for one in (own, searcher(name))
        )
        assert others != theirs


def test_the_weights_that_come_with_a_game_are_those_of_its_file(tmp_path: Path) -> None:
    """A game's own weights, written to a file and named in a player, give the same search."""
    with (tmp_path / "weights.npz").open("wb") as written:
        write_weights(written, GAME, GAME.weights)
    kept = searcher(f"best:weights={tmp_path / 'weights.npz'}").weights
    assert kept == pytest.approx(GAME.weights, rel=1e-3)


def test_matches_are_played_with_them_and_say_so(file: Path, tmp_path: Path) -> None:
    player, record = f"best:nodes=20,weights={file}", tmp_path / "match.json"
    command = [sys.executable, "-m", "lapilli", "match", GAME.name, player, "random", "--seed", "1", "--quiet"]
    done = subprocess.run([*command, "--record", str(record)], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    told = json.loads(record.read_text())["players"][0]
    assert (told["name"], told["settings"]["weights"]) == (player, str(file))


def test_other_weights_are_another_contestant(file: Path) -> None:
    player = f"best:nodes=20,weights={file}"
    before = contestant_of(GAME, player)
    assert contestant_of(GAME, player) == before
    with file.open("wb") as written:
        write_weights(written, GAME, GAME.weights)
    assert contestant_of(GAME, player).hash != before.hash


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def changed_within(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    file.write_bytes(content)


def of_another_size(file: Path) -> None:
    np.savez(file, game=np.array(GAME.name), weights=np.zeros(5, np.float16))


def of_another_game(file: Path) -> None:
    np.savez(file, game=np.array("chess"), weights=np.zeros(POLICY.patterns, np.float16))


def of_whole_numbers(file: Path) -> None:
    np.savez(file, game=np.array(GAME.name), weights=np.zeros(POLICY.patterns, np.int16))


def with_one_that_is_none(file: Path) -> None:
    np.savez(file, game=np.array(GAME.name), weights=np.full(POLICY.patterns, np.inf, np.float16))


def of_objects(file: Path) -> None:
    np.savez(file, game=np.array(GAME.name), weights=np.array([{}], object))


def too_large(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("weights.npy", bytes(40 * POLICY.patterns))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (Path.unlink, ": no valid weights: No such file"),
        (cut_short, ": no valid weights: "),
        (changed_within, ": no valid weights: "),
        (lambda file: file.write_text("weights"), ": no valid weights: "),
        (lambda file: np.savez(file, other=np.zeros(1)), ": no valid weights: it has no array 'game'"),
        (of_another_size, f" contains 5 weights, but the policy has {POLICY.patterns}: train again"),
        (of_another_game, f" contains weights for the game 'chess', not for {GAME.name}"),
        (of_whole_numbers, " contains weights that are not finite numbers"),
        (of_objects, ": no valid weights: arrays of Python objects"),
        (with_one_that_is_none, " contains weights that are not finite numbers"),
        (too_large, ": no valid weights: it is too large"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file: Path, spoil: Callable[[Path], object], said: str) -> None:
    spoil(file)
    with pytest.raises(LapilliError) as raised:
        find_search(GAME, f"best:weights={file}")
    assert str(raised.value).startswith(f"{file}{said}")
    assert "\n" not in str(raised.value)


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lapilli", "match", GAME.name, f"best:weights={tmp_path / 'none.npz'}", "random"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"lapilli: {tmp_path / 'none.npz'}: no valid weights: No such file or directory\n"


def test_who_goes_by_no_weights_says_so(file: Path) -> None:
    plain = [name for name, search in GAME.searches.items() if not search.settings.get("prior")]
    assert plain
    for name in plain:
        with pytest.raises(LapilliError, match=r"weights have no effect: this search .* has prior=0"):
            find_search(GAME, f"{name}:weights={file}")
    assert OTHERS
    for game in OTHERS:
        with pytest.raises(LapilliError, match=r"uses no weights: omit weights=|has prior=0"):
            find_search(game, f"best:weights={file}")
    with pytest.raises(LapilliError, match="or weights=FILE"):
        find_search(GAME, "best:weights=")
