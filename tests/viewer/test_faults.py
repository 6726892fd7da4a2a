"""What was once wrong with the page of a match, fault by fault, in a real Chromium."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from lapilli.match import Record
from lapilli.match.record import FORMAT, parse_record
from lapilli.players import Identity
from lapilli.viewer.films.film import film
from viewer.pages import Open, is_drawn, page_of, plate_scores, played, turn, until

SEEN = "window.seen = []; lapilli.addEventListener('picture', ({detail}) => seen.push(detail.at));"
CONTROLS = [
    "first",
    "back",
    "pictureback",
    "play",
    "pictureforward",
    "forward",
    "last",
    "happeningback",
    "happeningforward",
    "fault",
    "speed",
    "seek",
]
BOXES = f"""{json.dumps(CONTROLS)}.map((id) => {{
    const box = lapilli.$(id).getBoundingClientRect();
    return [box.x, box.y, box.width, box.height];
}})"""
SIGNS = "[...lapilli.$('marks').querySelectorAll('.sign')]"
TITLED = """lapilli.picture().order.map((key) => lapilli.picture().shapes.get(key))
    .filter((shape) => (shape[5] || shape[4]).length > 2)"""
ON_BOARD = "!Object.keys(lapilli.picture().supplies).includes(shape[6])"


@pytest.fixture(scope="module")
def volcanoes() -> Record:
    return played("volcanoes")


def test_1_stepping_by_turns_shows_every_picture(opened: Open, volcanoes: Record) -> None:
    shown = opened(volcanoes)
    made = film(volcanoes)
    shown.evaluate(f"{{ {SEEN} }}")
    for _ in range(len(made["turns"]) - 1):
        shown.keyboard.press("ArrowRight")
        until(shown, "!lapilli.playback.timer")
        assert shown.evaluate("lapilli.reel.isSettled(lapilli.at)")
    seen = shown.evaluate("seen")
    marked = [at for at, frame in enumerate(made["frames"]) if frame.get("mark")]
    assert marked
    assert set(marked) <= set(seen)
    assert seen == list(range(1, len(made["frames"]))), "one after the other, none left out"


def test_1_pressing_again_does_not_wait(opened: Open, volcanoes: Record) -> None:
    made = film(volcanoes)
    cascade = max(
        range(len(made["turns"])),
        key=lambda index: made["turns"][index]["frames"][1] - made["turns"][index]["frames"][0],
    )
    number = made["turns"][cascade]["turn"]
    shown = opened(volcanoes, at=f"#turn={number - 1}")
    shown.keyboard.press("ArrowRight")
    shown.keyboard.press("ArrowRight")
    assert turn(shown) == number + 1


def test_1_a_control_steps_by_picture_and_links_are_exact(opened: Open, volcanoes: Record) -> None:
    made = film(volcanoes)
    first, last = next(one["frames"] for one in made["turns"] if one["frames"][1] - one["frames"][0] >= 2)
    number = made["turns"][made["frames"][first]["turn"]]["turn"]
    shown = opened(volcanoes, at=f"#turn={number}.2")
    assert shown.evaluate("lapilli.at") == first + 1
    shown.click("#pictureforward")
    assert shown.evaluate("lapilli.at") == first + 2
    shown.click("#pictureback")
    shown.click("#pictureback")
    until(shown, f"location.hash === '#turn={number}.1'")
    shown.evaluate(f"location.hash = '#turn={number}'")
    until(shown, f"lapilli.at === {last}")


def test_2_the_plates_agree_with_the_picture_in_every_frame(opened: Open, record: Record) -> None:
    shown = opened(record, reduced_motion="reduce")
    contradictions = shown.evaluate(
        """() => {
            const found = [];
            lapilli.film.frames.forEach((_, at) => {
                lapilli.playback.go(at, false);
                const told = lapilli.board.plates.plates.map((plate) => Number(plate.number.textContent));
                const meant = lapilli.pictures.seek(at).panels.plates.map(([score]) => score);
                if (JSON.stringify(told) !== JSON.stringify(meant)) found.push([at, told, meant]);
            });
            return found;
        }"""
    )
    assert contradictions == []
    turns = film(record)["turns"]
    for index in (0, len(turns) // 2, len(turns) - 2):
        shown.evaluate(f"lapilli.toTurn({index})")
        told = turns[index]
        assert plate_scores(shown) in (told["scores"], told["gauge"]), "the score, or what the game's chart counts"


def test_3_one_picture_has_one_turn_number(opened: Open, record: Record) -> None:
    shown = opened(record)
    for index in range(0, len(film(record)["turns"]), 3):
        shown.evaluate(f"lapilli.toTurn({index})")
        told = " ".join(shown.inner_text(where) for where in ("#caption", "#counter", "#board .plates.above"))
        numbers = {int(number) for number in re.findall(r"turn (\d+)", told, re.IGNORECASE)}
        assert numbers == {turn(shown)}, told


def test_4_nothing_is_spoilt_before_the_end(opened: Open, record: Record) -> None:
    shown = opened(record)
    assert record.outcome is not None
    assert not shown.locator("#banner").is_visible()
    assert not shown.locator("#result").is_visible()
    assert "winner" not in shown.inner_text("main lapilli-player >> #stage")
    assert shown.locator("#board .won").count() == 0
    assert float(shown.get_attribute("#chart clipPath rect", "width") or "nan") == 0, "the chart shows what was"
    shown.keyboard.press("End")
    assert shown.locator("#banner").is_visible()
    assert film(record)["outcome"]["words"] in shown.inner_text("#banner")
    shown.keyboard.press("Home")
    assert not shown.locator("#banner").is_visible(), "over the last picture only"


def test_4_an_option_shows_the_result(opened: Open, volcanoes: Record) -> None:
    shown = opened(volcanoes)
    shown.click("#options summary")
    shown.check("#reveal")
    assert film(volcanoes)["outcome"]["words"] in shown.inner_text("#result")
    assert shown.get_attribute("#chart clipPath rect", "width") == "400"


def test_5_what_an_interrupted_match_was_waiting_for_is_shown(opened: Open) -> None:
    asked = {"turn": 2, "player": 1, "milliseconds": 98.0, "stderr": "Needle: deep in thought"}
    busy = {"termination": "abandoned", "reason": "Orange waited 75 of 98 ms for a processor"}
    entries = [{"turn": 1, "player": 0, "action": "N07"}, asked | {"fault": busy}]
    data = {"format": FORMAT, "game": "volcanoes", "turns": entries, "outcome": busy}
    shown = opened(parse_record(json.dumps(data)))
    waiting = film(parse_record(json.dumps(data)))["waiting"]
    shown.fill("#search", "needle")
    shown.locator("#log li button:visible").click()
    assert shown.locator("#waiting").is_visible()
    assert turn(shown) == 1
    told = shown.inner_text("#waiting")
    assert "Orange was being asked" in told
    assert "Orange waited 75 of 98 ms" in told
    assert "Needle: deep in thought" in told
    assert shown.inner_text("#waiting .question").strip() == waiting["inputs"]["1"].strip()
    shown.keyboard.press("Home")
    assert not shown.locator("#waiting").is_visible()


def test_7_keys_are_whoevers_they_are(opened: Open, volcanoes: Record) -> None:
    shown = opened(volcanoes, at="#turn=5")
    shown.focus("#speed")
    shown.keyboard.press("ArrowDown")
    assert shown.input_value("#speed") == "2"
    assert turn(shown) == 5
    shown.focus("#search")
    shown.keyboard.type("n ")
    shown.keyboard.press("ArrowLeft")
    assert (turn(shown), shown.input_value("#search"), shown.evaluate("lapilli.playback.isPlaying")) == (5, "n ", False)
    shown.click("#options summary")
    shown.focus("#labels")
    shown.keyboard.press("Space")
    assert not shown.is_checked("#labels")
    assert shown.evaluate("lapilli.playback.isPlaying") is False
    shown.click("#lastmove")
    shown.keyboard.press("Escape")
    shown.keyboard.press("ArrowRight")
    assert turn(shown) == 6, "what a pointer has pressed gives the keys back"
    shown.select_option("#speed", "1")
    shown.keyboard.press("Control+ArrowLeft")
    assert turn(shown) == 6


def test_7_of_two_players_the_focused_one_has_the_keys(opened: Open, volcanoes: Record) -> None:
    shown = opened(volcanoes)
    shown.evaluate(
        """() => {
            const other = document.createElement("lapilli-player");
            other.id = "other";
            document.body.append(other);
            other.film = structuredClone(lapilli.film);
            window.other = other;
        }"""
    )
    shown.keyboard.press("End")
    assert shown.evaluate("[lapilli.at, other.at]") == [0, 0], "nobody has the focus"
    shown.locator("#other #last").focus()
    shown.keyboard.press("End")
    assert shown.evaluate("[lapilli.at, other.at === other.reel.last]") == [0, True]


def test_8_controls_stay_where_they_are(opened: Open, record: Record) -> None:
    """Over a whole match, the globe included; and they can be reached without scrolling."""
    shown = opened(record)
    for width, height in (1440, 900), (1024, 768), (844, 390), (390, 844):
        shown.set_viewport_size({"width": width, "height": height})
        before = shown.evaluate(BOXES)
        for x, y, across, down in before:
            assert x >= 0, width
            assert y >= 0, width
            assert x + across <= width
            assert y + down <= height
        if width < 1100:
            assert all(box[2] >= 40 and box[3] >= 48 for box in before[:-1]), width
        moved = shown.evaluate(
            f"""async ([before]) => {{
                const found = [];
                if (!lapilli.$("globe").hidden) lapilli.$("globe").click();
                for (let at = 0; at <= lapilli.reel.last; at++) {{
                    lapilli.playback.go(at, false);
                    await new Promise(requestAnimationFrame);
                    const now = {BOXES};
                    if (JSON.stringify(now) !== JSON.stringify(before)) found.push([at, now]);
                }}
                if (!lapilli.$("globe").hidden) lapilli.$("globe").click();
                lapilli.playback.go(0, false);
                return found.slice(0, 2);
            }}""",
            [before],
        )
        assert moved == [], width


@pytest.mark.parametrize("name", ["volcanoes", "kingdomino"])
def test_9_a_wider_window_never_makes_the_board_smaller(opened: Open, name: str) -> None:
    shown = opened(played(name))
    widths = []
    for width in (*range(320, 1601, 64), 719, 720, 900, 901, 1099, 1100):
        shown.set_viewport_size({"width": width, "height": 900})
        shown.wait_for_timeout(60)
        widths.append(
            (width, shown.evaluate("lapilli.board.shadowRoot.querySelector('.camera').getBoundingClientRect().width"))
        )
    for (window, board), (wider, larger) in pairwise(sorted(widths)):
        assert larger >= board - 6, (window, board, wider, larger)


UNSTRETCHED = """() => {
    const marks = lapilli.$("marks");
    return Math.abs(marks.getBoundingClientRect().width / marks.viewBox.baseVal.width - 1) < 0.01;
}"""


def test_10_marks_stay_apart(opened: Open, record: Record) -> None:
    shown = opened(record)
    happenings = shown.evaluate("lapilli.reel.happenings.length")
    for width in (320, 390, 844, 1440):
        shown.set_viewport_size({"width": width, "height": 800})
        shown.wait_for_function(UNSTRETCHED)  # drawn anew for this width
        transforms = shown.evaluate(f"{SIGNS}.map((sign) => sign.getAttribute('transform'))")
        places = [float(re.findall(r"[\d.]+", transform)[0]) for transform in transforms]
        assert bool(places) == bool(happenings), width
        assert all(other - one >= 9 for one, other in pairwise(places)), width
        assert all(place == int(place) for place in places), f"crisp at {width}: on whole pixels"


def test_10_marks_are_told_by_shape(opened: Open) -> None:
    record = played("pyramids")
    kinds = {frame["mark"] for frame in film(record)["frames"] if frame.get("mark")}
    record.turns[3].notes = ["something odd"]
    shown = opened(record)
    shown.set_viewport_size({"width": 1600, "height": 800})
    shown.wait_for_timeout(100)
    shapes = set(shown.evaluate(f"{SIGNS}.map((sign) => sign.querySelector('path').getAttribute('d'))"))
    assert len(shapes) == len(kinds) + 1


def test_14_the_board_in_words_says_whose(opened: Open, record: Record) -> None:
    shown = opened(record, at="#turn=5")
    shown.click("#tab-now")
    shown.click("#words summary")
    sections = shown.locator("#words section")
    plates = shown.evaluate("lapilli.picture().panels.plates")
    for player, (score, unit, facts, _) in enumerate(plates):
        told = sections.nth(player).inner_text()
        assert told.startswith(record.load_game().sides[player])
        assert record.player_name(player) in told
        assert f"{score} {unit}" in told
        assert all(fact[0] in told for fact in facts)
    titles = shown.evaluate(f"{TITLED}.length")
    on_board = shown.locator("#words section li").count() - sum(1 + len(plate[2]) for plate in plates)
    in_strips = shown.evaluate(f"{TITLED}.filter((shape) => !{ON_BOARD}).length")
    strips = shown.evaluate("Object.keys(lapilli.picture().supplies).length")
    assert titles - in_strips <= on_board <= titles - in_strips + strips, (
        "equal things are told as often as they are there"
    )
    assert titles > 0 or not is_drawn(record)


RIGHT_TO_LEFT = "‮evil‬ אבג"


def test_15_foreign_texts_keep_their_direction_to_themselves(opened: Open, volcanoes: Record) -> None:
    copy = parse_record(volcanoes.to_json())
    copy.players = [Identity(RIGHT_TO_LEFT) for _ in copy.players]
    copy.turns[0].message = copy.turns[0].stderr = RIGHT_TO_LEFT
    copy.turns[0].notes = [RIGHT_TO_LEFT]
    shown = opened(copy, at=f"#turn={copy.turns[0].turn}")
    shown.evaluate("lapilli.playback.go(lapilli.reel.last)")
    shown.evaluate("lapilli.toTurn(1)")
    outside = shown.evaluate(
        """(() => {
            const found = [];
            const look = (root) => {
                const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
                for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                    if (node.shadowRoot) look(node.shadowRoot);
                    if (node.nodeType !== 3 || !node.data.includes("אבג")) continue;
                    if (node.parentElement.closest("bdi, [dir=auto]")) continue;
                    if (/\\u2068.*אבג.*\\u2069/.test(node.data)) continue;
                    found.push(node.parentElement.outerHTML);
                }
            };
            look(lapilli.shadowRoot);
            return found;
        })()"""
    )
    assert outside == []
    assert shown.locator("#parts bdi", has_text="אבג").count() == 4, "name, note, message, stderr"


def test_16_stderr_shows_its_end(opened: Open, volcanoes: Record) -> None:
    copy = parse_record(volcanoes.to_json())
    copy.turns[1].stderr = "\n".join(f"line {number}" for number in range(5000)) + "\nTraceback: the reason"
    shown = opened(copy, at=f"#turn={copy.turns[1].turn}")
    shown.click("#tab-now")
    box = "lapilli.$('parts').querySelector('pre')"
    until(shown, f"{box}.scrollTop > 0 && {box}.scrollTop + {box}.clientHeight >= {box}.scrollHeight - 2")
    assert shown.inner_text("#parts pre").endswith("Traceback: the reason")


@pytest.mark.parametrize("missing", ["DecompressionStream", "Array.prototype.findLast"])
def test_17_a_browser_that_is_too_old_says_so(
    browser: Browser, tmp_path: Path, volcanoes: Record, missing: str
) -> None:
    file = tmp_path / "match.html"
    file.write_text(page_of(volcanoes), encoding="utf-8")
    shown = browser.new_page()
    shown.add_init_script(f"delete globalThis.{missing}")
    shown.goto(file.as_uri())
    until(shown, "!document.querySelector('main')")
    assert re.fullmatch("This browser is too old: the page needs .*", shown.inner_text("body"))
    shown.close()


def test_equal_turns_fold_into_one_row(opened: Open) -> None:
    entries = [{"turn": number, "player": player, "action": "WAIT"} for number in range(1, 9) for player in (0, 1)]
    shown = opened(
        parse_record(json.dumps({"format": FORMAT, "game": "tryangle", "setup": {"seed": 1}, "turns": entries}))
    )
    rows = shown.locator("#log li:visible")
    assert rows.count() == 4, "the start, one row for each player, and what was not answered"
    assert shown.locator("#log .number:visible").all_inner_texts() == ["0", "1–8", "1–8", "9"]
    shown.evaluate("location.hash = '#turn=5'")
    until(shown, "lapilli.$('counter').textContent.startsWith('turn 5 ')")
    assert shown.locator("#log li.current:visible").count() == 2
    shown.fill("#search", "wait")
    assert rows.count() == 16, "who searches sees every turn"


def test_a_log_in_words_and_as_bots_wrote_it(opened: Open, record: Record) -> None:
    shown = opened(record)
    raw = shown.locator("#log .raw")
    assert not raw.nth(1).is_visible()
    shown.click("#options summary")
    shown.check("#raw")
    assert raw.nth(1).is_visible()
    assert raw.nth(1).text_content() == record.turns[0].action
    shown.reload()
    shown.wait_for_selector("#player:not([aria-busy])")
    assert raw.nth(1).is_visible(), "remembered"


def test_details_for_bot_authors_are_shown_to_those_who_ask(opened: Open, record: Record) -> None:
    """The page of a file shows them at once, and the switch hides them."""
    shown = opened(record)
    details = [shown.locator(one) for one in ("#fault", "#pictureforward", "#log .detail >> nth=1")]
    assert all(one.is_visible() for one in details)
    shown.uncheck("#authors")
    assert not any(one.is_visible() for one in details)
    assert shown.locator("#forward").is_visible()
    shown.keyboard.press(".")
    assert shown.evaluate("lapilli.at") == 1, "keys still lead to each picture"
    shown.reload()
    shown.wait_for_selector("#player:not([aria-busy])")
    assert not any(one.is_visible() for one in details), "remembered"
    shown.set_viewport_size({"width": 360, "height": 740})
    low = shown.evaluate(
        "[...lapilli.$('buttons').children, lapilli.$('happeningforward')]"
        ".filter((one) => one.clientWidth).map((one) => Math.min(one.clientWidth, one.clientHeight))"
    )
    assert min(low) >= 42, "buttons for fingers, less their borders"


def test_pictures_are_looked_at_as_long_as_they_weigh(opened: Open, record: Record) -> None:
    shown = opened(record)
    turns = shown.evaluate("""lapilli.film.turns.map(({frames: [first, last]}) =>
        lapilli.film.frames.slice(first, last + 1).map(({weight}, i) => [weight, lapilli.reel.pace(first + i, 2)]))""")
    for pictures in turns:
        usual = [min(3000, max(150, 700 * weight)) for weight, _ in pictures]
        hurried = min(1, 3000 / sum(usual))
        assert [pace for _, pace in pictures] == pytest.approx([ms * hurried / 2 for ms in usual])
        assert sum(pace for _, pace in pictures) <= 1501, "a turn takes three seconds at most"


def test_who_stands_at_the_end_follows_a_live_match(opened: Open, volcanoes: Record) -> None:
    shown = opened(volcanoes)
    grown = """([count]) => {
        const whole = structuredClone(lapilli.film);
        const live = document.createElement("lapilli-player");
        live.id = "live";
        document.body.append(live);
        live.film = {...whole, outcome: null, frames: whole.frames.slice(0, 1), turns: whole.turns.slice(0, 1)};
        for (const turn of whole.turns.slice(1, count))
            for (let at = turn.frames[0]; at <= turn.frames[1]; at++)
                live.add(whole.frames[at], at === turn.frames[0] ? turn : undefined);
        window.live = live;
        const meant = lapilli.pictures.seek(live.at).order;
        const same = JSON.stringify(live.picture().order) === JSON.stringify(meant);
        return [live.at, live.reel.last, live.film.turns.length, same];
    }"""
    at, last, turns, same = shown.evaluate(grown, [9])
    assert (at, turns, same) == (last, 9, True)
    assert shown.locator("#live #log li").count() == 9
