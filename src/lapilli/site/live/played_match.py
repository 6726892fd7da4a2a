"""A match at a table: referee, drafts, pictures. It does not wait, store or send."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lapilli.core.api import Fault, Setup, Step, Termination
from lapilli.core.errors import IllegalAction
from lapilli.core.picture.scene import Moment, Scene
from lapilli.match import Referee
from lapilli.match.record import RecordedOutcome
from lapilli.players import Answer
from lapilli.site.live.draft import Draft
from lapilli.site.live.plan import Plan
from lapilli.store import SiteAnswer
from lapilli.viewer.frames import Frames, drawn_parts

Data = dict[str, Any]
"""A message to a page, as JSON."""
RESIGNED = "resigned"


class PlayedMatch:
    """A match, its drafts, and the pictures of it.

    Args:
        plan: how it begins; who sits where may change later.

    Attributes:
        referee: who knows the rules. drafts: by player, of the turn that is asked for.
        given: answers to that turn, by player, until all have answered.
        log: what everybody did, in words: [turn, player or -1 for nobody, text].

    Raises:
        LapilliError: the game cannot be played so.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.game = plan.load_game()
        names = [seat.identity for seat in plan.seats]
        self.referee = Referee(self.game, names, Setup.from_dict(plan.setup))
        self.drafts: dict[int, Draft] = {}
        self.given: dict[int, SiteAnswer] = {}
        self.log: list[tuple[int, int, str]] = []
        self._frames = Frames()
        for moment in self.game.pictures(self.referee.state, None):
            self._frames.add(0, moment)
        self._frames.drawn.clear()

    @property
    def over(self) -> bool:
        return self.referee.over

    @property
    def outcome(self) -> RecordedOutcome | None:
        """How it ended, once it has."""
        return self.referee.record.outcome

    @property
    def asked(self) -> tuple[int, ...]:
        """Who has not answered yet."""
        return tuple(one.player for one in self.referee.pending() if one.player not in self.given)

    @property
    def turn(self) -> int:
        """The referee turn that is asked for; 0 when the match is over."""
        return next((question.turn for question in self.referee.pending()), 0)

    def draft(self, player: int) -> Draft:
        """What that player has chosen so far. Raises IllegalAction where it is not its turn."""
        if player not in self.asked:
            raise IllegalAction("it is not your turn")
        if player not in self.drafts:
            self.drafts[player] = Draft(self.referee.state, player)
        return self.drafts[player]

    def give(self, answer: SiteAnswer) -> list[Data]:
        """Hears an answer; the pictures that follow, if it was the last one that was missing.

        Raises:
            IllegalAction: nobody has asked for it.
        """
        if answer.player not in self.asked or answer.turn != self.turn:
            raise IllegalAction("that turn is over")
        self.given[answer.player] = answer
        self.drafts.pop(answer.player, None)
        return [] if self.asked else self._play()

    def agree(self) -> None:
        """Ends the match as a draw where all have agreed to one by now."""
        if 0 < self.plan.agreed <= self.turn:
            self.referee.agree()
            self.given, self.drafts = {}, {}

    def begin(self) -> list[Data]:
        """Plays the automatic turns that come before anybody is asked."""
        return [] if self.over or self.referee.pending() else self._go_on()

    def replay(self, answers: Iterable[SiteAnswer]) -> None:
        """Hears what was stored, turn by turn."""
        self.begin()
        for answer in answers:
            if self.plan.agreed and answer.turn >= self.plan.agreed:
                break
            self.give(answer)
        self.agree()

    def _play(self) -> list[Data]:
        heard = {player: _answer(given) for player, given in self.given.items()}
        self.given, self.drafts = {}, {}
        return self._hear(heard) + self._go_on()

    def _go_on(self) -> list[Data]:
        frames: list[Data] = []
        while not self.over and not self.referee.pending():
            frames += self._hear({})
        return frames

    def _hear(self, answers: dict[int, Answer]) -> list[Data]:
        step = self.referee.hear(answers)
        for moment in self.game.pictures(self.referee.state, step):
            self._frames.add(self.referee.turns_played, moment)
        self.log += self._told(step)
        frames = self._frames.drawn[:]
        self._frames.drawn.clear()
        return frames

    def _told(self, step: Step) -> Iterable[tuple[int, int, str]]:
        report = step.report
        faults = {fault.player: fault.reason for fault in report.faults}
        for player in step.before.asked():
            text = faults.get(player) or self.game.tell(step, player)
            yield report.turn, player, text
        if report.event:
            yield report.turn, -1, report.event

    # -- as data

    def look(self) -> Data:
        """What does not change from one picture to the next, as a film has it."""
        scene = self._scene()
        panels = scene.panels
        return {
            "title": self.game.title,
            "players": [
                {"name": seat.name or "Open seat", "side": side}
                for seat, side in zip(self.plan.seats, self.game.sides, strict=False)
            ],
            "legend": [[sample.text, drawn_parts(sample.shapes)] for sample in panels.legend] if panels else [],
            "style": scene.style,
            "defs": scene.defs,
            "links": {key: list(keys) for key, keys in scene.links.items()},
            "globe": {key: [[round(x, 4) for x in point] for point in points] for key, points in scene.globe.items()},
        }

    def picture(self) -> Data:
        """The picture of the position, whole."""
        return _whole(self._scene())

    def drafted(self, player: int) -> Data:
        """A player's draft, for its eyes only: the picture, whole (none while nothing is chosen), what can be chosen,
        and how far it has come."""
        draft = self.draft(player)
        shown = draft.shown() if draft.actions else None
        return {
            "frame": None if shown is None else _whole(self.game.picture(shown, None)),
            "choices": [choice.told() for choice in draft.choices()],
            "undoable": bool(draft.actions),
            "complete": draft.complete,
            "labels": draft.labels,
            "way": [step for step in draft.way if not step.startswith("=")] if draft.complete else [],
        }

    def _scene(self) -> Scene:
        scene = self._frames.scene
        assert scene is not None
        return scene


def _whole(scene: Scene) -> Data:
    frames = Frames()
    frames.add(0, Moment(scene))
    return frames.drawn[0]


def _answer(given: SiteAnswer) -> Answer:
    if given.reply is not None:
        return Answer(given.reply, given.milliseconds)
    fault = Fault(given.player, Termination(given.fault), given.reason)
    return Answer(fault, given.milliseconds)
