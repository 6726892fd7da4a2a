"""The referee: says which questions are pending, hears answers, writes the record.

It does nothing else: it starts nobody, waits for nobody, reads no clock and opens no file. So anybody can drive it: a
loop over bots and functions (`lapilli.match.Match`), a server with a person behind a socket, a worker elsewhere.

    referee = Referee(game, [Identity("Ada"), Identity("Grace")], Setup(seed=7))
    while not referee.over:
        answers = {question.player: await reply_to(question) for question in referee.pending()}
        referee.hear(answers)
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
from lapilli.match.replay import agreed_outcome, final_outcome, over
from lapilli.players import Answer, Identity, Question
from lapilli.players.bots.pipes import shorten


class Referee:
    """One match, without whoever plays it.

    Args:
        game: what to play.
        players: who plays, by player number.
        setup: how it starts; a missing seed is 0.
        clock: the limits that questions name. Whoever puts them keeps the time.

    Attributes:
        setup: with all defaults filled in.
        state: the position now. record: what was played; it grows turn by turn.
        turns_played: referee turns, automatic ones included.

    Raises:
        SetupError: the game cannot start like this, or not with that many players.
    """

    def __init__(
        self, game: Game, players: Sequence[Identity], setup: Setup | None = None, clock: Clock | None = None
    ) -> None:
        given = setup or Setup()
        seed = 0 if given.seed is None else given.seed
        self.game = game
        self.setup = game.complete(replace(given, seed=seed, players=given.players or len(players)))
        if self.setup.players != len(players):
            raise SetupError(f"{self.setup.players} players expected, {len(players)} given")
        self.clock = clock or Clock()
        self._limits = [self.clock.limits(game, first) for first in (False, True)]
        self.state: State = game.new_initial_state(self.setup)
        self.record = Record(format=FORMAT, game=game.name, setup=self.setup.to_dict(), players=list(players))
        self.turns_played = 0
        self._turn = self.state.turn
        self._asked_before: set[int] = set()
        self._last: TurnReport | None = None
        self._asked: tuple[int, ...] = ()
        self._questions: tuple[Question, ...] | None = None
        self._look()

    @property
    def over(self) -> bool:
        """Whether the match has ended, by the rules or cut short: `record.outcome` says how."""
        return self.record.outcome is not None

    def pending(self) -> tuple[Question, ...]:
        """The questions that are open now; none on an automatic turn, which `hear({})` plays, or at the end."""
        if self._questions is None:
            self._questions = tuple(map(self._question, self._asked))
        return self._questions

    def _question(self, player: int) -> Question:
        first = player not in self._asked_before
        turn = self._turn + self.turns_played
        return Question(self.game.protocol, self.state, player, turn, first, self._limits[first])

    def hear(self, answers: Mapping[int, Answer]) -> Step:
        """Plays the pending turn.

        Args:
            answers: by player. Whose answer is missing has run out of time.

        Returns:
            The position before and what came of the turn. The position after is `state`.

        Raises:
            RuntimeError: the match is over.
            ValueError: somebody answers who was not asked, or with a fault that is not its own.
        """
        before = self.state.clone()
        return Step(before, self.play(answers))

    def play(self, answers: Mapping[int, Answer]) -> TurnReport:
        """The same as `hear`, without the position before, for those who draw nothing: to copy it costs a microsecond,
        and all else that a referee adds to a bot's reply about ten."""
        if self.record.outcome is not None:
            raise RuntimeError("the match is over: nobody is asked any more")
        questions = self.pending()
        replies = {}
        for player, answer in answers.items():
            replies[player] = reply = answer.reply
            if player not in self._asked or not isinstance(reply, str):
                self._check(player, reply)
        report = self.game.protocol.play_turn(self.state, replies)
        entries = []
        for question in questions:
            question.close()
            entries.append(_entry(question.player, answers.get(question.player), report))
        self._last = report
        self.record.turns += entries  # from here on the turn is played, whatever interrupts us
        self.turns_played += 1
        self._asked_before.update(self._asked)
        self._look()
        return report

    def stop(self) -> None:
        """Ends the match because somebody wants that; nothing happens where it is over. Who was asked keeps an entry
        that says so."""
        self._cut_short(Termination.INTERRUPTED, "the match was stopped")

    def abandon(self, reason: str, answers: Mapping[int, Answer] | None = None) -> None:
        """Ends the match because of our own or the machine's trouble, nobody's loss; nothing happens where it is over.

        Args:
            reason: one line for people.
            answers: what came of the pending questions; the record keeps how long that took, not the replies.
        """
        self._cut_short(Termination.ABANDONED, " ".join(sound(reason).split()), answers or {})

    def agree(self) -> None:
        """Ends the match as a draw, because all players want that; nothing happens where it is over."""
        if not self.over:
            agreed = agreed_outcome(self.state.num_players)
            self._end(RecordedOutcome(None, list(agreed.ranks), agreed.termination, agreed.reason))

    def last_words(self, player: int, text: str) -> None:
        """Adds what a player wrote to stderr after its last answer to that answer's entry."""
        entry = next((entry for entry in reversed(self.record.turns) if entry.player == player), None)
        if entry is not None and text:
            entry.stderr = shorten(entry.stderr + sound(text))

    def outcome(self) -> Outcome:
        """How the rules say that the match, which must have been played to its end, ended."""
        return final_outcome(self.state, self._last)

    def _look(self) -> None:
        """Sees who is asked next, or that the game is over."""
        self._questions = None
        self._asked = self.state.asked()
        if not self._asked and self.state.is_terminal():
            self._end(RecordedOutcome.of(self.outcome()))

    def _check(self, player: int, reply: str | Fault) -> None:
        """Raises ValueError for what is no answer to a pending question."""
        if player not in self._asked:
            whom = " and ".join(map(str, self._asked)) or "nobody"
            raise ValueError(f"turn {self.state.turn}: an answer of player {player}, but asked was {whom}")
        if isinstance(reply, Fault) and (reply.player != player or not reply.termination.is_fault):
            raise ValueError(f"turn {self.state.turn}: an answer of player {player} is no fault of its own: {reply}")

    def _cut_short(self, termination: Termination, reason: str, answers: Mapping[int, Answer] | None = None) -> None:
        if self.over:
            return
        last = self.record.turns[-1].turn if self.record.turns else 0
        unanswered = [question for question in self._questions or () if question.turn > last]
        if not unanswered and over(self.state):  # the last turn was played before this came
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
    """What the record keeps of a player's part in a turn. It has no time where no answer told one."""
    entry = Entry(
        turn=report.turn,
        player=player,
        action=Entry.action_of(report.actions.get(player)),
        message=report.messages.get(player, ""),
    )
    _timed(entry, answer)
    if report.notes:
        entry.notes = [text for whose, text in report.notes if whose == player]
    if answer is not None and answer.surplus:
        entry.notes.append(f"{answer.surplus} more lines than the previous reply needs, thrown away")
    for fault in report.faults:
        if fault.player == player:
            entry.fault = FaultNote(fault.termination, fault.reason)
    return entry


def _timed(entry: Entry, answer: Answer | None) -> Entry:
    """An entry, with what there is to say of an answer beside the reply: how long it took, and what came on stderr."""
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
