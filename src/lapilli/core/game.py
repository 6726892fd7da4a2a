"""A game's declaration: data, and the names of its rooms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from random import Random
from types import ModuleType
from typing import Any

from lapilli.core.content.levels import Level, Search, Strength, read_strengths
from lapilli.core.content.openings import Row, is_for, read_openings
from lapilli.core.defaults import PlainProtocol, lines_drawn, notation_lines, reply_told
from lapilli.core.errors import PositionError, SetupError, UnknownName
from lapilli.core.picture.choices import Choice, worded
from lapilli.core.picture.panels import plain_panels
from lapilli.core.picture.scene import Moment, Scene, TextLine
from lapilli.core.policy import Policy, Weights, shipped_weights
from lapilli.core.protocol import Protocol, Step
from lapilli.core.reading.text import quoted
from lapilli.core.rules import speed
from lapilli.core.rules.observation import Observation
from lapilli.core.rules.templates import instantiate, verbs_of
from lapilli.core.rules.verbs import Verbs
from lapilli.core.setup import COMMON_KEYS, SEED_MAX, SEED_MIN, Setup
from lapilli.core.state import State

Engine = Callable[[State, int, Random], Sequence[int]]
"""A built-in opponent: (state, player, random) -> the atomic actions of that player's whole turn.

`state` is the engine's own copy. `random` is its only source of chance."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """The unchanging description of a game: data, and the names of its rooms.

    Attributes:
        name: the slug, and the folder of the package below `lapilli.games`.
        title: the full name. aliases: other names it answers to, lower case.
        summary: one line.
        sides: what people call player 0, 1, …
        players: numbers of players it can be played by; the first is the default.
        variants, leagues: the first variant and the last league (all rules) are the defaults; may be empty.
        own_keys: setup keys of its own.
        first_reply_ms, reply_ms: a bot's limits for its first and its further replies.
        max_turns: referee turns a game can last, automatic ones included.
        max_game_length: atomic actions a game can last, chance outcomes included.
        kernel: the module of its verbs (`lapilli.core.rules.verbs`).
        observation: what the verb `observe` writes.
        state, protocol: its faces for search and learning, and for referees; without a protocol of its own it speaks
            `PlainProtocol`.
        engines: built-in opponents of its own, weakest first; each is stronger than random play. May be empty.
        searches: built-in opponents that search, by name, the strongest last; `best` is that one. May be empty.
        levels: built-in opponents of rising strength, `level1` and on, on these searches. May be empty.
        engine: the module of the kernels that its searches ask: what moves to look at, what a position is worth.
        policy: what its searches learn from matches with themselves; None where there is nothing.
        text: how a state is shown in a terminal; by default its notation.
        scene: how it is drawn, as shapes; by default the terminal's lines.
        moments: the pictures that lead from a step's first position to the given one, which comes last; by default
            that alone.
        choices: every legal atomic action of a player as the way of clicks that means it, for people who play by hand;
            by default words to choose from.
        tell: what a player did in a step, in words for people; by default its reply.
        gauge, gauge_title: what a chart shows for each player over time; by default the scores.
        languages: those of its starter bots; Python is among them.
        goldens: whether tests hold traces of an original referee against it.
        twin: whether it has a naive twin, `naive`, and measures itself against it, in `speed`.
    """

    name: str
    title: str
    summary: str
    sides: tuple[str, ...]
    max_turns: int
    max_game_length: int
    kernel: ModuleType
    observation: Observation
    state: type[State]
    aliases: tuple[str, ...] = ()
    players: tuple[int, ...] = (2,)
    variants: tuple[str, ...] = ()
    leagues: tuple[str, ...] = ()
    own_keys: tuple[str, ...] = ()
    first_reply_ms: int = 1000
    reply_ms: int = 100
    protocol: Protocol = field(default_factory=PlainProtocol)
    engines: Mapping[str, Engine] = field(default_factory=dict)
    searches: Mapping[str, Search] = field(default_factory=dict)
    levels: tuple[Level, ...] = ()
    engine: ModuleType | None = None
    policy: Policy | None = None
    text: Callable[[State, Step | None], list[TextLine]] = notation_lines
    scene: Callable[[State, Step | None], Scene] = lines_drawn
    moments: Callable[[State, Step], list[Moment]] | None = None
    choices: Callable[[State, int], list[Choice]] = worded
    tell: Callable[[Step, int], str] = reply_told
    gauge: Callable[[State], tuple[float, ...]] | None = None
    gauge_title: str = "score"
    languages: tuple[str, ...] = ("python",)
    goldens: bool = False
    twin: bool = False

    def __post_init__(self) -> None:
        if "game" not in vars(self.state):
            self.state.game = self

    @cached_property
    def verbs(self) -> Verbs:
        """The kernels that all games offer, with the defaults of those that this one leaves out."""
        return verbs_of(self.kernel)

    @cached_property
    def face(self) -> ModuleType:
        """What its State asks of the verbs."""
        return self.instantiate("lapilli.core.rules.facade_template")

    def instantiate(self, text: str) -> ModuleType:
        """A text, named as a module is, on this game's verbs; see `lapilli.core.rules.templates`."""
        return instantiate(text, self.kernel)

    def instantiate_engine(self, text: str, defaults: str | None = None) -> ModuleType:
        """A search's text on this game's verbs and on the kernels of `engine`; for those that `engine` leaves out stand
        the ones of the text `defaults`."""
        return instantiate(text, self.kernel, self.engine, defaults)

    @property
    def num_distinct_actions(self) -> int:
        """Atomic actions are integers below it, in every variant."""
        return self.verbs.NUM_ACTIONS

    def complete(self, setup: Setup) -> Setup:
        """`setup` with defaults filled in. Raises SetupError or UnknownName where the game cannot be played so."""
        if setup.seed is not None and not SEED_MIN <= setup.seed <= SEED_MAX:
            raise SetupError(
                f"seed {quoted(setup.seed)} is out of range: it must fit 64 bits ({SEED_MIN} to {SEED_MAX})"
            )
        if setup.players is not None and setup.players not in self.players:
            numbers = " or ".join(map(str, sorted(self.players)))
            raise SetupError(f"{self.title} is for {numbers} players, not {quoted(setup.players)}")
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
            raise PositionError(f"position: expected a text, not {quoted(position)}")
        return self.new_initial_state(position=position, **keys)

    def openings(self, setup: Setup | None = None) -> tuple[str, ...]:
        """Balanced positions to begin at instead of the usual start: values of `Setup.position`, each with a player to
        move, always in the same order. They lie in the game's folder, in `openings.csv`; without that file, none.

        Two players that leave nothing to chance, in a game without chance and with but one start, play the same match
        whatever the seed; from another opening each time they do not. So a game whose start or lots differ by the seed
        has none and needs none: another seed is another match. Nor is there any for a setup that has a position or own
        keys: its start is the user's choice.

        Raises:
            SetupError, UnknownName: as `complete`; SetupError, too, where the file has other columns than it may have.
        """
        wanted = self.complete(setup or Setup())
        if wanted.position is not None or wanted.own:
            return ()
        return tuple(row["position"] for row in self.opening_rows if is_for(row, wanted))

    @cached_property
    def opening_rows(self) -> tuple[Row, ...]:
        """All openings with their measurements, as `lapilli.core.content.openings` reads them. Read at first use."""
        return read_openings(self.content)

    @cached_property
    def strengths(self) -> tuple[Strength, ...]:
        """How strong its built-in opponents are, the weakest first, as far as they have been measured."""
        return read_strengths(self.content)

    def pictures(self, state: State, step: Step | None) -> list[Moment]:
        """What to show of a step: the pictures on the way and, last, that of `state`; at the start that one alone."""
        if step is None:
            return [Moment(self.picture(state, None), "the start")]
        made = self.moments(state, step) if self.moments else [Moment(self.picture(state, step))]
        for moment in made:
            moment.scene.panels = moment.scene.panels or plain_panels(state)
        return made

    def picture(self, state: State, step: Step | None) -> Scene:
        """How a position is drawn, with the step that led to it, and what is said beside it."""
        scene = self.scene(state, step)
        scene.panels = scene.panels or plain_panels(state)
        return scene

    def speed(self, seconds: float = 1.0) -> dict[str, float]:
        """How fast the rules run here: figures by name, unit included, each measured for about `seconds`; among them
        "times the naive twin", where there is one."""
        return speed.figures(self, seconds)

    @property
    def folder(self) -> Traversable:
        """The game's folder, in the package or elsewhere."""
        return resources.files(f"lapilli.games.{self.name}")

    @property
    def content(self) -> Traversable:
        """The folder with the game's data: rules page, tutorial, puzzles, openings, measured levels, weights."""
        return self.folder / "content"

    @cached_property
    def weights(self) -> Weights:
        """What its policy has learned, float32, as it comes with the game; not to be written to.

        Raises LapilliError where the game has no policy.
        """
        return shipped_weights(self)

    @cached_property
    def rules(self) -> str:
        """The rules page, Markdown."""
        return (self.content / "RULES.md").read_text(encoding="utf-8")


def _choice(kind: str, value: str | None, known: tuple[str, ...], default: int) -> str | None:
    if value is None:
        return known[default] if known else None
    if value not in known:
        raise UnknownName(kind, value, known)
    return value
