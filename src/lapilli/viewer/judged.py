"""Analysis -> its data in a film: values over time and, for each turn, the loss and the better turns."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction, RecordError
from lapilli.core.picture.choices import WORD
from lapilli.core.picture.scene import Scene
from lapilli.core.protocol import MAX_REPLY
from lapilli.core.reading.text import quoted, shortened
from lapilli.match.analysis import Analysis, TurnAnalysis
from lapilli.match.record import Entry, Record
from lapilli.players.engines.builtin import whole_turn
from lapilli.viewer.frames import beside_of, difference, shapes_of


class Judge:
    """The results of an analysis, turn by turn, as a film contains them.

    Args:
        analysis: an analysis of this record.

    Raises:
        RecordError: the analysis belongs to another match.
    """

    def __init__(self, record: Record, analysis: Analysis) -> None:
        analysis.check_is_of(record)
        self._game, self._analysis = record.load_game(), analysis
        self._turns = {(one.turn, one.player): one for one in analysis.turns}
        self._values = dict(analysis.values)
        self._players = record.load_setup().players or 0

    def turn(self, state: State, step: Step, recorded: Sequence[Entry], shown: Scene) -> list[dict[str, Any]]:
        """Returns the results for each player's part in a referee turn.

        Args:
            recorded: the record's entries for this turn.
            shown: picture of the position after the turn.

        Raises:
            RecordError: a turn that the analysis suggests is illegal.
        """
        known = [self._turns.pop((step.report.turn, player), None) for player in step.before.asked()]
        return [self._part(state, step, recorded, shown, one) for one in known if one is not None]

    def _part(
        self, state: State, step: Step, recorded: Sequence[Entry], shown: Scene, one: TurnAnalysis
    ) -> dict[str, Any]:
        told: dict[str, Any] = {"player": one.player, "before": one.before, "after": one.after, "loss": one.loss}
        told["best"] = [
            [
                _text(line.reply),
                line.value,
                [[player, _text(reply)] for player, reply in line.follow],
                _ways(step.before, one.player, line.actions),
            ]
            for line in one.best
        ]
        told |= {"mark": one.mark} if one.mark else {}
        told |= {"proven": True} if one.proven else {}
        instead = self._instead(state, step, recorded, shown, one)
        return told | ({"instead": instead} if instead else {})

    def _instead(
        self, state: State, step: Step, recorded: Sequence[Entry], shown: Scene, one: TurnAnalysis
    ) -> dict[str, Any] | None:
        """Returns the picture after the best turn, with the other players' replies unchanged, as its difference from
        the picture after the turn that was played. None if both lead to the same position."""
        if not one.best:
            return None
        reply = one.best[0].reply
        other = step.before.clone()
        replies = {entry.player: entry.reply() for entry in recorded if not entry.pending} | {one.player: reply}
        report = self._game.protocol.play_turn(other, replies)
        if any(fault.player == one.player for fault in report.faults):
            raise RecordError(f"turn {one.turn}: the rules refuse what the analysis suggests, {quoted(reply, 60)}")
        if other == state:
            return None
        moment = self._game.pictures(other, Step(step.before, report))[-1]
        before = beside_of(shown)
        beside = {what: those for what, those in beside_of(moment.scene).items() if those != before.get(what)}
        told = {"caption": moment.caption, "label": moment.scene.label}
        return told | beside | difference(shapes_of(shown), shapes_of(moment.scene))

    def values(self, turns: Sequence[dict[str, Any]]) -> list[list[float | None]]:
        """Returns each player's expected score after each turn of the film; None where it is unknown. If no player is
        asked next, only the values of the players of this turn are known."""
        following = [turn["turn"] for turn in turns[1:]] + [turns[-1]["turn"] + 1]
        return [self._after(turn["judged"], number) for turn, number in zip(turns, following, strict=True)]

    def _after(self, judged: Sequence[dict[str, Any]], following: int) -> list[float | None]:
        """Returns the values stored for turn `following`; missing ones come from the results of the turn before."""
        left: list[float | None] = [None] * self._players
        for one in judged:
            left[one["player"]] = one["after"]
            if self._players == 2 and len(judged) == 1 and one["after"] is not None:
                left[1 - one["player"]] = round(1 - one["after"], 4)
        known = self._values.get(following, left)
        return [other if value is None else value for value, other in zip(known, left, strict=True)]

    def summary(self) -> dict[str, Any]:
        """Returns the engine and its limits, and each player's accuracy and marks. To be called after all turns.

        Raises:
            RecordError: the analysis contains a turn on which that player was not asked.
        """
        for turn, player in self._turns:
            raise RecordError(f"the analysis speaks of turn {turn} of player {player}, who was not asked then")
        analysis = self._analysis
        return {
            "engine": _text(analysis.engine),
            "nodes": analysis.nodes,
            "ms": analysis.ms,
            "whole": analysis.whole,
            "accuracy": analysis.accuracy or [None] * self._players,
            "marks": [analysis.marks_of(player) for player in range(self._players)],
        }


def _ways(before: State, player: int, actions: Sequence[int]) -> list[list[str]]:
    """Returns where to click to play these actions, as lists of shape keys, up to the first that cannot be played."""
    state, ways = before.clone(), []
    left = iter(actions)

    def follow(now: State) -> int:
        action = next(left)
        way = next(choice.way for choice in now.game.choices(now, player) if choice.action == action)
        ways.append([step for step in way if not step.startswith(WORD)])
        return action

    with suppress(StopIteration, IllegalAction):
        whole_turn(state, player, follow)
    return [way for way in ways if way]


def _text(reply: str) -> str:
    return shortened(reply, MAX_REPLY)
