"""The page of a match with its analysis in a real Chromium, for every game; and what a film holds of an analysis."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

import lapilli
from lapilli.core.api import Step
from lapilli.match import Record, replay
from lapilli.match.analysis import MARKS, Analysis, Suggestion, TurnAnalysis, moves_of
from lapilli.match.record import FORMAT, parse_record
from lapilli.players.processes.interpreters import short_names
from lapilli.viewer import page
from lapilli.viewer.films.film import film
from lapilli.viewer.films.frames import Drawn, difference, shapes_of
from viewer.judged import analysed, invented
from viewer.pages import FOCUSED, WIDTHS, Open, drawing, page_of, plate_scores, played, turn, until

BUILT = resources.files("lapilli.viewer") / "built"
DRAWN = """([index, player]) => {
    lapilli.toTurn(index);
    lapilli.showInstead(player);
    const picture = lapilli.picture();
    const label = lapilli.board.shadowRoot.querySelector(".board").getAttribute("aria-label");
    return [picture.order.map((key) => picture.shapes.get(key)), label];
}"""
FOLLOW = """(hash) => new Promise((done) => {
    if (location.hash === hash) return done();
    addEventListener("hashchange", () => done(), { once: true });
    location.hash = hash;
})"""
"""Goes to an address, and waits until the page has gone there."""
Part = tuple[int, TurnAnalysis, Step, bool]


@pytest.fixture(scope="module")
def analysis(record: Record) -> Analysis:
    return searched(record)


@cache
def _searched(record: bytes) -> Analysis:
    return analysed(parse_record(record))


def searched(record: Record) -> Analysis:
    """A search's analysis, made once for each record; nobody changes it."""
    return _searched(record.to_json())


_FILMS: dict[bytes, dict[str, Any]] = {}
_PARTS: dict[bytes, list[Part]] = {}


def called(record: Record) -> list[str]:
    """What a page calls the players: by their names or, if two names are equal, by their sides."""
    names = short_names(record.player_names)
    return names if len(set(names)) == len(names) else [*record.load_game().sides[: len(names)]]


def film_with(record: Record, analysis: Analysis) -> dict[str, Any]:
    """The film, made once; nobody changes it."""
    key = record.to_json() + repr(analysis).encode()
    if key not in _FILMS:
        _FILMS[key] = film(record, analysis)
    return _FILMS[key]


def parts(record: Record, analysis: Analysis) -> list[Part]:
    """What `replayed` gives, which is the same for all tests; nobody changes it."""
    key = record.to_json() + repr(analysis).encode()
    if key not in _PARTS:
        _PARTS[key] = list(replayed(record, analysis))
    return _PARTS[key]


def replayed(record: Record, analysis: Analysis) -> Iterator[Part]:
    """The film's turns that were judged: where, what is said, how the position came about, and whether the best turn
    would have led to another."""
    by_turn = {(one.turn, one.player): one for one in analysis.turns}
    for index, (state, step) in enumerate(replay(record)):
        for player in step.before.asked() if step else ():
            assert step is not None
            one = by_turn[step.report.turn, player]
            other = step.before.clone()
            said = {entry.player: entry.reply() for entry in record.turns if entry.turn == step.report.turn}
            report = state.game.protocol.play_turn(other, said | {player: one.best[0].reply})
            yield index, one, Step(step.before, report), other != state


def drawn_after(record: Record, one: TurnAnalysis, step: Step) -> tuple[list[Drawn], str]:
    """The picture after the best turn, drawn without any film."""
    game, after = record.load_game(), step.before.clone()
    said = {entry.player: entry.reply() for entry in record.turns if entry.turn == one.turn}
    report = game.protocol.play_turn(after, said | {one.player: one.best[0].reply})
    scene = game.pictures(after, Step(step.before, report))[-1].scene
    shapes = difference({}, shapes_of(scene))["placed"]
    return [shape for _, shape in reversed(shapes)], scene.label


def test_the_board_shows_the_position_after_each_best_turn(opened: Open, record: Record, analysis: Analysis) -> None:
    """For every turn of every player, shape by shape; the others' replies are as they were."""
    shown = opened(record, analysis=analysis, reduced_motion="reduce")
    seen = 0
    for index, one, step, differs in parts(record, analysis):
        if differs:
            shapes, label = shown.evaluate(DRAWN, [index, one.player])
            assert (shapes, label) == drawn_after(record, one, step), one.turn
            seen += 1
    assert seen > 1


def test_a_film_holds_what_is_said_of_each_turn(record: Record, analysis: Analysis) -> None:
    made = film_with(record, analysis)
    seen = 0
    for index, one, _, differs in parts(record, analysis):
        told = next(told for told in made["turns"][index]["judged"] if told["player"] == one.player)
        assert (told["before"], told["after"], told["loss"]) == (one.before, one.after, one.loss)
        assert (told.get("mark", ""), told.get("reason", "")) == (one.mark, one.reason)
        assert [(reply, value) for reply, value, *_ in told["best"]] == [(best.reply, best.value) for best in one.best]
        assert ("instead" in told) == differs
        seen += 1
    assert seen == len(analysis.turns) == sum(len(told["judged"]) for told in made["turns"])
    values = made["analysis"]["values"]
    assert len(values) == len(made["turns"])
    known = dict(analysis.values)
    for told, after in zip(made["turns"][1:], values, strict=False):
        if told["turn"] in known:
            assert [value for value in known[told["turn"]] if value is not None] == [
                value for value, there in zip(after, known[told["turn"]], strict=True) if there is not None
            ]
    assert made["analysis"]["accuracy"] == analysis.accuracy
    assert sum(sum(marks.values()) for marks in made["analysis"]["marks"]) == sum(bool(o.mark) for o in analysis.turns)


def test_a_film_says_where_to_point_for_a_best_turn(record: Record, analysis: Analysis) -> None:
    """As many ways as the turn has actions that are no mere words, each over shapes that are there before it."""
    seen = 0
    made = film_with(record, analysis)
    for index, one, step, _ in parts(record, analysis):
        told = next(told for told in made["turns"][index]["judged"] if told["player"] == one.player)
        keys = {shape.key for shape in step.before.game.picture(step.before, None).in_order()}
        for best, (*_, ways, _, _) in zip(one.best, told["best"], strict=True):
            assert len(ways) <= len(best.actions)
            assert {key for way in ways[:1] for key in way} <= keys
            seen += len(best.actions)
    assert seen or not record.load_game().searches


def test_a_page_without_an_analysis_knows_nothing_of_it(opened: Open, record: Record) -> None:
    text, made = page_of(record), film(record)
    assert "analysis" not in made
    assert not any("judged" in told for told in made["turns"])
    assert "blunder" not in text, "nor do its styles"
    assert "Next mistake" not in (BUILT / "page.js").read_text(encoding="utf-8")
    assert "Next mistake" in (BUILT / "analysed.js").read_text(encoding="utf-8")
    shown = opened(record, reduced_motion="reduce")
    shown.keyboard.press("ArrowRight")
    before = drawing(shown)
    for key in ("b", "m", "M"):
        shown.keyboard.press(key)
    assert drawing(shown) == before
    assert turn(shown) == 1


def test_the_page_is_at_most_twice_as_large(record: Record, analysis: Analysis) -> None:
    for judged in (analysis, invented(record)):
        assert len(page_of(record, judged)) <= 2 * len(page_of(record))


def first_with(record: Record, analysis: Analysis) -> tuple[int, TurnAnalysis]:
    """A turn after which the best one would have led to another position."""
    return next((index, one) for index, one, _, differs in parts(record, analysis) if differs)


def test_the_switch_shows_another_board_and_back(opened: Open, record: Record, analysis: Analysis) -> None:
    _, one = first_with(record, analysis)
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis, reduced_motion="reduce")
    before, caption = drawing(shown), shown.inner_text("#caption")
    scores = plate_scores(shown)
    name = called(record)[one.player]
    switch = shown.get_by_role("button", name=f"What should {name} have played?")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.click()
    assert switch.get_attribute("aria-pressed") == "true"
    assert drawing(shown) != before
    assert shown.inner_text("#caption").startswith("Instead: ")
    assert f"{round(100 * one.best[0].value)}\xa0%" in shown.inner_text("#caption")
    switch.click()
    assert switch.get_attribute("aria-pressed") == "false"
    assert (drawing(shown), shown.inner_text("#caption")) == (before, caption)
    assert plate_scores(shown) == scores
    assert turn(shown) == one.turn


def test_what_was_best_is_drawn_on_the_board(opened: Open, record: Record, analysis: Analysis) -> None:
    """Where one would point, in the overlay, as long as the best turn is shown."""
    index, one = first_with(record, analysis)
    ways = film_with(record, analysis)["turns"][index]["judged"][0]["best"][0][3]
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis, reduced_motion="reduce")
    marks = "[lapilli.board.dots.map(([key]) => key), lapilli.board.arrows.map(([from, to]) => [from, to])]"
    assert shown.evaluate(marks) == [[], []]
    shown.keyboard.press("b")
    dots, arrows = shown.evaluate(marks)
    assert dots == [way[0] for way in ways if len(way) == 1]
    assert arrows == [list(pair) for way in ways for pair in pairwise(way)]
    assert shown.locator("#player svg :is(.arrow, .dot, .ring, .outline.best)").count() >= bool(dots or arrows)
    while shown.evaluate("lapilli.instead !== null"):
        shown.keyboard.press("b")
    assert shown.evaluate(marks) == [[], []]


def test_a_key_shows_one_players_best_turn_after_the_other(opened: Open, record: Record, analysis: Analysis) -> None:
    index, one = first_with(record, analysis)
    those = [other.player for at, other, _, differs in parts(record, analysis) if differs and at == index]
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis, reduced_motion="reduce")
    for player in [*those, None, those[0]]:
        shown.keyboard.press("b")
        assert shown.evaluate("lapilli.instead") == player
        pressed = shown.locator("#review button[aria-pressed=true]")
        assert pressed.count() == (player is not None)
    shown.keyboard.press("ArrowRight")
    assert shown.evaluate("lapilli.instead") is None, "the next turn is shown as it was played"
    assert turn(shown) == one.turn + 1
    assert shown.locator("#player[instead]").count() == 0
    at_next = drawing(shown)
    shown.keyboard.press("ArrowLeft")
    shown.keyboard.press("b")
    shown.keyboard.press("Space")
    until(shown, f"lapilli.instead === null && lapilli.shownTurn > {index}")
    shown.keyboard.press("Space")
    until(shown, "location.hash === lapilli.reel.address(lapilli.at)")
    shown.evaluate(FOLLOW, f"#turn={one.turn + 1}")
    assert drawing(shown) == at_next
    shown.keyboard.press("Home")
    for _ in range(index + 1):
        shown.keyboard.press("ArrowRight")
    assert drawing(shown) == at_next


def test_the_board_in_words_is_that_of_the_best_turn(opened: Open) -> None:
    record = played("volcanoes")
    analysis = searched(record)
    _, one = first_with(record, analysis)
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis)
    shown.click("#tab-now")
    shown.click("#words summary")
    until(shown, "lapilli.$('words').querySelectorAll('li').length > 0")
    before = shown.locator("#words li").all_inner_texts()
    shown.keyboard.press("b")
    assert shown.locator("#words li").all_inner_texts() != before
    shown.keyboard.press("b")
    assert shown.locator("#words li").all_inner_texts() == before


def test_the_chart_shows_winning_chances(opened: Open, record: Record, analysis: Analysis) -> None:
    made = film_with(record, analysis)
    shown = opened(record, analysis=analysis)
    for player in range(len(analysis.accuracy)):
        points = shown.locator(f"#values polyline.p{player}").get_attribute("points")
        assert points is not None
        drawn = [float(point.split(",")[1]) for point in points.split()]
        known = [row[player] for row in made["analysis"]["values"] if row[player] is not None]
        assert [round((106 - y) / 102, 3) for y in drawn] == pytest.approx(known, abs=0.001)
    assert shown.get_attribute("#values svg[role=img]", "aria-label") == "winning chances over time"
    shown.keyboard.press("End")
    last = made["analysis"]["values"][-1]
    for player, name in enumerate(called(record)):
        told = "not known" if last[player] is None else f"{round(100 * last[player])}\xa0%"
        assert f"{name} {told}" in shown.inner_text("#values .worth")


def test_marks_are_told_by_shape_and_lead_to_their_turns(opened: Open, record: Record) -> None:
    analysis = invented(record)
    marked = [one for one in analysis.turns if one.mark]
    shown = opened(record, analysis=analysis, reduced_motion="reduce")
    gravest = max(marked, key=lambda one: one.loss or 0)
    assert turn(shown) == gravest.turn, "the page opens where most was lost"
    dots = shown.locator("#values .dots button")
    names = called(record)
    labels = [f"turn {one.turn}: {names[one.player]}, {one.mark}" for one in marked]
    assert [str(dot.get_attribute("aria-label")).rsplit(",", 1)[0] for dot in dots.all()] == labels
    shapes = {
        mark: {p.get_attribute("d") for p in shown.locator(f"#values .dots .{mark} path").all()} for _, mark in MARKS
    }
    assert {one.mark for one in marked} == {mark for mark, paths in shapes.items() if paths}
    assert all(len(paths) <= 1 for paths in shapes.values())
    assert len(set.union(*shapes.values())) == sum(map(bool, shapes.values())) > 1
    dots.nth(len(marked) // 2).dispatch_event("click")
    assert turn(shown) == marked[len(marked) // 2].turn
    shown.click("#tab-analysis")
    shown.locator("#values .dots button").last.click()
    assert turn(shown) == marked[-1].turn
    shown.keyboard.press("Home")
    for number in dict.fromkeys(one.turn for one in marked):
        shown.keyboard.press("m")
        assert turn(shown) == number
    shown.keyboard.press("m")
    assert turn(shown) == marked[-1].turn, "there is none after it"
    assert shown.get_by_role("button", name="Next mistake").get_attribute("aria-disabled") == "true"
    for number in dict.fromkeys(one.turn for one in marked[::-1] if one.turn != marked[-1].turn):
        shown.get_by_role("button", name="Previous mistake").click()
        assert turn(shown) == number


def test_what_a_turn_lost_stands_beside_it(opened: Open, record: Record) -> None:
    analysis = invented(record)
    one = next(one for one in analysis.turns if one.mark == "blunder")
    one.best[0] = Suggestion(one.best[0].reply, one.before, [(one.player, "first"), (one.player, "second\nline")])
    one.proven, one.reason = True, "This lets the other join <b> to c."
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis)
    told = " ".join(shown.inner_text("#now").split())
    assert one.after is not None
    made = film_with(record, analysis)
    index = next(index for index, told in enumerate(made["turns"]) if told["turn"] == one.turn)
    in_chart = made["analysis"]["values"][index][one.player]
    after = in_chart if in_chart < one.before else one.after  # a rise of the chart would contradict the mark
    assert f"Winning chance {round(100 * one.before)} % (certain) → {round(100 * after)} % blunder" in told
    assert one.reason in told
    judged = next(told for told in made["turns"][index]["judged"] if told["player"] == one.player)
    for best, (*_, words) in zip(one.best, judged["best"], strict=True):
        assert " ".join(f"{round(100 * best.value)} % {words}".split()) in told
        assert " ".join(best.reply.replace(chr(10), " / ").split()) in told
    assert "then" in told
    assert "second / line" in told
    one.before = 1.0
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis)
    assert "Winning chance 100 % (a proven win) →" in " ".join(shown.inner_text("#now").split())


def test_the_head_tells_accuracy_and_marks(opened: Open, record: Record, analysis: Analysis) -> None:
    for size in WIDTHS:
        shown = opened(record, size, analysis=analysis)
        items = shown.locator("#accuracy li")
        assert items.count() == len(analysis.accuracy)
        for player, accuracy in enumerate(analysis.accuracy):
            told = " ".join(items.nth(player).inner_text().split())
            assert accuracy is not None
            assert f"accuracy {math.floor(accuracy + 0.5)} %" in told, "as everywhere on the site"
            for mark, count in analysis.marks_of(player).items():
                named = items.nth(player).locator(f".count:has(.{mark})").get_attribute("title")
                assert named is not None
                assert named.split()[0] == str(count)


@pytest.mark.parametrize("size", WIDTHS)
def test_nothing_sticks_out(opened: Open, record: Record, size: str) -> None:
    analysis = invented(record)
    last = [one for one in analysis.turns if one.mark][-1]
    shown = opened(record, size, at=f"#turn={last.turn}", analysis=analysis)
    shown.keyboard.press("b")
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if size == "desktop":
        assert shown.evaluate("document.documentElement.scrollHeight <= innerHeight"), "all fits one screen"
    else:
        box, board = shown.locator("#review").bounding_box(), shown.locator("#board").bounding_box()
        assert box is not None
        assert board is not None
        assert box["y"] + box["height"] - board["y"] < WIDTHS[size][1], "the switch is seen together with the board"


def test_everything_is_reached_by_keyboard(opened: Open, record: Record, analysis: Analysis) -> None:
    _, one = first_with(record, analysis)
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis)
    reached = []
    for _ in range(40):
        shown.keyboard.press("Tab")
        reached.append(shown.evaluate(FOCUSED))
    switch = f"What should {called(record)[one.player]} have played?"
    assert {"Previous mistake", "Next mistake", switch} <= set(reached)
    shown.get_by_role("button", name=switch).focus()
    shown.keyboard.press("Space")
    assert shown.evaluate("lapilli.instead") == one.player
    assert shown.evaluate(FOCUSED) == switch, "the focus stays"
    shown.keyboard.press("Enter")
    assert shown.evaluate("lapilli.instead") is None
    shown.click("#tab-turns")
    shown.fill("#search", "bm")
    assert (turn(shown), shown.evaluate("lapilli.instead")) == (one.turn, None), "whoever writes keeps the keys"


def test_the_log_finds_marks(opened: Open, record: Record) -> None:
    analysis = invented(record)
    shown = opened(record, analysis=analysis)
    assert shown.locator("#analysis").is_visible(), "who asks for an analysis sees it first"
    shown.click("#tab-turns")
    for _, mark in MARKS:
        shown.fill("#search", mark)
        assert shown.locator("#log li:visible").count() == sum(one.mark == mark for one in analysis.turns)


def test_an_analysis_that_was_stopped_shows_what_there_is(opened: Open, record: Record) -> None:
    analysis = invented(record)
    half = len({one.turn for one in analysis.turns}) // 2
    judged = sorted({one.turn for one in analysis.turns})[:half]
    analysis.turns = [one for one in analysis.turns if one.turn in judged]
    analysis.values = [row for row in analysis.values if row[0] in judged]
    analysis.whole = False
    shown = opened(record, analysis=analysis)
    assert "The analysis stops before the end." in shown.inner_text("#analysis")
    shown.keyboard.press("End")
    assert shown.inner_text("#values .worth").count("not known") == len(analysis.accuracy)
    assert shown.locator("#review button[aria-pressed]:visible").count() == 0
    shown.keyboard.press("b")
    assert shown.evaluate("lapilli.instead") is None


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- ]]> ${`x`}"


def test_hostile_texts_are_inert(opened: Open, record: Record) -> None:
    analysis = invented(record)
    one = analysis.turns[0]
    one.best = [one.best[0], Suggestion(HOSTILE, 0.5, [(one.player, HOSTILE)])]
    analysis.engine = HOSTILE
    shown = opened(record, at=f"#turn={one.turn}", analysis=analysis)
    assert shown.inner_text("#now").count(HOSTILE) == 2
    shown.click("#tab-analysis")
    assert HOSTILE in shown.inner_text("#analysis .note:last-child")
    assert shown.locator("script").count() == 4, "film, script, what unpacks it, and it unpacked"
    assert shown.locator("img").count() == 0


def test_what_is_not_of_this_match_is_refused(record: Record) -> None:
    other = played(record.game)
    other.turns[0].action = "something else"
    with pytest.raises(lapilli.LapilliError, match="this is the analysis of another match"):
        page(other, invented(record))
    analysis = invented(record)
    analysis.turns[0].best = [Suggestion("no such turn", 0.5)]
    with pytest.raises(lapilli.LapilliError, match=r"turn \d+: the rules refuse the suggestion 'no such"):
        page(record, analysis)
    analysis = invented(record)
    analysis.turns[-1].turn += 1000
    with pytest.raises(lapilli.LapilliError, match=r"turn \d+ of player \d, who was not asked then"):
        page(record, analysis)
    analysis = invented(record)
    analysis.turns[-1].player = 7
    with pytest.raises(lapilli.LapilliError, match="other players than the match"):
        page(record, analysis)


def test_a_record_in_which_nobody_was_asked_can_be_shown(opened: Open) -> None:
    empty = parse_record(json.dumps({"format": FORMAT, "game": "volcanoes"}))
    analysis = analysed(empty)
    assert (analysis.turns, analysis.moves, analysis.whole) == ([], moves_of(empty), True)
    shown = opened(empty, analysis=analysis)
    assert "accuracy not known" in shown.inner_text("#accuracy")
