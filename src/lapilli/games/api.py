"""The contract every game fulfils: Game, State, Setup, Protocol, Outcome.

A game is a folder of this package whose `__init__` holds one `GAME: Game`, written as data. Two faces look at its
positions:

* `State` is for search and learning. It speaks OpenSpiel's terms and *atomic* actions, small integers: a tile in
  Volcanoes, one cap step in Pyramids, a PUT and then a PICK in Kingdomino, one command in TryAngle.
* `Protocol` is for referees. It speaks bot text and whole *turns*: what each asked player is sent, and what its
  answer, however odd, does to the position. Records hold turns, and replay through the same door.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module, resources
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from lapilli.games.errors import IllegalAction, PositionError, SetupError, UnknownName
from lapilli.games.kernel import CHANCE, SIMULTANEOUS, TERMINAL
from lapilli.games.outcome import Fault, Outcome, Termination, ranks_of
from lapilli.games.scene import Moment, Scene, TextLine
from lapilli.games.setup import COMMON_KEYS, Setup
from lapilli.games.wording import sound

__all__ = [
    "CHANCE",
    "COMMON_KEYS",
    "SIMULTANEOUS",
    "TERMINAL",
    "Engine",
    "Fault",
    "Game",
    "Outcome",
    "Protocol",
    "Replies",
    "Setup",
    "State",
    "Step",
    "Termination",
    "TurnReport",
    "ranks_of",
    "reply_of",
]

SEED_MIN, SEED_MAX = -(2**63), 2**63 - 1


# ---------------------------------------------------------------------------------------------- state


class State(ABC):
    """One position. All that may change lies in `record`, a NumPy record of `DTYPE`; `setup` never changes.

    Terms follow OpenSpiel. Actions are atomic and are integers in [0, game.num_distinct_actions).

    Attributes:
        setup: how the game started, defaults filled in.
        batch: the position as an array of one record. Kernels that Python calls every turn take this, since an
            array reaches compiled code in a quarter of the time that a bare record takes (0.2 and 0.8 microseconds).
        record: that one record, a view of `batch`.
    """

    DTYPE: ClassVar[np.dtype[Any]]
    __slots__ = ("batch", "record", "setup")

    def __init__(self, setup: Setup, batch: Any) -> None:
        self.setup = setup
        self.batch = batch
        self.record = batch[0]

    @classmethod
    def of_record(cls, setup: Setup, record: Any) -> Self:
        """A state that begins as a copy of this record."""
        return cls(setup, _batch_of(cls.DTYPE, record.tobytes()))

    # -- what it is ------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def game(self) -> Game:
        """The game this is a position of."""

    @property
    @abstractmethod
    def turn(self) -> int:
        """The number of the next referee turn, from 1."""

    @abstractmethod
    def position(self) -> str:
        """The position notation: one line that `from_position` reads back."""

    @classmethod
    @abstractmethod
    def initial(cls, setup: Setup) -> Self:
        """The start that a completed setup describes. Raises SetupError or PositionError."""

    # -- whose turn -----------------------------------------------------------------------------------
    @abstractmethod
    def current_player(self) -> int:
        """The player to act, or CHANCE, SIMULTANEOUS, TERMINAL."""

    @abstractmethod
    def asked(self) -> tuple[int, ...]:
        """The players whom a referee asks for a reply this turn; empty for an automatic turn and at the end.

        A terminal state may still name one: a side without a legal move that the original referee asks in vain.
        """

    def is_terminal(self) -> bool:
        return self.current_player() == TERMINAL

    # -- actions --------------------------------------------------------------------------------------
    @abstractmethod
    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal atomic actions, ascending, of `player` (default: the current one). At chance: the outcomes.

        In a simultaneous turn the lowest one means "nothing (more) this turn".
        """

    @abstractmethod
    def apply_action(self, action: int) -> None:
        """Plays one action of the current player, or one chance outcome. Raises IllegalAction, changing nothing."""

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Plays one action of every player at once (SIMULTANEOUS only). Raises IllegalAction, changing nothing."""
        raise IllegalAction(f"{self.game.title} has no simultaneous turns: use apply_action")

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """At CHANCE: every outcome with its probability. Raises IllegalAction elsewhere."""
        raise IllegalAction("not a chance node")

    @abstractmethod
    def action_to_string(self, action: int, player: int | None = None) -> str:
        """The action's notation. Raises IllegalAction where no position has such an action, or it is no integer."""

    @abstractmethod
    def string_to_action(self, text: str, player: int | None = None) -> int:
        """The action of that notation. Raises IllegalAction where none is legal here."""

    # -- results --------------------------------------------------------------------------------------
    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """The players' points now, as the referee would count them."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How it ended; None before the end."""

    def returns(self) -> list[float]:
        """Utilities in [-1, 1] that sum to 0: +1 for the best rank, -1 for the worst, ties share; 0 before the end."""
        outcome = self.outcome()
        number = self.num_players
        if outcome is None:
            return [0.0] * number
        places = [0.0] * number
        for player, rank in enumerate(outcome.ranks):
            sharing = outcome.ranks.count(rank)
            mean_rank = rank + (sharing - 1) / 2
            places[player] = 1 - 2 * (mean_rank - 1) / (number - 1)
        return places

    @property
    def num_players(self) -> int:
        return self.setup.players or self.game.players[0]

    # -- copies ---------------------------------------------------------------------------------------
    def clone(self) -> Self:
        """An independent copy, hidden things included."""
        return type(self)(self.setup, _batch_of(self.DTYPE, self.batch.tobytes()))

    def become(self, other: Self) -> None:
        """Takes over the position of another state of the same setup."""
        self.batch.view(np.uint8)[:] = other.batch.view(np.uint8)

    def determinised(self, seed: int) -> Self:
        """A copy for search: what nobody may know yet (a pile's order) is drawn anew from `seed`."""
        return self.clone()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, State)
        return bool(self.batch.tobytes() == other.batch.tobytes())

    def __hash__(self) -> int:
        return hash(self.batch.tobytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.setup, self.batch.tobytes())

    # -- looks ----------------------------------------------------------------------------------------
    def __str__(self) -> str:
        return "\n".join("".join(text for text, _ in line) for line in self.game.text(self, None))

    def __repr__(self) -> str:
        return f"<{self.game.title}: {self.position()}>"

    _repr_svg_: ClassVar[Callable[[State], str]]
    """How a notebook shows it; `lapilli.viewer.notebook` sets it, since games draw nothing."""


def _restore(kind: type[State], setup: Setup, data: bytes) -> State:
    return kind(setup, _batch_of(kind.DTYPE, data))


def _batch_of(dtype: np.dtype[Any], data: bytes) -> Any:
    """An array of one record with these bytes, several times faster than an array's own `copy`."""
    return np.frombuffer(bytearray(data), dtype)


# ------------------------------------------------------------------------------------------- protocol


@dataclass(slots=True)
class TurnReport:
    """What one referee turn did.

    Attributes:
        turn: its number.
        actions: what each player who answered did: its reply in canonical text, which replays to the same position,
            with the same faults. (Only what a later RANDOM draws in Volcanoes may differ: the tile that was drawn
            stands here, and replaying it draws nothing.)
        messages: what bots wanted shown.
        notes: the referee's remarks on a player's reply that had no worse effect (player, text).
        faults: who did what wrong. What a fault does to the game is the game's affair.
        event: what an automatic turn did, in a word; "" for a turn on which players were asked.
    """

    turn: int
    actions: dict[int, str] = field(default_factory=dict)
    messages: dict[int, str] = field(default_factory=dict)
    notes: list[tuple[int, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    event: str = ""


Replies = Mapping[int, "str | Fault"]
"""What each asked player answered: the text of its reply (lines joined by a newline, no newline at the end), or the
reason why there is none."""


class Protocol(ABC):
    """A game's bot text, without I/O."""

    @abstractmethod
    def opening_input(self, state: State, player: int) -> str:
        """What `player` is sent once, before its first turn input; every line ends with a newline; may be empty."""

    @abstractmethod
    def turn_input(self, state: State, player: int) -> str:
        """What `player`, one of `state.asked()`, is sent this turn; every line ends with a newline."""

    def input_for(self, state: State, player: int, first: bool) -> str:
        """All that `player` is sent this turn; the `first` time it is asked, that begins with the opening input."""
        return (self.opening_input(state, player) if first else "") + self.turn_input(state, player)

    def reply_lines(self, state: State, player: int) -> int:
        """How many lines `player`'s reply has this turn."""
        return 1

    @abstractmethod
    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        """The reply that says these atomic actions, a whole turn of `player`'s."""

    @abstractmethod
    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        """Moves `state` by one referee turn.

        Args:
            replies: one entry for each of `state.asked()`; empty for an automatic turn. A missing one is a time-out.
        """


def reply_of(replies: Replies, player: int) -> str | Fault:
    """What `player` answered; a missing entry is a time-out.

    This is the door that every reply comes in by: half characters (lone surrogates, which a Python player can write,
    or raise) are replaced, since no record could hold them.
    """
    reply = replies.get(player)
    if isinstance(reply, str):
        return sound(reply)
    if reply is None:
        return Fault(player, Termination.TIMEOUT, "no reply in time")
    return reply if reply.reason.isascii() else replace(reply, reason=sound(reply.reason))


# ----------------------------------------------------------------------------------------------- game


class Step(NamedTuple):
    """How a position came about: the one before it and what the referee reported."""

    before: State
    report: TurnReport


Engine = Callable[[State, int, Random], Sequence[int]]
"""A built-in opponent: (state, player, random) -> the atomic actions of that player's whole turn.

`state` is the engine's own copy. `random` is its only source of chance."""


@dataclass(frozen=True)
class Game:
    """The unchanging description of a game: data, and the names of its rooms.

    Attributes:
        name: the slug. folder: of the package below `lapilli.games`, the same.
        title: the full name. aliases: other names it answers to, lower case.
        summary: one line.
        players: numbers of players it can be played by; the first is the default.
        sides: what people call player 0, 1, …
        variants, leagues: the first variant and the last league (all rules) are the defaults; may be empty.
        own_keys: setup keys of its own.
        first_reply_ms, reply_ms: a bot's limits for its first and its further replies.
        num_distinct_actions: atomic actions are integers below it, in every variant.
        max_turns: referee turns a game can last, automatic ones included.
        max_game_length: atomic actions a game can last, chance outcomes included.
        engines: built-in opponents of its own, at least one, weakest first; each is stronger than random play.
        scene, text: how a state is drawn, as shapes and as terminal lines.
        moments: the pictures that lead from a step's first position to the given one, which comes last; by default
            that alone.
        gauge, gauge_title: what a chart shows for each player over time; by default the scores.
    """

    name: str
    title: str
    summary: str
    aliases: tuple[str, ...]
    players: tuple[int, ...]
    sides: tuple[str, ...]
    variants: tuple[str, ...]
    leagues: tuple[str, ...]
    own_keys: tuple[str, ...]
    first_reply_ms: int
    reply_ms: int
    num_distinct_actions: int
    max_turns: int
    max_game_length: int
    state: type[State]
    protocol: Protocol
    engines: Mapping[str, Engine]
    scene: Callable[[State, Step | None], Scene]
    text: Callable[[State, Step | None], list[TextLine]]
    moments: Callable[[State, Step], list[Moment]] | None = None
    gauge: Callable[[State], tuple[float, ...]] | None = None
    gauge_title: str = "score"

    def complete(self, setup: Setup) -> Setup:
        """`setup` with defaults filled in. Raises SetupError or UnknownName where the game cannot be played so."""
        if setup.seed is not None and not SEED_MIN <= setup.seed <= SEED_MAX:
            raise SetupError(f"seed {setup.seed} is out of range: it must fit 64 bits ({SEED_MIN} to {SEED_MAX})")
        if setup.players is not None and setup.players not in self.players:
            numbers = " or ".join(map(str, sorted(self.players)))
            raise SetupError(f"{self.title} is for {numbers} players, not {setup.players}")
        for key in setup.own:
            if key not in self.own_keys:
                raise UnknownName(f"setup key of {self.title}", key, (*COMMON_KEYS, *self.own_keys))
        return Setup(
            seed=setup.seed,
            players=setup.players or self.players[0],
            variant=_choice(f"variant of {self.title}", setup.variant, self.variants, default=0),
            league=_choice(f"league of {self.title}", setup.league, self.leagues, default=-1),
            position=setup.position,
            own=dict(setup.own),
        )

    def new_initial_state(self, setup: Setup | None = None, **keys: Any) -> State:
        """A fresh state, from a Setup or from its keys: `game.new_initial_state(seed=7)`.

        Raises:
            SetupError: the game cannot start like this, or both a Setup and keys are given. PositionError: `position`
                is none. UnknownName: no such variant, league or setup key.
        """
        if setup is not None and keys:
            raise SetupError(f"a Setup and {', '.join(sorted(keys))}: give either a Setup or its keys")
        return self.state.initial(self.complete(setup or Setup.from_dict(keys)))

    def from_position(self, position: str, **keys: Any) -> State:
        """The state that a position notation describes.

        Raises:
            PositionError: it describes none. SetupError, UnknownName: as `new_initial_state`.
        """
        if not isinstance(position, str):
            raise PositionError(f"position: expected a text, not {position!r}")
        return self.new_initial_state(position=position, **keys)

    def pictures(self, state: State, step: Step | None) -> list[Moment]:
        """What to show of a step: the pictures on the way and, last, that of `state`; at the start that one alone."""
        if step is None:
            return [Moment(self.scene(state, None), "the start")]
        return self.moments(state, step) if self.moments else [Moment(self.scene(state, step))]

    def speed(self, seconds: float = 1.0) -> dict[str, float]:
        """How fast the rules run here: figures by name, unit included, each measured for about `seconds`; among them
        "times the naive twin"."""
        figures: dict[str, float] = import_module(f"lapilli.games.{self.name}.speed").figures(seconds)
        return figures

    @cached_property
    def rules(self) -> str:
        """The rules page, Markdown."""
        return (resources.files("lapilli.games") / self.name / "RULES.md").read_text(encoding="utf-8")


def _choice(kind: str, value: str | None, known: tuple[str, ...], default: int) -> str | None:
    if value is None:
        return known[default] if known else None
    if value not in known:
        raise UnknownName(kind, value, known)
    return value
