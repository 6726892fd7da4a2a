"""Makes the pictures of a turn: one after the PUT, one after the PICK, and after a round one with the new rows of
tiles."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from lapilli.core.picture.scene import Moment
from lapilli.core.picture.words import quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.picture.scene import picture, shown_of
from lapilli.games.kingdomino.picture.story import TurnEffects, effects_of, headline
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

MANY = 10
"""A tile that scores at least this number of points gets a mark on the timeline."""
_LITTLE, _MUCH = 0.6, 1.8
"""Relative times for which pictures are shown: `_LITTLE` if only a king moves, `_MUCH` for a PUT that scores many
points."""


def moments(state: State, step: Step) -> list[Moment]:
    """Returns the pictures of the step that led to `state`: after the PUT, after the PICK, and with the rows of a new
    round.

    A PUT or PICK that failed has no picture of its own. The last picture shows `state`.
    """
    own, before = cast(KingdominoState, state), cast(KingdominoState, step.before)
    last = effects_of(own, step)
    assert last is not None
    side = own.game.sides[last.player]
    out = own.fault(last.player)
    pictures: list[Moment] = []
    if last.places or (last.tile and not out):
        pictures.append(_put(own, before, last, side))
    picked = f"{side} puts {last.tile}, picks {last.picked}" if last.places else f"{side} picks {last.picked}"
    turned = own.record["this_round"] != before.record["this_round"]
    if last.picked and turned:
        between = _end_of_round(own, before, last)
        drawn = picture(between, last, f"{_when(before)}: {picked}", shown_of(own))
        pictures.append(Moment(drawn, picked, weight=_LITTLE, gauge=between.scores()))
    if out:
        caption = f"{side} is out: {out.value}"
    elif own.is_terminal():
        caption = headline(own)
    elif turned:
        caption = f"Round {own.record['this_round']}: {'the last tiles' if _last_round(own) else 'new tiles'}"
    else:
        caption = picked if last.picked else headline(own).partition(": ")[2]
    weight = 1 if turned or out or own.is_terminal() else _LITTLE
    pictures.append(Moment(picture(own, last, headline(own), shown_of(own)), caption, weight=weight))
    return pictures


def _last_round(state: KingdominoState) -> bool:
    return bool(state.record["this_round"] == state.record["rounds"])


def _when(state: KingdominoState) -> str:
    """Returns the beginning of the headline, such as "Round 3 of 13"."""
    return headline(state).split(":")[0]


def _put(state: KingdominoState, before: KingdominoState, last: TurnEffects, side: str) -> Moment:
    """Returns the picture after a PUT. It shows the new territories and points; everything else is as before the turn.

    Args:
        state, before: the positions after and before the turn.
        last: the effects of the turn.
        side: name of the player, for the caption.
    """
    caption, mark = f"{side} discards {last.tile}", f"{side} discards {last.tile}"
    gain = last.gain.points if last.gain else 0
    if last.places:
        caption = f"{side} puts {last.tile}" + (f": +{quantity(gain, 'point')}" if gain else "")
        mark = f"{side} +{gain} points" if gain >= MANY else ""
    between = before.clone()
    _copy_territories(between, state)
    between.record["phase"] = rules.PICK
    drawn = picture(between, replace(last, picked=0), f"{_when(before)}: {caption}", shown_of(before))
    return Moment(drawn, caption, mark, _MUCH if gain >= MANY else 1, between.scores())


def _end_of_round(state: KingdominoState, before: KingdominoState, last: TurnEffects) -> KingdominoState:
    """Returns the position after the last PICK of a round, while the picked tiles are still in the row to pick.

    `before` and `state` are the positions before and after the turn, and `last` has the turn's effects.
    """
    between = before.clone()
    record = between.record
    _copy_territories(between, state)
    record["left"] = state.record["left"]
    for index, (tile, _) in enumerate(before.row_to_pick()):
        if tile == last.picked:
            record["pick_owner"][index] = last.player
    record["slot"] = record["lot"]
    record["phase"] = rules.DRAW
    return between


def _copy_territories(state: KingdominoState, later: KingdominoState) -> None:
    """Copies all territories and their points from the position `later` into `state`.

    So `state` becomes a position within a turn, of which a picture can be drawn.
    """
    for field in ("land", "box", "score"):
        state.record[field] = later.record[field]
