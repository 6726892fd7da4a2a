"""The command line as scripts see it: exit codes, what is printed where, signals."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.table import Table
from rich.text import Text

import lapilli
from cli.running import LAPILLI, Started, refused, run, until
from lapilli.cli import COMMANDS, app
from lapilli.cli.match import _shortened
from lapilli.cli.shared.console import console, print_json, visible
from lapilli.core.api import Termination
from lapilli.games import load, names
from lapilli.kernels.cache import cache_base
from lapilli.match import verify
from lapilli.match.record import FORMAT
from players.conftest import children_of, need_sandbox

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "volcanoes"
BOT = f"{sys.executable} {EXAMPLES / 'spread.py'}"


def test_games_are_listed() -> None:
    shown = run("games").stdout
    assert all(name in shown for name in names())


def test_compile_says_how_much_it_keeps() -> None:
    shown = run("compile", "volcanoes").stdout
    assert re.search(r"^Volcanoes (is now|was already) compiled for this machine\.$", shown, re.MULTILINE)
    assert re.search(
        rf"^All machine code takes [\d.]+ [kM]?B, in {re.escape(str(cache_base()))}\.$", shown, re.MULTILINE
    )


@pytest.mark.parametrize("name", names())
def test_rules_are_readable(name: str) -> None:
    shown = run("rules", name).stdout
    assert lapilli.load(name).title in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_every_command_has_help_with_an_example() -> None:
    for command in ("games", "rules", "new", "match", "verify", "inputs", "show", "bench", "bot"):
        shown = run(command, "--help").stdout
        assert "Example" in shown
        assert f"lapilli {command}" in shown
    assert "lapilli match" in run("--help").stdout


def commands_of(group: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands, with the words that call them."""
    context = group.make_context("lapilli", [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands_of(command, *path, name)
        else:
            yield (*path, name), command


def test_help_lists_what_commands_say_without_loading_them() -> None:
    group: Any = typer.main.get_command(app)
    context = group.make_context("lapilli", ["games"])
    for name in group.list_commands(context):
        listed, whole = group._listed(name), group.get_command(context, name)
        assert listed.rich_help_panel == whole.rich_help_panel
        assert listed.get_short_help_str() == whole.get_short_help_str()
    slow = {"numba", "numpy", "sqlalchemy", "fastapi"}
    code = f"import sys, lapilli.cli\ntry: lapilli.cli.main()\nfinally: print(sorted(sys.modules.keys() & {slow}))"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_help_groups_commands_and_loses_nothing_of_what_options_say() -> None:
    shown = run("--help").stdout
    places = [shown.index(f"─ {panel} ") for panel in COMMANDS]
    assert places == sorted(places)
    assert "─ Commands ─" not in shown, "each command stands in a panel"
    found = dict(commands_of(typer.main.get_command(app)))
    assert ("match",) in found
    for path, command in found.items():
        texts = [parameter.help or "" for parameter in command.params if getattr(parameter, "help", None)]
        for text in (*texts, command.help or ""):
            assert Text.from_markup(text).plain == text, f"{path}: rich takes a part of it for markup"
    assert "[default: (a random seed)]" in run("match", "--help").stdout


def test_a_match_is_shown_live_with_board_and_result(tmp_path: Path) -> None:
    shown = run("match", "volcanoes", BOT, "random", "--seed", 3, "--record", tmp_path / "m.json").stdout
    assert "growth" in shown
    assert "N21" in shown
    assert "wins" in shown
    assert lapilli.verify(lapilli.load_record(tmp_path / "m.json")) is not None
    assert f"{tmp_path / 'm.json'}: follows the rules; " in run("verify", tmp_path / "m.json").stdout


def test_a_match_as_json_is_one_object() -> None:
    done = run("match", "volcanoes", BOT, "greedy", "--seed", 3, "--json")
    told = json.loads(done.stdout)
    assert {"game", "variant", "league", "seed", "players", "termination", "reason", "turns"} <= set(told)
    assert (told["game"], told["seed"]) == ("volcanoes", 3)
    assert [player["name"] for player in told["players"]] == [BOT, "greedy"]
    assert sorted(player["score"] for player in told["players"]) == [0, 100]
    assert sorted(player["rank"] for player in told["players"]) == [1, 2]
    assert all(player["timing"]["worst_ms"] >= player["timing"]["mean_ms"] > 0 for player in told["players"])
    assert told["turns"] > 10


def test_a_lost_bot_is_named_with_its_last_words(tmp_path: Path) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text("import sys\nprint('I am lost', file=sys.stderr)\nsys.exit(4)\n")
    shown = run("match", "volcanoes", "random", f"{sys.executable} {bot}", "--seed", 1).stdout
    assert "Blue wins — Orange: exited with code 4" in " ".join(shown.split())
    assert "I am lost" in shown
    (tmp_path / "later.py").write_text(
        "import os, sys\nos.read(0, 65536)\nos.write(1, b'N07\\n')\nos.write(2, b'too late\\n')\nsys.exit(4)\n"
    )
    words = ["match", "volcanoes", f"{sys.executable} {tmp_path / 'later.py'}", "random", "--seed", "1"]
    assert "too late" in run(*words).stdout
    (fault,) = json.loads(run(*words, "--json").stdout)["faults"]
    assert (fault["player"], fault["turn"], fault["stderr"]) == (0, 5, "too late\n")


def test_usage_errors(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("hello")
    assert "did you mean 'volcanoes'" in refused("match", "volcanos", "random", "random")
    assert "did you mean 'random'" in refused("match", "volcanoes", "rnadom", "random")
    assert "no command" in refused("match", "volcanoes", "nosuchprogram --fast", "random")
    for bot, file in (("./no-such-program", "./no-such-program"), ("python3 -u no-such.py", "no-such.py")):
        told = refused("match", "volcanoes", bot, "random", cwd=tmp_path)
        assert told == f"lapilli: player {bot!r}: there is no file {file!r}"
    assert "not executable" in refused("match", "volcanoes", tmp_path / "plain.txt", "random")
    for first_line, complaint in (("print('N01')", "is no program"), ("#!/no/such/python", "the interpreter that")):
        script = tmp_path / "script"
        script.write_text(f"{first_line}\n")
        script.chmod(0o755)
        assert complaint in refused("match", "volcanoes", script, "random")
    assert "2 players" in refused("match", "volcanoes", "random")
    assert "2 players" in refused("match", "volcanoes", "random", "random", "random")
    assert "out of range" in refused("match", "volcanoes", "random", "random", "--seed", 2**63)
    assert "expected 80 tiles" in refused("match", "volcanoes", "random", "random", "--position", "...")
    assert "'x' at N02" in refused("match", "volcanoes", "random", "random", "--position", ".x" + "." * 78 + " 1")
    assert "No such file" in refused("verify", tmp_path / "none.json")
    assert "not a record" in refused("show", tmp_path / "plain.txt")
    place = tmp_path / "no" / "where.json"
    assert "cannot write" in refused("match", "volcanoes", "random", "random", "--record", place)
    assert run("match", "volcanoes", "random", "random", "--seed", "x", code=2).stdout == ""
    assert "no such option" in run("match", "--frobnicate", code=2).stderr.lower()


def test_the_interpreter_that_is_suggested_fits_the_file(tmp_path: Path) -> None:
    suggested = {
        "bot.js": "node",
        "bot.py": "python3",
        "bot.rb": "ruby",
        "bot.jar": "java -jar",
        "my bot.R": "Rscript",
    }
    for file, interpreter in suggested.items():
        (tmp_path / file).touch()
        told = refused("match", "volcanoes", f"'./{file}'", "random", cwd=tmp_path)
        assert told.endswith(f"(chmod +x, or name its interpreter: {interpreter} {shlex.quote(f'./{file}')})")
    (tmp_path / "bot.js").chmod(0o755)
    (tmp_path / "bot.js").write_text("console.log('N01')\n")
    assert "no program (name its interpreter: node ./bot.js)" in refused(
        "match", "volcanoes", "./bot.js", "random", cwd=tmp_path
    )
    (tmp_path / "Bot.class").touch()
    assert '(for the file in this directory say "java -cp . Bot")' in refused(
        "match", "volcanoes", "Bot.class", "random", cwd=tmp_path
    )
    (tmp_path / "bot.cpp").touch()
    for name in ("bot.cpp", "./bot.cpp"):
        assert "compile it" in refused("match", "volcanoes", name, "random", cwd=tmp_path)


def test_whoever_forgets_quotes_is_told_so(tmp_path: Path) -> None:
    told = refused("match", "volcanoes", "node", "bot.js", "greedy")
    assert told == 'lapilli: a command is one player, and must be quoted: "node bot.js"'
    (tmp_path / "main").touch()
    told = refused("match", "kingdomino", "/usr/bin/python3", "main", "greedy", cwd=tmp_path)
    assert told.endswith('must be quoted: "/usr/bin/python3 main"')
    assert "must be quoted" in refused("match", "volcanoes", "random", "./main", "7", cwd=tmp_path)
    assert "must be quoted" in refused("match", "volcanoes", "java", "-jar", "bot.jar", "greedy")
    assert "quoted" not in refused("match", "volcanoes", "random", "random", "random")


def test_whoever_writes_a_command_for_a_shell_is_told_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "my bots").mkdir()
    for file in ("my bots/bot.py", "my bots/run", "bot.py"):
        (tmp_path / file).write_text("#!/bin/sh\n")
        (tmp_path / file).chmod(0o755)
    quotes = "a path with a blank needs quotes of its own: "
    written = {
        "my bots/run --fast": f"{quotes}'my bots/run' --fast",
        "python3 my bots/bot.py 7": f"{quotes}python3 'my bots/bot.py' 7",
        "python3 ~/bot.py": "(there is no shell here: write the whole path)",
        "$HOME/bot": "(there is no shell here: write the whole path)",
        "cd bots && python3 bot.py": "(there is no shell here: name the bot's file with its folder)",
        "DEPTH=3 python3 bot.py": "(to set a variable: env DEPTH=3 python3 bot.py)",
        "python3 bot.py | tee log": "so '|' has no meaning (say: sh -c 'python3 bot.py | tee log')",
        "python3 bot.py 2>err": "so '2>err' has no meaning (say: sh -c 'python3 bot.py 2>err')",
    }
    for command, advice in written.items():
        assert refused("match", "volcanoes", command, "random", cwd=tmp_path).endswith(advice), command
    for command in ("python3 'my bots/bot.py'", "python3 bot.py '|'", "sh -c 'python3 bot.py | cat'"):
        assert run("match", "volcanoes", command, "random", "-q", cwd=tmp_path).stdout, command


def test_quiet_says_how_it_ended_and_no_more(tmp_path: Path) -> None:
    shown = run("match", "volcanoes", "random", "greedy", "--seed", 32, "-q", "--record", tmp_path / "m.json").stdout
    assert shown == "Draw between Blue (random) and Orange (greedy) — both sides completed a path in the same growth.\n"
    assert (tmp_path / "m.json").exists()


def test_whoever_drops_out_is_named_in_one_line_whatever_the_rules_decide(tmp_path: Path) -> None:
    bot = tmp_path / "dies.py"
    bot.write_text("import sys\nsys.exit(5)\n")
    dies = f"{sys.executable} {bot}"
    for game in names():
        match = ("match", game, dies, dies, "--seed", 2)
        at_fault = {fault["player"] for fault in json.loads(run(*match, "--json").stdout)["faults"]}
        shown = run(*match, "--quiet").stdout
        assert at_fault
        assert shown.count("exited") == len(at_fault)
        assert all(lapilli.load(game).sides[player].lower() in shown.lower() for player in at_fault)
    told = json.loads(run("match", "kingdomino", dies, "random", "greedy", "--seed", 2, "--json").stdout)
    assert told["termination"] == "decided"
    assert [player["fault"] for player in told["players"]] == ["exited", None, None]


def test_strict_tells_faults_by_the_exit_code(tmp_path: Path) -> None:
    bot = tmp_path / "dies.py"
    bot.write_text("import sys\nsys.exit(5)\n")
    for form in ("--quiet", "--json"):
        run("match", "kingdomino", f"{sys.executable} {bot}", "random", "greedy", form)
        run("match", "kingdomino", f"{sys.executable} {bot}", "random", "greedy", form, "--strict", code=4)
        run("match", "volcanoes", BOT, "random", form, "--strict")


def test_verify_goes_on_after_a_bad_record(tmp_path: Path) -> None:
    good = {"format": "lapilli-record/1", "game": "volcanoes", "turns": [{"turn": 1, "player": 0, "action": "N07"}]}
    bad = {**good, "turns": [{"turn": 1, "player": 1, "action": "N07"}]}
    (tmp_path / "mixed.jsonl").write_text("\n".join(map(json.dumps, (good, bad, good))))
    done = run("verify", tmp_path / "mixed.jsonl", code=1)
    assert done.stdout.count("unfinished") == 2
    assert "record 2: turn 1: player 1 was not asked" in done.stderr
    done = run("verify", "--positions", tmp_path / "mixed.jsonl", code=1)
    first, second, third = done.stdout.split("\n\n")
    assert first.split("\n") == ["." * 80 + " 1", "......1" + "." * 73 + " 2"]
    assert second == first.split("\n")[0]
    assert third == first + "\n"


def test_inputs_are_printed_byte_for_byte(tmp_path: Path) -> None:
    run("match", "volcanoes", "random", "greedy", "--seed", 3, "--record", tmp_path / "m.json", "--json")
    plain = run("inputs", tmp_path / "m.json", "--player", 1).stdout
    texts = json.loads(run("inputs", tmp_path / "m.json", "--player", 1, "--json").stdout)
    assert "".join(texts) == plain
    assert plain.startswith("80\nN01 6 1 4\n")
    assert "players 0 to 1" in refused("inputs", tmp_path / "m.json", "--player", 2)


def test_show_draws_any_turn(tmp_path: Path) -> None:
    run("match", "volcanoes", "random", "greedy", "--seed", 3, "--record", tmp_path / "m.json", "--json")
    assert "Turn 1: Blue to move" in run("show", tmp_path / "m.json", "--turn", 0).stdout
    run("show", tmp_path / "m.json", "--svg", tmp_path / "m.svg")
    assert (tmp_path / "m.svg").read_text().count("<polygon") >= 80
    assert "no turn 999" in refused("show", tmp_path / "m.json", "--turn", 999)


def test_bench_measures() -> None:
    told = json.loads(run("bench", "volcanoes", "--json", "--seconds", "0.05").stdout)
    assert told["volcanoes"]["playouts/s"] > 0
    assert "playouts/s" in run("bench", "volcanoes", "--seconds", "0.05").stdout


def running(program: Path) -> list[str]:
    """The processes that run this file as a script."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = file.read_text(errors="replace").split("\0")
            if str(program) in words[1:2]:
                found.append(file.parent.name)
    return found


def having(value: str) -> list[str]:
    """The processes that have this value in their environment."""
    processes = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if value in file.read_text(errors="replace"):
                processes.append(file.parent.name)
    return processes


@contextlib.contextmanager
def waiting_match(
    tmp_path: Path, seconds: int = 60, shell: str | None = None
) -> Iterator[tuple[Started | subprocess.Popen[str], Path, Path]]:
    """A match on turn 5, whose first bot has moved once and now lets the referee wait; the bot's file, the record's.

    Args:
        shell: what a shell does before it becomes the match, in a process that starts from nothing; None for no shell.
    """
    bot, record = tmp_path / "waits.py", tmp_path / "m.json"
    bot.write_text(f"import time\nprint('N07', flush=True)\ntime.sleep({seconds})\n")
    words = ["match", "volcanoes", f"{sys.executable} {bot}", "random", "--no-timeout", "--record", str(record)]
    if shell is None:
        with Started(*words) as match:
            until(lambda: "\n    4" in match.said()[0])
            time.sleep(0.3)
            yield match, bot, record
        return
    command = ["sh", "-c", f"{shell}\nexec {shlex.join([*LAPILLI, *words])}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert any(line.startswith("    4") for line in process.stdout)
        time.sleep(0.3)
        yield process, bot, record


@pytest.mark.parametrize(
    ("kill", "shell"), [(signal.SIGINT, ""), (signal.SIGTERM, None), (signal.SIGHUP, None), (signal.SIGQUIT, None)]
)
def test_ctrl_c_leaves_nothing_running_and_a_whole_record(
    tmp_path: Path, kill: signal.Signals, shell: str | None
) -> None:
    """The first one from nothing, as people start it."""
    with waiting_match(tmp_path, shell=shell) as (match, bot, record):
        assert running(bot)
        os.kill(match.pid, kill)
        shown, problems = match.communicate(timeout=20)
        assert match.returncode == 130
    assert "Traceback" not in problems
    assert "Stopped on turn 5" in shown
    assert not running(bot)
    kept = lapilli.load_record(record)
    assert lapilli.verify(kept) is None
    assert [entry.turn for entry in kept.turns] == [1, 2, 4, 5]
    assert [entry.pending for entry in kept.turns] == [False, False, False, True]


def test_new_refuses_to_overwrite(tmp_path: Path) -> None:
    run("new", "volcanoes", "mybot", cwd=tmp_path)
    assert "exists already" in refused("new", "volcanoes", "mybot", cwd=tmp_path)
    assert "did you mean 'python'" in refused("new", "volcanoes", "--lang", "pyhton", cwd=tmp_path)
    assert "did you mean 'cpp'" in refused("new", "volcanoes", "--lang", "C++", cwd=tmp_path)


def test_what_new_says_is_how_a_bot_is_run(tmp_path: Path) -> None:
    shown = run("new", "volcanoes", cwd=tmp_path).stdout
    assert (tmp_path / "volcanoes-bot" / "bot.py").is_file()
    bot = shown.split('"')[1]
    told = json.loads(run("match", "volcanoes", bot, "random", "--json", cwd=tmp_path).stdout)
    assert told["faults"] == []
    assert "g++" in run("new", "volcanoes", "--lang", "cpp", "here", cwd=tmp_path).stdout


def test_a_closed_output_costs_neither_match_nor_record(tmp_path: Path) -> None:
    record = tmp_path / "m.json"
    command = f"{shlex.join(LAPILLI)} match volcanoes random random --seed 3 --record {record} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert lapilli.verify(lapilli.load_record(record)) is not None


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_full_output_costs_neither_match_nor_record(tmp_path: Path, form: list[str]) -> None:
    record = tmp_path / "m.json"
    with open("/dev/full", "w") as full:
        words = ("match", "volcanoes", "random", "random", "--seed", 3, *form, "--record", record)
        with Started(*words, out=full) as match:
            _, problems = match.communicate(60)
            assert match.returncode == 74
    assert "Traceback" not in problems
    assert lapilli.verify(lapilli.load_record(record)) is not None


def test_a_terminal_that_knows_only_ascii_gets_question_marks() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for words in (
        ["match", "volcanoes", "random", "random", "--seed", "3"],
        ["rules", "volcanoes"],
        ["match", "--help"],
    ):
        done = subprocess.run([*LAPILLI, *words], capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_what_a_bot_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    bot = tmp_path / "steers.py"
    bot.write_text("import sys\nprint('\\x1b[2J', file=sys.stderr, flush=True)\nprint('\\x1b]0;hi\\x07', flush=True)\n")
    shown = run("match", "volcanoes", f"{sys.executable} {bot}", "random", "-v").stdout
    assert "\x1b" not in shown
    assert "\\x1b[2J" in shown


def test_records_that_cannot_be_read_do_not_hide_the_others(tmp_path: Path) -> None:
    good = json.dumps({"format": "lapilli-record/1", "game": "volcanoes", "setup": {"seed": 1}})
    bad = json.dumps({"format": "lapilli-record/1", "game": "volcanoes", "setup": {"position": "..."}})
    (tmp_path / "some.jsonl").write_text("\n".join([good, "{", bad, "[" * 100_000, good]))
    (tmp_path / "good.json").write_text("\ufeff" + good)
    done = run("verify", tmp_path / "some.jsonl", tmp_path / "good.json", code=2)
    assert done.stdout.count("unfinished") == 3
    assert [line.split(": ")[1].split(", ")[-1] for line in done.stderr.splitlines()] == ["line 2", "line 3", "line 4"]


def test_jsonl_records_are_added(tmp_path: Path) -> None:
    for name in ("season.jsonl", "season.jsonl.gz"):
        for seed in (1, 2, 3):
            run("match", "volcanoes", "random", "random", "--seed", seed, "--json", "--record", tmp_path / name)
        assert [found.setup["seed"] for found in lapilli.load_records(tmp_path / name)] == [1, 2, 3]


def test_nohup_is_respected(tmp_path: Path) -> None:
    with waiting_match(tmp_path, seconds=1, shell="trap '' HUP") as (match, _, record):
        match.send_signal(signal.SIGHUP)
        match.communicate(timeout=20)
        assert match.returncode == 0
    outcome = lapilli.load_record(record).outcome
    assert outcome is not None
    assert outcome.termination == Termination.EXITED


INTERRUPT_WHILE_COMPILING = """\
import os, signal, sys
from llvmlite.binding import executionengine
def notify(engine, data):
    if os.path.exists(os.environ["STARTED"]):
        os.kill(os.getpid(), signal.SIGINT)
    engine._raw_object_cache_notify(data)
executionengine._notify_c_hook = executionengine._ObjectCacheNotifyFunc(notify)
from lapilli.cli import main, match
if "LATE" in os.environ:  # as for a kernel that only a rare turn needs
    match.compile_shown = lambda game, **kinds: None
main()
"""


def test_ctrl_c_is_not_lost_in_the_compiler(tmp_path: Path) -> None:
    bot, started = tmp_path / "wait_for_ever.py", tmp_path / "started"
    bot.write_text(f"import time\nopen({str(started)!r}, 'w').close()\ntime.sleep(60)\n")
    command = ["match", "volcanoes", f"{sys.executable} {bot}", "random", "--no-timeout", "--sandbox", "off"]
    match = subprocess.run(
        [sys.executable, "-c", INTERRUPT_WHILE_COMPILING, *command],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "empty"), "STARTED": str(started), "LATE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert started.exists()
    assert match.returncode == 130
    assert "Traceback" not in match.stderr
    assert "Stopped on turn 1" in match.stdout
    assert not running(bot)


def test_ctrl_c_while_kernels_are_compiled_beforehand_leaves_a_clean_state(tmp_path: Path) -> None:
    bot, started = tmp_path / "never_asked.py", tmp_path / "started"
    bot.write_text("input()\n")
    started.touch()
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "empty"), "STARTED": str(started)}
    match = subprocess.run(
        [sys.executable, "-c", INTERRUPT_WHILE_COMPILING, "match", "tictactoe", f"{sys.executable} {bot}", "random"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert match.returncode == 130
    assert "Traceback" not in match.stderr
    assert match.stdout == ""
    assert not running(bot)
    assert not having(str(started)), "no second process goes on compiling"
    again = [*LAPILLI, "match", "tictactoe", "random", "random", "--json"]  # the game with the fewest kernels
    assert subprocess.run(again, env=environment, capture_output=True, timeout=120).returncode == 0


def test_games_are_compiled_side_by_side(tmp_path: Path) -> None:
    """With the code of all games there, but without the files that say so, compiling takes no more than a look."""
    shutil.copytree(cache_base(), tmp_path / "lapilli")
    for marker in (*tmp_path.rglob("played"), *tmp_path.rglob("drawn")):
        marker.unlink()
    done = run("compile", env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert len(re.findall(r" is now compiled for this machine\.", done.stdout)) == len(names())
    assert done.stderr.count("lapilli: compiling ") == 1, "none is left to be compiled by the first process"
    assert all(load(name).title in done.stderr for name in names())
    assert "now compiled" not in run("compile", env={"NUMBA_CACHE_DIR": str(tmp_path)}).stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_all_processes_that_compile(tmp_path: Path, number: int) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [*LAPILLI, "compile"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        until(lambda: len(children_of(process.pid)) > 1)
        assert len(having(str(tmp_path))) > 2
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
    assert "Traceback" not in stderr
    assert stdout == ""
    until(lambda: not having(str(tmp_path)))


def test_names_with_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    record = tmp_path / "m.json"
    told = run("match", "volcanoes", f"{BOT} [/red] :smile:", "random", "--record", record).stdout
    assert "[/red] :smile:" in told
    assert record.exists()


def test_closed_streams_lose_nothing(tmp_path: Path) -> None:
    record = tmp_path / "m.json"
    words = shlex.join([*LAPILLI, "match", "volcanoes", BOT, "random", "--record", str(record)])
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        shell = subprocess.run(["sh", "-c", f"{words} {closed}"], capture_output=True, text=True, timeout=60)
        assert shell.returncode == 0
        assert "Traceback" not in shell.stdout + shell.stderr
        assert verify(lapilli.load_record(record))
        record.unlink()


def test_whoever_drops_out_early_is_shown_with_its_last_words(tmp_path: Path) -> None:
    bot = tmp_path / "dies.py"
    bot.write_text("import sys\nprint('dying words', file=sys.stderr)\nsys.exit(5)\n")
    told = run("match", "kingdomino", f"{sys.executable} {bot}", "random", "--seed", 4).stdout
    assert "Turn 1: Blue: exited with code 5\nIts last lines on stderr:\ndying words\n" in told


def test_verify_prints_one_line_a_record(tmp_path: Path) -> None:
    fault = {"termination": "timeout", "reason": "a\x1b[31mred\nnext line"}
    entry = {"turn": 1, "player": 0, "fault": fault}
    (tmp_path / "esc.json").write_text(json.dumps({"format": FORMAT, "game": "volcanoes", "turns": [entry]}))
    told = run("verify", tmp_path / "esc.json").stdout
    assert "\x1b" not in told
    assert told.count("\n") == 1


def test_a_long_reply_is_cut_and_no_shorter_one() -> None:
    assert _shortened("x" * 60, 60) == "x" * 60
    assert _shortened("x" * 61, 60) == "x" * 59 + "…"


@pytest.mark.parametrize("loading", ["numpy._core", "numba.core.typing"])
def test_ctrl_c_while_the_program_loads_shows_no_traceback(loading: str) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "lapilli", "games"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stderr is not None
    if sys.platform == "linux":  # a short pipe, so that the program cannot end before this process reads, however busy
        fcntl.fcntl(program.stderr, fcntl.F_SETPIPE_SZ, 4096)
    assert any(loading in line for line in program.stderr)  # told as soon as it is imported
    program.send_signal(signal.SIGINT)
    said, complaints = program.communicate(timeout=20)
    assert program.returncode == 130
    assert said == ""
    assert "Traceback" not in complaints


def test_the_question_a_bot_hung_on_is_kept(tmp_path: Path) -> None:
    with waiting_match(tmp_path) as (match, _, record):
        for _ in range(3):  # whoever presses Ctrl-C presses it more than once
            match.send_signal(signal.SIGINT)
            time.sleep(0.004)
        match.communicate(timeout=20)
    texts = json.loads(run("inputs", record, "--player", 0, "--json").stdout)
    assert len(texts) == 2
    assert "unfinished" in run("verify", record).stdout


@pytest.mark.parametrize("as_json", [False, True])
def test_an_abandoned_match_is_told_in_one_line_and_by_its_exit_code(tmp_path: Path, as_json: bool) -> None:
    need_sandbox()  # without one, the program prints one line more
    record = tmp_path / "m.json"
    words = ["match", "volcanoes", BOT, BOT, "--record", str(record), *(["--json"] if as_json else [])]
    done = run(*words, code=3, spare=9)
    assert done.stderr == ""
    reason = "no process can be started for a bot: Too many open files"
    if as_json:
        summary = json.loads(done.stdout)
        assert (summary["termination"], summary["reason"], summary["faults"]) == ("abandoned", reason, [])
        assert [(player["score"], player["rank"]) for player in summary["players"]] == [(None, None)] * 2
    else:
        assert done.stdout.splitlines()[-2:] == [
            f"Abandoned on turn 1, without a result: {reason}.",
            f"Wrote the record to {record}.",
        ]
    outcome = lapilli.load_record(record).outcome
    assert outcome is not None
    assert outcome.termination == Termination.ABANDONED
    assert "unfinished" in run("verify", record).stdout


def test_a_record_tells_who_played(tmp_path: Path) -> None:
    run("match", "volcanoes", BOT, "greedy", "--json", "--record", tmp_path / "m.json")
    bot, greedy = json.loads((tmp_path / "m.json").read_text())["players"]
    assert bot["name"] == BOT
    assert bot["command"] == BOT.split()
    assert bot["program"] == f"sha256:{hashlib.sha256((EXAMPLES / 'spread.py').read_bytes()).hexdigest()}"
    assert greedy == {"name": "greedy", "engine": "greedy", "version": version("lapilli")}


def test_no_name_turns_or_commands_a_terminal() -> None:
    """Whoever prints it, and however."""
    name = "a\u202eb\x1b]0;c\x07\u2066d\x85"
    table = Table("name")
    table.add_row(name)
    for printed in (name, Text(name), table):
        with console.capture() as shown:
            console.print(printed)
        assert not set(shown.get()) & set("\u202e\x1b\x07\u2066\x85")
    assert visible(name) == r"a\u202eb\x1b]0;c\x07\u2066d\x85"
    assert visible("née\tעברית\n") == "née\tעברית\n"


def test_nor_does_a_name_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The value is the same: only the writing has escapes."""
    names = ["a\u202eb\x1b]0;c\x07\u2066d\x85\x7f", "née\tעברית\n\\", "of a file: \udce9"]
    print_json({"names": names})
    shown = capsys.readouterr().out
    assert not set(shown[:-1]) & set("\u202e\x1b\x07\u2066\x85\x7f\udce9\n")
    assert "née" in shown
    assert json.loads(shown) == {"names": names}
