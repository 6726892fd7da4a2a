"""The moments of a turn, one picture each: attacks, moves and spawns, changes of paths, and the end of the turn."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.scene import Moment
from lapilli.core.picture.words import quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.tryangle.board import OUT_REASONS
from lapilli.games.tryangle.picture.look import SIDES
from lapilli.games.tryangle.picture.plates import verdict
from lapilli.games.tryangle.picture.scene import Stage, picture, shown_at
from lapilli.games.tryangle.picture.story import Story, story
from lapilli.games.tryangle.state.state import TryAngleState

_MOST_NAMED = 3
"""Greatest number of attacks, paths or houses that a caption names one by one. If there are more, it gives their
number."""
_NOTHING, _MOST = 0.2, 2.5
"""Least and greatest weight of a moment (how long it is shown): `_NOTHING` if nothing happens, `_MOST` for the greatest
events."""


def moments(state: State, step: Step) -> list[Moment]:
    """Returns the pictures of the turn `step`, which led to `state`: one for each stage in which something happens.

    The last picture shows `state`. Attacks, changed paths, deaths of surrounded units, and triangles captured from the
    other player are marked on the timeline. Captures of free triangles are not marked, since they happen in almost
    every turn.
    """
    own, before = cast(TryAngleState, state), cast(TryAngleState, step.before)
    events = story(own, step)
    stages: list[tuple[Stage, str, str]] = []
    if events.attacks:
        stages.append((Stage.SET_OUT, _attacks(events), "attack"))
    elif events.moves:
        stages.append((Stage.SET_OUT, _sent(events), ""))
    if events.moves or events.spawns:
        stages.append((Stage.ACTED, _acts(events), ""))
    if events.changes:
        stages.append((Stage.REBUILT, _changes(events), "path"))
    news = _settled(events)
    if news or not stages:
        marks = ["kill"] * bool(events.deaths) + ["capture"] * any(capture.was >= 0 for capture in events.captures)
        stages.append((Stage.SETTLED, "", ", ".join(marks)))
    latest, caption, mark = stages.pop()
    captions = [caption, *news, _points(own, before), *_end(own, before)]
    stages.append((Stage.SETTLED, "; ".join(filter(None, captions)) or "nothing happens", mark))
    weights = [_weight(events, stage) for stage, _, _ in stages]
    weights[-1] = max(weights[-1], _weight(events, latest))
    return [_moment(own, events, step, *stage, weight) for stage, weight in zip(stages, weights, strict=True)]


def _moment(
    state: TryAngleState, events: Story, step: Step, stage: Stage, caption: str, mark: str, weight: float
) -> Moment:
    drawn = picture(state, events, step.report.readings, stage)
    scores = shown_at(state, events, stage).scores()
    return Moment(drawn, caption, mark, weight, tuple(map(float, scores)))


def _weight(events: Story, stage: Stage) -> float:
    """Returns the weight of a stage's picture, that is, how long to show it (see `Moment.weight`).

    The weight is small if units only move, large if units die or triangles change owners, and tiny if nothing happens.
    `events` are the events of the whole turn.
    """
    if stage == Stage.SET_OUT:
        return min(_MOST, 1 + 0.3 * len(events.attacks)) if events.attacks else 0.5
    if stage == Stage.REBUILT:
        return 1
    if stage == Stage.ACTED:
        return 0.6
    lost = sum(events.deaths.values()) + sum(capture.was >= 0 for capture in events.captures)
    if lost:
        return min(_MOST, 1 + 0.3 * lost)
    return 0.6 if events.moves or events.spawns or events.changes or events.attacks or events.captures else _NOTHING


def _attacks(events: Story) -> str:
    if len(events.attacks) > _MOST_NAMED:
        killed = sum(attack.killed for attack in events.attacks)
        return f"{len(events.attacks)} attacks: {quantity(killed, 'unit')} killed"
    return "; ".join(
        f"{SIDES[a.player]} attacks {a.target}: {quantity(a.killed, 'unit')} killed" for a in events.attacks
    )


def _moved(events: Story, player: int) -> int:
    return sum(number for (owner, _, _), number in events.moves.items() if owner == player)


def _sent(events: Story) -> str:
    numbers = [(player, _moved(events, player)) for player in (0, 1)]
    return "; ".join(f"{SIDES[player]} sends {quantity(number, 'unit')}" for player, number in numbers if number)


def _acts(events: Story) -> str:
    parts = []
    for player in (0, 1):
        spawned = sum(number for (owner, _), number in events.spawns.items() if owner == player)
        acts = [
            f"{number} {what}" for number, what in ((_moved(events, player), "moved"), (spawned, "spawned")) if number
        ]
        parts += [f"{SIDES[player]}: {', '.join(acts)}"] * bool(acts)
    return "; ".join(parts)


def _changes(events: Story) -> str:
    if len(events.changes) > _MOST_NAMED:
        built = sum(change.built for change in events.changes)
        return f"{quantity(built, 'path')} built, {len(events.changes) - built} removed"
    done = {True: "builds", False: "removes"}
    paths = [(f"{SIDES[c.player]} {done[c.built]}", "{}–{}".format(*c.path)) for c in events.changes]
    return "; ".join(f"{what} {path}" for what, path in paths)


def _settled(events: Story) -> list[str]:
    """Returns captions about units that died surrounded and about captured triangles, from the events of a turn.

    The list may be empty.
    """
    stages = []
    for player in (0, 1):
        houses = sorted(house for owner, house in events.deaths if owner == player)
        where = ", ".join(map(str, houses)) if len(houses) <= _MOST_NAMED else f"{len(houses)} houses"
        if houses:
            stages.append(f"{SIDES[player]}'s units at {where} are surrounded")
    for player in (0, 1):
        taken = [capture.was for capture in events.captures if capture.player == player]
        stolen = sum(was >= 0 for was in taken)
        if taken:
            source = f" ({stolen} of {SIDES[1 - player]}'s)" if stolen else ""
            stages.append(f"{SIDES[player]} takes {quantity(len(taken), 'triangle')}{source}")
    return stages


def _points(state: TryAngleState, before: TryAngleState) -> str:
    mine, theirs = (state.record["score"] - before.record["score"]).tolist()
    return f"points +{mine} : +{theirs}" if mine or theirs else ""


def _end(state: TryAngleState, before: TryAngleState) -> list[str]:
    """Returns captions about players whom the rules have put out, and about the end of the game.

    The list may be empty.
    """
    was, now = before.record["left"].tolist(), state.record["left"].tolist()
    reasons = {player: OUT_REASONS.get(now[player], "") for player in (0, 1) if now[player] != was[player]}
    stages = [f"{SIDES[player]} is out: {reason}" for player, reason in reasons.items() if reason]
    if state.is_terminal():
        stages.append(verdict(state))
    return stages
