"""lapilli bot, as a referee starts it and as people call it."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lapilli
from cli import running
from conformance.walks import GAMES, in_package
from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.kernels.cache import ROOT, current_folders
from lapilli.players import Sandbox, builtin_names
from lapilli.players.engines.catalogue import strongest
from lapilli.players.engines.precompile import compile_ahead
from players.conftest import needs_sandbox, wait_until

__all__ = ["needs_sandbox"]

BOT = [*running.LAPILLI, "bot"]
GAME = next(name for name in names() if load(name).searches and in_package(load(name)))
"""One with searches."""


def run(*words: object, text: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    return running.run("bot", *words, text=text, code=code)


def refused(*words: object, text: str = "") -> str:
    return running.refused("bot", *words, text=text)


def reply_lines(game: Game) -> int:
    """How many lines its reply to `first_input` has."""
    state = game.new_initial_state(seed=1)
    return game.protocol.reply_lines(state, state.asked()[0])


def first_input(game: Game, **keys: Any) -> str:
    state = game.new_initial_state(seed=1, **keys)
    return game.protocol.input_for(state, state.asked()[0], first=True)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_against_it_is_the_match_against_the_opponent_it_is(game: Game) -> None:
    """For the match's seed; and it is a bot as any other."""
    compile_ahead(game, lambda done, wanted: None, searches=True)
    engine, seed = builtin_names(game)[-1], 5
    command = shlex.join([*BOT, game.name, "--player", engine, "--seed", str(seed)])
    others = [engine] * (game.players[0] - 1)
    played = lapilli.play_match(game, [command, *others], seed=seed, no_timeout=True, sandbox=Sandbox.OFF)
    alone = lapilli.play_match(game, [engine, *others], seed=seed)
    assert played.outcome is not None
    assert played.outcome == alone.outcome
    assert [entry.action for entry in played.turns] == [entry.action for entry in alone.turns]
    assert played.last_words(0) == ""


@pytest.mark.parametrize("game", GAMES)
def test_by_default_the_strongest_plays(game: Game) -> None:
    """Nothing but replies goes to stdout, and nothing to stderr, once all is compiled."""
    compile_ahead(game, lambda done, wanted: None, searches=True)
    done = run(game.name, text=first_input(game))
    state = game.new_initial_state(seed=1)
    player = state.asked()[0]
    assert done.stderr == ""
    assert done.stdout.count("\n") == game.protocol.reply_lines(state, player)
    report = game.protocol.play_turn(state, {player: done.stdout.removesuffix("\n")})
    assert [fault for fault in report.faults if fault.player == player] == []
    if strongest(game) in builtin_names(game):
        named = run(game.name, "--player", strongest(game), "--seed", 3, text=first_input(game)).stdout
        assert run(game.name, "--seed", 3, text=first_input(game)).stdout == named


def test_a_search_with_settings() -> None:
    (search, *_) = load(GAME).searches
    text = first_input(load(GAME))
    words = (GAME, "--player", f"{search}:nodes=50", "--seed", 7)
    assert run(*words, text=text).stdout == run(*words, text=text).stdout != ""


def test_without_a_seed_it_draws_one() -> None:
    text = first_input(load(GAME))
    first = run(GAME, "--player", "random", text=text).stdout
    assert any(run(GAME, "--player", "random", text=text).stdout != first for _ in range(40))


def test_options_say_what_the_text_does_not() -> None:
    for game in map(load, names()):
        for variant in game.variants:
            text = first_input(game, variant=variant)
            assert run(game.name, "--player", "random", "--variant", variant, text=text).stdout
        for league in game.leagues:
            text = first_input(game, league=league)
            assert run(game.name, "--player", "random", "--league", league, text=text).stdout


def test_what_does_not_exist_is_one_line_that_lists_what_there_is() -> None:
    there_is = ", ".join(sorted([*builtin_names(load(GAME)), *load(GAME).searches, "best"])[:2])
    assert "no built-in opponent 'level99' (" in refused(GAME, "--level", 99)
    assert there_is in refused(GAME, "--level", 99)
    assert "no built-in opponent 'level0'" in refused(GAME, "--level", 0)
    assert "for other opponents: --player best" in refused(GAME, "--level", "best")
    assert "no built-in opponent 'python3 bot.py'" in refused(GAME, "--player", "python3 bot.py")
    assert "no built-in opponent ''" in refused(GAME, "--player", "")
    assert "no setting 'depht'" in refused(GAME, "--player", "best:depht=3")
    assert "ms must be milliseconds above 0" in refused(GAME, "--player", "best:ms=0")
    assert "no game 'nosuchgame'" in refused("nosuchgame")
    assert "no league" in refused(GAME, "--league", "nosuch")
    assert "no setup key" in refused(GAME, "--set", "nosuch=1")
    assert "give one of them" in refused(GAME, "--level", 1, "--player", "best")


def test_the_end_of_the_input_is_the_end() -> None:
    text = first_input(load(GAME))
    for sent in ("", text[:1], text[: len(text) // 2], text[: text.rindex("\n", 0, -1)]):
        done = run(GAME, text=sent)
        assert (done.stdout, done.stderr) == ("", "")
    closed = subprocess.run(
        ["sh", "-c", f"{shlex.join([*BOT, GAME])} <&-"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, "", "")


@pytest.mark.parametrize("name", names())
def test_garbage_is_one_line(name: str) -> None:
    assert "garbage" in refused(name, text="garbage\n" * 500)
    line = refused(name, text="\x1b[31m\0\n" * 500)
    assert "\x1b" not in line
    assert "\0" not in line
    assert "of the input is too long" in refused(name, text="1" * (1 << 20))


def test_replies_that_were_given_stay_given() -> None:
    done = run(GAME, text=first_input(load(GAME)) + "garbage\n", code=2)
    assert done.stdout.count("\n") == reply_lines(load(GAME))
    assert done.stderr.count("\n") == 1


def is_asleep(process: int) -> bool:
    """Returns whether a process waits, for example for its next line of input."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "S"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c(number: signal.Signals) -> None:
    """While it waits for its next turn."""
    with subprocess.Popen(
        [*BOT, GAME, "--player", "random"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as bot:
        assert bot.stdin
        assert bot.stdout
        assert bot.stderr
        bot.stdin.write(first_input(load(GAME)))
        bot.stdin.flush()
        assert all(bot.stdout.readline() for _ in range(reply_lines(load(GAME))))
        wait_until(lambda: is_asleep(bot.pid))  # it has written its reply a moment before it waits
        bot.send_signal(number)
        assert bot.wait(timeout=20) == 130
        assert (bot.stdout.read(), bot.stderr.read()) == ("", "")


def test_a_referee_that_has_let_go() -> None:
    with subprocess.Popen(
        [*BOT, GAME, "--player", "random"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as bot:
        assert bot.stdin
        assert bot.stdout
        assert bot.stderr
        bot.stdout.close()
        bot.stdin.write(first_input(load(GAME)).encode())
        bot.stdin.flush()
        assert bot.stderr.read() == b""
        assert bot.wait(timeout=20) == 0


AT_THE_END = """
import atexit, sys
from lapilli.__main__ import main
heavy = "rich sqlalchemy openskill asyncio ssl http.client lapilli.arena lapilli.match lapilli.viewer".split()
atexit.register(lambda: print([name for name in heavy if name in sys.modules], file=sys.stderr))
main()
"""


def test_it_loads_no_more_than_it_needs() -> None:
    """Its first reply has a limit that runs while it starts."""
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_END, "bot", GAME],
        input=first_input(load(GAME)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert done.stdout


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize("mode", ["auto", "require"])
def test_in_the_sandbox_it_finds_the_compiled_kernels(tmp_path: Path, mode: str) -> None:
    """It would say that it compiles some. However many there are: a copy would not fit into its /tmp."""
    compile_ahead(load(GAME), lambda done, wanted: None, searches=True)
    program = tmp_path / "lapilli"
    program.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom lapilli.__main__ import main\nmain()\n")
    command = f"{sys.executable} {program} bot {GAME} --player best:ms=5"
    large = current_folders()[0] / "large"
    with large.open("wb") as file:
        file.truncate(200 << 20)  # more than the sandbox's /tmp holds
    try:
        record = lapilli.play_match(GAME, [command, "random"], no_timeout=True, sandbox=mode)
    finally:
        large.unlink()
    assert record.outcome is not None
    assert record.outcome.culprit is None
    assert [entry.stderr for entry in record.turns if entry.stderr] == []
