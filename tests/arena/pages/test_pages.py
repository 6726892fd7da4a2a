"""Pages of events whose matches were really played, in a real Chromium, from the file system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from arena.filled import NEW, OLD, compare, compare_good, fill
from lapilli.arena.pages import Which, event_page, gather
from lapilli.arena.reports.compared import compared
from lapilli.arena.reports.overview import overview
from lapilli.arena.statistics import estimate
from lapilli.store import Event, EventKind, MatchFilter, Standing, Store

WIDTHS = {"desktop": 1200, "phone": 390}
EVENTS = {1: EventKind.COMPARISON, 2: EventKind.COMPARISON, 3: EventKind.TOURNAMENT, 4: EventKind.LEAGUE}
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    file = tmp_path_factory.mktemp("store") / "arena.db"
    fill(file)
    with Store.open(file) as opened:
        yield opened


def written(store: Store, event: Event, which: Which = Which.LOST) -> str:
    return event_page(gather(store, event, which), {}, lambda name: f"lapilli view {name}")


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens pages; afterwards nothing may have gone wrong in any of them, and nothing been fetched."""
    problems: list[str] = []
    contexts = []

    def open_page(text: str, size: str = "desktop", **options: object) -> Page:
        file = tmp_path / "event.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": WIDTHS[size], "height": 844}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        made = context.new_page()
        made.on("console", lambda message: problems.append(f"console: {message.text}"))
        made.on("pageerror", lambda error: problems.append(f"error: {error}"))
        made.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
        made.on("request", lambda sent: problems.append(f"request: {sent.url}") if sent.url != file.as_uri() else None)
        made.goto(file.as_uri())
        return made

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.mark.parametrize("size", WIDTHS)
@pytest.mark.parametrize("number", EVENTS)
def test_a_page_opens_fits_and_says_what_it_shows(opened: Open, store: Store, number: int, size: str) -> None:
    shown = opened(written(store, store.event(number)), size)
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out sideways"
    small = "[...document.querySelectorAll('main *')].filter(e => parseFloat(getComputedStyle(e).fontSize) < 13).length"
    assert shown.evaluate(small) == 0
    assert shown.locator("h1").inner_text() == store.event(number).name.replace("\x1b", "\ufffd")
    for table in shown.locator("table").all():
        assert table.locator("caption").inner_text()
        assert table.locator("thead th[scope=col]").count() == table.locator("tbody tr").first.locator("th, td").count()
        assert table.locator("tbody th[scope=row]").count() == table.locator("tbody tr").count()
    drawings = shown.locator("svg[role=img]").all()
    assert drawings or EVENTS[number] == EventKind.LEAGUE
    for drawing in drawings:
        assert drawing.locator("title").first.text_content()
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 100


def test_a_comparison_shows_the_figures_of_its_pairs(opened: Open, store: Store) -> None:
    event = store.event(1)
    found = compared(store, event)
    shown = opened(written(store, event))
    result = shown.locator("table.result").inner_text()
    assert f"{found.elo.elo:+.0f} ({found.elo.low:+.0f} to {found.elo.high:+.0f}, 95 %)" in result
    assert f"20: {found.counts.wins} won, {found.counts.draws} drawn, {found.counts.losses} lost" in result
    assert shown.locator(".sentence").inner_text() == f"{NEW} is better."
    drawn = shown.locator("svg.interval").bounding_box()
    dot = shown.locator("svg.interval circle").bounding_box()
    zero = shown.locator("svg.interval .zero").bounding_box()
    assert drawn is not None and dot is not None and zero is not None  # noqa: PT018
    assert drawn["x"] <= zero["x"] < dot["x"] < drawn["x"] + drawn["width"], "stronger is right of zero"
    assert shown.locator("svg.chart polyline").count() == 1
    lost = store.matches(event.id, MatchFilter(contestant=0, standing=Standing.LOST), most=1000)
    ways = shown.locator("table.matches tbody th").all_inner_texts()
    assert ways == [f"lapilli view 1/{match.result.number}" for match in lost]


def test_the_curve_ends_where_the_comparison_does(store: Store) -> None:
    event = store.event(1)
    found = compared(store, event, points=5)
    assert [pairs for pairs, _ in found.curve] == [4, 8, 12, 16, 20]
    assert found.curve[-1] == (20, estimate(found.counts))
    assert compared(store, event).curve == ()
    odd = compared(store, event, points=3).curve
    assert odd[-1] == (20, estimate(found.counts))


def test_foreign_words_stay_words(opened: Open, store: Store) -> None:
    shown = opened(written(store, store.event(1)))
    assert shown.locator("img, script, iframe").count() == 0
    assert NEW in shown.locator("h1").inner_text()
    assert OLD.replace("\x1b", "\ufffd") in shown.locator("table.contestants").inner_text()
    league = opened(written(store, store.event(4)))
    assert "<leaver>" in league.locator("table").first.inner_text()


def test_faults_and_what_was_abandoned_are_listed(opened: Open, store: Store) -> None:
    shown = opened(written(store, store.event(2)))
    assert shown.locator("ul.faults li").all_inner_texts() == [
        "crashes: 4 exited",
        "1 abandoned, and counted for nobody. The last: busy",
    ]
    assert shown.locator("table.matches .fault").all_inner_texts() == ["Fault of crashes: exited"] * 4
    assert shown.locator("table.matches tbody th").first.inner_text() == "2/3 (record not kept)"


def test_a_tournament_has_ratings_with_intervals_and_a_cross_table(opened: Open, store: Store) -> None:
    shown = opened(written(store, store.event(3)), "phone")
    ratings, cross = shown.locator("table.numbers").all()[:2]
    names = ratings.locator("tbody th").all_inner_texts()
    assert names[-1] == "Idle"
    assert ratings.locator("svg.interval").count() == 3
    assert cross.locator("thead th").all_inner_texts()[1:] == names
    cells = [row.locator("td").all_inner_texts() for row in cross.locator("tbody tr").all()]
    assert [cells[place][place] for place in range(4)] == [""] * 4
    for one in range(3):
        for other in range(3):
            if one != other:
                assert cells[one][other].split("–") == cells[other][one].split("–")[::-1]
    region = shown.locator(".scroll").first
    assert region.evaluate("region => region.scrollWidth > region.clientWidth"), "it is wider than a phone"
    region.focus()
    shown.keyboard.press("ArrowRight")
    shown.wait_for_timeout(300)
    assert region.evaluate("region => region.scrollLeft") > 0
    edge = ratings.locator("tbody th").first.bounding_box()
    assert edge is not None
    assert edge["x"] >= 0, "names stay in sight"


def test_a_tournament_shows_the_way_of_each_elo(opened: Open, store: Store) -> None:
    event = store.event(3)
    shown = opened(written(store, event))
    ratings = shown.locator("table.numbers").first
    names, elos = (ratings.locator(cell).all_inner_texts() for cell in ("tbody th", "td:nth-child(2)"))
    table = dict(zip(names, elos, strict=True))
    assert shown.locator("svg.chart polyline").count() == 3, "who has not played has none"
    legend = dict(text.strip().split(": ") for text in shown.locator(".legend li").all_inner_texts())
    assert legend == {name: elo for name, elo in table.items() if name != "Idle"}, "it ends where the table is"


def test_a_league_has_its_ladder_its_moves_and_the_ratings_way(opened: Open, store: Store) -> None:
    shown = opened(written(store, store.event(4)))
    ladder = shown.locator("table").first
    assert ladder.locator("tbody th").all_inner_texts()[0] == "climber"
    assert "boss" in ladder.inner_text()
    assert "withdrawn" in ladder.inner_text()
    assert shown.locator("svg.chart polyline").count() == 3
    legend = shown.locator(".legend li").all_inner_texts()
    rated = {entry.number: entry.rating for entry in store.leaderboard(4, withdrawn=True)}
    assert f"climber: {rated[1].mu - 3 * rated[1].sigma:.1f}" in [text.strip() for text in legend]
    styles = shown.evaluate("[...document.querySelectorAll('polyline')].map(p => getComputedStyle(p).strokeDasharray)")
    assert len(set(styles)) == 3, "colour is not alone"
    assert "climber, wood to bronze. stands above the boss" in shown.locator("main").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_systems_theme(opened: Open, store: Store, scheme: str) -> None:
    shown = opened(written(store, store.event(1)), color_scheme=scheme)
    paper = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 25, 29)")


def test_matches_that_are_listed(store: Store) -> None:
    everything = gather(store, store.event(1), Which.ALL, 1000).matches
    assert len(everything) == 40
    some = gather(store, store.event(1), Which.ALL, 7)
    assert some.matches == everything[:7]
    assert len(gather(store, store.event(2), Which.NONE).matches) == 4
    each = gather(store, store.event(3)).matches
    assert [match.id for match in each] == sorted({match.id for match in each}, reverse=True)


def test_nothing_was_played_yet(opened: Open, tmp_path: Path) -> None:
    with Store.open(tmp_path / "new.db") as new:
        event = new.open_league("spring", "volcanoes", {})
        shown = opened(written(new, event))
        assert "Nothing has been played yet." in shown.locator(".sentence").inner_text()
        one_pair = compare(new, {"a": "random", "b": "greedy"}, 2)
        assert opened(written(new, one_pair)).locator("svg.chart").count() == 0


def test_contestants_of_one_name_are_told_apart(tmp_path: Path) -> None:
    with Store.open(tmp_path / "twins.db") as new:
        good = compare_good(new, 2)
        found = overview(new, good)
        twins = new.open_event(EventKind.TOURNAMENT, "twins", good.game, {}, [*good.contestants, *good.contestants])
        assert [share.name for share in overview(new, twins).shares] == [
            f"{NEW} #0",
            f"{OLD} #1",
            f"{NEW} #2",
            f"{OLD} #3",
        ]
        assert [share.name for share in found.shares] == [NEW, OLD]
