"""The hint for a whole turn."""

from __future__ import annotations

import pytest

from lapilli.core.search.search_result import Line, SearchResult
from lapilli.games import load
from lapilli.match.analyser import LONGER
from lapilli.site.live.drivers.engines import HINT_MS, _hint, shortest
from lapilli.site.study.search_jobs import JUDGE_MS


@pytest.mark.parametrize(
    ("lines", "turn"),
    [
        ([Line((1, 2, 3), 0.5, 10), Line((4,), 0.5, 10)], (4,)),
        ([Line((1, 2, 3), 0.5, 10), Line((4,), 0.4, 10)], (1, 2, 3)),
        ([Line((1, 2, 3), 0.5, 10), Line((4,), 0.5, 1)], (1, 2, 3)),
        ([Line((4,), 0.5, 10)], (1, 2, 3)),
    ],
)
def test_among_equal_turns_the_shortest_is_suggested(lines: list[Line], turn: tuple[int, ...]) -> None:
    assert shortest(SearchResult((1, 2, 3), 0.5, tuple(lines), 30, 1.0)) == turn


def test_a_hint_has_all_actions_of_the_turn() -> None:
    game = load("pyramids")
    state = game.new_initial_state(seed=1)
    for step in _hint(state, state.current_player()):
        choices = game.choices(state, state.current_player())
        state.apply_action(next(choice.action for choice in choices if choice.label == step.label))
    assert state.turn == 2, "the turn is whole"


def test_the_turns_that_become_exercises_are_searched_as_long_as_hints() -> None:
    """Otherwise the page with the mistakes could call the site's own hint a mistake."""
    assert LONGER * JUDGE_MS >= HINT_MS
