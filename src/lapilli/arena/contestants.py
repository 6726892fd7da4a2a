"""From what a user names as a player to a contestant: a name, what is started, and what tells its versions apart."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from lapilli.arena.results import Contestant
from lapilli.games.api import Game
from lapilli.games.errors import LapilliError
from lapilli.players import (
    BotProcess,
    PlayerLike,
    PlayerSpec,
    Sandbox,
    builtin_names,
    check_startable,
    make_player,
)
from lapilli.players.command import program_hash, split_command
from lapilli.players.player import lapilli_version

_NAMED = re.compile(r"([\w][\w .+-]*?)\s*=\s*(.+)", re.DOTALL)
_LONGEST_NAME = 40
_ALIVE_S = 0.5
"""How long a bot is looked at that was started to see whether it can be."""


def named(text: str) -> tuple[str, str]:
    """Name and command of "NAME=COMMAND"; the name is empty where there is none.

    What begins with a command of this system is none, as in "env A=1 ./bot".
    """
    found = _NAMED.fullmatch(text)
    if not found or (" " in found[1] and shutil.which(found[1].split()[0])):
        return "", text
    return found[1], found[2].strip()


def contestant(game: Game, player: PlayerLike, name: str = "") -> Contestant:
    """A contestant. One that is no data, as a Python function, gets a hash that no other has, and its name instead.

    Raises:
        LapilliError: it names no player, or a bot that cannot be started.
    """
    if isinstance(player, str):
        check_startable(game, player)
        own_hash = (
            f"{player} {lapilli_version()}" if player in builtin_names(game) else _hash_of(PlayerSpec(command=player))
        )
        return Contestant(name=name or _short(player), player=player, hash=own_hash)
    if isinstance(player, PlayerSpec):
        return Contestant(name=name or player.name or _short(str(player.command)), player=player, hash=_hash_of(player))
    if isinstance(player, Sequence):
        spec = PlayerSpec(command=tuple(player))
        return Contestant(name=name or _short(" ".join(player)), player=spec, hash=_hash_of(spec))
    own = name or getattr(player, "__name__", type(player).__name__)
    return Contestant(name=own, player=own, hash=secrets.token_hex(16))


def distinct(contestants: Sequence[Contestant]) -> tuple[Contestant, ...]:
    """The same, with numbers behind names that several bear."""
    times = Counter(one.name for one in contestants)
    seen: Counter[str] = Counter()
    told = []
    for one in contestants:
        seen[one.name] += 1
        name = f"{one.name} #{seen[one.name]}" if times[one.name] > 1 else one.name
        told.append(Contestant(name=name, player=one.player, hash=one.hash, version=one.version))
    return tuple(told)


def _short(command: str) -> str:
    """A name from a command line: the file that it is about."""
    try:
        words = split_command(command)
    except ValueError as error:
        raise LapilliError(f"player {command!r}: {error}") from None
    files = [word for word in words if os.path.isfile(word)]
    name = os.path.basename(files[-1]) if files else command
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _hash_of(spec: PlayerSpec) -> str:
    """Its command line, the hash of its program, and of the files in its folder, if it has one of its own."""
    try:
        words = split_command(spec.command)
    except ValueError as error:
        raise LapilliError(f"player {spec.command!r}: {error}") from None
    parts = [" ".join(words), program_hash(words, spec.folder)]
    if spec.folder is not None:
        parts.append(folder_hash(Path(spec.folder)))
    return " ".join(filter(None, parts))


def folder_hash(folder: Path) -> str:
    """What tells a folder's content from any other: names and contents of its files. Raises LapilliError."""
    digest = hashlib.sha256()
    if not folder.is_dir():
        raise LapilliError(f"there is no folder {str(folder)!r}")
    try:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode("utf-8", "surrogateescape"))
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError as error:
        raise LapilliError(f"cannot read {str(folder)!r}: {error.strerror or error}") from None
    return f"sha256:{digest.hexdigest()}"


def check_they_start(game: Game, contestants: Sequence[Contestant], sandbox: Sandbox) -> None:
    """Starts every bot among these once, and sees whether it is still there a moment later.

    Raises:
        LapilliError: one cannot be started, or ends before it is asked anything; with the last that it said.
    """
    bots = {
        one.name: bot
        for one in contestants
        if isinstance(one.player, str | PlayerSpec)
        and isinstance(bot := make_player(game, one.player, 0, 0, sandbox), BotProcess)
    }
    with ExitStack() as stack:
        for bot in bots.values():
            stack.enter_context(bot)
            bot.launch()
        for name, bot in bots.items():
            fault = bot.start()
            if fault:
                raise LapilliError(f"player {name!r}: {fault.reason}")
        end = time.perf_counter() + _ALIVE_S if bots else 0.0
        while time.perf_counter() < end:
            for name, bot in bots.items():
                how = bot.how_it_ended()
                if how:
                    said = bot.close().strip().splitlines()
                    raise LapilliError(f"player {name!r} ends before it is asked: {': '.join([how, *said[-1:]])}")
            time.sleep(_ALIVE_S / 10)
