"""The starter bots play every form of the game to its end without a fault."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from games.kingdomino import walks
from lapilli.games import kingdomino
from lapilli.games.api import State

FOLDER = Path(kingdomino.__file__).parent / "starters"
BUILD = {"bot.cpp": "g++ -O1 -o bot {}", "bot.rs": "rustc -o bot {}", "Bot.java": "javac -d . {}"}
RUN = {"bot.py": f"{sys.executable} {{}}", "bot.js": "node {}", "Bot.java": "java -XX:TieredStopAtLevel=1 -cp . Bot"}


@pytest.mark.parametrize("file", ["bot.py", "bot.js", "bot.cpp", "bot.rs", "Bot.java"])
def test_starter_bot(file: str, tmp_path: Path) -> None:
    build, run = BUILD.get(file, ""), RUN.get(file, "./bot").format(FOLDER / file)
    for program in (build.split(), run.split()):
        if program and not program[0].startswith("./") and not shutil.which(program[0]):
            pytest.skip(f"{program[0]} is not installed")
    if build:
        subprocess.run(build.format(FOLDER / file).split(), cwd=tmp_path, check=True)
    for form in walks.FORMS:
        play(run.split(), tmp_path, form)


def play(command: list[str], folder: Path, form: dict[str, Any]) -> None:
    """A game of a bot against itself."""
    state: State = walks.start(**form, seed=14)
    protocol = state.game.protocol
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    bots = [subprocess.Popen(command, cwd=folder, text=True, **pipes) for _ in range(state.num_players)]
    try:
        for player, bot in enumerate(bots):
            assert bot.stdin
            bot.stdin.write(protocol.opening_input(state, player))
        while not state.is_terminal():
            (player,) = state.asked()
            bot = bots[player]
            assert bot.stdin
            assert bot.stdout
            bot.stdin.write(protocol.turn_input(state, player))
            bot.stdin.flush()
            reply = bot.stdout.readline() + bot.stdout.readline()
            report = protocol.play_turn(state, {player: reply.removesuffix("\n")})
            assert not report.faults
            assert report.messages == {player: "hello"}
        for bot in bots:
            assert bot.stdin
            bot.stdin.close()
            assert bot.wait(10) == 0
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
            assert bot.stdout
            bot.stdout.close()
