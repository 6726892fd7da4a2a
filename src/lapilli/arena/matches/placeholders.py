"""Fills in the parameters of a tuned bot: in the words of its command, in its environment, or in a JSON file.

A placeholder is the name of a parameter in braces, such as {depth}. The placeholder {params} is replaced by the path of
a JSON file with all parameters.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from lapilli.arena.matches.versions.own_folders import own_folder
from lapilli.match.files.writing import write_atomically
from lapilli.players import PlayerSpec

FILE = "params"
"""Name of the placeholder for the path of a JSON file with all parameters."""
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}", re.ASCII)
_UNUSED_S = 7 * 24 * 3600.0
"""Time from the last use of a JSON file until it is deleted, in seconds."""

Number = int | float


class Placeholders(msgspec.Struct, frozen=True, kw_only=True):
    """The texts in a player's description that contain placeholders of parameters.

    Attributes:
        name: for a built-in opponent, its name with placeholders, such as `uct:exploration={c}`; empty for a bot.
        words: for a bot, the words of its command that contain placeholders, by index of the word.
        environment: for a bot, the values of environment variables that contain placeholders, by variable.
    """

    name: str = ""
    words: dict[int, str] = {}
    environment: dict[str, str] = {}

    @property
    def used(self) -> frozenset[str]:
        """The names of all placeholders in the player's description."""
        return placeholders_in(self.name, *self.words.values(), *self.environment.values())

    def fill(self, player: str | PlayerSpec, values: Mapping[str, Number]) -> str | PlayerSpec:
        """Returns a player with its placeholders replaced by these values.

        Args:
            player: the player in which values stand in place of the placeholders, such as the start values. The result
                keeps its paths, so it may also be the player's copy on another machine.
            values: the value of each parameter, by name.

        Raises:
            LapilliError: the JSON file cannot be stored.
        """
        texts = {name: number_text(value) for name, value in values.items()}
        file = str(parameter_file(values)) if FILE in self.used else ""
        texts[FILE] = file
        if isinstance(player, str):
            return filled(self.name, texts)
        words = list(player.command)
        for place, word in self.words.items():
            words[place] = filled(word, texts)
        variables = {name: filled(text, texts) for name, text in self.environment.items()}
        return msgspec.structs.replace(
            player,
            command=tuple(words),
            environment={**player.environment, **variables},
            shown=(*player.shown, *([file] if file else [])),
        )


def placeholders_in(*texts: str) -> frozenset[str]:
    """Returns the names of the placeholders in some texts, such as "depth" for {depth}."""
    return frozenset(name for text in texts for name in _PLACEHOLDER.findall(text))


def filled(text: str, texts: Mapping[str, str]) -> str:
    """Returns a text with each placeholder replaced by its entry in `texts`; a placeholder without an entry stays."""
    return _PLACEHOLDER.sub(lambda found: texts.get(found[1], found[0]), text)


def number_text(value: Number) -> str:
    """Formats a parameter's value for a bot: a whole number in full, any other with up to ten significant digits."""
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def parameter_file(values: Mapping[str, Number]) -> Path:
    """Returns the path of a JSON file with these values, after writing it if necessary.

    Equal values share a file. Each file has its own folder, so that a bot in the sandbox sees no other values.

    Raises:
        LapilliError: other users could write to the folder.
    """
    data = json.dumps(dict(values)).encode()
    folder = _home() / hashlib.sha256(data).hexdigest()[:16]
    file = folder / "params.json"
    with suppress(FileNotFoundError):
        os.utime(folder)
        if file.read_bytes() == data:
            return file
    folder.mkdir(exist_ok=True)
    write_atomically(file, data)
    return file


@cache
def _home() -> Path:
    """Returns the folder that contains the JSON files with parameter values, after creating it if necessary.

    First deletes the files in it that were not used for _UNUSED_S seconds.
    """
    home = own_folder("lapilli-parameters", "parameters")
    for folder in home.iterdir():
        with suppress(OSError):  # another process may have deleted the folder meanwhile
            if time.time() - folder.stat().st_mtime > _UNUSED_S:
                shutil.rmtree(folder)
    return home
