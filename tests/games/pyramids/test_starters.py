"""The starter bots play on both boards to the end without a fault."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lapilli.games import pyramids
from lapilli.games.pyramids import GAME

FOLDER = Path(pyramids.__file__).parent / "starters"
BUILD = {"bot.cpp": "g++ -std=c++17 -o bot {}", "bot.rs": "rustc -o bot {}", "Bot.java": "javac -d . {}"}
RUN = {"bot.py": f"{sys.executable} {{}}", "bot.js": "node {}", "Bot.java": "java -XX:TieredStopAtLevel=1 -cp . Bot"}


@pytest.mark.parametrize("file", ["bot.py", "bot.js", "bot.cpp", "bot.rs", "Bot.java"])
def test_starter_bot(file: str, tmp_path: Path) -> None:
    build, run = BUILD.get(file, ""), RUN.get(file, "./bot").format(FOLDER / file)
    for program in (build.split(), run.split()):
        if program and not program[0].startswith("./") and not shutil.which(program[0]):
            pytest.skip(f"{program[0]} is not installed")
    if build:
        subprocess.run(build.format(FOLDER / file).split(), cwd=tmp_path, check=True)
    play(run.split(), tmp_path, "square")
    play(run.split(), tmp_path, "hex-random")


def play(command: list[str], folder: Path, variant: str) -> None:
    """A game of a bot against itself."""
    state = GAME.new_initial_state(variant=variant, seed=8)
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    bots = [subprocess.Popen(command, cwd=folder, text=True, **pipes) for _ in range(2)]
    try:
        for player, bot in enumerate(bots):
            assert bot.stdin
            bot.stdin.write(GAME.protocol.opening_input(state, player))
        while not state.is_terminal():
            (player,) = state.asked()
            bot = bots[player]
            assert bot.stdin
            assert bot.stdout
            bot.stdin.write(GAME.protocol.turn_input(state, player))
            bot.stdin.flush()
            report = GAME.protocol.play_turn(state, {player: bot.stdout.readline().removesuffix("\n")})
            assert not report.faults
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
