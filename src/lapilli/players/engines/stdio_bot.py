"""A built-in opponent as a bot: it reads what a referee sends, and says replies."""

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
"""What is left for a reply where the machine was busy."""


def speak(game: Game, name: str, setup: Setup, seed: int, source: Iterable[str], say: Callable[[str], None]) -> None:
    """Plays one side of one match, until no more lines come.

    Who plays by the clock takes for every reply, the first too, what the game gives for later ones: the rest of a
    bot's first limit goes to starting it.

    Args:
        game: what is played.
        name: who plays, as users name a built-in opponent.
        setup: what is known of the match and its bot text does not tell, such as the league.
        seed: of the opponent's chance: with a match's seed it replies as it would in that match itself.
        source: the lines that are sent, with their ends or without.
        say: is told each reply, its lines joined by a newline, none at the end.

    Raises:
        UnknownName: there is no such opponent. LapilliError: its settings cannot be, or a line is not what is sent.
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
            if state.is_terminal():  # a side without a legal move may be asked in vain
                say("")
                continue
            first = player is None
            player = player or make_builtin(game, name, number, seed)
            limits = ReplyLimits(max(game.reply_ms - 1000 * (perf_counter() - start), _LEAST_MS))
            reply = player.answer(Question(game.protocol, state, number, state.turn, first, limits)).reply
            assert isinstance(reply, str), "built-in opponents commit no faults"
            say(reply)
