"""The page of a match in a real Chromium, from the file system, for every game."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest
from playwright.sync_api import Browser

import lapilli
from lapilli.match import Record
from lapilli.match.inputs import inputs
from lapilli.match.record import FORMAT, parse_record
from lapilli.players import Identity
from lapilli.viewer import page
from lapilli.viewer.films.film import film
from lapilli.viewer.films.packing import with_references
from viewer.pages import FOCUSED, WIDTHS, Open, drawing, is_drawn, last_turn, page_of, played, turn, until


@pytest.mark.parametrize("size", WIDTHS)
def test_it_opens_plays_and_seeks(opened: Open, record: Record, size: str) -> None:
    shown = opened(record, size)
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out sideways"
    if size == "desktop":
        assert shown.evaluate("document.documentElement.scrollHeight <= innerHeight"), "all fits one screen"
    assert shown.locator("#board [data-key]").count() > (10 if is_drawn(record) else 0)
    assert turn(shown) == 0
    shown.select_option("#speed", "4")
    shown.click("#play")
    until(shown, "lapilli.at >= 4")
    shown.click("#play")
    assert turn(shown) > 0
    shown.keyboard.press("End")
    assert turn(shown) == last_turn(shown) == record.turns[-1].turn or record.game == "volcanoes"
    chart = shown.locator("#chart svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    shown.mouse.click(box["x"] + 2, box["y"] + box["height"] / 2)
    assert turn(shown) <= 1 + last_turn(shown) // 50
    shown.locator("#log li button:visible").nth(3).click()
    assert turn(shown) in (2, 3)


def test_keys_and_links_lead_to_turns(opened: Open, record: Record) -> None:
    shown = opened(record, at="#turn=2")
    assert turn(shown) == 2
    shown.keyboard.press("ArrowRight")
    assert turn(shown) == 3
    until(shown, "location.hash === '#turn=3'")
    shown.keyboard.press("ArrowLeft")
    shown.keyboard.press("ArrowLeft")
    assert turn(shown) == 1
    shown.keyboard.press("Home")
    assert turn(shown) == 0
    shown.keyboard.press("End")
    assert turn(shown) == last_turn(shown)
    shown.keyboard.press("Home")
    shown.keyboard.press("Space")
    until(shown, "lapilli.$('play').getAttribute('aria-label') === 'Pause'")
    shown.keyboard.press("Space")
    shown.evaluate("location.hash = '#turn=4'")
    until(shown, "lapilli.$('counter').textContent.startsWith('turn 4 ')")


@pytest.mark.parametrize("seat", [0, 1])
def test_who_has_played_sees_the_end_from_their_side_of_the_table(opened: Open, seat: int) -> None:
    shown = opened(played("volcanoes"))
    assert (turn(shown), shown.evaluate("lapilli.board.flipped")) == (0, False), "others see the start"
    shown.keyboard.press("x")
    shown.evaluate(f"lapilli.setAttribute('seat', '{seat}'); lapilli.film = lapilli.film")
    assert turn(shown) == last_turn(shown)
    assert shown.evaluate("lapilli.at === lapilli.reel.last && location.hash === ''"), "a link shows others all of it"
    assert shown.evaluate("[lapilli.board.flipped, lapilli.board.own]") == [seat == 1, seat]
    assert shown.get_attribute("#flip", "aria-pressed") == str(seat == 1).lower()
    assert shown.locator("#banner").is_hidden(), "nothing covers the board"
    assert shown.locator("#result").is_visible()
    shown.keyboard.press("ArrowLeft")
    until(shown, "location.hash.startsWith('#turn=')")
    shown.keyboard.press("End")
    assert shown.locator("#banner").is_visible()


def test_a_first_step_from_a_link_goes_to_the_next_turn(opened: Open) -> None:
    shown = opened(played("volcanoes"), at="#turn=4", reduced_motion="reduce")
    assert turn(shown) == 4
    shown.keyboard.press("ArrowRight")
    until(shown, "lapilli.$('counter').textContent.startsWith('turn 5 ')")


def test_the_last_picture_tells_the_outcome(opened: Open, record: Record) -> None:
    shown = opened(record)
    assert shown.locator("#board[over]").count() == 0
    shown.keyboard.press("End")
    assert shown.locator("#board[over]").count() == 1, "nobody is shown as to move"
    assert record.outcome is not None
    assert shown.inner_text("#outcome") == film(record)["outcome"]["words"]
    points = shown.locator("#ranking .points").all_inner_texts()
    ranks, scores = record.outcome.ranks or [], record.outcome.scores or []
    in_order = sorted(range(len(ranks)), key=lambda player: ranks[player])
    counts = record.load_game().counts_points
    assert points == [str(scores[player]) if counts else "" for player in in_order]
    rows = shown.locator("#ranking li").all_inner_texts()
    for row, player in zip(rows, in_order, strict=True):
        assert record.player_name(player) in row
        assert ("winner" in row) == (ranks[player] == 1 and ranks.count(1) == 1)


def test_pictures_are_the_same_wherever_one_comes_from(opened: Open, record: Record) -> None:
    """Stepping, jumping back and jumping forward end in the same drawing."""

    shown = opened(record, reduced_motion="reduce")
    seen = []
    for _ in range(6):
        shown.keyboard.press("ArrowRight")
        seen.append(drawing(shown))
    shown.keyboard.press("End")
    until(shown, "location.hash === lapilli.reel.address(lapilli.at)")
    for number in range(6, 0, -1):
        shown.evaluate(f"location.hash = '#turn={number}'")
        until(shown, f"lapilli.$('counter').textContent.startsWith('turn {number} ')")
        assert drawing(shown) == seen[number - 1], number


def test_a_bots_input_can_be_copied(opened: Open, record: Record) -> None:
    entry = record.turns[2]
    shown = opened(record, at=f"#turn={entry.turn}", permissions=["clipboard-read", "clipboard-write"])
    shown.click("#tab-now")
    shown.locator("#now article button").first.click()
    shown.wait_for_selector("text=copied")
    asked = [e.turn for e in record.turns if e.player == entry.player]
    text = inputs(record, entry.player)[asked.index(entry.turn)]
    assert shown.evaluate("navigator.clipboard.readText()") == text


def test_everything_is_reached_by_keyboard_and_options_work(opened: Open, record: Record) -> None:
    shown = opened(record)
    reached = set()
    for _ in range(60):
        shown.keyboard.press("Tab")
        reached.add(shown.evaluate(FOCUSED))
    assert {"seek", "first", "back", "play", "forward", "last", "speed", "search"} <= reached
    shown.click("#options summary")
    labels = shown.locator("#board .lapilli-label")
    assert (labels.count() > 0) == is_drawn(record)
    if is_drawn(record):
        assert labels.first.is_visible()
        shown.uncheck("#labels")
        assert not labels.first.is_visible()
    before = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    shown.select_option("#theme", "dark")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_the_log_is_searched(opened: Open, record: Record) -> None:
    record.turns[4].stderr = "Needle in the haystack"
    shown = opened(record)
    record.turns[4].stderr = ""
    shown.fill("#search", "needle")
    assert shown.locator("#log li:visible").count() == 1
    assert not shown.locator("#nothing").is_visible()
    shown.locator("#log li:visible button").click()
    assert turn(shown) == record.turns[4].turn
    shown.click("#tab-now")
    assert "Needle in the haystack" in shown.inner_text("#now pre")
    shown.click("#tab-turns")
    shown.fill("#search", "no such text anywhere")
    assert shown.locator("#nothing").is_visible()
    shown.fill("#search", str(shown.locator("#log li .told").nth(2).text_content()))
    assert shown.locator("#log li:visible").count() >= 1


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- ]]> \u2028 ${`x`}"


def test_hostile_texts_are_inert(opened: Open, record: Record) -> None:
    copy = parse_record(record.to_json())
    copy.players = [Identity(HOSTILE) for _ in copy.players]
    copy.turns[0].message = copy.turns[0].stderr = HOSTILE
    copy.turns[1].stderr = HOSTILE + "x" * 10_000_000
    shown = opened(copy, at=f"#turn={copy.turns[0].turn}")
    assert HOSTILE.replace("\u2028", "") in shown.inner_text("#parts").replace("\u2028", "").replace("\n", "")
    assert shown.locator("script").count() == 4, "film, script, what unpacks it, and it unpacked"
    assert shown.locator("img").count() == 0
    assert "10,0" in shown.evaluate(
        "lapilli.film.turns[lapilli.film.frames.at(-1).turn] && JSON.stringify(lapilli.film.turns)"
    )


def test_a_notebooks_page_plays_too(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(played("volcanoes")._repr_html_(), encoding="utf-8")
    shown = browser.new_page()
    shown.goto(file.as_uri())
    frame = shown.frame_locator("iframe")
    frame.locator("#player:not([aria-busy])").wait_for()
    frame.locator("#speed").select_option("16")
    frame.locator("#play").click()
    frame.locator("#play[aria-label=Pause]").wait_for()
    frame.locator("#play[aria-label=Play]").wait_for()
    words = frame.locator("#counter").inner_text().split()
    assert words[1] == words[3], "it played to the end"
    shown.close()


def test_space_plays_wherever_one_has_clicked(opened: Open, record: Record) -> None:
    shown = opened(record)
    for where in ("#seek", "#forward", "#log li:nth-child(3) button"):
        shown.click(where)
        shown.keyboard.press("Space")
        assert shown.get_attribute("#play", "aria-label") == "Pause", where
        shown.keyboard.press("Space")
        assert shown.get_attribute("#play", "aria-label") == "Play", where


def test_a_lean_record_shows_what_the_referee_says(opened: Open) -> None:
    """No entry for who did not answer, no notes: as other programs write records."""
    turns = [{"turn": 1, "player": 0, "action": "MOVE 0 99 1;MSG hello"}]
    data = {"format": FORMAT, "game": "tryangle", "setup": {"seed": 1}, "turns": turns, "outcome": {}}
    shown = opened(parse_record(json.dumps(data)), at="#turn=1")
    shown.click("#tab-now")
    told = shown.inner_text("#now")
    assert "no reply" in told
    assert "99" in told
    assert "hello" in told
    assert shown.locator("#now article button").count() == 2
    assert shown.locator("#marks .silent").count() == 1


def test_the_board_is_told_in_words(opened: Open, record: Record) -> None:
    shown = opened(record, "phone")
    shown.click("#tab-now")
    shown.click("#words summary")
    until(shown, f"lapilli.$('words').querySelectorAll('li').length > {5 if is_drawn(record) else 0}")
    before = shown.locator("#words li").all_inner_texts()
    shown.keyboard.press("End")
    assert shown.locator("#words li").all_inner_texts() != before
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_long_names_leave_room_for_the_board(opened: Open, record: Record) -> None:
    copy = parse_record(record.to_json())
    copy.players = [Identity("a very long name " * 30) for _ in copy.players]
    shown = opened(copy)
    box = shown.locator("#play").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800


def test_what_occurs_again_is_written_once() -> None:
    words = {"of": "several words"}
    data = {"a": ["~ a text like this", "~ a text like this", words], "b": words, "c": [1, 1.5, None, True]}
    table, written = json.loads(with_references(data))
    assert table == ["~~ a text like this", words]
    assert written == {"a": ["~0", "~0", "~1"], "b": "~1", "c": [1, 1.5, None, True]}


def test_a_film_is_read_as_it_was_written(opened: Open, record: Record) -> None:
    """What bots wrote is told from what stands for something else, too."""
    copy = parse_record(record.to_json())
    copy.turns[0].message = copy.turns[1].stderr = "~1 and ~~2"
    shown = opened(copy)
    # As one text: Playwright takes long to hand over so many values one by one.
    assert json.loads(shown.evaluate("JSON.stringify(lapilli.film)")) == json.loads(json.dumps(film(copy)))


def test_size_and_speed(opened: Open, record: Record) -> None:
    assert len(page_of(record)) < 300_000
    start = perf_counter()
    opened(record)
    assert perf_counter() - start < 10, "a hang, not a measurement: that is benchmarks/page.py's"


def test_an_unfinished_match_shows_what_there_is(opened: Open) -> None:
    entries = [{"turn": 1, "player": 0, "action": "N07", "message": "hi"}, {"turn": 2, "player": 1, "action": "N08"}]
    data = {"format": FORMAT, "game": "volcanoes", "turns": entries, "outcome": {"termination": "interrupted"}}
    shown = opened(parse_record(json.dumps(data)))
    shown.keyboard.press("End")
    assert turn(shown) == 3
    assert "stops before the end" in shown.inner_text("#outcome")


def test_whose_fault_a_late_answer_was(opened: Open) -> None:
    late: dict[str, object] = {"turn": 2, "player": 1, "milliseconds": 98.0, "cpu_ms": 20.5, "waited_ms": 75.25}
    busy = {"termination": "abandoned", "reason": "Orange waited 75 of 98 ms for a processor"}
    entries = [{"turn": 1, "player": 0, "action": "N07"}]
    data = {"format": FORMAT, "game": "volcanoes", "turns": [*entries, late | {"fault": busy}], "outcome": busy}
    shown = opened(parse_record(json.dumps(data)))
    shown.keyboard.press("End")
    ending = shown.inner_text("#outcome")
    assert "abandoned (Orange waited 75 of 98 ms for a processor; 98.0 ms, 20.5 ms of processor time, 75.2 ms" in ending
    late["fault"] = {"termination": "timeout", "reason": "no reply within 50 ms"}
    shown = opened(parse_record(json.dumps({"format": FORMAT, "game": "volcanoes", "turns": [*entries, late]})))
    shown.keyboard.press("End")
    shown.click("#tab-now")
    assert "20.5 ms of processor time, 75.2 ms waiting for a processor" in shown.inner_text("#side")


def test_a_refuted_record_is_not_drawn() -> None:
    entries = [{"turn": 1, "player": 1, "action": "N07"}]
    data = {"format": FORMAT, "game": "volcanoes", "turns": entries}
    with pytest.raises(lapilli.LapilliError, match="turn 1: player 1 was not asked"):
        page(parse_record(json.dumps(data)))


def test_a_phone_shows_the_globe_until_somebody_chooses_the_map(opened: Open) -> None:
    shown = opened(played("volcanoes"), "phone")
    until(shown, "lapilli.board.view === 'globe'")
    assert shown.get_attribute("#globe", "aria-pressed") == "true"
    shown.click("#options summary")
    shown.click("#choices #globe")
    assert shown.evaluate("lapilli.board.view") == "board"
    shown.reload()
    shown.wait_for_selector("#player:not([aria-busy])")
    assert shown.evaluate("lapilli.board.view") == "board", "it is remembered"


def test_the_globe_turns_and_shows_the_same(opened: Open) -> None:
    shown = opened(played("volcanoes"), at="#turn=20", reduced_motion="reduce")
    globe = "lapilli.board.shadowRoot.querySelector('.globe')"
    shown.click("#globe")
    assert shown.locator("#board .globe [data-key^=tile]:visible").count() > 30
    before = shown.evaluate(f"{globe}.innerHTML")
    box = shown.locator("#board .globe").bounding_box()
    assert box is not None
    shown.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    shown.mouse.down()
    shown.mouse.move(box["x"] + box["width"] / 2 + 90, box["y"] + box["height"] / 2 + 20)
    shown.mouse.up()
    assert shown.evaluate(f"{globe}.innerHTML") != before
    shown.click("#globe")
    assert shown.locator("#board .board").is_visible()


def test_letters_on_the_ground_are_for_those_who_want_them(opened: Open, record: Record) -> None:
    """Offered where a game draws some; chosen once, they are there the next time."""
    shown = opened(record)
    letters = shown.locator("#board .lapilli-letter")
    shown.click("#options summary")
    assert shown.locator("#lettering").is_visible() == (letters.count() > 0)
    if not letters.count():
        return
    assert not letters.first.is_visible()
    shown.check("#letters")
    assert letters.first.is_visible()
    shown.reload()
    shown.wait_for_selector("#player:not([aria-busy])")
    assert letters.first.is_visible()
    shown.click("#options summary")
    shown.uncheck("#letters")
    assert not letters.first.is_visible()
