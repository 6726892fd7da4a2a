"""The referee: returns the pending questions, receives the answers and writes the record.

The referee starts no player, waits for nothing, reads no clock and opens no file. So any program can use it: a loop
over bots and functions (`lapilli.match.Match`), a server to which people are connected, a worker process on another
machine.

    referee = Referee(game, [Identity("Ada"), Identity("Grace")], Setup(seed=7))
    while not referee.over:
        answers = {question.player: await reply_to(question) for question in referee.pending()}
        referee.play_step(answers)
    referee.record.save("match.json")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lapilli.core.api import Fault, Game, Outcome, Setup, State, Step, Termination, TurnReport
from lapilli.core.errors import SetupError
from lapilli.core.reading.text import sound
from lapilli.match.clock import Clock
from lapilli.match.record import FORMAT, Entry, FaultNote, Record, RecordedOutcome
from lapilli.match.results.endings import agreed_outcome, final_outcome, over, walkover
from lapilli.players import Answer, Identity, Question
from lapilli.players.bots.pipes import shorten


class Referee:
    """The referee of one match: returns the questions to the players, applies their answers, and writes the record.

    Args:
        game: the game to play.
        players: the players' identities, by player number.
        setup: how the game starts; a missing seed is 0.
        clock: the time limits, by default the game's own. Each question contains its limits, but the caller has to
            measure the time.
        odds: by player number, a factor for the player's time limits, for example below 1 for a stronger player; empty
            for no factors.

    Attributes:
        setup: the setup, with all defaults filled in.
        state: the current position.
        record: the record of the turns played.
        turns_played: number of referee turns played, automatic ones included.

    Raises:
        SetupError: the game cannot start like this, or not with this number of players.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Identity],
        setup: Setup | None = None,
        clock: Clock | None = None,
        odds: Sequence[float] = (),
    ) -> None:
        start = setup or Setup()
        seed = 0 if start.seed is None else start.seed
        self.game = game
        self.setup = game.complete(replace(start, seed=seed, players=start.players or len(players)))
        if self.setup.players != len(players):
            raise SetupError(f"{self.setup.players} players expected, {len(players)} given")
        if odds and len(odds) != len(players):
            raise SetupError(f"odds: {len(players)} numbers expected, one for each player, not {len(odds)}")
        self.clock = clock or Clock()
        clocks = [replace(self.clock, factor=self.clock.factor * factor) for factor in odds or [1.0] * len(players)]
        self._limits = [[clock.limits(game, first) for first in (False, True)] for clock in clocks]
        self.state: State = game.new_initial_state(self.setup)
        self.record = Record(format=FORMAT, game=game.name, setup=self.setup.to_dict(), players=list(players))
        self.turns_played = 0
        self._turn = self.state.turn
        self._asked_before: set[int] = set()
        self._last: TurnReport | None = None
        self._asked: tuple[int, ...] = ()
        self._questions: tuple[Question, ...] | None = None
        self._find_asked()

    @property
    def over(self) -> bool:
        """Whether the match has ended, by the rules or early. Then `record.outcome` contains the reason."""
        return self.record.outcome is not None

    def pending(self) -> tuple[Question, ...]:
        """Returns the questions of the current turn. Their answers are the argument of `play_step`.

        In an automatic turn there are no questions; `play_step({})` plays it. After the end there are no questions,
        either.
        """
        if self._questions is None:
            self._questions = tuple(map(self._question, self._asked))
        return self._questions

    def _question(self, player: int) -> Question:
        first = player not in self._asked_before
        turn = self._turn + self.turns_played
        return Question(self.game.protocol, self.state, player, turn, first, self._limits[player][first])

    def play_step(self, answers: Mapping[int, Answer]) -> Step:
        """Plays the current turn with the players' answers.

        Args:
            answers: by player, the answers to the questions of `pending`. A player without an item has timed out.

        Returns:
            The position before the turn, and the report of the turn. The position after the turn is `state`.

        Raises:
            RuntimeError: the match is over.
            ValueError: there is an answer of a player who was not asked, or an answer that contains another player's
                fault or a Termination that is no fault.
        """
        before = self.state.clone()
        return Step(before, self.play(answers))

    def play(self, answers: Mapping[int, Answer]) -> TurnReport:
        """Plays the current turn like `play_step`, but returns only the report, without the position before the turn.

        `answers` are the same as for `play_step`. The position is not copied, so the call is about one microsecond
        faster than `play_step`, which takes about eleven microseconds.
        """
        if self.record.outcome is not None:
            raise RuntimeError("the match is over: nobody is asked any more")
        questions = self.pending()
        replies = {}
        for player, answer in answers.items():
            replies[player] = reply = answer.reply
            if player not in self._asked or not isinstance(reply, str):
                self._check_answer(player, reply)
        report = self.game.protocol.play_turn(self.state, replies)
        entries = []
        for question in questions:
            question.close()
            entries.append(_entry(question.player, answers.get(question.player), report))
        self._last = report
        self.record.turns += entries  # from here on the turn counts as played, even if an interrupt follows
        self.turns_played += 1
        self._asked_before.update(self._asked)
        self._find_asked()
        return report

    def stop(self) -> None:
        """Ends the match as interrupted. Does nothing if the match is over.

        For each player who was asked and has not answered, the record gets an entry with the fault "interrupted".
        """
        self._cut_short(Termination.INTERRUPTED, "the match was stopped")

    def abandon(self, reason: str, answers: Mapping[int, Answer] | None = None) -> None:
        """Ends the match as abandoned: because of an error of Lapilli or of the machine, nobody wins or loses.

        Does nothing if the match is over.

        Args:
            reason: what happened, for people; the record stores it as one line.
            answers: by player, the answers received in this turn. Their times and stderr are recorded, but not their
                replies.
        """
        self._cut_short(Termination.ABANDONED, " ".join(sound(reason).split()), answers or {})

    def agree(self) -> None:
        """Ends the match as a draw, because all players have agreed to one. Does nothing if the match is over."""
        if not self.over:
            agreed = agreed_outcome(self.state.num_players)
            self._end(RecordedOutcome(None, list(agreed.ranks), agreed.termination, agreed.reason))

    def concede(self, winner: int, last: Fault) -> None:
        """Ends the match because all players but `winner` have left it. Does nothing if the match is over.

        `last`: the fault of the player who left last, such as a resignation.
        """
        if not self.over:
            won = walkover(self.state.num_players, winner, last)
            self._end(RecordedOutcome(None, list(won.ranks), won.termination, won.reason, won.culprit, early=True))

    def last_words(self, player: int, text: str) -> None:
        """Adds the text that a player wrote to stderr after its last answer to the record's entry of that answer."""
        entry = next((entry for entry in reversed(self.record.turns) if entry.player == player), None)
        if entry is not None and text:
            entry.stderr = shorten(entry.stderr + sound(text))

    def outcome(self) -> Outcome:
        """Returns the outcome by the rules. The match must have been played to its end."""
        return final_outcome(self.state, self._last)

    def _find_asked(self) -> None:
        """Finds out and stores which players are asked next. If the game is over, ends the match with its outcome."""
        self._questions = None
        self._asked = self.state.asked()
        if not self._asked and self.state.is_terminal():
            self._end(RecordedOutcome.of(self.outcome()))

    def _check_answer(self, player: int, reply: str | Fault) -> None:
        """Raises ValueError if the player was not asked, or if `reply` is not a reply or fault of this player."""
        if player not in self._asked:
            names = " and ".join(map(str, self._asked)) or "nobody"
            raise ValueError(f"turn {self.state.turn}: an answer of player {player}, but the turn asks {names}")
        if isinstance(reply, Fault) and (reply.player != player or not reply.termination.is_fault):
            raise ValueError(f"turn {self.state.turn}: an answer of player {player} is no fault of its own: {reply}")

    def _cut_short(self, termination: Termination, reason: str, answers: Mapping[int, Answer] | None = None) -> None:
        if self.over:
            return
        last = self.record.turns[-1].turn if self.record.turns else 0
        unanswered = [question for question in self._questions or () if question.turn > last]
        if not unanswered and over(self.state):  # the last turn was played before the match was cut short
            self._end(RecordedOutcome.of(self.outcome()))
            return
        self.record.turns += [
            _timed(
                Entry(turn=question.turn, player=question.player, fault=FaultNote(termination, reason)),
                (answers or {}).get(question.player),
            )
            for question in unanswered
        ]
        self._end(RecordedOutcome(termination=termination, reason=reason))

    def _end(self, outcome: RecordedOutcome) -> None:
        for question in self._questions or ():
            question.close()
        self._questions = self._asked = ()
        self.record.outcome = outcome


def _entry(player: int, answer: Answer | None, report: TurnReport) -> Entry:
    """Returns the record's entry for a player's part in a turn.

    Args:
        player: the player.
        answer: the player's answer; None if there was none. Then the entry contains no times.
        report: the report of the turn.
    """
    entry = Entry(
        turn=report.turn,
        player=player,
        action=Entry.action_of(report.actions.get(player)),
        message=report.messages.get(player, ""),
    )
    _timed(entry, answer)
    if report.notes:
        entry.notes = [text for author, text in report.notes if author == player]
    if answer is not None and answer.surplus:
        entry.notes.append(f"{answer.surplus} more lines than the previous reply needs, thrown away")
    for fault in report.faults:
        if fault.player == player:
            entry.fault = FaultNote(fault.termination, fault.reason)
    return entry


def _timed(entry: Entry, answer: Answer | None) -> Entry:
    """Writes an answer's times and stderr into a record's entry. Returns the same entry.

    If `answer` is None, the entry is not changed.
    """
    if answer is None:
        return entry
    entry.milliseconds = int(answer.milliseconds * 1000) / 1000
    cpu_ms, waited_ms, _ = answer.usage
    if cpu_ms is not None:
        entry.cpu_ms = int(cpu_ms * 1000) / 1000
    if waited_ms is not None:
        entry.waited_ms = int(waited_ms * 1000) / 1000
    if answer.stderr:
        entry.stderr = shorten(sound(answer.stderr))
    return entry
