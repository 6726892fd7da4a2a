"""Reasons of mistakes say what is so."""

from __future__ import annotations

import re
from typing import cast

from games.mistaken import Told, told_reason, told_reasons
from lapilli.games import load
from lapilli.games.pyramids import turn_outcomes
from lapilli.games.pyramids.state.state import PyramidsState

GAME = load("pyramids")
LATE = (
    "-/GS/PSPMPL*/PS/PSPMPLGM/YSYMYL/-/GSGMGL/GSGMGLRM/PSPMPL/BSBMBL*/YSYMYL/RSRMRL/GSGMGL*/PSPMPL/-/YSYMYL/YSYMYL/-/"
    "GS/-/-/BSBMBL*/YSYMYLBM*/RSRMRLRS GLBLBSBMRLRLRMBLBSRS GLGMBLBSBMRLRMRSPLPM 1 - 12"
)
"""The first player lacks two colours, the second, who moves, one."""


def test_a_capture_that_is_missed() -> None:
    """The stack on A1 can erupt towards C1, where its large piece is captured, or towards empty cells."""
    stacks = ["RSRMRL*", *["-"] * 9, "YL", *["-"] * 14]
    state = GAME.new_initial_state(position=f"{'/'.join(stacks)} - - 0 - 1")
    told = told_reason(state, 0, {0: "A1-A2"}, "A1-B1")
    assert told is not None
    assert told.sentence == "The eruption of A1 would capture 1 piece for 1 point; this turn brings no points."
    assert check(told) == "missed"
    assert told_reason(state, 0, {0: "A1-B1"}, "A1-B1") is None


def test_every_sentence_about_random_turns_is_true() -> None:
    kinds = set()
    for variant in ("square", "hex"):
        for told in told_reasons(GAME, range(2), turns=6, variant=variant):
            kinds.add(check(told))
    assert kinds >= {"missed", "lets"}, kinds


def test_a_game_that_a_turn_could_end_or_lets_the_other_end() -> None:
    kinds = set()
    for told in told_reasons(GAME, range(2), turns=15, position=LATE):
        kinds.add(check(told))
    assert kinds >= {"end", "lets end"}, kinds


def check(told: Told) -> str:
    """Recomputes what a sentence says; returns what kind of sentence it is."""
    sentence, (player, played, after, better, instead) = told
    before, after, instead = (cast(PyramidsState, state) for state in (played.before, after, instead))
    side, other = GAME.sides[player], GAME.sides[1 - player]
    score = before.scores()[player]
    erupted = better.report.actions[player].split()[-1].split("-")[0]
    captured = len(instead.captures(player)) - len(before.captures(player))
    if found := re.fullmatch(
        rf"The eruption of {erupted} would capture (\w+) pieces? for (\w+) points?; this turn brings (\w+) points?\.",
        sentence,
    ):
        brings = str(after.scores()[player] - score or "no")
        assert found.groups() == (str(captured), str(instead.scores()[player] - score), brings)
        return "missed"
    if found := re.fullmatch(rf"This lets {other} gain (\d+) points? by the eruption of (\w+)\.", sentence):
        assert int(found[1]) in gains(after, found[2]).values()
        return "lets"
    if found := re.fullmatch(rf"This lets {other} end the game and win by the eruption of (\w+)\.", sentence):
        assert any(winner == 1 - player for winner in gains(after, found[1]))
        return "lets end"
    if re.fullmatch(rf"{side} could end the game and win: the eruption of {erupted} captures .+\.", sentence):
        outcome = instead.outcome()
        assert outcome is not None
        assert outcome.ranks[player] < outcome.ranks[1 - player]
        assert f" {captured or 'no'} piece" in sentence
        return "end"
    outcome = after.outcome()
    assert outcome is not None
    assert outcome.ranks[player] > outcome.ranks[1 - player]
    if sentence != f"This leaves {side} without a legal step, which loses at once.":
        scores = outcome.scores
        assert sentence == f"This ends the game, and {other} wins by {scores[1 - player]} to {scores[player]}."
    return "lost"


def gains(state: PyramidsState, cell: str) -> dict[int | None, int]:
    """Returns by who wins at once, None for nobody, the points that an eruption of a cell can bring."""
    player, found = state.current_player(), dict[int | None, int]()
    for outcome in turn_outcomes(state, 500):
        if outcome.source == cell:
            after = state.clone()
            for action in outcome.actions:
                after.apply_action(action)
            ended = after.outcome()
            winner = ended.ranks.index(1) if ended and ended.ranks.count(1) == 1 else None
            found[winner] = max(found.get(winner, 0), after.scores()[player] - state.scores()[player])
    return found
