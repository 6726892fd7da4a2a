"""Players that run in this process: built-in engines and users' Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import index
from random import Random
from time import perf_counter
from typing import Any

from lapilli.core.api import Engine, Fault, State, Termination
from lapilli.core.errors import IllegalAction
from lapilli.kernels.kernel import compile_seconds
from lapilli.players.bots.dialogue import Answer
from lapilli.players.engines.builtin import whole_turn
from lapilli.players.player import Identity, Player, Question, lapilli_version
from lapilli.players.processes.trouble import is_exhaustion

PlayerFunction = Callable[..., "int | str"]
"""A function (state) -> action or (state, player) -> action. It returns either an atomic action of `player`, and is
then called again until the turn is over, or a string: the whole reply as a bot would write it, with or without a
newline at its end.
"""


class InsidePlayer(Player):
    """A player whose reply is computed in this process. It gets a copy of the position in which hidden information is
    redrawn.

    Args:
        identity: the player's identity.
        reply: function from its copy of the position, its player number and its random number generator to its reply.
        player, seed: together the seed of its random numbers.
    """

    def __init__(
        self, identity: Identity, reply: Callable[[State, int, Random], str | Fault], player: int, seed: int
    ) -> None:
        self._identity = identity
        self._reply = reply
        self._random = Random(f"{seed}/{player}")

    @property
    def identity(self) -> Identity:
        return self._identity

    @classmethod
    def from_engine(cls, name: str, engine: Engine, player: int, seed: int) -> InsidePlayer:
        """Makes a player from a built-in opponent. An exception in the opponent is our own error, and is passed on."""

        def reply(own: State, player: int, random: Random) -> str:
            actions = engine(own.clone(), player, random)
            return own.game.protocol.format_reply(own, player, actions)

        return cls(Identity(name, engine=name, version=lapilli_version()), reply, player, seed)

    @classmethod
    def from_function(cls, function: PlayerFunction, player: int, seed: int) -> InsidePlayer:
        """Makes a player from a user's function. An exception in the function is a fault of the player, except where
        the machine has run out of resources.
        """
        wants_player = _takes_two(function)

        def reply(own: State, player: int, random: Random) -> str | Fault:
            def choose(now: State) -> int:
                copy = now.clone()
                try:
                    action = function(copy, player) if wants_player else function(copy)
                    if not isinstance(action, str):
                        return index(action)
                except IllegalAction as error:
                    raise _SaidAll(Fault(player, Termination.INVALID, str(error))) from None
                except (Exception, SystemExit) as error:  # a player's fault is data
                    if is_exhaustion(error) and not isinstance(error, BlockingIOError):
                        raise
                    reason = f"{type(error).__name__}: {error}"[:500]
                    raise _SaidAll(Fault(player, Termination.RAISED, reason)) from None
                raise _SaidAll(str.__str__(action).removesuffix("\n"))  # a plain str: NumPy's choice returns a subclass

            try:
                actions = whole_turn(own.clone(), player, choose)
                return own.game.protocol.format_reply(own, player, actions)
            except _SaidAll as all_of_it:
                return all_of_it.reply
            except IllegalAction as error:
                return Fault(player, Termination.INVALID, str(error))

        name = getattr(function, "__name__", type(function).__name__)
        return cls(Identity(str(name)), reply, player, seed)

    def answer(self, question: Question) -> Answer:
        """Returns the reply for this turn.

        It has no time limit, since nothing can interrupt it. Its time is measured, without the time for compiling our
        kernels.
        """
        state = question.state
        compiled, start = compile_seconds(), perf_counter()
        own = state.determinised(self._random.getrandbits(62))
        reply = self._reply(own, question.player, self._random)
        spent = perf_counter() - start - (compile_seconds() - compiled)
        return Answer(reply, 1000 * spent)


class _SaidAll(Exception):
    """Leaves whole_turn early with the whole reply: the function returned it as a string, or failed to return one."""

    def __init__(self, reply: str | Fault) -> None:
        self.reply = reply


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-ins have no signature
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len([p for p in positional if p.default is p.empty]) >= 2
