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
"""A function `(state) -> action` or `(state, player) -> action`.

If it returns an action of `player`, it is called again until the turn is over. If it returns a string, this is the
whole reply as a bot would write it, with or without a newline at its end.
"""


class InProcessPlayer(Player):
    """A player whose replies are computed in this process, from a copy of the position with redrawn hidden information.

    Args:
        identity: the player's identity.
        reply: function that returns the reply. Its arguments are the copy of the position, the player number and a
            random number generator.
        player: player number in the match.
        seed: seed of the random numbers, together with `player`.
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
    def from_engine(cls, name: str, engine: Engine, player: int, seed: int) -> InProcessPlayer:
        """Makes a player from a built-in engine. An exception in the engine is raised, not turned into a fault."""

        def reply(state: State, player: int, random: Random) -> str:
            actions = engine(state.clone(), player, random)
            return state.game.protocol.format_reply(state, player, actions)

        return cls(Identity(name, engine=name, version=lapilli_version()), reply, player, seed)

    @classmethod
    def from_function(cls, function: PlayerFunction, player: int, seed: int) -> InProcessPlayer:
        """Makes a player from a user's function.

        An exception in the function becomes a fault of the player, unless the machine has run out of resources.
        """
        wants_player = _takes_two(function)

        def reply(own: State, player: int, random: Random) -> str | Fault:
            def choose(position: State) -> int:
                copy = position.clone()
                try:
                    action = function(copy, player) if wants_player else function(copy)
                    if not isinstance(action, str):
                        return index(action)
                except IllegalAction as error:
                    raise _WholeReply(Fault(player, Termination.INVALID, str(error))) from None
                except (Exception, SystemExit) as error:  # an error of the player, not of Lapilli
                    if is_exhaustion(error) and not isinstance(error, BlockingIOError):
                        raise
                    reason = f"{type(error).__name__}: {error}"[:500]
                    raise _WholeReply(Fault(player, Termination.RAISED, reason)) from None
                raise _WholeReply(str.__str__(action).removesuffix("\n"))  # a plain str: NumPy returns a subclass

            try:
                actions = whole_turn(own.clone(), player, choose)
                return own.game.protocol.format_reply(own, player, actions)
            except _WholeReply as whole:
                return whole.reply
            except IllegalAction as error:
                return Fault(player, Termination.INVALID, str(error))

        name = getattr(function, "__name__", type(function).__name__)
        return cls(Identity(str(name)), reply, player, seed)

    def answer(self, question: Question) -> Answer:
        """Computes the reply and measures the time for it, without the time for compiling kernels.

        There is no time limit, because nothing can interrupt the computation.
        """
        state = question.state
        compiled, start = compile_seconds(), perf_counter()
        own = state.determinised(self._random.getrandbits(62))
        reply = self._reply(own, question.player, self._random)
        spent = perf_counter() - start - (compile_seconds() - compiled)
        return Answer(reply, 1000 * spent)


class _WholeReply(Exception):
    """The exception that ends `whole_turn` early: the user's function returned a whole reply as a string, or failed."""

    def __init__(self, reply: str | Fault) -> None:
        self.reply = reply


def _takes_two(function: Callable[..., Any]) -> bool:
    """Returns whether a function has at least two positional parameters without defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-ins have no signature
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len([p for p in positional if p.default is p.empty]) >= 2
