"""People analyse, learn from mistakes, solve puzzles and walk through tutorials in a real Chromium."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lapilli.core.content.puzzles import read_puzzles
from lapilli.core.content.tutorials import read_tutorial
from lapilli.games import load, names
from lapilli.store import puzzle_id
from web.client import Site, Visitor

WAIT = 60.0
SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
TAUGHT = [name for name in names() if read_tutorial(load(name).content).steps]
GAME = TAUGHT[-1]
LONG = next(name for name in TAUGHT if len(load(name).new_initial_state(seed=1).asked()) > 1)
"""A game whose turns have many actions."""


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A browser's page, in which nothing may go wrong."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, base_url=site.url)
    problems: list[str] = []
    opened = context.new_page()
    opened.set_default_timeout(1000 * WAIT)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text))
    yield opened
    context.close()
    assert [one for one in problems if "400" not in one] == [], "what is refused on purpose is said by the browser, too"


def until(page: Page, expression: str) -> None:
    end = time.monotonic() + WAIT
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression}: {page.inner_text('body')}"
        time.sleep(0.05)


def open_board(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector("#board:not([aria-busy])", state="attached")


def click(page: Page, key: str) -> None:
    """Clicks a shape of the board, once it may be chosen."""
    until(page, f"document.querySelector('#board').walk?.keys().includes({json.dumps(key)})")
    middle = """key => {
        const box = document.querySelector('#board').sight.rectOf(key);
        return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    for _ in range(20):  # what still glides is missed
        page.mouse.click(*page.evaluate(middle, key))
        time.sleep(0.1)
        if not page.evaluate(f"document.querySelector('#board').walk?.keys().includes({json.dumps(key)})"):
            return


def play(page: Page, reply: str) -> None:
    """Plays a turn of one action, as the game writes it, by pointing."""
    until(page, "document.querySelector('#board').choices?.length > 0")
    found = page.evaluate("document.querySelector('#board').choices")
    for step in next(choice[1] for choice in found if reply in choice[2].split()):
        click(page, step)


def test_an_analysis_with_variations(page: Page) -> None:
    open_board(page, f"/analyse?game={GAME}")
    turns = ["N01", "S01", "N07"]
    for turn in turns:
        play(page, turn)
        until(page, f"lapilliAnalysis.at.move === {turn!r} && !lapilliAnalysis.study.showing.isBusy")
    page.keyboard.press("ArrowLeft")
    until(page, "lapilliAnalysis.study.told.turn === 4")
    play(page, "N30")
    rows = page.locator("#tree li")
    until(page, "document.querySelectorAll('#tree li').length === 4")
    assert page.evaluate("lapilliAnalysis.at.moves()") == ["N01", "S01", "N30"]
    page.keyboard.press("ArrowUp")
    until(page, "lapilliAnalysis.at.move === 'N07'")
    page.keyboard.press("ArrowDown")
    until(page, "lapilliAnalysis.at.move === 'N30'")
    page.keyboard.press("p")
    assert "N30" in rows.nth(2).inner_text()
    assert page.input_value("#moves").split() == ["N01", "S01", "N30"]
    until(
        page,
        "document.querySelector('#engine').dataset.state === 'thinking' && document.querySelector('#engine .line')",
    )
    before = page.input_value("#position")
    page.locator("#engine button.line").first.click()
    until(page, "lapilliAnalysis.at.depth === 4 && lapilliAnalysis.at.words.length > 0")
    until(page, f"document.querySelector('#position').value !== {before!r}")
    page.click("#views [value=more]")
    page.click("#link")
    address = page.url
    position = page.input_value("#position")
    page.goto(address)
    page.wait_for_selector("#board:not([aria-busy])", state="attached")
    until(page, f"document.querySelector('#position').value === {position!r}")
    assert page.locator("#tree li").count() == 4
    page.keyboard.press("Delete")
    until(page, "document.querySelectorAll('#tree li').length === 3")
    page.click("#views [value=more]")
    page.click("#notation summary")
    page.fill("#moves", "N02\nS02")
    page.evaluate("lapilliAnalysis.shown(lapilliAnalysis.study.told)")  # as an answer that comes meanwhile does
    page.click("#load")
    until(page, "lapilliAnalysis.at.move === 'S02'")
    page.fill("#moves", "N02\nS99")
    with page.expect_response(lambda answer: answer.status == 400):
        page.click("#load")
    until(page, "document.querySelector('#note').textContent.includes('turn 2')")


def test_the_steps_of_an_engines_line_are_numbered_and_the_legend_says_so(page: Page) -> None:
    open_board(page, f"/analyse?game={LONG}")
    page.uncheck("#engine input")

    def think(count: int) -> list[str]:
        """Shows two lines in place of the engine's, the better one with so many steps; the labels on the board."""
        page.evaluate(
            """(count) => {
                const { choices } = lapilliAnalysis.study.told.draft;
                const ways = choices.map(([, way]) => way.filter((key) => !key.startsWith("=")));
                const arrows = ways.filter((way) => way.length > 1).map((way) => [way.slice(-2).join(), way]);
                const long = [...new Map(arrows).values()];
                const line = (ways, reply) => ({ reply, ways, value: 0.5, moves: [reply], words: [[0, reply]] });
                lapilliAnalysis.thinking.hear({
                    player: 0, value: 0.5, nodes: 1, ms: 1, proven: false, ended: true,
                    lines: [line(long.slice(0, count), "a"), line(long.slice(count, 2 * count), "b")],
                });
            }""",
            count,
        )
        found: list[str] = page.locator("#board .label").all_text_contents()
        return sorted(found)

    numbers = page.locator("#engine [data-part=numbers]")
    assert think(3) == ["1", "2", "3"], "the best turn has numbers; of the other one, only the first step is drawn"
    assert numbers.is_visible()
    assert think(1) == []
    assert numbers.is_hidden()


def test_lines_are_sorted_while_an_engine_thinks_but_none_moves_under_a_pointer(page: Page) -> None:
    open_board(page, f"/analyse?game={GAME}")
    page.uncheck("#engine input")

    values = "[...document.querySelectorAll('#engine li b')].map((value) => parseInt(value.textContent)).join()"

    def think(is_pointed_at: bool = False, **values_of: float) -> str:
        """Shows lines in place of the engine's; the values that the page shows then."""
        lines = [
            {"reply": reply, "value": value, "moves": [reply], "ways": [], "words": [[0, reply]]}
            for reply, value in values_of.items()
        ]
        shown: str = page.evaluate(
            f"""([lines, isPointedAt]) => {{
                const move = new PointerEvent("pointermove", {{ bubbles: true }});
                if (isPointedAt) document.querySelector("#engine li").dispatchEvent(move);
                lapilliAnalysis.thinking.list(lines);
                return {values};
            }}""",
            [lines, is_pointed_at],
        )
        return shown

    assert think(N01=0.6, S01=0.5) == "60,50"
    assert think(True, S01=0.7, N01=0.4) == "60,50", "a click would go elsewhere"
    until(page, f"{values} === '70,40'")  # the pointer rests
    page.locator("#engine li button").first.focus()
    assert think(N01=0.8, S01=0.2) == "80,20"
    assert "S01" in page.evaluate("document.activeElement.textContent"), "Enter still chooses the same line"


def names_light_places(page: Page) -> None:
    """Checks that names in a text beside the board light up places, and that a button shows them on the board.

    The text is the first choice that is made on the board, in words: it names each place that is to be clicked.
    """
    until(page, "document.querySelector('#board').choices?.length > 0")
    page.evaluate(
        """() => {
            const { choices } = document.querySelector('#board');
            const [, , text] = choices.find(([, way]) => way.some((key) => !key.startsWith("=")));
            document.querySelector('aside').prepend(Object.assign(document.createElement('p'), { textContent: text }));
        }"""
    )
    found = page.locator("aside > p:first-child .place")
    expect(found.first).to_be_visible()
    for name in found.all():
        name.hover()
        board = "document.querySelector('#board')"
        assert page.evaluate(f"{board}.lit") == [name.get_attribute("data-place")]
        assert page.evaluate(f"{board}.shadowRoot.querySelectorAll('.outline.lit').length") == 1
    if page.locator("#views").count():
        page.click("#views [value=more]")
    button = page.get_by_role("button", name="Place names", exact=True)
    is_on = button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.get_attribute("#board", "names") == ("off" if is_on else "on")


@pytest.mark.parametrize("game", TAUGHT)
def test_names_in_texts_light_up_their_places_on_every_study_page(page: Page, game: str) -> None:
    open_board(page, f"/analyse?game={game}")
    names_light_places(page)
    if puzzles := read_puzzles(load(game).content):
        page.goto("/puzzles")  # the site stores its puzzles
        open_board(page, f"/puzzles/{game}/{puzzle_id(game, puzzles[0])}")
        names_light_places(page)
    page.goto(f"/learn/{game}")
    steps = read_tutorial(load(game).content).steps
    for _ in range(next(number for number, step in enumerate(steps) if step.accept)):
        page.click("#next")
    names_light_places(page)


def test_all_act_at_once_on_the_analysis_board(page: Page) -> None:
    game = next(name for name in TAUGHT if len(load(name).new_initial_state(seed=1).asked()) > 1)
    open_board(page, f"/analyse?game={game}")
    for player in (0, 1):
        until(page, f"lapilliAnalysis.study.told.draft.player === {player}")
        page.evaluate("lapilliAnalysis.study.pick(0)")
    until(page, "lapilliAnalysis.at.depth === 1 && lapilliAnalysis.study.told.turn === 2")
    assert page.locator("#whose option").count() == 2


def go_through_mistakes(page: Page) -> None:
    """Goes from mistake to mistake with the keys, after the first one has been solved."""
    count = page.evaluate("lapilliMistakes.these.length")
    assert page.locator("#graph .dot").count() == count, "all are on the graph"
    page.keyboard.press("n")
    until(page, "lapilliMistakes.at === 1")
    page.keyboard.press("b")
    until(page, "lapilliMistakes.at === 0 && document.querySelector('#status').textContent === 'Find a better move'")
    for at in range(1, count + 1):
        page.keyboard.press("n")
        until(page, f"lapilliMistakes.at === {at}")
    assert page.inner_text("#result") == f"You found 1 of {count} better moves"


def answer_without_a_connection(page: Page, best: str) -> None:
    """Goes on before the verdict arrives, which counts for no mistake then; later a proxy answers, not the site."""
    ready = "document.querySelector('#status').textContent === 'Find a better move'"
    held: list[Route] = []
    page.route("**/analyse/answer", lambda route: held.append(route))
    play(page, best)
    while not held:
        page.wait_for_timeout(20)
    page.keyboard.press("n")
    until(page, "lapilliMistakes.at === 1")
    held[0].fulfill(json={"good": True, "value": 1, "best": 1, "line": [best]})
    page.evaluate("fetch('/').then((answer) => answer.text())")
    assert page.evaluate("lapilliMistakes.found.size") == 0
    page.keyboard.press("b")
    until(page, ready)
    page.unroute("**/analyse/answer")
    page.route("**/analyse/answer", lambda route: route.fulfill(body="Bad Gateway"))
    play(page, best)
    expect(page.locator("#status")).to_have_text("The site cannot be reached. Try again.")
    page.unroute("**/analyse/answer")
    page.click("#again")
    until(page, ready)


def mistake_is_shown(page: Page, one: dict[str, Any]) -> None:
    """The board and the two lines beside it show a mistake of another person, but not the better turn."""
    dots = page.evaluate("document.querySelector('#board').dots")
    assert dots == [[way[0], "bad"] for way in one["played"]], "what was played is on the board"
    assert page.inner_text("#whose") == "Ada played", "another person's match"
    assert page.inner_text("#played") == one["playedWords"]
    assert page.inner_text("#better") == "?"
    chances = [page.inner_text(part) for part in ("#kept", "#after")]
    assert chances == [f"{100 * one[when]:.0f}\u00a0%" for when in ("before", "after")]


def test_a_mistake_is_found(page: Page, site: Site) -> None:
    with Visitor(site) as visitor:
        table = visitor.lay(GAME, opponent1="greedy")
        with visitor.live(table) as live:
            chance = random.Random(4)
            while live.wait_for_turn():
                live.play_turn(chance)
    page.goto(table.replace("/t/", "/m/"))
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator(".deeds a:visible").count() == 0, "the menu is closed"
    page.click("#options summary")
    assert page.inner_text(".deeds").splitlines() == ["Analyse this match", "Download the record"]
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.click("text=Learn from mistakes")
    until(page, "document.querySelector('#status')?.textContent === 'Find a better move'")
    one: dict[str, Any] = page.evaluate("lapilliMistakes.these[0]")
    dots = "document.querySelector('#board').dots"
    mistake_is_shown(page, one)
    names_light_places(page)
    page.click("#solution")
    until(page, f"{dots}.some(([, kind]) => kind === 'best')")
    assert page.evaluate(dots) == [[one["played"][0][0], "bad"], [one["better"][0][0], "best"]]
    assert page.inner_text("#better") == one["words"]
    assert page.inner_text("#line-at") == "0 of 1", "the reader plays the better move"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#line-at") == "1 of 1"
    assert page.inner_text("#why") == one["reason"]
    page.click("#again")
    until(page, "document.querySelector('#status').textContent === 'Find a better move'")
    play(page, one["reply"])
    until(page, "document.querySelector('#status').classList.contains('bad')")
    page.click("#again")
    until(page, "document.querySelector('#status').textContent === 'Find a better move'")
    answer_without_a_connection(page, one["best"])
    play(page, one["best"])
    until(page, "document.querySelector('#status').classList.contains('good')")
    go_through_mistakes(page)
    page.route(
        "**/mistakes",
        lambda route: route.fulfill(body="Bad Gateway") if route.request.method == "POST" else route.continue_(),
    )
    page.reload()
    expect(page.locator("#status")).to_have_text("The site cannot be reached. Reload the page to try again.")
    page.unroute("**/mistakes")
    page.reload()
    until(page, "!document.querySelector('#found').hidden")  # it is kept: no engine looks again
    assert page.evaluate("lapilliMistakes.all.length") >= 1
    page.click("text=Back to the match")
    until(page, "window.lapilli?.analysis?.whole")
    assert page.locator("lapilli-player .dot").count() >= 1, "the match's page shows the analysis from now on"


def test_a_match_without_turns_has_no_mistakes(page: Page, site: Site) -> None:
    with Visitor(site) as visitor:
        table = visitor.lay(GAME, opponent1="random", seat="1")
        with visitor.live(table) as live:
            live.wait_for_turn()
            live.say("resign")
            live.until(lambda: live.now["outcome"])
    page.goto(table.replace("/t/", "/m/") + "/mistakes")
    until(page, "document.querySelector('#status').textContent.startsWith('No mistakes found')")


def test_a_puzzle_of_two_turns_is_failed_and_solved(page: Page) -> None:
    puzzle = next(puzzle for puzzle in read_puzzles(load(GAME).content) if puzzle.turns == 2)
    (_, solution), (second, further) = puzzle.solution
    path = f"/puzzles/{GAME}/{puzzle_id(GAME, puzzle)}"
    page.goto("/puzzles")
    open_board(page, path)
    page.click("#solution")
    costs = page.inner_text("#sure")
    page.click("#go-on")
    assert page.inner_text("#rating") == "1500", "nothing is lost before one has agreed"
    page.click("#solution")
    page.click("#give-up")
    until(page, "document.querySelector('#counted').textContent.includes('Your rating is')")
    assert costs.startswith(
        f"Showing the solution counts as a failed try: your rating drops from 1500 to {page.inner_text('#rating')}."
    )
    assert page.evaluate("lapilliPuzzle.solving.line[0]") == solution
    until(page, "document.querySelector('#line-at').textContent.startsWith('1 of')")
    turns = page.evaluate("lapilliPuzzle.solving.line.length")
    assert page.locator("#line-told li").count() == turns, "each turn of the solution is told"
    until(page, "!lapilliPuzzle.solving.study.showing.isBusy")
    assert page.evaluate("lapilliPuzzle.solving.at") == 1, "the reader goes on, not the page"
    page.click("#again")
    until(page, "document.querySelector('#status').textContent.includes('Find the best turn')")
    others = [
        one for one in page.evaluate("document.querySelector('#board').choices") if solution not in one[2].split()
    ]
    play(page, _tile(others[0]))
    until(page, "document.querySelector('#status').className !== ''")
    assert "Not the best" in page.inner_text("#status")
    page.click("#again")
    until(page, "document.querySelector('#status').textContent.includes('Find the best turn')")
    play(page, solution)
    until(page, "document.querySelector('#status').textContent === 'Right! Now find turn 2 of 2.'")
    assert page.evaluate("lapilliPuzzle.solving.study.place.moves.length") == second, "the others have replied"
    play(page, further)
    until(page, "document.querySelector('#status').textContent === 'Solved!'")
    assert page.inner_text("#why") == ("Step through what may follow." if turns > second + 1 else "")
    page.click("#next")
    page.wait_for_selector("#board:not([aria-busy])", state="attached")
    assert path not in page.url


def test_a_tutorial_is_walked_to_its_end(page: Page) -> None:
    steps = read_tutorial(load(GAME).content).steps
    page.goto("/learn")
    page.click(f"article a.button[href*={GAME}]")
    for number, step in enumerate(steps):
        until(
            page,
            f"window.lapilliLesson?.at === {number} && document.querySelector('#status').textContent !== 'Loading …'",
        )
        assert page.inner_text("#title") == step.title
        if step.accept:
            if number == 1:
                play(page, next(_tile(one) for one in _choices(page) if step.accept[0] not in one[2]))
                until(page, "document.querySelector('#status').className === 'bad'")
                assert step.hint in page.inner_text("#why")
                page.click("#again")
            play(page, step.accept[0])
        elif step.goal:
            _reach(page)
        until(page, f"lapilliLesson.done.has({number}) || {json.dumps(not step.accept and not step.goal)}")
        page.click("#next")
        if number == 0:
            page.goto("/learn")
            assert f"1 of {len(steps)} steps done" in page.inner_text(f"[data-tutorial={GAME}]")
            page.click(f"[data-tutorial={GAME}] a:text('Go on')")
    page.wait_for_selector("#over:not([hidden])")
    assert page.locator(".notes li").count() == len(read_tutorial(load(GAME).content).notes)
    page.reload()
    page.wait_for_selector("#board:not([aria-busy])", state="attached")
    assert page.locator("#steps .done").count() == len(steps), "it is remembered"
    for _ in steps:
        page.click("#next")
    page.click("#over button")
    page.wait_for_url("**/t/*")
    until(page, "!!window.lapilliTable")


def _choices(page: Page) -> list[Any]:
    until(page, "document.querySelector('#board').choices?.length > 0")
    found: list[Any] = page.evaluate("document.querySelector('#board').choices")
    return found


def _tile(choice: Any) -> str:
    """The turn of a choice, as the game writes it."""
    label: str = choice[2]
    return next(word for word in label.split() if len(word) == 3 and word[1:].isdigit())


def _reach(page: Page) -> None:
    """Tries one choice after the other until the goal is reached."""
    at = page.evaluate("lapilliLesson.at")
    for choice in _choices(page):
        answer = page.evaluate(
            """async ([game, at, reply]) => (await (await fetch(`/learn/${game}/${at}`,
                {method: "POST", body: JSON.stringify({reply})})).json()).good""",
            [GAME, at, _tile(choice)],
        )
        if answer:
            play(page, _tile(choice))
            return
    raise AssertionError("no turn reaches the goal")


def test_a_phone_on_its_side_shows_board_and_controls(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport={"width": 844, "height": 390}, has_touch=True, base_url=site.url)
    page = context.new_page()
    for path in (f"/analyse?game={GAME}", f"/learn/{GAME}"):
        open_board(page, path)
        boxes = [
            page.evaluate(f"document.querySelector('{part}').getBoundingClientRect().toJSON()")
            for part in (".board", ".actions", "aside")
        ]
        assert all(box["bottom"] <= 390 and box["right"] <= 844 for box in boxes), "all is in the window"
        assert all(box["left"] >= boxes[0]["right"] for box in boxes[1:]), "nothing lies over the board"
        shapes = page.evaluate("document.querySelector('#board').parts.board.getBoundingClientRect().height")
        assert shapes >= 0.5 * boxes[0]["height"], "the board has most of the height"
    context.close()


def faults_of_access(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds on a page: the rule, and the first elements that break it."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({violations}) => violations)")
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_fit_and_axe_finds_nothing(browser: Browser, site: Site, size: str, theme: Any) -> None:
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("axe-core is missing: .ci/run installs it")
        pytest.skip("axe-core is not here (npm ci)")
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, base_url=site.url, bypass_csp=True
    )
    page = context.new_page()
    with Visitor(site) as visitor:
        puzzle = visitor.http.get(f"/puzzles/{GAME}").headers["location"]
    paths = [f"/analyse?game={GAME}&moves=N01%0AS01", puzzle, f"/learn/{GAME}", "/puzzles", "/learn", f"/rules/{GAME}"]
    for path in paths:
        page.goto(path)
        until(page, "!document.querySelector('#board[aria-busy]')")
        if path.startswith("/analyse"):
            until(page, "document.querySelector('#engine .line') !== null")
            for view in page.locator("#views button:visible").all():
                view.click()
                for summary in page.locator("aside summary:visible").all():
                    summary.click()
                assert faults_of_access(page) == [], view.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert faults_of_access(page) == [], path
    context.close()
