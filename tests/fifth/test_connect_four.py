"""The game in `examples/games`: it is played, drawn and clicked on, in processes that know it by LAPILLI_GAMES."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from cli.running import run

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"
HERE = {"LAPILLI_GAMES": str(GAMES)}
WALK = """
import random
import lapilli
from lapilli.core.picture.choices import unclear

game, chance, reasons = lapilli.load("connect4"), random.Random(1), set()
for seed in range(1000):
    state = game.new_initial_state(seed=seed)
    while not state.is_terminal():
        choices = game.choices(state, state.current_player())
        assert [choice.action for choice in choices] == state.legal_actions() and not unclear(choices)
        keys = {shape.key for shape in game.picture(state, None).shapes}
        assert {choice.way[0] for choice in choices} <= keys
        assert game.from_position(state.position()).position() == state.position()
        state.apply_action(chance.choice(state.legal_actions()))
    reasons.add(state.outcome().reason)
print(*sorted(reasons), sep=", ")
batch = lapilli.batch("connect4", 8, others="level1", seed=1)
for _ in range(30):
    batch.step(batch.sample())
"""
TURNS = """
import sys
from lapilli.match import load_record, replay

for _, step in replay(load_record(sys.argv[1])):
    for player, reply in step.report.actions.items() if step else ():
        print(reply, step.before.game.tell(step, player), sep=",")
"""


def test_it_is_played_and_drawn(tmp_path: Path) -> None:
    file, drawn = tmp_path / "match.json", tmp_path / "match.svg"
    said = run("match", "connect4", "level3", "random", "--seed", "7", "--record", file, env=HERE).stdout
    assert "has four in a row" in said
    run("verify", file, env=HERE)
    run("view", file, "--svg", drawn, env=HERE)
    assert {"c4-disc-0", "c4-disc-1", "c4-four"} <= set(re.findall(r"c4-[a-z0-9-]+", drawn.read_text(encoding="utf-8")))


def test_the_list_of_turns_says_columns_instead_of_numbers_of_actions(tmp_path: Path) -> None:
    """The game has no `tell`. Its protocol writes column 4 as 3, its choices as "column 4"."""
    file = tmp_path / "match.json"
    run("match", "connect4", "random", "random", "--seed", "7", "--record", file, env=HERE)
    done = subprocess.run(
        [sys.executable, "-c", TURNS, file], env=os.environ | HERE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    turns = [line.split(",") for line in done.stdout.splitlines()]
    assert len(turns) > 6
    assert all(told == f"column {int(reply) + 1}" for reply, told in turns)


def test_all_that_can_be_done_can_be_clicked() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WALK], env=os.environ | HERE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Blue has four in a row, Orange has four in a row, the board is full\n"


def test_it_passes_the_checks_and_may_lack_a_few_things() -> None:
    shown = run("check-game", GAMES / "connect4", "--matches", 2).stdout
    assert set(re.findall("^– ([a-z ]+?) {2,}", shown, re.MULTILINE)) == {
        "notes",
        "reasons",
        "rules page",
        "starter bot",
    }
    assert "✗" not in shown
    assert shown.endswith("connect4 has passed 14 checks.\n")


def test_a_game_with_an_error_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "wrong"
    folder.mkdir()
    file = folder / "__init__.py"
    file.write_text("GAME = 1\nGAME.name\n")
    done = run("games", code=2, env={"LAPILLI_GAMES": str(tmp_path)})
    said = f"the game 'wrong' cannot be loaded: {file}:2: AttributeError(\"'int' object has no attribute 'name'\")"
    assert done.stderr == f"lapilli: {said}\n"
