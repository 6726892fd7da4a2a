"""Converts the analysis of a match to data of a film: values over time, the loss in each turn, and better turns."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction, RecordError
from lapilli.core.picture.choices import WORD, Choice
from lapilli.core.picture.scene import Scene
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.text import quoted, shortened
from lapilli.match.analysis import Analysis, TurnAnalysis
from lapilli.match.reasons import is_at_fault, played_instead
from lapilli.match.record import Record
from lapilli.players.engines.builtin import whole_turn
from lapilli.viewer.films.frames import contents_of, difference, shapes_of


class FilmAnalysis:
    """Converts an analysis of a match to data of a film, turn by turn.

    Args:
        record: the record.
        analysis: an analysis of this record.

    Raises:
        RecordError: the analysis belongs to another match.
    """

    def __init__(self, record: Record, analysis: Analysis) -> None:
        analysis.check_is_of(record)
        self._game, self._analysis = record.load_game(), analysis
        self._turns = {(turn.turn, turn.player): turn for turn in analysis.turns}
        self._values = dict(analysis.values)
        self._players = record.load_setup().players or 0

    def turn(self, state: State, step: Step, shown: Scene) -> list[dict[str, Any]]:
        """Returns the film's data about the analysis of one referee turn: a dict for each player whose turn was
        analysed.

        Args:
            state: the position after the turn.
            step: the step that led to `state`.
            shown: the picture of `state` in the film.

        Raises:
            RecordError: the analysis suggests a turn that is illegal.
        """
        analysed = [self._turns.pop((step.report.turn, player), None) for player in step.before.asked()]
        return [self._part(state, step, shown, turn) for turn in analysed if turn is not None]

    def _part(self, state: State, step: Step, shown: Scene, turn: TurnAnalysis) -> dict[str, Any]:
        data: dict[str, Any] = {"player": turn.player, "before": turn.before, "after": turn.after, "loss": turn.loss}
        data["best"] = [
            [
                _text(line.reply),
                line.value,
                [[player, _text(reply)] for player, reply in line.follow],
                clicks(step.before, turn.player, line.actions),
                *self._words(step, turn.player, line.reply),
            ]
            for line in turn.best
        ]
        data |= {"mark": turn.mark} if turn.mark else {}
        data |= {"reason": _text(turn.reason)} if turn.reason else {}
        data |= {"proven": True} if turn.proven else {}
        data["chances"] = self._analysis.chances(turn)
        better_picture = self._better_picture(state, step, shown, turn)
        return data | ({"instead": better_picture} if better_picture else {})

    def _words(self, step: Step, player: int, reply: str) -> tuple[str, str]:
        """Describes a turn that a player could have played in a step, in words and in the game's short notation.

        A turn that the rules refuse stays a reply.
        """
        better, _ = played_instead(step, player, reply)
        if is_at_fault(better, player):
            return _text(reply), _text(reply)
        return _text(self._game.tell(better, player)), _text(self._game.in_brief(better, player))

    def _better_picture(self, state: State, step: Step, shown: Scene, turn: TurnAnalysis) -> dict[str, Any] | None:
        """Returns a picture of the position to which the player's best turn would have led.

        The picture is returned as its difference from the picture after the turn that was played. Returns None if the
        analysis contains no best turn, or if both turns lead to the same position.

        Args:
            state: the position after the turn that was played.
            step: the step that led to `state`.
            shown: the picture of `state`.
            turn: the analysis of the player's turn.
        """
        if not turn.best:
            return None
        reply = turn.best[0].reply
        better, position = played_instead(step, turn.player, reply)
        if is_at_fault(better, turn.player):
            raise RecordError(f"turn {turn.turn}: the rules refuse the suggestion {quoted(reply, 60)}")
        if position == state:
            return None
        moment = self._game.pictures(position, better)[-1]
        before = contents_of(shown)
        contents = {name: content for name, content in contents_of(moment.scene).items() if content != before.get(name)}
        data = {"caption": moment.caption, "label": moment.scene.label}
        return data | contents | difference(shapes_of(shown), shapes_of(moment.scene))

    def values(self, turns: Sequence[dict[str, Any]]) -> list[list[float | None]]:
        """Returns the expected score of each player after each turn of the film, from 0 to 1.

        Args:
            turns: the film's data about all turns. In each dict, the item "judged" is what the method `turn` returned.

        Returns:
            One list for each turn. It contains the value of each player, or None for a value that is not known.
        """
        following = [turn["turn"] for turn in turns[1:]] + [turns[-1]["turn"] + 1]
        return [self._after(turn["judged"], number) for turn, number in zip(turns, following, strict=True)]

    def _after(self, judged: Sequence[dict[str, Any]], following: int) -> list[float | None]:
        """Returns the expected score of each player after one turn; None for a player whose score is not known.

        If the analysis contains a player's score at the beginning of the next turn, this is the result. Otherwise the
        result is the score in `judged`.

        Args:
            judged: the film's data about this turn, as the method `turn` returned them.
            following: number of the next turn.
        """
        fallback: list[float | None] = [None] * self._players
        for part in judged:
            fallback[part["player"]] = part["after"]
            if self._players == 2 and len(judged) == 1 and part["after"] is not None:
                fallback[1 - part["player"]] = round(1 - part["after"], 4)
        values = self._values.get(following, fallback)
        return [substitute if value is None else value for value, substitute in zip(values, fallback, strict=True)]

    def summary(self) -> dict[str, Any]:
        """Returns the film's data about the analysis as a whole: its engine and limits, and the accuracy and marks of
        each player.

        Call this method only after `turn` was called for all turns.

        Raises:
            RecordError: the analysis contains a turn of a player who was not asked on that turn.
        """
        for turn, player in self._turns:
            raise RecordError(f"the analysis contains turn {turn} of player {player}, who was not asked then")
        analysis = self._analysis
        return {
            "engine": _text(analysis.engine),
            "nodes": analysis.nodes,
            "ms": analysis.ms,
            "whole": analysis.whole,
            "accuracy": analysis.accuracy or [None] * self._players,
            "marks": [analysis.marks_of(player) for player in range(self._players)],
        }


LAID = "+"
"""Prefix of a piece's key at the end of two clicks, in the result of `travels`: the piece is laid on both places."""


def clicks(before: State, player: int, actions: Sequence[int]) -> list[list[str]]:
    """Returns how to play actions by clicks on the board: for each action, a list with the keys of the shapes to click.

    Ends before the first action that cannot be played. Actions that need no click are left out.

    Args:
        before: the position before the actions.
        player: the player.
        actions: actions of the player's turn.
    """
    return [way for way in map(_clicked, _choices(before, player, actions)) if way]


def _clicked(choice: Choice) -> list[str]:
    """Returns the keys of the shapes to click for a choice, without clicks on words."""
    return [step for step in choice.way if not step.startswith(WORD)]


def _choices(before: State, player: int, actions: Sequence[int]) -> list[Choice]:
    """Returns the choices of actions, up to the first action that cannot be played."""
    state, chosen = before.clone(), list[Choice]()
    remaining = iter(actions)

    def choose(position: State) -> int:
        action = next(remaining)
        chosen.append(next(choice for choice in position.game.choices(position, player) if choice.action == action))
        return action

    with suppress(StopIteration, IllegalAction):
        whole_turn(state, player, choose)
    return chosen


def travels(before: State, player: int, actions: Sequence[int]) -> list[list[str]]:
    """Returns how to play actions by clicks, as `clicks` does, but joins the steps of a piece that moves several times.

    A step that begins where an earlier step has ended continues that step. The last step stays as it is, because it may
    be what the others prepare. A piece that is laid on two places is named after them, see `LAID`. If several players
    act at once, nothing is joined: their pieces move at the same time.

    Args:
        before: the position before the actions.
        player: the player.
        actions: actions of the player's turn.
    """
    ways = list[list[str]]()
    for choice in _choices(before, player, actions):
        way = _clicked(choice)
        ways.append([*way, LAID + choice.held] if choice.held and len(way) == 2 else way)
    ways = [way for way in ways if way]
    if len(before.asked()) > 1:
        return ways
    *steps, last = ways or [[]]
    joined = list[list[str]]()
    for way in steps:
        earlier = next((one for one in joined if len(one) == len(way) == 2 and one[1] == way[0]), None)
        if earlier is None:
            joined.append(list(way))
        else:
            earlier[1] = way[1]
    return [way for way in [*joined, last] if way and (len(way) == 1 or way[0] != way[-1])]


def _text(reply: str) -> str:
    return shortened(reply, MAX_REPLY)
