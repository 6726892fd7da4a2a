"""A position as Python has it: the face over a game's verbs. It speaks OpenSpiel's terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from lapilli.core.errors import IllegalAction
from lapilli.core.fault_codes import code_of, termination_of
from lapilli.core.outcome import Outcome, Termination, ranks_of
from lapilli.core.reading.numbers import action_number
from lapilli.core.reading.text import quoted
from lapilli.core.rules.verbs import ANYBODY
from lapilli.core.setup import Setup
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Batch, World

if TYPE_CHECKING:
    from lapilli.core.game import Game

_BEYOND = 1 << 31
"""No action is so large; a larger integer would not go through the compiler's door."""


class State(ABC):
    """One position. All that may change lies in `record`, a NumPy record of `DTYPE`; `setup` never changes.

    Terms follow OpenSpiel. Actions are atomic and are integers in [0, game.num_distinct_actions). This class asks
    the game's verbs (`lapilli.core.rules.verbs`); games add what only they know: notation, points, reasons. A game that
    has the fields `turn` and `left` in its record, as the defaults here take them, needs no more than the notation.

    Attributes:
        setup: how the game started, defaults filled in.
        array: the position as an array of one record. Kernels that Python calls every turn take this, since an
            array reaches compiled code in a quarter of the time that a bare record takes (0.2 and 0.8 microseconds).
        record: that one record, a view of `array`.
    """

    DTYPE: ClassVar[np.dtype[Any]]
    game: ClassVar[Game]
    """The game that this is a position of; set by the Game that declares this class as its `state`."""
    WORLD_LIKE: ClassVar[World] = ()
    """Arrays of the same kinds as those of `world`: by them kernels can be compiled before there is a game."""
    __slots__ = ("array", "record", "setup")

    def __init__(self, setup: Setup, array: Batch) -> None:
        self.setup = setup
        self.array = array
        self.record: Any = array[0]

    @classmethod
    def of_record(cls, setup: Setup, record: Any) -> Self:
        """A state that begins as a copy of this record."""
        return cls(setup, _array_of(cls.DTYPE, record.tobytes()))

    # -- what it is ------------------------------------------------------------------------------------
    @property
    def turn(self) -> int:
        """The number of the next referee turn, from 1: by default the record's field `turn`."""
        number: int = self.array["turn"].item()
        return number

    @abstractmethod
    def position(self) -> str:
        """The position notation: one line that `from_position` reads back."""

    @classmethod
    @abstractmethod
    def initial(cls, setup: Setup) -> Self:
        """The start that a completed setup describes. Raises SetupError or PositionError."""

    @property
    def world(self) -> World:
        """What never changes in this game and is no part of the record: the verbs' last arguments."""
        return ()

    # -- whose turn -----------------------------------------------------------------------------------
    def current_player(self) -> int:
        """The player to act, or CHANCE, SIMULTANEOUS, TERMINAL."""
        player: int = self.game.face.mover(self.array)
        return player

    def asked(self) -> tuple[int, ...]:
        """The players whom a referee asks for a reply this turn; empty for an automatic turn and at the end.

        A terminal state may still name one: a side without a legal move that the original referee asks in vain.
        """
        player = self.current_player()
        if player == SIMULTANEOUS:
            return tuple(player for player in range(self.num_players) if not self.is_out(player))
        return (player,) if player >= 0 else ()

    def is_terminal(self) -> bool:
        return self.current_player() == TERMINAL

    def is_out(self, player: int) -> bool:
        """Whether a player has left the game, and is asked no more, while others may go on."""
        return bool(self.array["left"][0, player])

    # -- actions --------------------------------------------------------------------------------------
    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal atomic actions, ascending, of `player` (default: the current one). At chance: the outcomes.

        In a simultaneous turn the lowest one means "nothing (more) this turn". Raises IllegalAction there without a
        player.
        """
        game = self.game
        out = np.empty(game.verbs.MAX_LEGAL, np.int64)
        count = game.face.legal(self.array, ANYBODY if player is None else player, out, self.world)
        if count < 0:
            raise IllegalAction("all players act at once: say whose action, player 0's or another's")
        actions: list[int] = out[:count].tolist()
        return actions

    def apply_action(self, action: int) -> None:
        """Plays one action of the current player, or one chance outcome. Raises IllegalAction, changing nothing."""
        action = action_number(action)
        if not (-1 < action < _BEYOND and self.game.face.try_play(self.array, action, self.world)):
            raise IllegalAction(self.refusal(action))

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Plays one action of every player at once (SIMULTANEOUS only). Raises IllegalAction, changing nothing."""
        if self.current_player() != SIMULTANEOUS:
            raise IllegalAction("the game is over" if self.is_terminal() else "one player acts: use apply_action")
        try:
            chosen = [action_number(action) for action in actions]
        except TypeError:
            chosen = []
        if len(chosen) != self.num_players:
            raise IllegalAction(f"expected an action of each of {self.num_players} players, not {quoted(actions, 40)}")
        fitting = np.array([action if -1 < action < _BEYOND else -1 for action in chosen], np.int64)
        wrong = self.game.face.try_play_joint(self.array, fitting, self.world)
        if wrong >= 0:
            raise IllegalAction(f"{chosen[wrong]} is no legal action of player {wrong} now")

    def accepts(self, action: int, player: int | None = None) -> bool:
        """Whether `legal_actions` would list this action, without making the list."""
        current = self.current_player()
        if player not in (None, current) and not (current == SIMULTANEOUS and player in range(self.num_players)):
            return False
        whose = current if player is None else player
        return -1 < action < _BEYOND and bool(self.game.face.accepts(self.array, whose, action, self.world))

    def refusal(self, action: int) -> str:
        """Why the current player may not play this action, one that is not legal, for people."""
        current = self.current_player()
        if current == TERMINAL:
            return "the game is over"
        if current == SIMULTANEOUS:
            return "all players act at once: use apply_actions"
        return f"{action} is no legal action now"

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """At CHANCE: every outcome with its probability, by default equal ones. Raises IllegalAction elsewhere."""
        if self.current_player() != CHANCE:
            raise IllegalAction("not a chance node")
        outcomes = self.legal_actions()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def action_to_string(self, action: int, player: int | None = None) -> str:
        """The action's notation, by default its number. Raises IllegalAction where no position has such an action, or
        it is no integer."""
        action = action_number(action)
        if not 0 <= action < self.game.num_distinct_actions:
            raise IllegalAction(f"no action {action}: actions are 0 to {self.game.num_distinct_actions - 1}")
        return str(action)

    def string_to_action(self, text: str, player: int | None = None) -> int:
        """The action of that notation. Raises IllegalAction where none is legal here."""
        for action in self.legal_actions(player):
            if self.action_to_string(action, player) == text:
                return action
        raise IllegalAction(f"{quoted(text, 60)} is no legal action now")

    # -- results --------------------------------------------------------------------------------------
    def scores(self) -> tuple[int, ...]:
        """The players' points now, as the referee would count them; by default 100 for the best rank, 0 for the worst,
        in between in equal steps, and 0 for all before the end."""
        if not self.is_terminal():
            return (0,) * self.num_players
        return tuple(round(50 * (1 + value)) for value in self.returns())

    def outcome(self) -> Outcome | None:
        """How it ended; None before the end.

        By default ranks follow from `scores`; and whom the record's field `left` says to be out by a fault has ended
        the game, if that left no two players.
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
        """Utilities in [-1, 1] that sum to 0: +1 for the best rank, -1 for the worst, ties share; 0 before the end."""
        out = np.zeros(self.num_players)
        self.game.face.values(self.array, out)
        utilities: list[float] = out.tolist()
        return utilities

    def leave(self, player: int, termination: Termination) -> None:
        """Takes a player, one of those asked, out of the game by a fault of that kind."""
        self.game.face.leave(self.array, player, code_of(termination))

    def observation(self, player: int) -> Any:
        """What `player` may know, from its own side: a new array that `Game.observation` describes.

        Raises IllegalAction where there is no such player.
        """
        if player not in range(self.num_players):
            raise IllegalAction(f"no player {quoted(player, 20)}: players are 0 to {self.num_players - 1}")
        out = self.game.observation.new()
        self.game.face.observe(self.array, player, out)
        return out

    @property
    def num_players(self) -> int:
        return self.setup.players or self.game.players[0]

    # -- copies ---------------------------------------------------------------------------------------
    def clone(self) -> Self:
        """An independent copy, hidden things included."""
        return type(self)(self.setup, _array_of(self.DTYPE, self.array.tobytes()))

    def become(self, other: Self) -> None:
        """Takes over the position of another state of the same setup."""
        self.array.view(np.uint8)[:] = other.array.view(np.uint8)

    def determinised(self, seed: int) -> Self:
        """A copy for search: what nobody may know yet (a pile's order) is drawn anew from `seed`."""
        return self.clone()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, State)
        return bool(self.array.tobytes() == other.array.tobytes())

    def __hash__(self) -> int:
        return hash(self.array.tobytes())

    def __deepcopy__(self, memo: object) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.setup, self.array.tobytes())

    # -- looks ----------------------------------------------------------------------------------------
    def __str__(self) -> str:
        return "\n".join("".join(text for text, _ in line) for line in self.game.text(self, None))

    def __repr__(self) -> str:
        return f"<{self.game.title}: {self.position()}>"

    analyse: ClassVar[Callable[..., Any]]
    """A search's analysis of the position. `players.engines.position_analysis` sets it: `core` does not search."""

    _repr_svg_: ClassVar[Callable[[State], str]]
    """How a notebook shows it; `lapilli.viewer.notebook` sets it, since games draw nothing."""


def _restore(kind: type[State], setup: Setup, data: bytes) -> State:
    return kind(setup, _array_of(kind.DTYPE, data))


def _array_of(dtype: np.dtype[Any], data: bytes) -> Any:
    """An array of one record with these bytes, several times faster than an array's own `copy`."""
    return np.frombuffer(bytearray(data), dtype)
