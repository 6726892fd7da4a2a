"""Runs a built-in opponent as a bot: reads the lines that a referee sends, and writes the opponent's replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from time import perf_counter

from lapilli.core.api import Game, Setup
from lapilli.core.protocol.input_lines import InputLines
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.player import Player, Question

_LEAST_MS = 1.0
"""Shortest time limit of a reply, in milliseconds. It applies if reading the input took nearly all of the limit or
more.
"""


def run_stdio_bot(
    game: Game, name: str, setup: Setup, seed: int, source: Iterable[str], write: Callable[[str], None]
) -> None:
    """Plays one match as one of its players, until the input ends.

    A search without a limit of its own uses the game's time limit for a reply. For the first reply, games allow more
    time, which is meant for starting the bot. The search does not use this extra time.

    Args:
        game: the game.
        name: name of the built-in opponent, as users write it.
        setup: the match's setup. It contains facts that the input lines do not contain, such as the league.
        seed: seed of the opponent's random numbers. To repeat the opponent's replies in a match, pass the seed of that
            match.
        source: the input lines, with or without newlines at their ends.
        write: function that is called with each reply: its lines with newlines between them, but none at the end.

    Raises:
        UnknownName: there is no such opponent.
        LapilliError: the opponent's settings are not valid, or no referee sends such an input line.
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
