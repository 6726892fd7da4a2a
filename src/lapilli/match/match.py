"""The driver for players who answer when they are asked: asks, waits, tells the referee."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Self, TypeVar

from lapilli.core.api import Fault, Game, Outcome, Setup, Step, TurnReport
from lapilli.games import load
from lapilli.match.clock import Clock
from lapilli.match.record import Entry, Record
from lapilli.match.referee import Referee
from lapilli.players import Answer, PlayerLike, Sandbox, ask_players, make_player
from lapilli.players.processes.trouble import in_one_line, is_exhaustion

T = TypeVar("T")


class Match:
    """One game between players under a clock.

    Use it as a context manager, which ends all players, and iterate over `turns` or `steps`; `record` grows as the
    match goes on, so that an interrupted match leaves what was played.

    What the machine has no room for (a process, a descriptor, memory), or no processor in time, ends the match as
    abandoned, whoever it befell; `turns` and `steps` just end. So does any other exception of ours, which then goes on.

    Args:
        game: what to play.
        players: one PlayerLike each: a built-in's name, a command line, a PlayerSpec, a Python function, or a Player.
        setup: how it starts; a missing seed is 0.
        clock: the limits.
        sandbox: whether bots are locked in, see `Sandbox`.
        freeze_idle: whether bots are frozen while they are not asked, so that they compute in nobody else's time.
        player_seed: of the sources of chance of players that live in this process; by default the setup's seed.
        rivals: more players whose files the bots must not see, beside one another's: those of the same tournament.
        bot_folders: folders that bots named by a command line see in the sandbox, beside what their commands name.

    Attributes:
        referee: who knows the rules. setup: with all defaults filled in.
        state: the position now. record: what was played. turns_played: referee turns, automatic ones included.

    Raises:
        SetupError: the game cannot start like this, or not with that many players.
        LapilliError: a player is none, or a name that nothing bears; or a sandbox is required and there is none.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[PlayerLike],
        setup: Setup | None = None,
        clock: Clock | None = None,
        sandbox: Sandbox | str = Sandbox.AUTO,
        *,
        freeze_idle: bool = False,
        player_seed: int | None = None,
        rivals: Sequence[PlayerLike] = (),
        bot_folders: Sequence[str] = (),
    ) -> None:
        seed = ((setup.seed if setup else None) or 0) if player_seed is None else player_seed
        common: dict[str, Any] = {
            "freeze_idle": freeze_idle,
            "rivals": [*players, *rivals],
            "bot_folders": bot_folders,
        }
        self.players = [make_player(game, spec, number, seed, sandbox, **common) for number, spec in enumerate(players)]
        self.referee = Referee(game, [player.identity for player in self.players], setup, clock)
        self.game, self.setup, self.clock = game, self.referee.setup, self.referee.clock
        self.state, self.record = self.referee.state, self.referee.record
        self._started = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.referee.stop()
        with ExitStack() as closing:  # whatever happens now, everybody is let go
            for player in self.players:
                closing.callback(player.close)
            for number, player in enumerate(self.players):
                self.referee.last_words(number, player.close())

    @property
    def turns_played(self) -> int:
        return self.referee.turns_played

    def turns(self) -> Iterator[TurnReport]:
        """Plays the match, a referee turn at a time; called again, it goes on where the match stands."""
        return self._play(self.referee.play)

    def steps(self) -> Iterator[Step]:
        """The same, with the position before each turn: for those who draw."""
        return self._play(self.referee.hear)

    def outcome(self) -> Outcome:
        """How the match, which must have been played to its end, ended."""
        return self.referee.outcome()

    def entries(self, turn: int) -> list[Entry]:
        """The record's entries for the turn just played."""
        return [entry for entry in self.record.turns[-self.state.num_players :] if entry.turn == turn]

    def _play(self, hear: Callable[[Mapping[int, Answer]], T]) -> Iterator[T]:
        referee, players = self.referee, self.players
        try:
            self._start()
            while not referee.over:
                questions = referee.pending()
                answers = ask_players(players, questions) if questions else {}
                for player, answer in answers.items():
                    if isinstance(answer.reply, Fault) and not answer.reply.termination.is_fault:
                        referee.abandon(f"{self.game.sides[player]} {answer.reply.reason}", answers)
                        return
                heard = hear(answers)
                self._let_go_of_losers(len(questions))
                yield heard
        except Exception as error:
            referee.abandon(in_one_line(error))
            if not is_exhaustion(error):
                raise

    def _let_go_of_losers(self, asked: int) -> None:
        """Ends those who are out of the game, after a turn on which so many were asked: they would use the cores that
        the others think with."""
        entries = self.record.turns
        if self.referee.over or not any(entry.fault for entry in entries[len(entries) - asked :]):
            return
        for number, player in enumerate(self.players):
            if self.state.is_out(number):
                self.referee.last_words(number, player.close())

    def _start(self) -> None:
        if not self._started:
            self._started = True
            for player in self.players:
                player.launch()
            for player in self.players:
                player.start()


def play_match(
    game: str | Game,
    players: Sequence[PlayerLike],
    *,
    time_factor: float = 1.0,
    no_timeout: bool = False,
    clock: Clock | None = None,
    sandbox: Sandbox | str = Sandbox.AUTO,
    freeze_idle: bool = False,
    bot_folders: Sequence[str] = (),
    **setup: Any,
) -> Record:
    """Plays one match and returns its record.

    >>> record = play_match(lapilli.names()[0], ["random", "random"], seed=7)
    >>> record.outcome.ranks
    [2, 1]

    Where the machine had nothing left to go on with, or was too busy for a bot to be in time, the outcome is
    `abandoned`, without scores and ranks.

    Args:
        game: a Game or its name.
        players: a built-in's name, a command line, a PlayerSpec, a Python function `(state) -> action`, or a Player
            each.
        time_factor: scales the limits. no_timeout: lifts them.
        clock: all there is to say of limits, in place of these two.
        sandbox: whether bots are locked in: "auto" (where bubblewrap works), "require" or "off".
        freeze_idle: whether bots are frozen while they are not asked.
        bot_folders: folders that bots named by a command line see in the sandbox, beside what their commands name.
        setup: seed, league, variant, position, and the game's own keys.

    Raises:
        SetupError: the game cannot start like this, or not with that many players. UnknownName: no such game, variant,
            league, setup key or built-in player.
    """
    what = load(game) if isinstance(game, str) else game
    limits = clock or Clock(time_factor, no_timeout)
    begins = Setup.from_dict(setup)
    with Match(what, players, begins, limits, sandbox, freeze_idle=freeze_idle, bot_folders=bot_folders) as match:
        for _ in match.turns():
            pass
    return match.record
