"""The turn loop: asks, hears, records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

from lapilli.games import load
from lapilli.games.api import Fault, Game, Outcome, Setup, State, Step, Termination, TurnReport
from lapilli.games.errors import SetupError
from lapilli.match.clock import Clock
from lapilli.match.record import FORMAT, Entry, FaultNote, Record, RecordedOutcome, RecordedPlayer
from lapilli.match.replay import final_outcome, over
from lapilli.players import Answer, BotProcess, InsidePlayer, PlayerSpec, Question, ask, make_player, name_of
from lapilli.players.pipes import shorten

_STOPPED = "the match was stopped"


class Match:
    """One game between players under a clock.

    Use it as a context manager, which ends all bots, and iterate over `turns` or `steps`; `record` grows as the match
    goes on, so that an interrupted match leaves what was played.

    Args:
        game: what to play.
        players: one PlayerSpec each: a built-in's name, a command line, or a Python function.
        setup: how it starts; a missing seed is 0.
        clock: the limits.

    Attributes:
        state: the position now. record: what was played. turns_played: referee turns, automatic ones included.

    Raises:
        SetupError: the game cannot start like this, or not with that many players.
    """

    def __init__(
        self, game: Game, players: Sequence[PlayerSpec], setup: Setup | None = None, clock: Clock | None = None
    ) -> None:
        given = setup or Setup()
        seed = 0 if given.seed is None else given.seed
        self.game = game
        self.setup = game.complete(replace(given, seed=seed, players=given.players or len(players)))
        if self.setup.players != len(players):
            raise SetupError(f"{self.setup.players} players expected, {len(players)} given")
        self.clock = clock or Clock()
        self.state: State = game.new_initial_state(self.setup)
        self.players = [make_player(game, spec, number, seed) for number, spec in enumerate(players)]
        self._started = False
        self._heard: set[int] = set()
        self._lame: dict[int, Fault] = {}
        self._pending: tuple[int, ...] = ()
        self._last: TurnReport | None = None
        self.turns_played = 0
        self._bots = ExitStack()
        names = [RecordedPlayer(name_of(spec)) for spec in players]
        self.record = Record(format=FORMAT, game=game.name, setup=self.setup.to_dict(), players=names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.record.outcome is None and not self._pending and over(self.state):
            self.record.outcome = RecordedOutcome.of(self.outcome())
        elif self.record.outcome is None:
            self.record.outcome = RecordedOutcome(termination=Termination.INTERRUPTED, reason=_STOPPED)
            unanswered = FaultNote(Termination.INTERRUPTED, _STOPPED)
            self.record.turns += [
                Entry(turn=self.state.turn, player=player, fault=unanswered) for player in self._pending
            ]
        with self._bots:  # whatever happens now, every bot is ended
            for number, player in enumerate(self.players):
                if isinstance(player, BotProcess):
                    self._keep_last_words(number, player.close())

    def _keep_last_words(self, player: int, words: str) -> None:
        """Adds what a bot wrote to stderr after its last answer to that answer's entry."""
        entry = next((entry for entry in reversed(self.record.turns) if entry.player == player), None)
        if entry is not None and words:
            entry.stderr = shorten(entry.stderr + words)

    def steps(self) -> Iterator[Step]:
        """Plays the match, a referee turn at a time, with the position before each turn: for those who draw."""
        turns = self.turns()
        before = self.state.clone()
        for report in turns:
            yield Step(before, report)
            before = self.state.clone()

    def turns(self) -> Iterator[TurnReport]:
        """Plays the match, a referee turn at a time; called again, it goes on where the match stands."""
        if not self._started:
            self._start()
        while (asked := self.state.asked()) or not self.state.is_terminal():
            self._pending = asked
            answers = self._ask(asked) if asked else {}
            replies = {player: answer.reply for player, answer in answers.items()}
            report = self.game.protocol.play_turn(self.state, replies)
            self.record.turns += [self._entry(player, answers[player], report) for player in asked]
            self._pending = ()
            self._last = report
            self.turns_played += 1
            self._heard.update(asked)
            yield report
        self.record.outcome = RecordedOutcome.of(self.outcome())

    def outcome(self) -> Outcome:
        """How the match, which must be over, ended."""
        return final_outcome(self.state, self._last)

    def entries(self, turn: int) -> list[Entry]:
        """The record's entries for the turn just played."""
        return [entry for entry in self.record.turns[-self.state.num_players :] if entry.turn == turn]

    def _start(self) -> None:
        self._started = True
        for number, player in enumerate(self.players):
            if isinstance(player, BotProcess):
                self._bots.callback(player.close)
                fault = player.start()
                if fault is not None:
                    self._lame[number] = fault

    def _ask(self, asked: Sequence[int]) -> dict[int, Answer]:
        """Every asked player's answer. Bots think at the same time; who lives in this process, after them."""
        answers: dict[int, Answer] = {}
        questions, here = [], []
        for number in asked:
            player = self.players[number]
            if isinstance(player, InsidePlayer):
                here.append((number, player))
            elif number in self._lame:
                answers[number] = Answer(self._lame[number], 0.0, "", 0)
            else:
                questions.append(self._question(number, player))
        if questions:
            for question, answer in zip(questions, ask(questions), strict=True):
                answers[question.bot.player] = answer
        for number, player in here:
            answers[number] = player.answer(self.state.clone())
        return answers

    def _question(self, player: int, bot: BotProcess) -> Question:
        protocol, first = self.game.protocol, player not in self._heard
        text = protocol.input_for(self.state, player, first)
        return Question(bot, text, protocol.reply_lines(self.state, player), self.clock.limit_ms(self.game, first))

    def _entry(self, player: int, answer: Answer, report: TurnReport) -> Entry:
        entry = Entry(
            turn=report.turn,
            player=player,
            action=Entry.action_of(report.actions.get(player)),
            milliseconds=int(answer.milliseconds * 1000) / 1000,
            message=report.messages.get(player, ""),
            stderr=answer.stderr,
        )
        if report.notes:
            entry.notes = [text for whose, text in report.notes if whose == player]
        if answer.surplus:
            entry.notes.append(f"{answer.surplus} more lines than the previous reply needs, thrown away")
        for fault in report.faults:
            if fault.player == player:
                entry.fault = FaultNote(fault.termination, fault.reason)
        return entry


def play_match(
    game: str | Game, players: Sequence[PlayerSpec], *, time_factor: float = 1.0, no_timeout: bool = False, **setup: Any
) -> Record:
    """Plays one match and returns its record.

    >>> record = play_match("volcanoes", ["random", "greedy"], seed=7)
    >>> record.outcome.ranks
    [2, 1]

    Args:
        game: a Game or its name.
        players: a built-in's name, a command line, or a Python function `(state) -> action` each.
        time_factor: scales the limits. no_timeout: lifts them.
        setup: seed, league, variant, position, and the game's own keys.

    Raises:
        SetupError: the game cannot start like this, or not with that many players. UnknownName: no such game, variant,
            league, setup key or built-in player. LapilliError: no process can be started at all.
    """
    found = load(game) if isinstance(game, str) else game
    with Match(found, players, Setup.from_dict(setup), Clock(time_factor, no_timeout)) as match:
        for _ in match.turns():
            pass
    return match.record
