"""Somebody plays at a table by nothing but arrows, Enter and the keys that stand on the words, in whichever browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

WAIT, AGAIN = 60.0, 2.0
_STATE = """(() => {
    const { now, board, showing } = lapilliTable;
    const walk = board.walk;
    return {
        turn: now?.turn, over: Boolean(now?.outcome), mine: Boolean(now?.draft) && !showing.isBusy,
        complete: Boolean(now?.draft?.complete), labels: now?.draft?.labels ?? [],
        words: [...board.bar.offered.keys()], targets: walk?.keys() ?? [], path: walk?.path ?? [],
        cursor: board.overlay.marked.cursor ?? null,
    };
})()"""
_ARROWS = ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft")
_LONG = 8
"""Every so many turns, a turn that may be ended at once has an action."""

Evaluate = Callable[[str], Any]


def match_by_keys(evaluate: Evaluate, press: Callable[[str], None], turns: int = 1000) -> int:
    """Plays to the end of the match, or so many turns; the number of keys that were pressed."""
    pressed, last, done = 0, None, 0
    while True:
        state = _until(evaluate, _can_go_on)
        if state["over"] or (state["turn"] != last and done == turns):
            return pressed
        done += state["turn"] != last
        last = state["turn"]
        for key in _next(state, pressed):
            press(key)
            pressed += 1
            before, state = state, evaluate(_STATE)
            if key in _ARROWS and state["cursor"] in state["targets"]:
                press("Enter")
                pressed += 1
                break
            if key not in _ARROWS:
                state = before
                break
        with suppress(TimeoutError):  # somebody whose key meant nothing presses one again
            _until(evaluate, _differs_from(_stands(state)), AGAIN)


def _can_go_on(now: dict[str, Any]) -> bool:
    """Whether a key means something now, or the match is over. While the site answers, nothing can be chosen."""
    return bool(now["over"] or (now["mine"] and (now["complete"] or now["words"] or now["targets"])))


def _next(state: dict[str, Any], pressed: int) -> tuple[str, ...]:
    """The keys to try, one after the other."""
    has_begun = len(state["labels"]) > 0 or state["turn"] % _LONG != 1
    if state["complete"]:
        return ("Enter",)
    if state["words"] and (not state["targets"] or (has_begun and not state["path"])):
        return (state["words"][-1],)
    first = pressed % len(_ARROWS)
    return (*_ARROWS[first:], *_ARROWS[:first])


def _differs_from(stood: list[Any]) -> Callable[[dict[str, Any]], bool]:
    return lambda now: _stands(now) != stood


def _stands(state: dict[str, Any]) -> list[Any]:
    return [state[name] for name in ("turn", "over", "complete", "labels", "path")]


def _until(evaluate: Evaluate, holds: Callable[[dict[str, Any]], bool], seconds: float = WAIT) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while True:
        state: dict[str, Any] = evaluate(_STATE)
        if holds(state):
            return state
        if time.monotonic() > end:
            raise TimeoutError(state)
        time.sleep(0.01)
