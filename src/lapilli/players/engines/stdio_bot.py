"""A built-in opponent as a bot: reads a referee's input from lines, and writes replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from time import perf_counter

from lapilli.core.api import Game, Setup
from lapilli.core.input_lines import InputLines
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.player import Player, Question

_LEAST_MS = 1.0
"""Least time that a reply gets, in milliseconds, however long the input took to read."""


def run_stdio_bot(
    game: Game, name: str, setup: Setup, seed: int, source: Iterable[str], write: Callable[[str], None]
) -> None:
    """Plays one side of one match, until the input ends.

    An opponent that plays by the clock uses the game's limit for later replies in its first reply, too: the first
    reply's longer limit includes the time for starting the bot.

    Args:
        game: the game.
        name: name of the built-in opponent, as users write it.
        setup: facts about the match that its bot input does not contain, such as the league.
        seed: seed of the opponent's random numbers. With a match's seed, the opponent replies as it did in that match.
        source: the input lines, with or without newlines at their ends.
        write: function that is called with each reply: lines joined by newlines, without a newline at the end.

    Raises:
        UnknownName: there is no such opponent.
        LapilliError: the opponent's settings are not possible, or a referee would not send such an input line.
    """
    lines = InputLines(source)
    reader = game.protocol.reader(game, setup)
    player: Player | None = None
    with suppress(EOFError):
        reader.opening(lines)
        while True:
            lines.peek()
            start = perf_counter()
            state, number = reader.turn(lines)
            if state.is_terminal():  # a referee may ask a player without a legal move
                write("")
                continue
            first = player is None
            player = player or make_builtin(game, name, number, seed)
            limits = ReplyLimits(max(game.reply_ms - 1000 * (perf_counter() - start), _LEAST_MS))
            reply = player.answer(Question(game.protocol, state, number, state.turn, first, limits)).reply
            assert isinstance(reply, str), "built-in opponents commit no faults"
            write(reply)
