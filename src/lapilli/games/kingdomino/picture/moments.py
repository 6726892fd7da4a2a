"""A turn in pictures: the tile flies to its place, the king goes to the tile picked, the rows move up."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from lapilli.games.kingdomino.picture.scene import picture
from lapilli.games.kingdomino.picture.story import News, headline, news
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.protocol import Step
from lapilli.games.scene import Moment
from lapilli.games.state import State

MANY = 10
"""Points by which a single tile is worth a mark on the timeline."""


def moments(state: State, step: Step) -> list[Moment]:
    """The put, the pick, and at the end of a round the new rows. A move that failed is not shown on its way."""
    own, before = cast(KingdominoState, state), cast(KingdominoState, step.before)
    last = news(own, step)
    assert last is not None
    side = own.game.sides[last.player]
    out = own.fault(last.player)
    pictures: list[Moment] = []
    if last.places or (last.tile and not out):
        pictures.append(_put(own, before, last, side))
    picked = f"{side} picks {last.picked}"
    turned = own.record["this_round"] != before.record["this_round"]
    if last.picked and turned:
        between = _end_of_round(own, before, last)
        when = headline(before).split(":")[0]
        pictures.append(Moment(picture(between, last, f"{when}: {picked}"), picked))
    if out:
        caption = f"{side} is out: {out.value}"
    elif own.is_terminal():
        caption = headline(own)
    elif turned:
        caption = f"Round {own.record['this_round']}: {'the last tiles' if _last_round(own) else 'new tiles'}"
    else:
        caption = picked
    pictures.append(Moment(picture(own, last, headline(own)), caption))
    return pictures


def _last_round(state: KingdominoState) -> bool:
    return bool(state.record["this_round"] == state.record["rounds"])


def _put(state: KingdominoState, before: KingdominoState, last: News, side: str) -> Moment:
    """The tile on its way; all else is as it was."""
    if last.discarded:
        caption, mark = f"{side} discards {last.tile}", f"{side} discards {last.tile}"
    else:
        gain = int(state.record["score"][last.player]) - int(before.record["score"][last.player])
        caption = f"{side} puts {last.tile}" + (f": +{gain} point{'' if gain == 1 else 's'}" if gain else "")
        mark = f"{side} +{gain} points" if gain >= MANY else ""
    return Moment(picture(before, replace(last, picked=0), headline(before)), caption, mark)


def _end_of_round(state: KingdominoState, before: KingdominoState, last: News) -> KingdominoState:
    """As it is after the last pick of a round, before the rows move up: all slots are through."""
    between = before.clone()
    record = between.record
    for field in ("land", "box", "score", "left"):
        record[field] = state.record[field]
    for index, (tile, _) in enumerate(before.row_to_pick()):
        if tile == last.picked:
            record["pick_owner"][index] = last.player
    record["slot"] = record["lot"]
    record["phase"] = rules.DRAW
    return between
