"""The match of a table: its referee, drafts and pictures. Nothing in this module waits, stores or sends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lapilli.core.api import Fault, Setup, Step, Termination
from lapilli.core.errors import IllegalAction
from lapilli.core.picture.scene import Moment, Scene
from lapilli.core.reading.text import shortened
from lapilli.match import Referee
from lapilli.match.record import RecordedOutcome
from lapilli.match.results.endings import early_outcome
from lapilli.match.results.result_words import fault_in_words, result_in_words, told_apart, with_names
from lapilli.players import Answer
from lapilli.site.live.messages.to_page import LogLine, NewFrames, PictureData, ShownDraft, ShownNote
from lapilli.site.live.table.draft import Draft
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.people.identity.people import shown_name
from lapilli.store import SiteAnswer
from lapilli.viewer.films.early_end import pictures, with_result
from lapilli.viewer.films.frames import Frames, common_parts

RESIGNED, ABSENT = "resigned", "did not come"
_PROBLEM = 160
"""Length limit of a bot's fault in words, in characters."""


class PlayedMatch:
    """The match of a table, with its drafts and pictures.

    Args:
        plan: the table's plan.
        answers: stored answers, which are replayed. Of the match so far, only the last position is drawn.

    Attributes:
        plan: the table's plan. The `LiveTable` replaces this attribute when the plan changes.
        game: the game.
        referee: referee of the match.
        drafts: drafts for the current turn, by player.
        given: answers to the current turn that have been received so far, by player.
        log: all turns in words.

    Raises:
        LapilliError: the game cannot be played with the plan's setup.
    """

    def __init__(self, plan: TablePlan, answers: Iterable[SiteAnswer] = ()) -> None:
        self.plan = plan
        self.game = plan.load_game()
        names = [seat.identity for seat in plan.seats]
        self.referee = Referee(self.game, names, Setup.from_dict(plan.setup))
        self.drafts: dict[int, Draft] = {}
        self.given: dict[int, SiteAnswer] = {}
        self.log: list[LogLine] = []
        self._frames = Frames()
        self._is_drawn = False
        self._last_step: Step | None = None
        self._replay(answers)

    @property
    def over(self) -> bool:
        return self.referee.over

    @property
    def outcome(self) -> RecordedOutcome | None:
        """Outcome of the match; None until it is over."""
        return self.referee.record.outcome

    @property
    def names(self) -> list[str]:
        """Display names of the players, with their sides if several have the same name."""
        return told_apart([seat.identity.name for seat in self.plan.seats], self.game.sides)

    def result(self, reader: int | None = None) -> str:
        """Returns the result of the match in one sentence; "" until the match is over.

        Args:
            reader: the player who reads the sentence, and is called "you"; None for anybody else.
        """
        return self._in_words(self.names, reader)

    @property
    def verdict(self) -> str:
        """The result in one sentence with the names of sides, for the store; "" until the match is over.

        The sentence contains no names of people, because the names may change or be deleted.
        """
        return self._in_words(self.game.sides)

    @property
    def problem_of_bot(self) -> str:
        """Fault of a bot that was written on this site, in words, if the fault has ended the match; otherwise ""."""
        culprit = self.outcome.culprit if self.outcome else None
        if culprit is None or not self.plan.seats[culprit].bot:
            return ""
        faults = [entry.fault for entry in self.referee.record.turns if entry.fault and entry.player == culprit]
        return shortened(faults[-1].reason or faults[-1].termination.value, _PROBLEM) if faults else ""

    def _in_words(self, names: Sequence[str], reader: int | None = None) -> str:
        recorded = self.outcome
        if recorded is None:
            return ""
        outcome = early_outcome(recorded, len(self.plan.seats)) if recorded.is_early else self.referee.outcome()
        return result_in_words(self.game, outcome, names, reader)

    @property
    def asked(self) -> tuple[int, ...]:
        """Players who must answer in the current turn, and have not answered yet."""
        return tuple(question.player for question in self.referee.pending() if question.player not in self.given)

    @property
    def people_asked(self) -> list[int]:
        """Those players of `asked` who are people or programs with a seat."""
        return [player for player in self.asked if not self.plan.seats[player].is_machine]

    @property
    def machines_asked(self) -> list[int]:
        """Those players of `asked` that are engines, or bots that were written on this site."""
        return [player for player in self.asked if self.plan.seats[player].is_machine]

    @property
    def turn(self) -> int:
        """Number of the current turn; 0 when the match is over."""
        return next((question.turn for question in self.referee.pending()), 0)

    def draft(self, player: int) -> Draft:
        """Returns a player's draft for the current turn. Raises IllegalAction if the player need not answer now."""
        if player not in self.asked:
            raise IllegalAction("it is not your turn")
        if player not in self.drafts:
            self.drafts[player] = Draft(self.referee.state, player)
        return self.drafts[player]

    def give(self, answer: SiteAnswer) -> list[NewFrames]:
        """Adds a player's answer to the current turn. If all players have now answered, plays the turn.

        Returns:
            The turns that were played, with their pictures; an empty list if other players must still answer.

        Raises:
            IllegalAction: the answer is for another turn, or the player need not answer now.
        """
        if answer.player not in self.asked or answer.turn != self.turn:
            raise IllegalAction("that turn is over")
        self.given[answer.player] = answer
        self.drafts.pop(answer.player, None)
        return [] if self.asked else self._play()

    @property
    def out(self) -> set[int]:
        """Players who have left the match by a fault, for example because they ran out of time."""
        return {player for player in range(len(self.plan.seats)) if self.referee.state.is_out(player)}

    def end_early(self) -> list[NewFrames]:
        """Ends the match if its players have ended it: all have agreed to a draw, or all but one have left.

        While stored answers are replayed, the match does not end before the turn in which the players ended it.

        Returns:
            A list with the picture of the end; an empty list if the match does not end now.
        """
        plan, was_over = self.plan, self.over
        if 0 < plan.agreed <= self.turn:
            self.referee.agree()
        elif 0 < plan.conceded <= self.turn:
            last = plan.resigned[-1]
            fault = Fault(last, Termination.RESIGNED, ABSENT if last in plan.absent else RESIGNED)
            self._concede({*plan.resigned, *self.out}, fault)
        if was_over or not self.over:
            return []
        self.given, self.drafts = {}, {}
        self._frames.add(self.referee.turns_played, Moment(with_result(self.game, self._scene(), self.outcome)))
        return [NewFrames(turn=self._last_step.report.turn if self._last_step else 0, frames=self._drawn(), log=[])]

    def _concede(self, gone: set[int], last: Fault) -> None:
        """Ends the match if all players but one are gone; `last` is the fault of the player who left last."""
        left = set(range(len(self.plan.seats))) - gone
        if len(left) == 1 and not self.over:
            self.referee.concede(left.pop(), last)

    def _replay(self, answers: Iterable[SiteAnswer]) -> None:
        self._play_automatic_turns()
        for answer in answers:
            if any(0 < turn <= answer.turn for turn in (self.plan.agreed, self.plan.conceded)):
                break
            self.give(answer)
        scene = self.game.picture(self.referee.state, self._last_step)
        self._frames.add(self.referee.turns_played, Moment(with_result(self.game, scene, self.outcome)))
        self._frames.drawn.clear()
        self._is_drawn = True
        self.end_early()

    def _play(self) -> list[NewFrames]:
        answers = {player: _answer(given) for player, given in self.given.items()}
        self.given, self.drafts = {}, {}
        return [self._play_turn(answers), *self._play_automatic_turns()]

    def _play_automatic_turns(self) -> list[NewFrames]:
        turns: list[NewFrames] = []
        while not self.over and not self.referee.pending():
            turns.append(self._play_turn({}))
        return turns

    def _play_turn(self, answers: dict[int, Answer]) -> NewFrames:
        step = self.referee.play_step(answers)
        if step.report.faults:
            self._concede(self.out, step.report.faults[-1])
        self._last_step = step
        if self._is_drawn:
            self._draw(step)
        log = [*self._log_lines(step)]
        self.log += log
        frames = self._drawn()
        for frame in frames:
            frame["caption"] = with_names(frame["caption"], self.game.sides, self.names)
        return NewFrames(turn=step.report.turn, frames=frames, log=log)

    def _draw(self, step: Step) -> None:
        """Draws the pictures of a turn that was played (a step), for the next call of `_drawn`."""
        for moment in pictures(self.game, self.referee.state, step, self.outcome):
            self._frames.add(self.referee.turns_played, moment)

    def _drawn(self) -> list[PictureData]:
        """Returns the pictures that were drawn since the last call."""
        frames = self._frames.drawn[:]
        self._frames.drawn.clear()
        return frames

    def _log_lines(self, step: Step) -> Iterable[LogLine]:
        report = step.report
        faults = {fault.player: fault for fault in report.faults}
        for player in step.before.asked():
            yield (
                report.turn,
                player,
                fault_in_words(faults[player]) if player in faults else self.game.tell(step, player),
            )
        if report.event:
            yield report.turn, -1, report.event

    # -- as data

    def fixed_parts(self) -> dict[str, Any]:
        """Returns the data that all pictures of the match have in common, in the format of a film."""
        scene = self._scene()
        return {
            "title": self.game.title,
            "players": [
                {"name": shown_name(seat.name, seat.holder) or "Open seat", "side": side}
                for seat, side in zip(self.plan.seats, self.game.sides, strict=False)
            ],
            **common_parts(scene),
        }

    def picture(self) -> PictureData:
        """Returns the complete picture of the current position."""
        return _whole(self._scene())

    def shown_draft(self, player: int) -> ShownDraft:
        """Returns a player's draft as data. Only that player may see it."""
        return self.shown(self.draft(player))

    def shown(self, draft: Draft, is_elsewhere: bool = False) -> ShownDraft:
        """Returns a draft as data.

        Args:
            draft: the draft.
            is_elsewhere: whether the draft begins at a position other than the match's current one, as the second part
                of a planned turn does.
        """
        shown = draft.shown() if draft.actions or is_elsewhere else None
        return ShownDraft(
            frame=None if shown is None else self._frames.following(self.game.picture(shown, None)),
            choices=[choice.to_json() for choice in draft.choices()],
            undoable=bool(draft.actions),
            complete=draft.complete,
            labels=draft.labels,
            prompt="" if draft.complete else self.game.prompt(draft.state, draft.player),
            way=[step for step in draft.way if not step.startswith("=")] if draft.complete else [],
            notes=[] if draft.actions or self.plan.is_serious else self._notes(draft),
        )

    def _notes(self, draft: Draft) -> list[ShownNote]:
        """Returns the game's remarks for a beginner, in which the players' names replace the names of their sides."""
        return [
            ShownNote(note.name, with_names(note.text, self.game.sides, self.names), note.places)
            for note in self.game.notes(draft.state, draft.player)
        ]

    def _scene(self) -> Scene:
        scene = self._frames.scene
        assert scene is not None
        return scene


def _whole(scene: Scene) -> PictureData:
    frames = Frames()
    frames.add(0, Moment(scene))
    return frames.drawn[0]


def _answer(stored: SiteAnswer) -> Answer:
    """Converts a stored answer to the referee's format."""
    if stored.reply is not None:
        return Answer(stored.reply, stored.milliseconds)
    fault = Fault(stored.player, Termination(stored.fault), stored.reason)
    return Answer(fault, stored.milliseconds)
