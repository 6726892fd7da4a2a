"""States: positions as Python objects, with the methods of a State in OpenSpiel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from lapilli.core.errors import IllegalAction
from lapilli.core.reading.numbers import action_number
from lapilli.core.reading.text import quoted
from lapilli.core.rules.fault_codes import code_of, termination_of
from lapilli.core.rules.outcome import Outcome, Termination, ranks_of
from lapilli.core.rules.verbs import ANYBODY
from lapilli.core.setup import Setup
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Batch, Static

if TYPE_CHECKING:
    from lapilli.core.game import Game
    from lapilli.core.search.search_result import SearchResult

_BEYOND = 1 << 31
"""Actions of this value or above are refused at once, because compiled code cannot receive very large integers."""
_WHOSE = "all players act at once: say whose action, player 0's or another's"


class State(ABC):
    """One position. All data that can change is in `record`, a NumPy record of `DTYPE`; `setup` never changes.

    Methods have the names of OpenSpiel. Actions are atomic: integers in [0, game.num_distinct_actions). This class
    calls the game's verbs (`lapilli.core.rules.verbs`). A game's subclass must define `position` (the notation) and
    `initial` (the start). It may also define the notation of actions, the scores, the outcome and the messages for
    illegal actions. The defaults of the other methods expect the fields `turn` and `left` in the record.

    Attributes:
        setup: setup of the game, with defaults filled in.
        array: the position as an array of one record. Python passes such an array to compiled code four times as fast
            as a record (0.2 instead of 0.8 microseconds). So kernels that are called every turn take the array.
        record: the only element of `array`. A change of one changes the other.
    """

    DTYPE: ClassVar[np.dtype[Any]]
    game: ClassVar[Game]
    """The game of these positions. `Game` sets this attribute when the game whose `state` is this class is created."""
    STATIC_EXAMPLE: ClassVar[Static] = ()
    """Example arrays with the types of the arrays in `static`, so that kernels can be compiled before a game starts."""
    STATIC_FIELDS: ClassVar[tuple[str, ...]] = ()
    """Fields of the record that determine `static`: positions with equal values in these fields have equal `static`."""
    __slots__ = ("array", "record", "setup")

    def __init__(self, setup: Setup, array: Batch) -> None:
        self.setup = setup
        self.array = array
        self.record: Any = array[0]

    @classmethod
    def of_record(cls, setup: Setup, record: Any) -> Self:
        """Returns a state whose position is a copy of `record`, a NumPy record of `DTYPE`."""
        return cls(setup, _array_of(cls.DTYPE, record.tobytes()))

    # -- the position ----------------------------------------------------------------------------------
    @property
    def turn(self) -> int:
        """Number of the referee turn that is played next, from 1. By default the record's field `turn`."""
        number: int = self.array["turn"].item()
        return number

    @abstractmethod
    def position(self) -> str:
        """Returns the position notation: one line that `Game.from_position` reads."""

    @classmethod
    @abstractmethod
    def initial(cls, setup: Setup) -> Self:
        """Returns the first state of a game. `setup`: a setup with defaults filled in.

        Raises:
            SetupError, PositionError: the game cannot start with this setup. If the setup contains a position, a method
                may raise ValueError instead; `Game.new_initial_state` converts it to PositionError.
        """

    @property
    def static(self) -> Static:
        """Arrays that never change during a match, such as a map. The verbs take them as last arguments."""
        return ()

    # -- whose turn -----------------------------------------------------------------------------------
    def current_player(self) -> int:
        """Returns the number of the player to act; or CHANCE, SIMULTANEOUS or TERMINAL."""
        player: int = self.game.facade.current_player(self.array)
        return player

    def asked(self) -> tuple[int, ...]:
        """Returns the players whom a referee asks for a reply in this turn: none for an automatic turn or at the end.

        There is one exception: some games end when the player to move has no legal action, and their original referees
        still ask this player. In such a game, the result at the end contains this player.
        """
        player = self.current_player()
        if player == SIMULTANEOUS:
            return tuple(player for player in range(self.num_players) if not self.is_out(player))
        return (player,) if player >= 0 else ()

    def is_terminal(self) -> bool:
        return self.current_player() == TERMINAL

    def is_out(self, player: int) -> bool:
        """Returns whether a player has left the game: the referee no longer asks the player. The others may play on.

        Raises:
            IllegalAction: there is no such player.
        """
        self._check_player(player)
        return bool(self.array["left"][0, player])

    # -- actions --------------------------------------------------------------------------------------
    def legal_actions(self, player: int | None = None) -> list[int]:
        """Returns the legal atomic actions of `player`, ascending. Default: the player to act.

        At a chance node, the legal actions are the chance outcomes. In a simultaneous turn, the lowest action means
        "nothing (more) this turn". For a player who is not to act, or does not exist, the list is empty.

        Raises:
            IllegalAction: the turn is simultaneous, and `player` is None.
        """
        if player is not None and player >= self.num_players:
            return []
        game = self.game
        out = np.empty(game.verbs.MAX_LEGAL, np.int64)
        count = game.facade.legal(self.array, ANYBODY if player is None else player, out, self.static)
        if count < 0:
            raise IllegalAction(_WHOSE)
        actions: list[int] = out[:count].tolist()
        return actions

    def apply_action(self, action: int) -> None:
        """Plays one action of the current player, or one chance outcome.

        Raises:
            IllegalAction: the action is not legal. The position is unchanged.
        """
        action = action_number(action)
        if not (-1 < action < _BEYOND and self.game.facade.try_play(self.array, action, self.static)):
            raise IllegalAction(self.refusal(action))

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Plays one action of each player at once, in a simultaneous turn.

        Raises:
            IllegalAction: the turn is not simultaneous, or an action is not legal. The position is unchanged.
        """
        if self.current_player() != SIMULTANEOUS:
            raise IllegalAction("the game is over" if self.is_terminal() else "one player acts: use apply_action")
        try:
            chosen = [action_number(action) for action in actions]
        except TypeError:
            chosen = []
        if len(chosen) != self.num_players:
            raise IllegalAction(f"expected an action of each of {self.num_players} players, not {quoted(actions, 40)}")
        fitting = np.array([action if -1 < action < _BEYOND else -1 for action in chosen], np.int64)
        wrong = self.game.facade.try_play_joint(self.array, fitting, self.static)
        if wrong >= 0:
            raise IllegalAction(f"{chosen[wrong]} is no legal action of player {wrong} now")

    def accepts(self, action: int, player: int | None = None) -> bool:
        """Returns whether an action is in `legal_actions(player)`. This is faster than making the list.

        Raises:
            IllegalAction: the turn is simultaneous, and `player` is None.
        """
        current = self.current_player()
        if player is None and current == SIMULTANEOUS:
            raise IllegalAction(_WHOSE)
        if player not in (None, current) and not (current == SIMULTANEOUS and player in range(self.num_players)):
            return False
        actor = current if player is None else player
        return -1 < action < _BEYOND and bool(self.game.facade.accepts(self.array, actor, action, self.static))

    def refusal(self, action: int) -> str:
        """Returns a message for people that explains why the current player may not play this illegal action."""
        current = self.current_player()
        if current == TERMINAL:
            return "the game is over"
        if current == SIMULTANEOUS:
            return "all players act at once: use apply_actions"
        return f"{action} is no legal action now"

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns pairs of a chance outcome and its probability. By default, all have the same probability.

        Raises:
            IllegalAction: the position is no chance node.
        """
        if self.current_player() != CHANCE:
            raise IllegalAction("not a chance node")
        outcomes = self.legal_actions()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def action_to_string(self, action: int, player: int | None = None) -> str:
        """Returns an action's notation; by default the number as text.

        Args:
            action: the action.
            player: the player of the action; None for the current player.

        Raises:
            IllegalAction: `action` is no integer, or no position of the game has such an action.
        """
        action = action_number(action)
        if not 0 <= action < self.game.num_distinct_actions:
            raise IllegalAction(f"no action {action}: actions are 0 to {self.game.num_distinct_actions - 1}")
        return str(action)

    def string_to_action(self, text: str, player: int | None = None) -> int:
        """Returns the legal action with this notation.

        Args:
            text: the notation.
            player: the player of the action; None for the current player.

        Raises:
            IllegalAction: no legal action has this notation.
        """
        for action in self.legal_actions(player):
            if self.action_to_string(action, player) == text:
                return action
        raise IllegalAction(f"{quoted(text, 60)} is no legal action now")

    # -- results --------------------------------------------------------------------------------------
    def scores(self) -> tuple[int, ...]:
        """Returns each player's points in this position, as the game's referee counts them.

        By default, all players have 0 points before the end. At the end, the best rank has 100 points and the worst 0;
        ranks between them are in equal steps.
        """
        if not self.is_terminal():
            return (0,) * self.num_players
        return tuple(round(50 * (1 + value)) for value in self.returns())

    def outcome(self) -> Outcome | None:
        """Returns how the game ended; None before the end.

        By default, the ranks are computed from `scores`. If fewer than two players were left because of faults (record
        field `left`), the outcome's termination is the kind of one of these faults: that of the player with the lowest
        number.
        """
        if not self.is_terminal():
            return None
        scores = self.scores()
        codes = self.record["left"].tolist()
        out = [player for player, code in enumerate(codes) if code]
        if not out or len(out) < self.num_players - 1:
            return Outcome(scores, ranks_of(scores), Termination.DECIDED, "decided by the rules")
        reason = " and ".join(self.game.sides[player] for player in out) + " forfeited"
        culprit = out[0] if len(out) == 1 else None
        return Outcome(scores, ranks_of(scores), termination_of(codes[out[0]]), reason, culprit)

    def returns(self) -> list[float]:
        """Returns each player's utility: +1 for the best rank, -1 for the worst, in equal steps between.

        Tied players have the mean of the values of their ranks. The sum of all utilities is 0. Before the end, all
        utilities are 0.
        """
        out = np.zeros(self.num_players)
        self.game.facade.values(self.array, out)
        utilities: list[float] = out.tolist()
        return utilities

    def leave(self, player: int, termination: Termination) -> None:
        """Removes a player from the game because of a fault. The player must be one of `asked()`.

        `termination` is the kind of the fault.

        Raises:
            IllegalAction: there is no such player.
        """
        self._check_player(player)
        self.game.facade.leave(self.array, player, code_of(termination))

    def observation(self, player: int) -> Any:
        """Returns all that `player` may know about the position, from the player's point of view, as an array.

        The array is new. `Game.observation` describes its layout.

        Raises:
            IllegalAction: there is no such player.
        """
        self._check_player(player)
        out = self.game.observation.new()
        self.game.facade.observe(self.array, player, out)
        return out

    def _check_player(self, player: int) -> None:
        if player not in range(self.num_players):
            raise IllegalAction(f"no player {quoted(player, 20)}: players are 0 to {self.num_players - 1}")

    @property
    def num_players(self) -> int:
        return self.setup.players or self.game.players[0]

    # -- copies ---------------------------------------------------------------------------------------
    def clone(self) -> Self:
        """Returns an independent copy of the state, including hidden information."""
        return type(self)(self.setup, _array_of(self.DTYPE, self.array.tobytes()))

    def become(self, other: Self) -> None:
        """Replaces this state's position by a copy of the position of `other`. Both states must have the same setup."""
        self.array.view(np.uint8)[:] = other.array.view(np.uint8)

    def determinised(self, seed: int) -> Self:
        """Returns a copy of the state without hidden information, so that a search cannot cheat.

        Hidden information, such as the order of a pile, is replaced by random values that depend on `seed`. By default
        a game hides nothing, and the copy is exact.
        """
        return self.clone()

    def opened(self) -> Self:
        """Returns a copy in which the random events of later turns are undecided, and will be drawn at chance nodes.

        In some games the seed decides such events in advance, for example the order of a pile. By default, a seed
        decides only the start, and the copy is exact.
        """
        return self.clone()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, State)
        return self._comparable() == other._comparable()

    def __hash__(self) -> int:
        return hash(self._comparable())

    @classmethod
    def _array_from(cls, data: bytes) -> Any:
        """Returns an array of one record, whose bytes are `data`."""
        return _array_of(cls.DTYPE, data)

    def _comparable(self) -> bytes:
        """Returns the bytes that `==` compares: the record, with zeros in fields that do not matter for equality."""
        return self.array.tobytes()

    def __deepcopy__(self, memo: object) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.setup, self.array.tobytes())

    # -- display --------------------------------------------------------------------------------------
    def __str__(self) -> str:
        return "\n".join("".join(text for text, _ in line) for line in self.game.text(self, None))

    def __repr__(self) -> str:
        return f"<{self.game.title}: {self.position()}>"

    if TYPE_CHECKING:

        def analyse(
            self,
            *,
            ms: float | None = None,
            nodes: int | None = None,
            player: int | None = None,
            engine: str = "best",
            seed: int = 0,
        ) -> SearchResult:
            """Searches for the best turns of a player in this position, and returns them with their values.

            Args:
                ms: time limit, in milliseconds.
                nodes: greatest number of nodes, such as simulations, of the search.
                player: the player whose turns are searched; by default the player to act.
                engine: name of the search: `best`, a level such as `level5`, or a search with settings.
                seed: seed of all random numbers.

            `lapilli.players.engines.position_analysis.analyse`, which implements this method, describes the defaults of
            the limits.
            """

    _repr_svg_: ClassVar[Callable[[State], str]]
    """Method that draws the position in a notebook. `lapilli.viewer.notebook` sets it, as `core` draws no SVG."""


def _restore(kind: type[State], setup: Setup, data: bytes) -> State:
    return kind(setup, kind._array_from(data))


def _array_of(dtype: np.dtype[Any], data: bytes) -> Any:
    """Returns a new array of one record whose bytes are `data`. This is much faster than `ndarray.copy`."""
    return np.frombuffer(bytearray(data), dtype)
