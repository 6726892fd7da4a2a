"""Plays a match: passes the referee's questions to the players, and the players' answers to the referee."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Self, TypeVar

from lapilli.core.api import Fault, Game, Outcome, Setup, Step, TurnReport
from lapilli.core.errors import SetupError, in_one_line, is_exhaustion
from lapilli.core.reading.text import quoted
from lapilli.games import load
from lapilli.match.clock import Clock
from lapilli.match.record import Entry, Record
from lapilli.match.referee import Referee
from lapilli.players import Answer, PlayerLike, Sandbox, ask_players, make_player

T = TypeVar("T")


class Match:
    """One match: a game between players, with time limits.

    Use a Match as a context manager, which ends all players on exit, and iterate over `turns` or `steps` to play it.
    `record` grows with each turn, so an interrupted match leaves a record of the turns played.

    If the machine runs out of a resource (processes, descriptors, memory), or if a bot gets no processor in time, the
    match ends as abandoned: no player loses. Then `turns` and `steps` stop without an exception. After any other
    exception, the match is abandoned, too, and the exception is raised again.

    Args:
        game: the game to play.
        players: one PlayerLike for each player: name of a built-in opponent, command line of a bot, PlayerSpec, Python
            function, or Player.
        setup: how the game starts; a missing seed is 0.
        clock: the time limits; by default the game's own.
        sandbox: whether bots run in a sandbox: `Sandbox.AUTO` (if one is available), REQUIRE or OFF.
        freeze_idle: whether bots are frozen while they are not asked. Then they cannot compute while another player has
            to reply.
        player_seed: seed of the random numbers of players that run in this process; by default the setup's seed.
        odds: by player number, a factor for the player's time limits; empty for no factors.
        rivals: further players, such as those of the same tournament, whose files the bots must not see. The files of
            the players of this match are always hidden from one another.
        bot_folders: folders that the sandbox shows to bots that were passed as command lines. Files and folders that a
            command names are shown anyway.

    Attributes:
        players: the Player objects, by player number.
        referee: the referee, which applies the rules of the game.
        setup: the setup, with all defaults filled in.
        state: the current position.
        record: the record of the turns played.
        turns_played: number of referee turns played, automatic ones included.

    Raises:
        SetupError: the game cannot start like this, or not with this number of players.
        LapilliError: a player is not valid, or its name is unknown; or a sandbox is required but not available.
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
        odds: Sequence[float] = (),
        rivals: Sequence[PlayerLike] = (),
        bot_folders: Sequence[str] = (),
    ) -> None:
        if isinstance(players, str):
            raise SetupError(
                f"players: expected a list such as [{players!r}, 'random'], not the text {quoted(players)}"
            )
        seed = ((setup.seed if setup else None) or 0) if player_seed is None else player_seed
        common: dict[str, Any] = {
            "freeze_idle": freeze_idle,
            "rivals": [*players, *rivals],
            "bot_folders": bot_folders,
        }
        self.players = [make_player(game, spec, number, seed, sandbox, **common) for number, spec in enumerate(players)]
        self.referee = Referee(game, [player.identity for player in self.players], setup, clock, odds)
        self.game, self.setup, self.clock = game, self.referee.setup, self.referee.clock
        self.state, self.record = self.referee.state, self.referee.record
        self._started = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.referee.stop()
        with ExitStack() as closing:  # closes all players, even if closing one of them fails
            for player in self.players:
                closing.callback(player.close)
            for number, player in enumerate(self.players):
                self.referee.last_words(number, player.close())

    @property
    def turns_played(self) -> int:
        return self.referee.turns_played

    def turns(self) -> Iterator[TurnReport]:
        """Plays the match, and yields a report after each referee turn. A second call continues the match."""
        return self._play(self.referee.play)

    def steps(self) -> Iterator[Step]:
        """Plays the match like `turns`, but yields the position before the turn together with the report.

        Pictures need both.
        """
        return self._play(self.referee.play_step)

    def outcome(self) -> Outcome:
        """Returns the outcome by the rules. The match must have been played to its end."""
        return self.referee.outcome()

    def entries(self, turn: int) -> list[Entry]:
        """Returns the record's entries for the referee turn number `turn`, which must be the last turn played."""
        return [entry for entry in self.record.turns[-self.state.num_players :] if entry.turn == turn]

    def _play(self, play_turn: Callable[[Mapping[int, Answer]], T]) -> Iterator[T]:
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
                result = play_turn(answers)
                self._close_losers(len(questions))
                yield result
        except Exception as error:
            referee.abandon(in_one_line(error))
            if not is_exhaustion(error):
                raise

    def _close_losers(self, asked: int) -> None:
        """Ends the processes of players that have left the game, because these could use cores that other players need.

        Does nothing unless a player had a fault in the last turn. `asked`: number of players who were asked in it.
        """
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

    If the machine runs out of a resource, or is too busy for a bot to reply in time, the outcome is `abandoned`,
    without scores and ranks.

    Args:
        game: a Game or its name.
        players: one item for each player: name of a built-in opponent, command line of a bot, PlayerSpec, Python
            function `(state) -> action`, or Player.
        time_factor: number by which the time limits are multiplied.
        no_timeout: True for no time limits.
        clock: all time limits, instead of `time_factor` and `no_timeout`.
        sandbox: whether bots run in a sandbox: "auto" (if bubblewrap works), "require" or "off".
        freeze_idle: whether bots are frozen while they are not asked, so that they cannot compute in that time.
        bot_folders: folders that the sandbox shows to bots that were passed as command lines. Files and folders that a
            command names are shown anyway.
        setup: seed, league, variant, position, and the game's own keys.

    Raises:
        SetupError: the game cannot start like this, or not with this number of players.
        UnknownName: there is no such game, variant, league, setup key or built-in player.
    """
    loaded = load(game) if isinstance(game, str) else game
    if clock is not None and (time_factor != 1 or no_timeout):
        raise SetupError("clock contains all time limits: omit time_factor and no_timeout")
    limits = clock or Clock(time_factor, no_timeout)
    start = Setup.from_dict(setup)
    with Match(loaded, players, start, limits, sandbox, freeze_idle=freeze_idle, bot_folders=bot_folders) as match:
        for _ in match.turns():
            pass
    return match.record
