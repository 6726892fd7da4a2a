"""Matches at tables that their players end: at once, whatever the rules would have the others play."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lapilli.core.api import Termination
from lapilli.games import load, names
from lapilli.match import verify
from lapilli.players.engines.builtin import random_turn
from lapilli.site.live.table.plan import ANYBODY, TablePlan, plan_of
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.site.live.table.seats import give_up
from lapilli.store import SiteAnswer
from lapilli.viewer.films.film import film


def table(game: str, players: int = 2) -> TablePlan:
    opponents = {f"opponent{number}": ANYBODY for number in range(1, players)}
    plan = plan_of({"game": game, "seat": "1", "name": "Ada"} | opponents, "ada")
    for seat in plan.seats[1:]:
        seat.name, seat.holder = "Grace", "grace"
    return plan


def turn(match: PlayedMatch, out_of_time: int | None = None) -> list[SiteAnswer]:
    """Everybody who is asked plays at random, but for one who runs out of time."""
    given = []
    for player in match.asked:
        if player == out_of_time:
            fields = {"fault": Termination.TIMEOUT, "reason": "ran out of time"}
        else:
            state = match.referee.state
            actions = random_turn(state.clone(), player, Random(1))
            fields = {"reply": state.game.protocol.format_reply(state, player, actions)}
        answer = SiteAnswer(turn=match.turn, player=player, milliseconds=1, left_ms=None, **fields)  # type: ignore[arg-type]
        match.give(answer)
        given.append(answer)
    return given


@pytest.mark.parametrize("game", names())
def test_who_runs_out_of_time_has_lost_at_once(game: str) -> None:
    plan = table(game)
    match = PlayedMatch(plan)
    answers = []
    while not match.over:
        asked = match.asked
        answers += turn(match, 0)
        assert match.over or 0 not in asked
    assert [match.result(reader) for reader in (0, 1)] == [
        "You lose: you ran out of time",
        "You win: Ada ran out of time",
    ]
    assert verify(match.referee.record) is not None
    assert not match.asked
    again = PlayedMatch(plan, answers)
    assert again.outcome == match.outcome
    assert (match.log[-1] if match.log[-1][1] == 0 else match.log[-2])[2] == "ran out of time"


@pytest.mark.parametrize("game", names())
def test_who_resigns_out_of_turn_has_lost_at_once(game: str) -> None:
    plan = table(game)
    match = PlayedMatch(plan)
    answers = [answer for _ in range(3) for answer in turn(match)]
    loser = next(player for player in (1, 0) if player not in match.asked or len(match.asked) == 2)
    give_up(plan, loser, match.out, match.turn)
    match.end_early()
    assert match.over
    assert match.result(loser) == "You lose: you resigned"
    assert verify(match.referee.record) is not None
    again = PlayedMatch(plan, answers)
    assert again.outcome == match.outcome


def test_with_three_players_the_others_play_on() -> None:
    game = next(name for name in names() if 3 in load(name).players)
    plan = table(game, 3)
    match = PlayedMatch(plan)
    give_up(plan, 2, match.out, match.turn)
    match.end_early()
    assert not match.over
    give_up(plan, 0, match.out, match.turn)
    match.end_early()
    assert match.over
    assert match.outcome is not None
    assert match.outcome.ranks == [2, 1, 2]


def badges(panels: dict[str, Any]) -> list[list[str]]:
    """Of each plate, what says who is to move or has won."""
    return [[text for text, _, kind in facts if kind in ("to-move", "won")] for _, _, facts, _ in panels["plates"]]


def seen(plan: TablePlan, match: PlayedMatch, answers: list[SiteAnswer]) -> list[dict[str, Any]]:
    """The panels at the match's end: at the table, at the table in another process, and on the record's page."""
    again = PlayedMatch(plan, answers)
    shown: dict[str, Any] = {}
    for frame in film(match.referee.record)["frames"]:
        shown |= frame
    return [match.picture()["panels"], again.picture()["panels"], shown["panels"]]


@pytest.mark.parametrize("game", names())
def test_the_winner_by_a_resignation_bears_a_badge(game: str) -> None:
    plan = table(game)
    match = PlayedMatch(plan)
    answers = [answer for _ in range(3) for answer in turn(match)]
    give_up(plan, 0, match.out, match.turn)
    (end,) = match.end_early()
    assert end.turn == match.referee.turns_played
    (frame,) = end.frames
    for panels in [frame["panels"], *seen(plan, match, answers)]:
        assert badges(panels) == [[], ["wins"]]
        first, second = load(game).sides[:2]
        assert panels["headline"] == f"{second} wins: {first} resigned"
    assert "to move" not in match.picture()["label"]
    assert match.end_early() == [], "the end is shown once"


@pytest.mark.parametrize("game", names())
def test_a_resignation_before_the_first_turn_shows_a_badge(game: str) -> None:
    plan = table(game)
    match = PlayedMatch(plan)
    give_up(plan, 1, match.out, match.turn)
    match.end_early()
    assert all(badges(panels) == [["wins"], []] for panels in seen(plan, match, []))


@pytest.mark.parametrize("game", names())
def test_the_winner_on_time_bears_a_badge(game: str) -> None:
    plan = table(game)
    match = PlayedMatch(plan)
    answers = []
    while not match.over:
        answers += turn(match, 0)
    assert all(badges(panels) == [[], ["wins"]] for panels in seen(plan, match, answers))


@pytest.mark.parametrize("game", names())
def test_an_agreed_draw_shows_the_badges_of_a_draw(game: str) -> None:
    plan = table(game)
    match = PlayedMatch(plan)
    answers = [answer for _ in range(3) for answer in turn(match)]
    plan.draws = [0, 1]
    plan.agreed = match.turn
    match.end_early()
    assert all(badges(panels) == [["first, with others"]] * 2 for panels in seen(plan, match, answers))
