"""Tutorials and puzzles that come with games: each position is there, each answer is legal and right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lapilli.arena.puzzles.proof import GAP, proven_again
from lapilli.core.api import Setup
from lapilli.core.content.puzzles import read_puzzles
from lapilli.core.content.tutorials import TutorialStep, read_tutorial
from lapilli.games import load, names
from lapilli.players.engines.turns import MARGIN, after, least, reaches
from lapilli.site.study.positions import Place, place_of, position, turn_text
from lapilli.site.study.tutorials import rules_html
from selection import today

STEPS = [(name, number) for name in names() for number in range(len(read_tutorial(load(name).content).steps))]
PUZZLES = {name: read_puzzles(load(name).content) for name in names()}
WITH_PUZZLES = [name for name in names() if PUZZLES[name]]


def step_of(name: str, number: int) -> TutorialStep:
    return read_tutorial(load(name).content).steps[number]


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_a_step_of_a_tutorial_can_be_done(name: str, number: int) -> None:
    step = step_of(name, number)
    state, _ = position(Place(game=name, setup=step.setup, moves=step.moves))
    assert step.title
    assert step.say
    assert not (step.accept and step.goal)
    for reply in step.accept:
        assert reaches(step, state, reply)
    if step.accept or step.goal:
        assert step.player in state.asked()
    if step.accept:
        assert not reaches(step, state, least(state, step.player)) or least(state, step.player) in step.accept
        said = {one: step.accept[0] if one == step.player else least(state, one) for one in state.asked()}
        position(Place(game=name, setup=step.setup, moves=[*step.moves, turn_text(list(said.values())), *step.then]))


@pytest.mark.parametrize(("name", "number"), [one for one in STEPS if step_of(*one).goal in ("points", "win")])
def test_a_goal_can_be_reached_but_not_by_anything(name: str, number: int) -> None:
    """Some turn of at most three actions, searched for by the rules alone, does it; the least that can be done does
    not, but where it is told to be enough."""
    step = step_of(name, number)
    state, _ = position(Place(game=name, setup=step.setup, moves=step.moves))
    assert any(reaches(step, state, reply) for reply in _turns(Place(game=name, setup=step.setup), step.player, 3))


def _turns(place: Place, player: int, most: int) -> Iterator[str]:
    """All turns of a player of at most so many actions, the shortest first."""
    from lapilli.site.live.table.draft import Draft

    state, _ = position(place)
    open_drafts = [Draft(state, player)]
    for _ in range(most):
        longer = []
        for draft in open_drafts:
            for choice in draft.choices():
                next_one = Draft(state, player)
                for action in [*draft.actions, choice.action]:
                    next_one.pick(action)
                if next_one.complete:
                    yield next_one.reply()
                else:
                    longer.append(next_one)
        open_drafts = longer[:400]


@pytest.mark.parametrize("name", names())
def test_diagrams_stand_below_headings_of_the_rules(name: str) -> None:
    game = load(name)
    headings = {line.lstrip("#").strip() for line in game.rules_page.splitlines() if line.startswith("#")}
    for diagram in read_tutorial(game.content).diagrams:
        assert diagram.under in headings
        position(Place(game=name, setup=diagram.setup, moves=diagram.moves))


@pytest.mark.parametrize("name", names())
def test_the_outline_shows_the_rules_in_three_pictures(name: str) -> None:
    game = load(name)
    tutorial = read_tutorial(game.content)
    assert len(tutorial.outline) == (3 if tutorial.steps else 0)
    for picture in tutorial.outline:
        assert picture.moves, "something happens in it"
        assert len(picture.say) < 120
        position(Place(game=name, setup=picture.setup, moves=picture.moves))


@pytest.mark.parametrize("name", WITH_PUZZLES)
def test_puzzles_that_come_with_a_game_can_be_played(name: str) -> None:
    game = load(name)
    assert len(PUZZLES[name]) >= 20
    assert len({puzzle.setup["position"] for puzzle in PUZZLES[name]}) == len(PUZZLES[name])
    for puzzle in PUZZLES[name]:
        state = game.new_initial_state(Setup.from_dict(puzzle.setup))
        assert after(state, puzzle.player, puzzle.reply) != state
        assert puzzle.value - puzzle.second >= GAP - 0.001
        assert GAP > MARGIN, "a puzzle has one answer"
        place = Place(
            game=name, setup=puzzle.setup, moves=[turn_text([said for _, said in turn]) for turn in puzzle.line]
        )
        position(place)
        assert dict(puzzle.line[0])[puzzle.player] == puzzle.reply


@pytest.mark.parametrize("name", WITH_PUZZLES)
def test_a_puzzle_is_found_again_by_the_same_searches(name: str) -> None:
    """Another one each day; `lapilli puzzles check` proves all."""
    puzzle = PUZZLES[name][today() % len(PUZZLES[name])]
    assert proven_again(load(name), puzzle) == puzzle


@pytest.mark.parametrize("name", names())
def test_a_match_goes_to_the_analysis_board_and_back(name: str) -> None:
    from lapilli.match import play_match

    record = play_match(name, ["random"] * load(name).players[0], seed=5)
    place, stopped = place_of(record)
    assert stopped == ""
    state, _ = position(place)
    assert state.is_terminal()
    assert record.outcome is not None
    assert list(state.outcome().ranks) == record.outcome.ranks  # type: ignore[union-attr]


@pytest.mark.parametrize("name", names())
def test_people_who_play_read_the_rules_alone(name: str) -> None:
    """On the site, a game's texts for programs are folded away: notation, protocol, sources."""
    rules, folded, texts = str(rules_html(load(name))).partition("<details>")
    assert len(rules) > 500
    for word in ("java.util", "misprint", "python ", "notation"):
        assert word not in rules
    assert texts.endswith("</details>") == bool(folded)
