"""`lapilli check-game`: games that keep the contract pass, and each broken one fails at the check that is for it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.running import refused, run
from lapilli.cli.checking.checks import CHECKS, CheckResult
from lapilli.cli.checking.rules import check_copies, check_legal_actions, check_starts
from lapilli.cli.checking.subject import Subject
from lapilli.cli.games.check_game import reports_of
from lapilli.cli.games.new_game import game_text
from lapilli.games import load, names

ACCEPTS = "return player >= 0 and 0 <= action < min(3, 21 - p.total)"
SPACE = "        return f\"{self.record['total']} {self.record['turn']}\"\n"
METHOD = f"{SPACE}\n    def action_to_string(self, action, player=None):\n        return "
LAST = "\nGAME = Game(\n"
BROKEN = {
    "one_side": ('("First", "Second")', '("First",)', "declaration", "Game.sides has 1 different names for 2 players"),
    "no_observe": ("def observe(", "def observed(", "declaration", "the rules define no observe"),
    "other_arguments": ("def observe(p, player, out)", "def observe(p, out, player)", "declaration", "p, out, player"),
    "drawn_start": ('"0 1" if', 'f"{len(CALLS.append(1) or CALLS)} 1" if', "start", "two different starts"),
    "never_over": (ACCEPTS, "return 0 <= action < 3", "legal actions", "after the end, accepts allows action 0"),
    "no_action": (ACCEPTS, ACCEPTS.replace("21", "20"), "legal actions", "is to act and has no legal action"),
    "any_integer": (ACCEPTS, ACCEPTS.replace("0 <= ", ""), "legal actions", "disagree about action -2147483648"),
    "no_change": ("p.total += action + 1\n    p.turn += 1", "pass", "legal actions", "changes nothing in the record"),
    "too_long": ("max_game_length=21", "max_game_length=5", "end and result", "not over after 5 actions"),
    "two_winners": ("out[0], out[1] = won, -won", "out[0], out[1] = won, won", "end and result", "values gives player"),
    "early_values": ("won = 0.0 if", "won = 0.5 if", "end and result", "values are not 0 before the end"),
    "attribute": (SPACE, SPACE.replace("self.record['turn']", "self.extra"), "copies", "AttributeError"),
    "left_out": (
        "    out[0] = p.total",
        "    if p.total:\n        out[0] = p.total",
        "observation",
        "leaves out number 0",
    ),
    "blind": ("out[0] = p.total", "out[0] = 1", "observation", "always the same"),
    "half_written": (SPACE, SPACE.replace("{self.record['turn']}", "1"), "positions as text", "differs"),
    "unread": ("else setup.position", 'else "3 2"', "positions as text", "is read, and written as '3 2'"),
    "read_anyhow": ("text.split()", '(text if len(text.split()) == 2 else "0 1").split()', "positions as text", "''"),
    "same_words": (SPACE, f'{METHOD}"add"\n', "actions as text", "the same notation"),
    "two_words": (SPACE, f'{METHOD}f"add {{action}}"\n', "actions as text", "has blanks"),
    "plays_on": (" or p.left[0] or p.left[1]", "", "wrong replies", "is asked again"),
    "few_turns": ("max_turns=21", "max_turns=5", "records", "turns, max_turns is 5"),
    "wide": (LAST, f"{LAST}    text=lambda state, step: [[('x' * 200, '')]],\n", "pictures", "has 200 characters"),
    "no_choice": (LAST, f"{LAST}    choices=lambda state, player: [],\n", "choices", "are not its legal actions"),
    "loose_note": (LAST, f"{LAST}    notes=lambda state, player: [Note('n', 'no')],\n", "notes", "full stop"),
    "loose_reason": (LAST, f"{LAST}    reason=lambda mistake: 'No',\n", "reasons", "a reason is 'No'"),
    "cheat": (LAST, f"{LAST}    engines={{'cheat': lambda state, player, random: [9]}},\n", "opponents", "no action 9"),
}
"""For each broken game: a part of the small game, what stands in its place, the check that fails, and what it says."""
PROGRAM = """
import json, sys
from lapilli.cli.checking.checks import results_of
from lapilli.games import load

for name in sys.argv[1:]:
    print(json.dumps([name, next((result for result in results_of(load(name), 1, 2) if result.passed is False), None)]))
"""


def write(folder: Path, name: str, old: str = "", new: str = "") -> Path:
    """A game of this name; returns its folder."""
    text = game_text(name)
    assert old in text, name
    home = folder / name
    home.mkdir()
    beginning = "\nfrom lapilli.core.api import Note\nCALLS = []\nNUM_ACTIONS"
    (home / "__init__.py").write_text(text.replace(old, new).replace("\nNUM_ACTIONS", beginning))
    return home


def marks(shown: str) -> dict[str, str]:
    """The sign of each check."""
    return {line[2:20].strip(): line[0] for line in shown.splitlines() if line[0] in "✓✗–"}


@pytest.mark.parametrize("name", names())
def test_games_that_are_there_pass(name: str) -> None:
    shown = run("check-game", name, "--matches", 1, "--seed", 2).stdout  # in which chance is left open
    assert list(marks(shown)) == list(CHECKS)
    assert "✗" not in shown
    assert shown.endswith(" checks.\n")


def test_a_new_game_passes_at_once(tmp_path: Path) -> None:
    write(tmp_path, "fresh")
    shown = run("check-game", tmp_path / "fresh", "--matches", 2, env={"NUMBA_DISABLE_JIT": "1"}).stdout
    assert shown.endswith("fresh has passed 13 checks.\n")


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckResult]:
    """The first failed check of each broken game, with kernels as plain Python."""
    folder = tmp_path_factory.mktemp("broken")
    for name, (old, new, *_) in BROKEN.items():
        write(folder, name, old, new)
    pages, bots = write(folder, "no_heading"), write(folder, "bad_starter")
    (pages / "content").mkdir()
    (pages / "content" / "RULES.md").write_text("Add up.\n")
    (bots / "starters").mkdir()
    (bots / "starters" / "bot.py").write_text("print('7')\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *BROKEN, "no_heading", "bad_starter"],
        env=os.environ | {"LAPILLI_GAMES": str(folder), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {name: CheckResult(*found) for name, found in map(json.loads, done.stdout.splitlines()) if found}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_game_fails_where_it_is_broken(failures: dict[str, CheckResult], name: str) -> None:
    failure = failures[name]
    assert failure.name == BROKEN[name][2], failure
    assert BROKEN[name][3] in failure.text
    assert failure.advice
    assert "\n" not in failure.text + failure.advice


def test_files_of_a_game_are_looked_at(failures: dict[str, CheckResult]) -> None:
    assert failures["no_heading"].text == "content/RULES.md does not begin with a heading"
    assert "the starter bot loses: " in failures["bad_starter"].text


def test_the_last_line_says_how_to_repeat_it(tmp_path: Path) -> None:
    home = write(tmp_path, "plays_on", *BROKEN["plays_on"][:2])
    words = ("check-game", home, "--seed", 5, "--matches", 2)
    done = run(*words, code=1, env={"NUMBA_DISABLE_JIT": "1"})
    again = f"lapilli check-game {home} --seed 5 --matches 1"
    assert done.stdout.splitlines()[-1] == (
        "wrong replies: no reply: a player that timed out is asked again. Next: let the verb leave remove it. "
        f"To repeat it: {again}"
    )
    assert marks(done.stdout)["records"] == "✓", "other checks are run, too"
    assert done.stderr == ""


def test_each_failed_check_says_what_to_do_next(tmp_path: Path) -> None:
    home = write(tmp_path, "twice", *BROKEN["plays_on"][:2])
    file = home / "__init__.py"
    file.write_text(file.read_text().replace("max_turns=21", "max_turns=5"))
    lines = run("check-game", home, "--matches", 1, code=1, env={"NUMBA_DISABLE_JIT": "1"}).stdout.splitlines()
    failed = [number for number, line in enumerate(lines) if line.startswith("✗")]
    assert [lines[number][2:20].strip() for number in failed] == ["wrong replies", "records"]
    assert lines[failed[0] + 1] == "  Next: let the verb leave remove it."
    assert lines[failed[1] + 1].startswith("  Next: ")
    assert sum(line.startswith("  Next: ") for line in lines) == 2, "checks that were passed need no advice"


def test_compiled_kernels_that_write_too_far_are_noticed(tmp_path: Path) -> None:
    home = write(tmp_path, "too_far", "    out[0] = p.total", "    out[0], out[1] = p.total, 3")
    done = run("check-game", home, "--matches", 1, code=1)
    assert marks(done.stdout)["observation"] == "✗"
    assert "observe writes beyond the 1 numbers of Game.observation" in done.stdout.splitlines()[-1]


def test_what_cannot_be_compiled_is_named_with_its_line(tmp_path: Path) -> None:
    home = write(tmp_path, "untyped", "    p.turn += 1", "    p.turn += 'one'")
    last = run("check-game", home, "--matches", 1, code=1).stdout.splitlines()[-1]
    assert re.match(rf"legal actions: turn 1: {re.escape(str(home))}/__init__\.py:\d+: [A-Za-z]+Error: ", last)
    assert len(last) < 500 + 2 * len(str(home))
    home = write(tmp_path, "unknown", "    p.turn += 1", "    p.turn += p.no_field")
    last = run("check-game", home, "--matches", 1, code=1).stdout.splitlines()[-1]
    assert last.startswith("legal actions: turn 1: KeyError: 'no_field'. Next: set NUMBA_DISABLE_JIT=1")


def test_a_game_that_cannot_be_loaded_or_ends_the_process(tmp_path: Path) -> None:
    for name, number, error in (("wrong", "3 // 0", "ZeroDivisionError("), ("unwritten", "3 +", "invalid syntax")):
        home = write(tmp_path, name, "NUM_ACTIONS = 3", f"NUM_ACTIONS = {number}")
        done = run("check-game", home, code=1)
        assert list(marks(done.stdout)) == ["declaration"]
        assert f"{home / '__init__.py'}:12: {error}" in done.stdout
    home = write(tmp_path, "gone", "NUM_ACTIONS = 3", "NUM_ACTIONS = sys.exit(3)")
    last = run("check-game", home, code=1).stdout.splitlines()[-1]
    assert last.startswith("declaration: a worker process ended with exit code 3. Next: ")


def test_a_loop_without_end_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "endless", "    p.turn += 1", "    while p.turn:\n        p.turn |= 1")
    monkeypatch.setenv("LAPILLI_GAMES", str(tmp_path))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    *_, last = reports_of("endless", 1, 1, silence_s=6.0)
    assert (last.name, last.text) == ("legal actions", "nothing has happened for 6 s")
    assert last.seed == 1


def test_what_is_no_game_is_said_in_one_line(tmp_path: Path) -> None:
    assert "did you mean 'volcanoes'" in refused("check-game", "volcanos")
    assert "has no file __init__.py" in refused("check-game", tmp_path)
    (home := tmp_path / "volcanoes").mkdir()
    (home / "__init__.py").touch()
    assert "there is another game 'volcanoes'" in refused("check-game", home)


def test_the_report_counts_what_was_looked_at() -> None:
    """Each start of each form, and each position of the matches that is not the end."""
    subject = Subject(load("volcanoes"), matches=2)
    going_on = sum(not state.is_terminal() for state in subject.positions())
    assert check_starts(subject) == f"{2 * len(subject.forms)} starts"
    assert check_legal_actions(subject) == check_copies(subject) == f"{going_on} positions"
