"""lapilli referee, called to the letter as brutaltester, cgarena and psyleague call a referee."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lapilli
from cli import running
from cli.running import refused
from lapilli.match import verify

ROOT = Path(__file__).resolve().parents[2]
SPREAD = f"{sys.executable} {ROOT / 'examples' / 'volcanoes' / 'spread.py'}"
CHAIN = f"{sys.executable} {ROOT / 'examples' / 'volcanoes' / 'chain.py'}"
BOTS = ROOT / "tests" / "bots"
EXITS = f"{sys.executable} {BOTS / 'exits.py'}"
TELLS = (
    "import sys\n"
    "print('[TDATA] opening = N01\\n[PDATA] depth = 7', file=sys.stderr, flush=True)\n"
    "for turn, line in enumerate(sys.stdin):\n"
    "    if turn >= 81 and turn % 2:\n"
    "        print('[PDATA+] turns = 1', file=sys.stderr)\n"
    "        print(f'[PDATA][{turn}] line = {len(line)}', file=sys.stderr, flush=True)\n"
    "        print('RANDOM', flush=True)\n"
)
"""A bot that reads its two lines a turn and says something about each."""


@pytest.fixture
def referee(tmp_path: Path) -> str:
    """The referee's command, without blanks in its words."""
    program = tmp_path / "lapilli"
    program.write_text(f"#!{sys.executable}\nfrom lapilli.cli import main\nmain()\n")
    program.chmod(0o755)
    return f"{program} referee"


def run(argv: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """What the referee does for such words."""
    return running.run(*argv[1:], code=None, env=environment)


def run_process(argv: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """The same as a tool does it, with pipes and in a process that starts from nothing; or by a shell."""
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=120, env=os.environ | environment, stdin=subprocess.DEVNULL
    )
    assert "Traceback" not in done.stderr
    return done


def test_the_seed_draws_the_opening(tmp_path: Path) -> None:
    """Two bots without chance play as many different matches as there are openings, the same for both orders."""
    for name in ("volcanoes", "pyramids"):
        file = tmp_path / f"{name}.jsonl"
        for words in (["7"], ["8"], ["-3"], ["--usual-start", "7"]):
            running.run("referee", name, "--record", file, *words, "greedy", "greedy")
            running.run("referee", name, "--record", file, *words, "greedy", "random")
        started = [record.setup.get("position") for record in lapilli.load_records(file)]
        openings = lapilli.load(name).openings()
        drawn = [openings[seed % len(openings)] for seed in (7, 7, 8, 8, -3, -3)]
        assert started == [*drawn, None, None]
    for words in (["7", "greedy", "greedy"], ["7", "greedy", "random"]):
        running.run("referee", "kingdomino", "--record", tmp_path / "k.jsonl", *words)
    assert [record.setup.get("position") for record in lapilli.load_records(tmp_path / "k.jsonl")] == [None, None]


# -- brutaltester ----------------------------------------------------------------------------------------------------


def brutaltester_argv(referee: str, players: list[str], seed: int | None = None, log: Path | None = None) -> list[str]:
    """The words that it starts: no quotes are known in the referee's command, and each player's is one word."""
    argv = referee.split(" ")
    for number, player in enumerate(players, 1):
        argv += [f"-p{number}", player]
    if seed is not None:
        argv += ["-d", f"seed={seed}"]
    return argv + (["-l", str(log)] if log else [])


def brutaltester_reads(done: subprocess.CompletedProcess[str], players: int) -> tuple[list[int], str]:
    """As its scanner does: a whole number a player, and what follows. One byte on stderr is an error of the game."""
    assert done.stderr == ""
    words = done.stdout.split(maxsplit=players)
    assert len(words) == players + 1
    assert all(-(2**31) <= int(word) < 2**31 for word in words[:players])
    return [int(word) for word in words[:players]], words[players]


def test_brutaltester(referee: str, tmp_path: Path) -> None:
    log = tmp_path / "game1.json"
    done = run_process(brutaltester_argv(f"{referee} volcanoes", [SPREAD, CHAIN], 5, log))
    assert brutaltester_reads(done, 2) == ([0, 100], "seed=5\n")
    told = json.loads(log.read_text())
    assert told["scores"] == {"0": 0, "1": 100}
    assert {"errors", "outputs", "summaries", "views", "uinput", "metadata", "tooltips", "ids", "agents"} <= set(told)


def test_brutaltester_without_a_seed(referee: str) -> None:
    seeds = set()
    for _ in range(2):
        points, data = brutaltester_reads(run(brutaltester_argv(f"{referee} volcanoes", ["random", "random"])), 2)
        assert sorted(points) in ([0, 100], [50, 50])
        seeds.add(data)
    assert len(seeds) == 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_brutaltester_with_several(referee: str, players: int) -> None:
    bots = ["random", "greedy", "random", "greedy"][:players]
    points, data = brutaltester_reads(run(brutaltester_argv(f"{referee} kingdomino", bots, 11)), players)
    assert len(set(points)) > 1
    again = run(brutaltester_argv(f"{referee} kingdomino", bots, 11))
    assert brutaltester_reads(again, players) == (points, data)


def test_options_of_a_match_go_into_the_referees_command(referee: str, tmp_path: Path) -> None:
    command = f"{referee} kingdomino --league wood --variant duel --set harmony=true --time-factor 3 --sandbox off"
    command += f" --record {tmp_path}/season.jsonl"
    for seed in (1, 2):
        brutaltester_reads(run(brutaltester_argv(command, ["random", "greedy"], seed)), 2)
    kept = [*lapilli.load_records(tmp_path / "season.jsonl")]
    assert [record.setup["seed"] for record in kept] == [1, 2]
    chosen = {"variant": "duel", "league": "wood", "harmony": True}
    assert {key: kept[0].setup[key] for key in chosen} == chosen


@pytest.mark.parametrize("first", [True, False])
def test_brutaltester_sees_an_error_as_a_negative_number(referee: str, first: bool) -> None:
    bots = [EXITS, SPREAD] if first else [SPREAD, EXITS]
    points, _ = brutaltester_reads(run(brutaltester_argv(f"{referee} volcanoes", bots, 5)), 2)
    assert points == ([-2, 100] if first else [100, -2])


def test_a_bot_that_cannot_be_started_is_an_error_of_its_own(referee: str) -> None:
    points, _ = brutaltester_reads(run(brutaltester_argv(f"{referee} volcanoes", [SPREAD, "./no/such/bot"], 5)), 2)
    assert points == [100, -2]


def test_nothing_is_said_while_kernels_are_compiled(referee: str, tmp_path: Path) -> None:
    argv = brutaltester_argv(f"{referee} tictactoe", ["random", "random"], 5)  # the game with the fewest kernels
    done = run_process(argv, NUMBA_CACHE_DIR=str(tmp_path / "empty"))
    assert any((tmp_path / "empty").rglob("*.nbi"))
    assert brutaltester_reads(done, 2) == brutaltester_reads(run(argv), 2)
    assert done.stdout.endswith("seed=5\n")


def test_nothing_is_said_where_there_is_no_sandbox(referee: str, tmp_path: Path) -> None:
    done = run(brutaltester_argv(f"{referee} volcanoes", [SPREAD, CHAIN], 5), PATH=str(tmp_path))
    assert brutaltester_reads(done, 2) == ([0, 100], "seed=5\n")
    done = run(brutaltester_argv(f"{referee} volcanoes --sandbox require", [SPREAD, CHAIN], 5), PATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("bot", ["daemon.py", "forks.py"])
def test_what_bots_leave_running_does_not_hold_the_output_open(referee: str, bot: str) -> None:
    argv = brutaltester_argv(f"{referee} volcanoes", [f"{sys.executable} {BOTS / bot}", SPREAD], 5)
    started = time.monotonic()
    brutaltester_reads(run_process(argv), 2)
    assert time.monotonic() - started < 30


def test_the_command_that_brutaltester_prints_shows_the_match(referee: str, tmp_path: Path) -> None:
    """It joins its words by blanks and adds what the referee has told after the numbers, which begins with the end of
    their last line: nothing is quoted, and the seed is on a line of its own."""
    argv = brutaltester_argv(f"{referee} volcanoes", [SPREAD, f"{CHAIN} ignored words"], 5, tmp_path / "game1.json")
    played = run(argv)
    _, data = brutaltester_reads(played, 2)
    printed = " ".join(argv) + " -s -d \n" + data
    done = run_process(["sh", "-c", printed], BROWSER="true", TMPDIR=str(tmp_path))
    assert done.stderr == ""
    assert done.stdout.startswith(played.stdout)
    (page,) = tmp_path.glob("lapilli-view-*/volcanoes.html")
    assert str(page) in done.stdout
    assert "<html" in page.read_text()
    without_seed = " ".join(brutaltester_argv(f"{referee} volcanoes", [SPREAD, CHAIN])) + " -s -d \n" + data
    done = run_process(["sh", "-ec", without_seed], BROWSER="true", TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "'-d' requires an argument" in done.stderr


# -- cgarena ---------------------------------------------------------------------------------------------------------


def cgarena_argv(template: str, seed: int, players: list[str], replay: str = "") -> list[str]:
    """The words that it starts: quotes are known in the template; of `{PLAYERS}` come as many words as players."""
    argv: list[str] = []
    for part in shlex.split(template):
        if part == "{PLAYERS}":
            argv += players
        elif part.startswith("{P") and part[2:-1].isdigit():
            argv.append(players[int(part[2:-1]) - 1])
        else:
            argv.append({"{SEED}": str(seed), "{REPLAY_PATH}": replay}.get(part, part))
    return argv


def cgarena_reads(done: subprocess.CompletedProcess[str], players: int) -> dict[str, Any]:
    """One JSON object, within the bounds of the types that it is read into; the exit code is 0."""
    assert (done.returncode, done.stderr) == (0, "")
    told: dict[str, Any] = json.loads(done.stdout)
    assert all(len(told[key]) == players for key in ("ranks", "errors"))
    assert len(told["scores"]) in (0, players)
    assert all(0 <= number < 256 for number in (*told["ranks"], *told["errors"]))
    assert all(-(2**31) <= score < 2**31 for score in told["scores"])
    for attribute in told["attributes"]:
        assert set(attribute) == {"name", "player", "turn", "value"}
        assert attribute["player"] in (None, *range(players))
        assert attribute["turn"] is None or 0 <= attribute["turn"] < 2**16
        assert isinstance(attribute["value"], str)
    return told


@pytest.mark.parametrize("seed", [5, -5, -(2**63), 2**63 - 1])
def test_cgarena(referee: str, tmp_path: Path, seed: int) -> None:
    replay = tmp_path / "replays" / "5f0c6f6e.json"
    replay.parent.mkdir()
    template = f"{referee} volcanoes {{SEED}} {{REPLAY_PATH}} {{PLAYERS}}"
    told = cgarena_reads(run(cgarena_argv(template, seed, [SPREAD, CHAIN], str(replay))), 2)
    assert (told["ranks"], told["errors"], told["scores"]) == ([1, 0], [0, 0], [0, 100])
    kept = lapilli.load_record(replay)
    assert verify(kept) is not None
    assert kept.setup["seed"] == seed


@pytest.mark.parametrize("players", ["{PLAYERS}", "{P1} {P2}"])
def test_cgarena_as_it_was(referee: str, players: str) -> None:
    template = f"{referee} volcanoes --usual-start {{SEED}} {players}"
    told = cgarena_reads(run(cgarena_argv(template, -7, [SPREAD, CHAIN])), 2)
    assert told["ranks"] == [1, 0]


@pytest.mark.parametrize("players", [3, 4])
def test_cgarena_with_several(referee: str, tmp_path: Path, players: int) -> None:
    bots = ["random", "greedy", "random", "greedy"][:players]
    template = f"{referee} kingdomino --league wood {{SEED}} {{REPLAY_PATH}} {{PLAYERS}}"
    told = cgarena_reads(run(cgarena_argv(template, -1, bots, str(tmp_path / "r.json"))), players)
    assert min(told["ranks"]) == 0
    older = f"{referee} kingdomino --league wood {{SEED}} {{PLAYERS}}"
    assert cgarena_reads(run(cgarena_argv(older, -1, bots)), players) == told


def test_cgarena_keeps_what_bots_tell(referee: str, tmp_path: Path) -> None:
    (tmp_path / "tells.py").write_text(TELLS)
    template = f"{referee} volcanoes {{SEED}} {{PLAYERS}}"
    told = cgarena_reads(run(cgarena_argv(template, 3, [SPREAD, f"{sys.executable} {tmp_path / 'tells.py'}"])), 2)
    assert told["errors"] == [0, 0]
    assert {"name": "opening", "player": None, "turn": None, "value": "N01"} in told["attributes"]
    assert {"name": "depth", "player": 1, "turn": None, "value": "7"} in told["attributes"]
    turns = [attribute for attribute in told["attributes"] if attribute["name"] == "line"]
    assert len(turns) > 5
    assert {"name": "turns", "player": 1, "turn": None, "value": str(len(turns))} in told["attributes"]


def test_cgarena_counts_an_error(referee: str) -> None:
    template = f"{referee} volcanoes {{SEED}} {{PLAYERS}}"
    told = cgarena_reads(run(cgarena_argv(template, 3, [EXITS, SPREAD])), 2)
    assert (told["ranks"], told["errors"]) == ([1, 0], [1, 0])


def test_cgarena_watches_a_replay(referee: str, tmp_path: Path) -> None:
    replay, session = tmp_path / "r.json", tmp_path / "session"
    session.mkdir()
    template = f"{referee} volcanoes {{SEED}} {{REPLAY_PATH}} {{PLAYERS}}"
    cgarena_reads(run(cgarena_argv(template, 3, [SPREAD, CHAIN], str(replay))), 2)
    watch = [*f"{referee} volcanoes --watch".split(), str(replay), str(session), "8888", "2"]
    done = run(watch)
    assert (done.returncode, done.stderr) == (0, "")
    assert [file.name for file in session.iterdir()] == ["test.html"]
    assert "<html" in (session / "test.html").read_text()
    shutil.rmtree(session)
    done = run(watch)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("game", ["", "volcanoes "])
def test_cgarenas_probe(referee: str, game: str) -> None:
    done = run(f"{referee} {game}--cgarena-compat".split())
    assert (done.returncode, done.stdout, done.stderr) == (0, "cgarena-referee-v1\n", "")


# -- psyleague -------------------------------------------------------------------------------------------------------


def psyleague_reads(command: str, players: list[str], **environment: str) -> Any:
    """As it calls, through a shell with names put in; the output is one JSON value, the exit code 0."""
    for number, player in enumerate(players, 1):
        command = command.replace(f"%P{number}%", player)
    done = run_process(["sh", "-c", command], **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_psyleague(referee: str, tmp_path: Path) -> None:
    (tmp_path / "tells.py").write_text(TELLS)
    shutil.copy(ROOT / "examples" / "volcanoes" / "spread.py", tmp_path)
    players = " ".join(f"'{sys.executable} {tmp_path}/%P{number}%.py'" for number in (1, 2))
    told = psyleague_reads(f"{referee} volcanoes --psyleague {players}", ["tells", "spread"])
    assert sorted(told["ranks"]) in ([0, 1], [0, 0])
    assert told["errors"] == [0, 0]
    assert told["test_data"]["opening"] == "N01"
    mine, theirs = told["player_data"]
    assert mine["depth"] == "7"
    assert int(mine["turns"]) > 1  # the seed is drawn: some matches are short
    assert set(theirs) == {"score"}
    again = psyleague_reads(f"{referee} volcanoes --psyleague {players}", ["tells", "spread"])
    assert again["test_data"]["seed"] != told["test_data"]["seed"]


def test_psyleague_counts_an_error(referee: str) -> None:
    told = psyleague_reads(f"{referee} volcanoes --psyleague '{SPREAD}' '{EXITS}'", [])
    assert (told["ranks"], told["errors"]) == ([0, 1], [0, 1])
    assert told["test_data"]["termination"] == "exited"


# -- what is nobody's fault, and what is the user's ------------------------------------------------------------------

REASON = "no process can be started for a bot: Too many open files"


def abandoned(*words: str) -> subprocess.CompletedProcess[str]:
    return running.run("referee", "volcanoes", *words, code=None, spare=9)


def test_an_abandoned_match_is_nobodys_loss(tmp_path: Path) -> None:
    done = abandoned("-p1", SPREAD, "-p2", CHAIN, "-d", "seed=1", "-l", str(tmp_path / "game1.json"))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"lapilli: the match was abandoned, without a result: {REASON}\n"
    assert json.loads((tmp_path / "game1.json").read_text())["failCause"] == REASON
    told = cgarena_reads(abandoned("-5", str(tmp_path / "r.json"), SPREAD, CHAIN), 2)
    assert (told["ranks"], told["errors"]) == ([0, 0], [0, 0])
    assert told["attributes"] == [{"name": "abandoned", "player": None, "turn": None, "value": REASON}]
    assert lapilli.load_record(tmp_path / "r.json").turns == []
    done = abandoned("--psyleague", SPREAD, CHAIN)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_tool_that_stops_its_referee_leaves_nothing_running(tmp_path: Path) -> None:
    bot = tmp_path / "waits.py"
    bot.write_text("import os, time\nprint(os.getpid(), file=open('pid', 'w'), flush=True)\ntime.sleep(60)\n")
    words = ["referee", "volcanoes", "--no-timeout", "--sandbox", "off", "5", f"{sys.executable} {bot}", "random"]
    match = subprocess.Popen(
        [sys.executable, "-m", "lapilli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    match.send_signal(signal.SIGTERM)
    assert match.communicate(timeout=20) == (b"", b"")
    assert match.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("nosuch -p1 random -p2 random", "no game 'nosuch'"),
        ("volcanoes", "no players"),
        ("volcanoes -p1 random", "2 players"),
        ("volcanoes -p2 random", "must not leave out a player"),
        ("volcanoes -p1 gready -p2 random", "did you mean 'greedy'"),
        ("volcanoes -p1 random -p2 random -d 5", "expected seed=NUMBER"),
        ("volcanoes -p1 random -p2 random -d seed=9223372036854775808", "out of range"),
        ("volcanoes -p1 random -p2 random -l no/such/folder.json", "cannot write"),
        ("volcanoes 1 2 -p1 random -p2 random", "not both"),
        ("volcanoes -d seed=5 5 random random", "-d needs players"),
        ("volcanoes random random", "'random' is not a seed"),
        ("volcanoes 5", "players"),
        ("volcanoes 5 r.json random", "2 players"),
        ("volcanoes 9223372036854775808 random random", "out of range"),
        ("volcanoes 5 no/such/r.json random random", "cannot write"),
        ("volcanoes --leauge wood 5 random random", "no such option: --leauge"),
        ("volcanoes -p5 random", "no such option: -p5"),
        ("volcanoes --psyleague", "no players"),
        ("volcanoes --psyleague random", "2 players"),
        ("volcanoes --watch r.json folder", "--watch needs"),
        ("volcanoes --watch none.json . 1 2", "No such file"),
    ],
)
def test_a_call_that_makes_no_sense_is_one_line(tmp_path: Path, words: str, complaint: str) -> None:
    assert complaint in refused("referee", *words.split(), cwd=tmp_path)
    assert not [*tmp_path.iterdir()]


def test_help_shows_how_each_tool_calls() -> None:
    shown = running.run("referee", "--help", env={"COLUMNS": "200"}).stdout
    for text in (
        "brutaltester -r",
        "lapilli referee",
        "{REPLAY_PATH}",
        "%ALL_PLAYERS%",
        "-p1",
        "-d",
        "-l",
        "-s",
    ):
        assert text in shown
