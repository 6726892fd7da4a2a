"""Starter bots of every game in every language it claims: built as `lapilli new` says, and playing legally at once."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import lapilli
from conformance.walks import GAMES
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.players.bots.starters import LANGUAGES, write_starter

TOOLS = {"cpp": "g++", "java": "javac", "rust": "rustc", "javascript": "node", "python": "python3"}
SANDBOX = "require" if os.environ.get("CI") else "auto"
"""Every language's programs must work in there; elsewhere it may be missing."""
STARTERS = [(name, language) for name in names() for language in load(name).languages]


@pytest.mark.parametrize(("name", "language"), STARTERS)
def test_starter_bots_play_legally_at_once(tmp_path: Path, name: str, language: str) -> None:
    if shutil.which(TOOLS[language]) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{TOOLS[language]} is missing: .ci/run installs it")
        pytest.skip(f"{TOOLS[language]} is not on this machine")
    game = load(name)
    starter = write_starter(game, language, tmp_path)
    if starter.build:
        subprocess.run(starter.build, shell=True, check=True)
    for variant in game.variants or (None,):
        for league in game.leagues or (None,):
            players = [starter.run] + ["random"] * (game.players[0] - 1)
            form: dict[str, Any] = {"seed": 8, "variant": variant, "league": league, "time_factor": 20}
            record = lapilli.play_match(name, players, sandbox=SANDBOX, **form)
            assert [entry.fault for entry in record.turns if entry.fault] == []
            assert [entry.notes for entry in record.turns if entry.player == 0 and entry.notes] == []


@pytest.mark.parametrize("name", names())
def test_starter_bots_play_each_other_with_as_many_as_the_game_allows(tmp_path: Path, name: str) -> None:
    game = load(name)
    starter = write_starter(game, "python", tmp_path)
    for number in game.players:
        record = lapilli.play_match(name, [starter.run] * number, seed=9, time_factor=20)
        assert [entry.fault for entry in record.turns if entry.fault] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_language_without_a_starter_says_so(tmp_path: Path, game: Game) -> None:
    for language in set(LANGUAGES) - set(game.languages):
        with pytest.raises(LapilliError, match=f"{game.title} has no starter bot in {language}: choose python"):
            write_starter(game, language, tmp_path / "bot")
    assert not (tmp_path / "bot").exists()
