"""A fifth game in one small folder outside the package: played, recorded, verified and looked at by real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import lapilli
from cli.running import run, run_process
from conformance.walks import home, in_package
from lapilli.cli.games.new_game import game_text
from lapilli.core.api import Fault, Game, Termination, TurnReport
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Record
from lapilli.match.record import FORMAT, Entry
from lapilli.players.bots.starters import starter_code, write_starter
from lapilli.viewer.drawing.svg import svg
from lapilli.viewer.films.film import film
from warm import Warm

FIFTH = Path(__file__).parent / "tictactoe"
MOST_LINES = 150
DATA = {"perft.csv", "playthrough.txt", "openspiel.txt"}
"""Files for tests, which hold no line that anybody wrote by hand."""
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-game.md"


@pytest.fixture
def game() -> Game:
    return load("tictactoe")


def test_it_is_small_and_the_guide_says_how_small() -> None:
    files = [file for file in FIFTH.rglob("*") if file.is_file() and file.suffix != ".pyc" and file.name not in DATA]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    assert lines <= MOST_LINES
    assert f"{len(files)} files and {lines} lines" in " ".join(GUIDE.read_text(encoding="utf-8").split())


def test_the_conformance_suite_has_all_that_it_may_skip(game: Game) -> None:
    assert not in_package(game)
    assert home(game) == FIFTH
    assert {file.name for file in FIFTH.iterdir()} >= DATA


def test_from_a_starter_bot_to_a_page(tmp_path: Path) -> None:
    assert "tictactoe" in run_process("games").stdout
    assert "Three in a row" in run("rules", "tic-tac-toe").stdout
    assert "Run it:" in run("new", "tictactoe", tmp_path / "bot").stdout
    bot, record = f"{sys.executable} {tmp_path / 'bot' / 'bot.py'}", tmp_path / "match.json"
    shown = run("match", "tictactoe", bot, "random", "--seed", 3, "--record", record).stdout
    assert "Cross wins — decided by the rules" in shown
    assert re.search("[XO.]{3}\n[XO.]{3}\n[XO.]{3}\n", shown)
    assert "(100, 0)" in run("verify", record).stdout
    assert run("inputs", record, "--player", 0).stdout.startswith(".........\n0 1 2 3 4 5 6 7 8\n....X")
    positions = run("verify", "--positions", record).stdout.split()
    assert positions[:2] == [".........", "....X...."]
    assert positions[-1] in "".join(run("show", record).stdout.split())
    page, drawing = tmp_path / "match.html", tmp_path / "match.svg"
    run("view", record, "--html", page, "--svg", drawing)
    assert "Tic-tac-toe" in page.read_text(encoding="utf-8")
    assert all(f">{row}</text>" in drawing.read_text(encoding="utf-8") for row in re.findall("...", positions[-1]))
    figures = json.loads(run("bench", "tictactoe", "--json", "--seconds", 0.02).stdout)["tictactoe"]
    assert figures["playouts/s"] > 0
    assert "times the naive twin" not in figures


def test_a_game_without_a_starter_says_so(game: Game) -> None:
    with pytest.raises(
        LapilliError, match=r"^Tic-tac-toe has no starter bot in rust yet: its folder lacks starters/bot.rs$"
    ):
        starter_code(replace(game, languages=("python", "rust")), "rust")


def test_two_bots_and_a_bad_one(tmp_path: Path, game: Game) -> None:
    starter = write_starter(game, "python", tmp_path)
    record = lapilli.play_match(game, [starter.run, starter.run])
    assert record.outcome is not None
    assert (record.outcome.scores, record.outcome.termination) == ([50, 50], Termination.DECIDED)
    (tmp_path / "bad.py").write_text("while True:\n    input(), print(input().split()[-1] * 2, flush=True)\n")
    record = lapilli.play_match(game, [starter.run, f"{sys.executable} {tmp_path / 'bad.py'}"])
    assert record.outcome is not None
    assert (record.outcome.culprit, record.outcome.termination) == (1, Termination.INVALID)
    assert record.outcome.reason == "'88' is no legal action now"
    outcome = lapilli.verify(record)
    assert outcome is not None
    assert (outcome.scores, outcome.ranks) == ((100, 0), (1, 2))


def test_a_draw(game: Game) -> None:
    state = game.from_position("XOXXOOO.X")
    assert game.protocol.turn_input(state, 0) == "XOXXOOO.X\n7\n"
    report = game.protocol.play_turn(state, {0: " 7\t"})
    assert report == TurnReport(9, {0: "7"}), "blanks are forgiven, and the report has the canonical text"
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.ranks, outcome.termination) == ((50, 50), (1, 1), Termination.DECIDED)


def test_who_does_not_answer_forfeits(game: Game) -> None:
    state = game.from_position("X........")
    report = game.protocol.play_turn(state, {})
    assert report.faults == [Fault(1, Termination.TIMEOUT, "no reply in time")]
    assert report.actions == {}
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.termination, outcome.culprit) == ((1, 2), Termination.TIMEOUT, 1)
    assert outcome.reason == "Nought forfeited"


def test_scores_that_only_say_who_has_won_are_shown_nowhere(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [Entry(turn=turn, player=(turn - 1) % 2, action=action) for turn, action in enumerate("04152", 1)]
    record = Record(format=FORMAT, game="tictactoe", turns=moves)
    assert film(record)["outcome"]["scores"] == [100, 0]
    monkeypatch.setattr(game.state, "game", replace(game, counts_points=False))
    shown = film(record)
    assert shown["outcome"]["scores"] == []
    plates = [plate for frame in shown["frames"] if "panels" in frame for plate in frame["panels"]["plates"]]
    assert {plate[0] for plate in plates} == {None}
    assert "None" not in svg(game.picture(game.from_position("X........"), None), game.sides)


@pytest.mark.parametrize("text", ["XX.......", "O........", "XXXOOO...", "XXXOOOX..", "xx.......", ".........."])
def test_positions_that_cannot_be(game: Game, text: str) -> None:
    with pytest.raises(LapilliError):
        game.from_position(text)


@pytest.mark.parametrize("name", ["tictactoe", "Tic-tac-toe", "tic tac toe", "TIC_TAC_TOE"])
def test_its_names(game: Game, name: str) -> None:
    assert load(name) is game


def test_a_folder_that_is_none_is_one_line(tmp_path: Path) -> None:
    for command in (["games"], ["match", "tictactoe", "random", "random"]):
        done = run(*command, code=2, env={"LAPILLI_GAMES": f"{FIFTH.parent}{os.pathsep}{tmp_path / 'none'}"})
        assert done.stdout == ""
        assert done.stderr == f"lapilli: LAPILLI_GAMES names '{tmp_path / 'none'}', which is not a folder\n"
    assert "lapilli match" in run("--help", env={"LAPILLI_GAMES": str(tmp_path / "none")}).stdout


def test_the_folder_of_a_game_itself_is_refused_with_advice() -> None:
    done = run("games", code=2, env={"LAPILLI_GAMES": str(FIFTH)})
    problem = f"LAPILLI_GAMES names '{FIFTH}', but that folder is a game: give the folder that contains it"
    assert done.stderr == f"lapilli: {problem}, '{FIFTH.parent}'\n"


def test_an_unknown_game_is_told_with_the_names_of_games_alone() -> None:
    told = {word: run("rules", word, code=2, env={"LAPILLI_GAMES": ""}).stderr for word in ("volcano", "tryangle-cach")}
    assert "(did you mean 'pyramids' or 'volcanoes'?)" in told["volcano"]
    assert "(did you mean 'tryangle'?)" in told["tryangle-cach"]
    for line in told.values():
        assert (
            "; available: kingdomino, pyramids, tryangle, volcanoes; for a game of your own, set LAPILLI_GAMES" in line
        )
    assert "set LAPILLI_GAMES" not in run("rules", "volcano", code=2, env={"LAPILLI_GAMES": str(FIFTH.parent)}).stderr


DICE = '''
import sys
import numpy as np
from lapilli.core.game import Game
from lapilli.core.errors import PositionError
from lapilli.kernels.kernel import CHANCE, TERMINAL, kernel, record_dtype
from lapilli.core.rules.observation import Observation, Part
from lapilli.core.state import State

NUM_ACTIONS = 6

@kernel
def current_player(p):
    if p.turn > 12 or p.left[0] or p.left[1]:
        return TERMINAL
    return CHANCE if p.turn % 2 else (int(p.turn) // 2 - 1) % 2

@kernel
def accepts(p, player, action):
    return 0 <= action < (6 if player == CHANCE else 2 if player >= 0 else 0)

@kernel
def play(p, action):
    if p.turn % 2:
        p.die = action + 1
    else:
        p.points[current_player(p)] += action * p.die
    p.turn += 1

@kernel
def values(p, out):
    lead = p.points[0] - p.points[1] if not (p.left[0] or p.left[1]) else p.left[1] - p.left[0]
    out[0] = 0 if current_player(p) != TERMINAL or lead == 0 else 1 if lead > 0 else -1
    out[1] = -out[0]

@kernel
def observe(p, player, out):
    out[0] = p.die

class Dice(State):
    """A die, and whether to take its points."""

    fields = [("points", np.int16, 2), ("turn", np.int8), ("die", np.int8), ("left", np.int8, 2)]
    DTYPE = record_dtype(fields)
    __slots__ = ()

    @classmethod
    def initial(cls, setup):
        state = cls(setup, np.zeros(1, cls.DTYPE))
        state.record["turn"] = 1
        return state

    def position(self):
        return f"{self.record['points'].tolist()} {self.record['die']}"

GAME = Game(
    name="dice", title="Dice", summary="", sides=("A", "B"), max_turns=12, max_game_length=12, state=Dice,
    rules=sys.modules[__name__], observation=Observation((Part("die", (1,), "pips"),)),
)
'''


@dataclass
class Elsewhere:
    """Games in a folder that is not the tests' own, and a process that has loaded them, in plain Python."""

    folder: Path
    code: str
    """The guide's game."""
    said: str
    """What `lapilli new-game` said."""
    warm: Warm

    def run(self, *words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        return run(*words, code=code, warm=self.warm)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    """Nothing has loaded these games before."""
    folder = tmp_path_factory.mktemp("games")
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    for name, text in (("dice", DICE), ("race", code)):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(text)
    said = run("new-game", "two_piles", folder).stdout
    changed = {"LAPILLI_GAMES": f"{FIFTH.parent}{os.pathsep}{folder}", "NUMBA_DISABLE_JIT": "1"}
    warm = Warm(environment=os.environ | changed)
    try:
        yield Elsewhere(folder, code, said, warm)
    finally:
        warm.close()


def test_lots_of_a_game_that_says_nothing_about_them_follow_from_the_seed(tmp_path: Path, elsewhere: Elsewhere) -> None:
    (tmp_path / "bot.py").write_text("while True:\n    input(), print(input().split()[-1], flush=True)\n")
    bot = f"{sys.executable} {tmp_path / 'bot.py'}"
    seen = []
    for number, seed in enumerate((7, 7, 8, 9)):
        file = tmp_path / f"{number}.json"
        elsewhere.run("match", "dice", bot, bot, "--seed", seed, "--record", file)
        seen.append(elsewhere.run("verify", "--positions", file).stdout)
    elsewhere.run("verify", file)
    assert seen[0] == seen[1]
    assert len(set(seen)) == 3
    assert len(set(re.findall(r"(\d)\n", "".join(seen)))) == 7, "all sides of the die, and none before the first"


def test_the_game_of_the_guide_is_played(tmp_path: Path, elsewhere: Elsewhere) -> None:
    code = elsewhere.code
    assert len([line for line in code.splitlines() if line]) <= 45, "as the heading says"
    assert game_text("race").replace("Race, a race", "Race").replace('title="Race"', 'title="Race to 21"') == code
    file = tmp_path / "match.json"
    shown = elsewhere.run("match", "race", "random", "random", "--seed", 7, "--record", file).stdout
    assert "\n21 10\n\nFirst wins — decided by the rules.\n" in shown
    assert elsewhere.run("verify", "--positions", file).stdout.startswith("0 1\n3 2\n4 3\n")


def test_a_new_game_is_played_at_once(tmp_path: Path, elsewhere: Elsewhere) -> None:
    assert f"LAPILLI_GAMES={elsewhere.folder} lapilli match two_piles random random" in elsewhere.said
    assert "First wins" in elsewhere.run("match", "two_piles", "random", "random", "--seed", 7).stdout
    compiled = {"LAPILLI_GAMES": f"{FIFTH.parent}{os.pathsep}{elsewhere.folder}"}
    assert "Two piles" in run("rules", "two_piles", env=compiled).stdout
    assert "lacks starters/bot.py" in elsewhere.run("new", "two_piles", tmp_path / "bot", code=2).stderr
    assert "exists already" in run("new-game", "two_piles", elsewhere.folder, code=2).stderr
    assert "there is a game 'tictactoe' already" in run("new-game", "tictactoe", tmp_path, code=2).stderr
    assert "cannot name a game" in run("new-game", "Two-Piles", tmp_path, code=2).stderr
