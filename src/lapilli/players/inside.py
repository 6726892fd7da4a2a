"""Players that live in this process: built-in engines and users' Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import index
from random import Random
from time import perf_counter
from typing import Any

from lapilli.games.api import Engine, Fault, State, Termination
from lapilli.games.errors import IllegalAction
from lapilli.games.kernel import compile_seconds
from lapilli.players.builtin import whole_turn
from lapilli.players.process import Answer

PlayerFunction = Callable[..., "int | str"]
"""(state) -> action, or (state, player) -> action. An action is an atomic action of `player`'s, in which case the
function is called until the turn is over, or a string: the whole reply as a bot would write it, with or without the
line end at its end."""


class InsidePlayer:
    """A player whose reply is computed here. It sees its own copy of the position, nothing hidden in it."""

    def __init__(self, reply: Callable[[State, int, Random], str], player: int, seed: int) -> None:
        self._reply = reply
        self._player = player
        self._random = Random(f"{seed}/{player}")

    @classmethod
    def from_engine(cls, engine: Engine, player: int, seed: int) -> InsidePlayer:
        """A built-in opponent."""

        def reply(state: State, player: int, random: Random) -> str:
            own = state.determinised(random.getrandbits(62))
            actions = engine(own.clone(), player, random)
            return own.game.protocol.format_reply(own, player, actions)

        return cls(reply, player, seed)

    @classmethod
    def from_function(cls, function: PlayerFunction, player: int, seed: int) -> InsidePlayer:
        """A user's function."""
        wants_player = _takes_two(function)

        def reply(state: State, player: int, random: Random) -> str:
            own = state.determinised(random.getrandbits(62))
            before = own.clone()
            said: list[str] = []

            def choose(now: State) -> int:
                action = function(now.clone(), player) if wants_player else function(now.clone())
                if isinstance(action, str):
                    said.append(str.__str__(action).removesuffix("\n"))  # not a str subclass, as NumPy's choice gives
                    raise _SaidAll
                return index(action)

            try:
                actions = whole_turn(own, player, choose)
            except _SaidAll:
                return said[0]
            return before.game.protocol.format_reply(before, player, actions)

        return cls(reply, player, seed)

    def answer(self, state: State) -> Answer:
        """The reply for this turn. An exception in the player's code is a Fault, with its message.

        It has no time limit, since nothing can stop it; its time is measured, less what compiling our kernels took.
        """
        compiled, start = compile_seconds(), perf_counter()
        try:
            reply: str | Fault = self._reply(state, self._player, self._random)
        except IllegalAction as error:
            reply = Fault(self._player, Termination.INVALID, str(error))
        except (Exception, SystemExit) as error:  # a player's fault is data
            reply = Fault(self._player, Termination.RAISED, f"{type(error).__name__}: {error}"[:500])
        spent = perf_counter() - start - (compile_seconds() - compiled)
        return Answer(reply, 1000 * spent, "", 0)


class _SaidAll(BaseException):  # leaves whole_turn early; not an error
    """The function has given its whole reply as text."""


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-ins have no signature
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len([p for p in positional if p.default is p.empty]) >= 2
