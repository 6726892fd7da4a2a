"""The game that is checked, and random matches of the game, whose positions the checks test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from lapilli.core.api import CHANCE, SIMULTANEOUS, Game, Setup, State, Step
from lapilli.players.engines.builtin import random_turn

_ALL_UP_TO, _THEN_ONE_IN = 40, 29
"""Which positions of a match are tested: those after fewer than _ALL_UP_TO actions, and then every _THEN_ONE_IN-th."""


class CheckFailed(Exception):
    """The error that a check raises if the game does not pass.

    Args:
        problem: what is wrong, in a few words.
        advice: what to do about it.
    """

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem)
        self.problem, self.advice = problem, advice


class CheckSkipped(Exception):
    """The exception that a check raises if the game lacks an optional part. The message names the part."""


@dataclass
class Subject:
    """The game that is checked, and the matches with which it is checked.

    Attributes:
        game: the game.
        seed: seed of the first match of each form. The next match has the next seed.
        matches: number of matches of each form. A form is one combination of players, variant and league.
        show: function that is called with a few words about what the running check does now.
        forms: a complete setup for each form to check; the seeds in them are ignored. Default: all forms of the game.
        seed_now: seed of the match that the running check tests now; None before the first match.
        place: description, for people, of the position that the running check tests now; "" for none.
        last_step: the turn before the position that `turns` yielded last; None at the start of a match.
    """

    game: Game
    seed: int = 1
    matches: int = 4
    show: Callable[[str], None] = lambda _: None
    forms: list[Setup] = field(default_factory=list)
    seed_now: int | None = None
    place: str = ""
    last_step: Step | None = None

    def __post_init__(self) -> None:
        game = self.game
        self.forms = self.forms or [
            game.complete(Setup(players=players, variant=variant, league=league))
            for players in game.players
            for variant in game.variants or (None,)
            if players in game.players_of_variant.get(variant or "", game.players)
            for league in game.leagues or (None,)
        ]

    def setups(self) -> Iterator[Setup]:
        """Yields the setup of each match: `matches` setups with successive seeds for each form of the game.

        A form is a combination of players, variant and league.
        """
        for form in self.forms:
            for seed in range(self.seed, self.seed + self.matches):
                self.seed_now, self.place = seed, _named(form)
                self.show(", ".join(filter(None, [f"seed {seed}", self.place])))
                yield replace(form, seed=seed)

    def starts(self) -> Iterator[State]:
        """Yields the first position of each match.

        In a match with an odd seed, the seed decides all chance events. In a match with an even seed, chance events are
        undecided at first: they are chance nodes of the game. So the checks test both.
        """
        for setup in self.setups():
            yield self.game.new_initial_state(setup if (setup.seed or 0) % 2 else replace(setup, seed=None))

    def positions(self) -> Iterator[State]:
        """Yields positions of random matches: the first positions of each match, some later ones, and the last one.

        The caller must not change the positions. A match ends early if a player has no legal action, or if the match is
        longer than `Game.max_game_length`; other checks detect these faults.
        """
        for state in self.starts():
            random = Random(self.seed_now)
            for number in range(self.game.max_game_length + 1):
                self.look_at(state)
                is_over = state.is_terminal()
                if number < _ALL_UP_TO or number % _THEN_ONE_IN == 0 or is_over:
                    yield state
                if is_over or not random_step(state, random):
                    break

    def turns(self) -> Iterator[tuple[State, dict[int, str]]]:
        """Plays random matches, and yields the position before each turn, with the replies of the players who are
        asked.

        The seed of a match decides all chance events. The last position of a match is yielded, too.
        """
        for setup in self.setups():
            state, random, self.last_step = self.game.new_initial_state(setup), Random(setup.seed), None
            for _ in range(self.game.max_turns + 1):
                self.look_at(state)
                replies = replies_of(state, random)
                before = state.clone()
                yield before, replies
                if state.is_terminal() and not replies:
                    break
                self.last_step = Step(before, self.game.protocol.play_turn(state, replies))

    def look_at(self, state: State) -> None:
        """Sets `place` for this position. A failure of the running check then names the position."""
        self.place = ", ".join(filter(None, [_named(state.setup) if len(self.forms) > 1 else "", f"turn {state.turn}"]))


def _named(form: Setup) -> str:
    """Returns the number of players, the variant and the league of a setup as words."""
    words = [f"{form.players} players", form.variant, form.league]
    return ", ".join(word for word in words if word)


def random_step(state: State, random: Random) -> bool:
    """Plays a random action, joint action or chance outcome. Returns False if a player has no legal action."""
    player = state.current_player()
    if player == CHANCE:
        outcomes = state.chance_outcomes()
        if outcomes:
            numbers, weights = zip(*outcomes, strict=True)
            state.apply_action(random.choices(numbers, weights)[0])
        return bool(outcomes)
    legal = [state.legal_actions(number) for number in actors(state)]
    if not all(legal):
        return False
    chosen = [random.choice(actions) for actions in legal]
    if player == SIMULTANEOUS:
        state.apply_actions(chosen)
    else:
        state.apply_action(chosen[0])
    return True


def actors(state: State) -> Sequence[int]:
    """Returns the players to act, or [CHANCE] at a chance node. The game must not be over."""
    player = state.current_player()
    return range(state.num_players) if player == SIMULTANEOUS else [player]


def replies_of(state: State, random: Random) -> dict[int, str]:
    """Returns a random legal reply for each player who is asked, by player number."""
    return {
        player: state.game.protocol.format_reply(state, player, random_turn(state.clone(), player, random))
        for player in state.asked()
        if not state.is_terminal()
    }


def must(condition: object, problem: str, advice: str) -> None:
    """Raises CheckFailed with the texts `problem` and `advice` if `condition` is false."""
    if not condition:
        raise CheckFailed(problem, advice)
