"""Players that run in this process: simple engines (see `builtin`) and users' Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import index
from random import Random
from time import perf_counter
from typing import Any

from lapilli.core.api import Engine, Fault, State, Termination
from lapilli.core.errors import IllegalAction, is_exhaustion
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.kernels.kernel import compile_seconds, random_seed
from lapilli.players.bots.answer import Answer
from lapilli.players.engines.builtin import whole_turn
from lapilli.players.engines.seeds import opponent_random
from lapilli.players.player import Identity, Player, Question, lapilli_version

PlayerFunction = Callable[..., "int | str"]
"""A user's function that plays a game: `(state) -> action` or `(state, player) -> action`.

If the function returns an action (an integer), Lapilli plays the action on a copy of the position. Lapilli then calls
the function again for the next action, until the player's turn is over. If the function returns a string, the string is
the player's whole reply, as a bot would write it. A newline at its end may be missing.
"""


class InProcessPlayer(Player):
    """A player whose replies are computed by a function in this process.

    The function receives a copy of the position in which random values replace all hidden information, so that the
    player learns no secrets.

    Args:
        identity: the player's identity.
        reply: function that returns the reply or a fault. Its arguments are the copy of the position, the player number
            and a random number generator.
        player: player number in the match.
        seed: seed of the player's random numbers. All players of a match may have the same seed, because the player
            number is combined with it.
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
        """Makes a player from a simple engine. If the engine raises an exception, `answer` raises it, too."""

        seeds = opponent_random(seed, player)

        def reply(state: State, player: int, random: Random) -> str:
            if isinstance(engine, KernelEngine):
                actions: Sequence[int] = engine.choose(state, player, int(random_seed(seeds)))
            else:
                actions = engine(state.clone(), player, random)
            return state.game.protocol.format_reply(state, player, actions)

        return cls(Identity(name, engine=name, version=lapilli_version()), reply, player, seed)

    @classmethod
    def from_function(cls, function: PlayerFunction, player: int, seed: int) -> InProcessPlayer:
        """Makes a player from a user's function.

        If the function raises an exception, the answer is a fault of the player. Only if the machine has run out of
        memory, processes or descriptors does `answer` raise the exception.
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
        """Computes the reply, and measures the time for this. Time for compiling kernels is subtracted.

        There is no time limit, because nothing can interrupt the computation.
        """
        state = question.state
        compiled, start = compile_seconds(), perf_counter()
        own = state.determinised(self._random.getrandbits(62))
        reply = self._reply(own, question.player, self._random)
        spent = perf_counter() - start - (compile_seconds() - compiled)
        return Answer(reply, 1000 * spent)


class _WholeReply(Exception):
    """The exception that ends `whole_turn` early, because the user's function has returned a whole reply or has failed.

    Args:
        reply: the whole reply, or the fault of a function that failed.
    """

    def __init__(self, reply: str | Fault) -> None:
        self.reply = reply


def _takes_two(function: Callable[..., Any]) -> bool:
    """Returns whether a function has at least two positional parameters without defaults: it then takes (state,
    player).
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-ins have no signature
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len([p for p in positional if p.default is p.empty]) >= 2
