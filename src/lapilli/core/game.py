"""A game's declaration: its properties as data, and references to its modules and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from random import Random
from types import ModuleType
from typing import Any

from lapilli.core.content.first_turns import FirstTurns, read_first_turns
from lapilli.core.content.levels import Level, Search, Strength, read_strengths
from lapilli.core.content.openings import Row, is_for, read_openings
from lapilli.core.errors import LapilliError, PositionError, SetupError, UnknownName
from lapilli.core.picture.choices import Choice, plain_prompt, word_choices
from lapilli.core.picture.notes import Note, no_notes
from lapilli.core.picture.panels import plain_panels
from lapilli.core.picture.scene import Moment, Scene, TextLine
from lapilli.core.picture.words import listed
from lapilli.core.protocol.defaults import PlainProtocol, label_or_reply, no_themes, notation_lines, terminal_scene
from lapilli.core.protocol.protocol import Protocol, Step
from lapilli.core.reading.text import quoted
from lapilli.core.rules import speed
from lapilli.core.rules.observation import Observation
from lapilli.core.rules.symmetry import Symmetry, identity
from lapilli.core.rules.templates.instantiation import instantiate, instantiate_on, verbs_of
from lapilli.core.rules.verbs import Verbs
from lapilli.core.search.mistake import Mistake, no_reason
from lapilli.core.search.policy import Policy, Weights, shipped_weights
from lapilli.core.setup import COMMON_KEYS, SEED_MAX, SEED_MIN, Setup
from lapilli.core.state import State

Engine = Callable[[State, int, Random], Sequence[int]]
"""A built-in opponent: a function of (state, player, random) that returns the actions of the player's whole turn.
`state` is a copy, which the function may change. `random` is the function's only source of randomness.
"""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Game:
    """The unchanging description of a game: its properties as data, and references to its modules and functions.

    Attributes:
        name: short name in lower case, which is also the name of the game's package in `lapilli.games`.
        title: the full name.
        aliases: other names that users may write, in lower case.
        summary: one line about the game.
        emblem: a small sign of the game, as the path of an SVG picture 24 wide and 24 high, whose shapes are filled and
            whose lines are 2 wide. Lists on pages show it beside the title. Default: the title's first letter.
        sides: words for the players, such as colours, by player number. The game's texts for people use these words for
            nothing else. So pages can replace them by the players' real names.
        players: possible numbers of players; the first is the default.
        variants: names of the variants, the default first; may be empty.
        players_of_variant: possible numbers of players by variant. For variants that are left out, `players` applies.
        leagues: names of the leagues, from the simplest rules to all rules; the last is the default. May be empty.
        own_keys: setup keys that only this game has.
        position_keys: the keys in `own_keys` whose values a position notation contains, such as a map. A setup with a
            position needs none of these keys.
        first_reply_ms, reply_ms: time limits of a bot's first reply and of each later one, in milliseconds.
        max_turns: greatest number of referee turns of a game, automatic ones included.
        max_game_length: greatest number of atomic actions of a game, chance outcomes included.
        rules: the module that defines the game's verbs (`lapilli.core.rules.verbs`).
        observation: layout of the array that the verb `observe` writes.
        state: the game's subclass of `State`, for search and learning.
        protocol: the game's `Protocol`, for referees; by default `PlainProtocol`.
        engines: built-in opponents that are plain functions, by name, weakest first; each is stronger than random play.
            May be empty.
        searches: built-in opponents that search, by name, weakest first. The name `best` means the last of them. May be
            empty.
        levels: built-in opponents of rising strength, MOST_LEVELS at most, based on one of `searches`; their names are
            `level1`, `level2` and so on. May be empty.
        search_hooks: module of the kernels that the game's searches call, for example to select candidate moves and to
            evaluate positions. None if there are none.
        policy: the sizes of the learned policy that one of the searches uses; None if no search uses one.
        text: function that formats a state as lines for a terminal. Its arguments are the state and the step that led
            to the state (None at the start). Default: the position notation.
        scene: function that draws a state as shapes, with the same arguments as `text`. Default: the lines of `text`.
        moments: function that returns the pictures of a step in order, with the same arguments as `text`. The last
            picture shows the state after the step. None if this is the only picture.
        choices: function that returns all legal actions of a player in a state, each with the clicks by which a person
            chooses it. Default: one word to click for each action.
        prompt: function that returns what a player is to choose now, in a few words that follow "Your turn:". Default:
            "choose a move".
        notes: function that returns remarks for a player who must choose in a state and is new to the game, the most
            urgent first. Default: none.
        reason: function that returns one short sentence that says why a turn is worse than a better one; "" if it knows
            no reason. The sentence calls players by their sides, and names places as the board does. It states facts
            that follow from the rules, not estimates. Default: none.
        themes: function that returns what kind of turn a player has played, in words for people, such as "Eruption".
            People choose puzzles by these themes. The arguments are the step, the state after it, and the player.
            Default: none.
        tell: function that describes a player's actions in a step in words for people. Default: with the default
            protocol, the label of the player's choice, such as "column 4"; otherwise the player's reply.
        brief: function that describes a player's actions in a step in a few signs, such as "B2›A4", for lists in which
            people compare turns. Its arguments are those of `tell`. None: the lists show what `tell` returns.
        gauge: function that returns one value for each player in a state, for a chart of the match. None: the chart
            shows the scores.
        gauge_title: name of the value that `gauge` returns.
        counts_points: whether the scores at the end are points that people count. False if they only say who has won.
        languages: programming languages of the game's starter bots; Python is among them.
        symmetry_maps: function that returns the symmetries of the game in a setup with defaults filled in, the identity
            first. Default: the identity alone.
        goldens: whether tests compare the game with recorded matches of the original referee.
        twin: whether the game has a second, simple implementation of the rules (module `naive`) and a comparison of the
            speed of both (module `speed`).
    """

    name: str
    title: str
    summary: str
    sides: tuple[str, ...]
    max_turns: int
    max_game_length: int
    rules: ModuleType
    observation: Observation
    state: type[State]
    emblem: str = ""
    aliases: tuple[str, ...] = ()
    players: tuple[int, ...] = (2,)
    variants: tuple[str, ...] = ()
    players_of_variant: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    leagues: tuple[str, ...] = ()
    own_keys: tuple[str, ...] = ()
    position_keys: tuple[str, ...] = ()
    first_reply_ms: int = 1000
    reply_ms: int = 100
    protocol: Protocol = field(default_factory=PlainProtocol)
    engines: Mapping[str, Engine] = field(default_factory=dict)
    searches: Mapping[str, Search] = field(default_factory=dict)
    levels: tuple[Level, ...] = ()
    search_hooks: ModuleType | None = None
    policy: Policy | None = None
    text: Callable[[State, Step | None], list[TextLine]] = notation_lines
    scene: Callable[[State, Step | None], Scene] = terminal_scene
    moments: Callable[[State, Step], list[Moment]] | None = None
    choices: Callable[[State, int], list[Choice]] = word_choices
    prompt: Callable[[State, int], str] = plain_prompt
    notes: Callable[[State, int], list[Note]] = no_notes
    reason: Callable[[Mistake], str] = no_reason
    themes: Callable[[Step, State, int], list[str]] = no_themes
    tell: Callable[[Step, int], str] = label_or_reply
    brief: Callable[[Step, int], str] | None = None
    gauge: Callable[[State], tuple[float, ...]] | None = None
    gauge_title: str = "score"
    counts_points: bool = True
    languages: tuple[str, ...] = ("python",)
    symmetry_maps: Callable[[Setup], Sequence[Symmetry]] | None = None
    goldens: bool = False
    twin: bool = False

    def __post_init__(self) -> None:
        if "game" not in vars(self.state):
            self.state.game = self

    def __repr__(self) -> str:
        return f"<Game {self.name}: {self.title}, {listed([*map(str, sorted(self.players))], 'or')} players>"

    @cached_property
    def verbs(self) -> Verbs:
        """The game's verbs. Verbs that the game does not define are replaced by their defaults."""
        return verbs_of(self.rules)

    @cached_property
    def facade(self) -> ModuleType:
        """The kernels through which a State calls the game's verbs (`lapilli.core.rules.templates.facade_template`)."""
        return self.instantiate("lapilli.core.rules.templates.facade_template")

    def instantiate(self, template: str) -> ModuleType:
        """Returns a kernel template's module for this game: its kernels call this game's verbs.

        `lapilli.core.rules.templates.instantiation` explains templates.

        Args:
            template: dotted module name of the template.
        """
        return instantiate(template, self.rules)

    def instantiate_search(self, template: str, defaults: str | None = None) -> ModuleType:
        """Returns a search template's module for this game: its kernels call the game's verbs and search hooks.

        Args:
            template: dotted module name of the template.
            defaults: dotted module name of a template with default search hooks, for those that the game does not
                define; None if there are no defaults.
        """
        return instantiate(template, self.rules, self.search_hooks, defaults)

    def instantiate_on(self, template: str, parts: tuple[tuple[str, ModuleType], ...]) -> ModuleType:
        """Returns a kernel template's module for this game, with further modules of kernels bound to global names.

        Args:
            template: dotted module name of the template.
            parts: pairs of a global name in the template and the module to which it is bound.
        """
        return instantiate_on(template, self.rules, parts)

    @property
    def num_distinct_actions(self) -> int:
        """Number of atomic actions, the same in every variant. Actions are integers from 0 to this number - 1."""
        return self.verbs.NUM_ACTIONS

    def complete(self, setup: Setup) -> Setup:
        """Returns a copy of a setup in which this game's defaults replace missing values, except seed and position.

        Raises:
            SetupError, UnknownName: the game cannot be played with this setup.
        """
        if setup.seed is not None and not SEED_MIN <= setup.seed <= SEED_MAX:
            raise SetupError(
                f"seed {quoted(setup.seed)} is out of range: it must fit 64 bits ({SEED_MIN} to {SEED_MAX})"
            )
        variant = _choice(f"variant of {self.title}", setup.variant, self.variants, default=0)
        possible = self.players_of_variant.get(variant or "", self.players)
        if setup.players is not None and setup.players not in possible:
            what = self.title if possible is self.players else f"{self.title}'s variant {variant}"
            raise SetupError(
                f"{what} is for {listed([*map(str, sorted(possible))], 'or')} players, not {quoted(setup.players)}"
            )
        for key in setup.own:
            if key not in self.own_keys:
                raise UnknownName(f"setup key of {self.title}", key, (*COMMON_KEYS, *self.own_keys))
        return Setup(
            seed=setup.seed,
            players=setup.players or possible[0],
            variant=variant,
            league=_choice(f"league of {self.title}", setup.league, self.leagues, default=-1),
            position=setup.position,
            own=dict(setup.own),
        )

    def new_initial_state(self, setup: Setup | None = None, **keys: Any) -> State:
        """Returns the first state of a new game. Pass a Setup, or its keys: `game.new_initial_state(seed=7)`.

        Raises:
            SetupError: the game cannot start like this, or both a Setup and keys were passed.
            PositionError: `position` is not valid.
            UnknownName: there is no such variant, league or setup key.
        """
        completed = self.complete(_either(setup, keys))
        try:
            return self.state.initial(completed)
        except (ValueError, OverflowError) as error:  # the parser of a small game may raise these
            if completed.position is None or isinstance(error, LapilliError):
                raise
            raise PositionError(f"{quoted(completed.position, 40)} is no position of {self.title}") from error

    def from_position(self, position: str, **keys: Any) -> State:
        """Returns the state that a position notation describes. `keys`: other setup keys, such as `seed`.

        Raises:
            PositionError: the notation describes no position.
            SetupError: the game cannot start with these keys.
            UnknownName: there is no such variant, league or setup key.
        """
        if not isinstance(position, str):
            raise PositionError(f"position: expected a string, not {quoted(position)}")
        return self.new_initial_state(position=position, **keys)

    def openings(self, setup: Setup | None = None) -> tuple[str, ...]:
        """Returns balanced positions from which to start instead of the usual start.

        Each opening is a value for `Setup.position`, and a player is to move in it. The openings are read from
        `openings.csv` in the game's data folder, and their order is always the same.

        In a game without chance and with only one usual start, two deterministic players play the same match whatever
        the seed. Different openings avoid that. A game whose start or random draws depend on the seed needs no openings
        and has none. The result is also empty if the setup contains a position or keys of this game alone, because then
        the user has chosen the start.

        Raises:
            SetupError: the game cannot be played with this setup, or the file is not valid.
            UnknownName: there is no such variant or league.
        """
        wanted = self.complete(setup or Setup())
        if wanted.position is not None or wanted.own:
            return ()
        return tuple(row["position"] for row in self.opening_rows if is_for(row, wanted))

    def symmetries(self, setup: Setup | None = None, **keys: Any) -> tuple[Symmetry, ...]:
        """Returns the symmetries of the game, the identity first. Pass a Setup, or its keys.

        A symmetry maps actions and observations so that the rules stay the same. Learners can map each sample in all
        these ways.

        Raises:
            SetupError: the game cannot be played with this setup, or both a Setup and keys were passed.
            UnknownName: there is no such variant, league or setup key.
        """
        completed = self.complete(_either(setup, keys))
        if self.symmetry_maps is None:
            return (identity(self.num_distinct_actions, self.observation),)
        return tuple(self.symmetry_maps(completed))

    @cached_property
    def opening_rows(self) -> tuple[Row, ...]:
        """All openings of the game: the lines of `openings.csv` (see `lapilli.core.content.openings`)."""
        return read_openings(self.content)

    def first_turns(self, setup: Setup | None = None) -> FirstTurns | None:
        """Returns how often engines have played each turn early in a match; None if the game has no such counts.

        There are counts only for variants in which many matches begin with the same positions. They are read once from
        the game's data folder (`lapilli.core.content.first_turns`).

        Raises:
            SetupError, UnknownName: the game cannot be played with this setup.
            LapilliError: the file is not valid.
        """
        variant = self.complete(setup or Setup()).variant
        if variant not in self._first_turns:
            self._first_turns[variant] = read_first_turns(self.content, variant)
        return self._first_turns[variant]

    @cached_property
    def _first_turns(self) -> dict[str | None, FirstTurns | None]:
        return {}

    @cached_property
    def strengths(self) -> tuple[Strength, ...]:
        """Measured strengths of the game's built-in opponents, the weakest first."""
        return read_strengths(self.content)

    def pictures(self, state: State, step: Step | None) -> list[Moment]:
        """Returns the pictures of the step that led to `state`, in order; the last one shows `state` itself.

        At the start of the game, `step` is None, and the picture of `state` is the only one.
        """
        if step is None:
            return [Moment(self.picture(state, None), "the start")]
        moments = self.moments(state, step) if self.moments else [Moment(self.picture(state, step))]
        for moment in moments:
            moment.scene.panels = moment.scene.panels or plain_panels(state)
        return moments

    def picture(self, state: State, step: Step | None) -> Scene:
        """Returns the picture of a position, with the panels beside the board.

        The picture also marks the changes that `step` made. `step` is the turn that led to the position, or None at the
        start of the game.
        """
        scene = self.scene(state, step)
        scene.panels = scene.panels or plain_panels(state)
        return scene

    def in_brief(self, step: Step, player: int) -> str:
        """Describes a player's actions in a step in a few signs if the game has such a notation, otherwise in words."""
        return (self.brief or self.tell)(step, player)

    def speed(self, seconds: float = 1.0) -> dict[str, float]:
        """Measures the speed of the rules on this machine.

        Args:
            seconds: time for one measurement, in seconds. Some measurements take less.

        Returns:
            Measured values by name; the name contains the unit, as in "play ns". If the game has a naive twin (`twin`),
            "times the naive twin" is the speed of the rules divided by the speed of the twin.
        """
        return speed.figures(self, seconds)

    @property
    def folder(self) -> Traversable:
        """The game's folder, in this package or in a folder that the environment variable LAPILLI_GAMES lists."""
        return resources.files(f"lapilli.games.{self.name}")

    @property
    def content(self) -> Traversable:
        """The game's data folder: rules page, tutorial, puzzles, openings, measured levels, weights."""
        return self.folder / "content"

    @cached_property
    def weights(self) -> Weights:
        """The trained weights of the game's policy, from the game's data folder, float32. Callers must not change them.

        Raises:
            LapilliError: the game has no policy.
        """
        return shipped_weights(self)

    @cached_property
    def rules_page(self) -> str:
        """The rules page, in Markdown; for a game that has none yet, its title and summary."""
        file = self.content / "RULES.md"
        return file.read_text(encoding="utf-8") if file.is_file() else f"# {self.title}\n\n{self.summary}\n"


def _either(setup: Setup | None, keys: Mapping[str, Any]) -> Setup:
    """Returns a setup that was passed as a Setup or as its keys. Raises SetupError if it was passed as both."""
    if setup is not None and keys:
        raise SetupError(f"a Setup and {', '.join(sorted(keys))}: pass either a Setup or its keys")
    return setup or Setup.from_dict(keys)


def _choice(kind: str, value: str | None, known: tuple[str, ...], default: int) -> str | None:
    if value is None:
        return known[default] if known else None
    if value not in known:
        raise UnknownName(kind, value, known)
    return value
