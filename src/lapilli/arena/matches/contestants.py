"""Makes contestants from the players that a user names, with hashes that distinguish versions of a bot."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from lapilli.arena.matches.playing import Recipe
from lapilli.arena.matches.versions.fingerprint import player_hash
from lapilli.core.api import Game, Setup, Termination
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Clock, Match
from lapilli.players import PlayerLike, PlayerSpec, check_startable, is_builtin
from lapilli.players.processes.command import name_of
from lapilli.store.results import Contestant

_NOT_PLAYING = (Termination.NOT_STARTED, Termination.EXITED, Termination.CLOSED_INPUT)
_NAMED = re.compile(r"([^\s/'\"=:]{1,64})=(.*)", re.DOTALL)


def contestants_of(
    game: Game, players: Sequence[PlayerLike], bot_folders: Sequence[str] = ()
) -> tuple[Contestant, ...]:
    """Returns the contestants of an event, each with a unique name.

    Args:
        game: the game.
        players: players in any form that `lapilli.match.Match` accepts, or strings NAME=COMMAND. If a player gets its
            name automatically, and an earlier player has the same name, "(2)" is appended.
        bot_folders: further files and folders of bots that are command lines, which the sandbox shows to these bots.

    Raises:
        LapilliError: a player is not valid or cannot be started (the check does not start the player), or the user gave
            a player the name of an earlier player.
    """
    found: list[Contestant] = []
    for player in players:
        contestant = contestant_of(game, player, bot_folders)
        names = {other.name for other in found}
        if contestant.name in names:
            name = contestant.name
            if _has_given_name(player):
                raise LapilliError(f"two players are called {name!r}: give each a name of its own")
            contestant = Contestant(name=free_name(name, names), player=contestant.player, hash=contestant.hash)
        found.append(contestant)
    return tuple(found)


def free_name(name: str, taken: Collection[str]) -> str:
    """Returns a name that is not taken: `name`, or else the first free one of "NAME (2)", "NAME (3)", and so on."""
    names = (name, *(f"{name} ({number})" for number in range(2, len(taken) + 3)))
    return next(free for free in names if free not in taken)


def split_name(player: str) -> tuple[str, str]:
    """Splits NAME=COMMAND into name and command; the name is "" for a command without a name."""
    named = _NAMED.fullmatch(player)
    return (named[1], named[2]) if named else ("", player)


def contestant_of(game: Game, player: PlayerLike, bot_folders: Sequence[str] = ()) -> Contestant:
    """Converts a player to a contestant. Raises LapilliError if the player is not valid or cannot be started.

    `bot_folders`: further files and folders of a bot that is a command line, which the sandbox shows to the bot.
    """
    if isinstance(player, str):
        name, command = split_name(player)
        check_startable(game, command)
        return Contestant(name=name or command, player=command, hash=player_hash(game, command, bot_folders))
    if isinstance(player, PlayerSpec):
        return Contestant(name=player.name or name_of(player.command), player=player, hash=player_hash(game, player))
    if isinstance(player, Sequence):
        return contestant_of(game, PlayerSpec(command=tuple(player), shown=tuple(bot_folders)))
    if callable(player):
        name = getattr(player, "__name__", "function")
        return Contestant(name=name, player=name, hash=player_hash(game, player))
    raise LapilliError(
        f"{player!r} is not a contestant: give a built-in's name, a command line, a PlayerSpec or a function"
    )


def functions_of(players: Sequence[PlayerLike]) -> dict[int, PlayerLike]:
    """Returns the players that cannot be stored as data, such as Python functions, by index in `players`."""
    return {
        place: player for place, player in enumerate(players) if not isinstance(player, str | PlayerSpec | Sequence)
    }


def check_starting(recipe: Recipe, without: Collection[int] = ()) -> None:
    """Checks that each bot can play: starts it once, and waits for its first reply.

    Args:
        recipe: settings of the matches, with the contestants.
        without: indices of contestants that are not checked.

    Raises:
        LapilliError: a bot does not start or exits immediately, the game cannot start with this setup, or the required
            sandbox is not available.
    """
    game = load(recipe.game)
    setup = game.complete(Setup.from_dict({"seed": 0, **recipe.setup}))
    others = ["random"] * ((setup.players or 2) - 1)
    for place, contestant in enumerate(recipe.contestants):
        if place in without or is_builtin(game, contestant.player):
            continue
        among: dict[str, Any] = {
            "rivals": [contestant.player for contestant in recipe.contestants],
            "bot_folders": recipe.bot_folders,
        }
        with Match(game, [contestant.player, *others], setup, Clock(**recipe.clock), recipe.sandbox, **among) as match:
            for _ in match.turns():
                if any(entry.player == 0 for entry in match.record.turns):
                    break
        fault = next((entry.fault for entry in match.record.turns if entry.player == 0 and entry.fault), None)
        if fault is not None and fault.termination in _NOT_PLAYING:
            words = match.record.last_words(0).strip().splitlines()[-1:]
            raise LapilliError(f"player {contestant.name!r} {': '.join([fault.reason, *words])}")


def _has_given_name(player: PlayerLike) -> bool:
    return (
        bool(_NAMED.fullmatch(player))
        if isinstance(player, str)
        else isinstance(player, PlayerSpec) and bool(player.name)
    )
