"""Makes the pictures between two positions: of growth, then for each phase of eruptions the eruptions and their
effects."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.scene import Moment
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import GROWTH, NAMES, TILES
from lapilli.games.volcanoes.picture.scene import StepMarks, draw, scene
from lapilli.games.volcanoes.picture.words import SIDES, changes_between, gauge, played, tell
from lapilli.games.volcanoes.state import VolcanoesState

_QUIET, _AFTERMATH, _LANDED, _NOTHING = 1.0, 0.8, 0.6, 0.2


def moments(state: State, step: Step) -> list[Moment]:
    """Returns the pictures of the step that led to `state`. The last of them is the picture of `state` itself.

    The pictures before it show growth, if growth makes volcanoes erupt, and then each phase of the eruptions. A phase
    has two pictures: the eruptions, and their effects.
    """
    tile, last = played(step), scene(state, step)
    caption = last.panels.headline if last.panels else ""
    if step.report.faults or (tile is None and not step.report.event):
        return [Moment(last, caption)]
    before = cast(VolcanoesState, step.before.clone())
    who = "Growth" if tile is None else SIDES[rules.side(before.record)]
    found = _cascade(before, tile, who)
    if state.is_terminal():
        return [*found, Moment(last, caption, weight=_QUIET)]
    if found:
        return [*found, Moment(last, f"{who}: all is calm again", weight=_LANDED)]
    if tile is not None:
        return [Moment(last, f"{who} {tell(step, rules.side(cast(VolcanoesState, step.before).record))}")]
    rising = sum(0 < abs(level) < 4 for level in cast(VolcanoesState, step.before).levels())
    caption = f"Growth: {rising} volcanoes rise by a level" if rising else "Growth: nothing is awake"
    return [Moment(last, caption, weight=_QUIET if rising else _NOTHING)]


def _cascade(at: VolcanoesState, tile: int | None, who: str) -> list[Moment]:
    """Plays a tile on the position `at`, or growth if `tile` is None. Returns the pictures of growth and of the
    eruptions.

    The list is empty if nothing erupts. Every caption begins with `who`, which is a player's name or "Growth".
    """
    levels, found = at.levels(), []
    words = rules.begin(at.record, GROWTH if tile is None else tile)
    hot = _tiles(*words)
    if hot and tile is None:
        risen = sum(level != before for level, before in zip(at.levels(), levels, strict=True))
        caption = f"Growth: {risen} volcanoes rise by a level"
        found.append(_moment(at, StepMarks(hot=hot), caption, weight=_AFTERMATH))
    phase = 0
    while hot:
        phase += 1
        names = NAMES[min(hot)] if len(hot) == 1 else f"{len(hot)} volcanoes"
        caption = f"{who}: {names} erupt{'s' * (len(hot) == 1)}" + f", wave {phase}" * (phase > 1)
        weight = min(2.0, 1.1 + 0.1 * len(hot))
        found.append(_moment(at, StepMarks(tile, hot, rays=True), caption, "eruption" * (phase == 1), weight))
        levels, erupted = at.levels(), hot
        words = rules.erupt(at.record, *words)
        hot = _tiles(*words)
        found.append(_effects(at, levels, tile, hot, f"{who}: {len(erupted)} erupted"))
    return found


def _effects(at: VolcanoesState, before: list[int], tile: int | None, hot: frozenset[int], caption: str) -> Moment:
    """Returns the picture of the effects of a phase of eruptions.

    Args:
        at: the position after the phase.
        before: levels of all tiles before the phase.
        tile: the tile that was played; None for growth.
        hot: tiles that erupt in the next phase.
        caption: beginning of the caption, to which the changes are added.
    """
    after = at.levels()
    risen = frozenset(number for number in range(TILES) if abs(after[number]) > abs(before[number]))
    ruined = {number: int(level < 0) for number, level in enumerate(before) if level and not after[number]}
    return _moment(
        at,
        StepMarks(tile, hot, risen=risen, ruined=ruined),
        caption + changes_between(before, after),
        weight=_AFTERMATH,
    )


def _moment(at: VolcanoesState, marks: StepMarks, caption: str, mark: str = "", weight: float = 1.0) -> Moment:
    return Moment(draw(at, marks, caption), caption, mark, weight, gauge(at))


def _tiles(north: int, south: int) -> frozenset[int]:
    """Converts a set of tiles from two bit masks, for the northern and the southern tiles, to the tiles' numbers."""
    return frozenset(tile for tile in range(TILES) if (north, south)[tile // 40] >> (tile % 40) & 1)
