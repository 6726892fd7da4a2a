"""A newcomer writes a bot in a real Chromium: from the first page to a bot that is promoted over its boss."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lapilli.players.sandbox.sandbox import why_no_sandbox
from web.client import Site
from web.test_browser import People, until

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")


@pytest.fixture
def people(browser: Browser, site: Site) -> Iterator[People]:
    made = People(browser, site)
    yield made
    for context in made.contexts:
        context.close()
    assert made.problems == []


def new_bot(page: Page, site: Site, name: str, game: str) -> str:
    """Opens a new bot in the editor; its name has something added, so that a repeated test finds it free."""
    name = f"{name}-{token_hex(2)}"
    page.goto(site.url)
    page.get_by_role("navigation").get_by_role("link", name="Bots").click()
    page.check(f"[name=game][value={game}]")
    page.fill("[name=name]", name)
    page.click("form button")
    until(page, "!!window.lapilliIde")
    return name


def write(page: Page, text: str) -> None:
    """Puts a text in place of the bot's."""
    page.evaluate("text => { lapilliIde.editor.text = text; }", text)


def axe(page: Page) -> list[object]:
    if not AXE.exists():
        assert not os.environ.get("CI"), "axe-core is missing: .ci/run installs it"
        return []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({violations}) => violations)")
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def test_from_the_first_page_to_a_promotion(people: People, site: Site) -> None:
    page = people.person(color_scheme="dark", bypass_csp=True)
    new_bot(page, site, "newcomer", "pyramids")
    page.locator("lapilli-editor .cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# mine now\n")
    assert page.inner_text("#saved") == "Not saved"
    page.keyboard.press("Control+s")
    until(page, "document.querySelector('#saved').textContent === 'Saved as version 2'")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    assert page.evaluate("lapilliIde.editor.text.startsWith('    # mine now')")
    assert page.evaluate("document.activeElement.id") == "editor", "Tab indents"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "editor", "after Escape it leaves"
    page.click("#further")
    page.fill("[name=seed]", "5")
    page.click("#start")
    until(page, "!document.querySelector('#player').hidden")
    until(page, "/^(Won|Lost|Drawn): /.test(document.querySelector('#status').textContent)")
    page.evaluate("lapilliIde.player.toTurn(1)")
    until(page, "document.querySelector('#told').textContent.includes('Input')")
    assert axe(page) == []
    page.click("#tab-rules")
    assert page.locator(".rules h3").count()
    assert axe(page) == []
    page.click("#tab-league")
    page.click("#submit")
    until(page, "document.querySelector('#league-place').textContent.includes('Promoted to bronze')")
    assert "beat wood boss" in page.inner_text("#league-place")
    assert axe(page) == []
    page.get_by_role("link", name="Rating curve and matches").click()
    assert page.locator("svg.chart polyline").count() == 2
    assert axe(page) == []
    page.locator(".battles a").first.click()
    page.wait_for_selector("lapilli-player:not([aria-busy])")
    page.goto(f"{site.url}/leagues/pyramids")
    assert page.locator("tr.own").count() == 1
    assert axe(page) == []


def test_errors_lead_to_their_lines(people: People, site: Site) -> None:
    page = people.person()
    new_bot(page, site, "careless", "tictactoe")
    write(page, "import sys\n\ndef f(:\n    pass\n")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name='bot.py", line 3').click()
    line = "lapilliIde.editor.view.state.doc.lineAt(lapilliIde.editor.view.state.selection.main.head).number"
    assert page.evaluate(line) == 3
    assert page.locator("lapilli-editor .cm-wrong").count() == 1
    write(page, "import sys\nprint('hm', file=sys.stderr)\nsys.stdin.readline()\n1 / 0\n")
    page.click("#start")
    page.get_by_role("button", name='bot.py", line 4').click()
    assert page.evaluate(line) == 4
    assert "ZeroDivisionError" in page.inner_text("#told")
    assert "of 1,000 ms" in page.inner_text("#told"), "a time stands beside its limit"
    page.click("#tab-logged")
    lines = page.locator("#logged li button").all_inner_texts()
    assert [" ".join(line.split()) for line in lines][:2] == ["1 hm", "1 Traceback (most recent call last):"]
    page.evaluate("lapilliIde.player.toTurn(0)")
    until(page, "document.querySelector('#turn-title').textContent === 'The start'")
    page.click("#logged li button")
    until(page, "document.querySelector('#turn-title').textContent === 'Turn 1'")
    page.click("#tab-turn")
    write(page, "print(9)\n")
    page.click("#again")
    until(page, "document.querySelector('#again-told').textContent.includes('Output, again')")
    assert page.inner_text("#again-told pre") == "9"
    page.select_option("#version", "1")
    until(page, 'lapilliIde.editor.text.startsWith(\'"""A starter\')')
    page.keyboard.type("nothing")
    page.click("#restore")
    page.click("#save")
    until(page, "document.querySelector('#saved').textContent === 'Saved as version 5'")
    page.focus("#split-code")
    page.keyboard.press("ArrowLeft")
    width = page.evaluate("document.querySelector('#code').clientWidth")
    page.reload()
    until(page, "!!window.lapilliIde && !document.querySelector('#player').hidden")
    assert page.evaluate("document.querySelector('#code').clientWidth") == width, "the panes are as they were left"
    page.focus("#split-code")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelector('#code').clientWidth") > width
    write(page, "def f(:\n")
    page.click("#start")
    until(page, "document.querySelector('#turn-title').textContent === 'It does not compile'")
    assert page.is_hidden("#player"), "the match of another text is gone"


def test_a_match_is_on_the_board_while_it_is_played(people: People, site: Site) -> None:
    page = people.person(bypass_csp=True)
    name = new_bot(page, site, "watched", "volcanoes")
    text = page.evaluate("lapilliIde.editor.text")
    slow = "__import__('time').sleep(pace.pop(0) if pace[1:] else 0.06), print('slow', file=sys.stderr), print(choose("
    write(page, text.replace("import sys", "import sys\npace = [0.8, 0]").replace("print(choose(", slow))
    page.select_option("[name=opponent]", label=f"{name} itself")
    page.evaluate("""() => {
        lapilliIde.seen = [];
        const $ = (id) => document.getElementById(id);
        lapilliIde.player.addEventListener("picture", ({ detail }) => {
            if (lapilliIde.match?.state !== "running" || !detail.turn) return;
            setTimeout(() => {
                lapilliIde.seen.push([detail.turn, $("turn-title").textContent, $("again").hidden, $("stop").hidden]);
                $("stop").click();
            });
        });
    }""")
    page.click("#start")
    until(page, "lapilliIde.seen.length && !document.querySelector('#start').hidden")
    turn, title, has_no_again, has_no_stop = page.evaluate("lapilliIde.seen[0]")
    assert (title, has_no_again, has_no_stop) == (f"Turn {turn}", True, False), "the console goes with the board"
    until(page, "lapilliIde.match.state !== 'running'")
    assert page.evaluate("lapilliIde.player.film.turns.length") > turn, "what was played stays on the board"
    page.evaluate("lapilliIde.player.toTurn(1)")
    until(page, "document.querySelector('#turn-title').textContent === 'Turn 1'")
    assert "slow" in page.inner_text("#told")


def test_several_opponents_and_what_a_bot_of_ones_own_among_them_says(people: People, site: Site) -> None:
    page = people.person(bypass_csp=True)
    name = new_bot(page, site, "among", "kingdomino")
    seats = "[...document.querySelectorAll('[name=seat] option')].map((one) => one.disabled)"
    assert page.evaluate(seats) == [False, False, True, True]
    page.click("#further")
    page.get_by_label("Opponent 2").select_option(label=f"{name} itself")
    assert page.evaluate(seats) == [False, False, False, True]
    page.select_option("[name=seat]", label="Green")
    page.get_by_label("Opponent 2").select_option(label="nobody")
    assert page.input_value("[name=seat]") == "1", "the last seat that is left"
    page.get_by_label("Opponent 2").select_option(label=f"{name} itself")
    page.select_option("[name=opponent]", "random")
    page.click("#start")
    until(page, "lapilliIde.match?.state === 'done'")
    assert page.evaluate("[lapilliIde.seat, lapilliIde.match.ask.bots]") == [1, [1, 2]]
    page.evaluate(
        "lapilliIde.player.toTurn(lapilliIde.player.film.turns.findIndex(({entries}) => entries[0]?.player === 2))"
    )
    until(page, "document.querySelectorAll('#told h3').length === 2")
    titles = page.locator("#told h3").all_inner_texts()
    assert titles == [f"Standard error of {name} 1", f"Output of {name} 1"]
    assert page.locator("#told p").inner_text() == "Your bot was not asked in this turn."
    assert axe(page) == []


def test_a_version_is_compared_with_a_level(people: People, site: Site) -> None:
    page = people.person(bypass_csp=True)
    name = new_bot(page, site, "climbs", "tictactoe")
    page.click("#tab-compare")
    assert page.locator(f"#compare-old option[value='code:{name}']").count() == 0, "not with itself"
    for number, called in enumerate(("Random", "Best"), 1):
        page.select_option("#compare-old", called.lower())
        page.click("#compare-start")
        until(page, f"document.querySelector('#compare-what').textContent === 'Version 1 against {called}'")
        page.evaluate("lapilliIde.comparing.following.stop()")
        until(page, "!document.querySelector('#compare-start').hidden")
        until(page, f"document.querySelectorAll('#compare-earlier li').length === {number}")
        figures = page.text_content("#compare-llr-text") or ""
        assert re.fullmatch(r"-?\d+\.\d\d, between -2\.94 \(not better\) and 2\.94 \(better\)", figures)
    assert axe(page) == []
    page.get_by_role("button", name="Version 1 against Random").click()
    until(page, "document.querySelector('#compare-what').textContent === 'Version 1 against Random'")


def test_a_phone_shows_one_part_at_a_time(people: People, site: Site) -> None:
    page = people.person("phone", has_touch=True, bypass_csp=True)
    new_bot(page, site, "pocket", "tictactoe")
    assert [page.locator(f"section#{part}").is_visible() for part in ("code", "board", "console")] == [
        True,
        False,
        False,
    ]
    page.click("[data-view=board]")
    assert not page.locator("section#code").is_visible()
    page.click(".views [form=play]")
    until(page, "!document.querySelector('#player').hidden")
    page.click("[data-view=console]")
    assert page.locator("#told").is_visible()
    for address in (page.url, f"{site.url}/bots", f"{site.url}/leagues"):
        page.goto(address)
        until(page, "document.readyState === 'complete'")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert axe(page) == []


def shown(page: Page) -> str:
    """What is seen of two texts and their differences."""
    text: str = page.evaluate("document.querySelector('lapilli-differences').shadowRoot.textContent")
    return text


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_versions_are_seen_against_each_other_and_brought_back(people: People, site: Site, size: str) -> None:
    page = people.person(size, color_scheme="dark", bypass_csp=True)
    new_bot(page, site, f"historian-{size}", "tictactoe")
    hostile = "# <img src=x onerror=alert(1)></script><script>alert(2)</script>\n"
    write(page, f"{hostile}print(1)\n")
    page.click("#save")
    until(page, "document.querySelector('#saved').textContent === 'Saved as version 2'")
    write(page, f"{hostile}print(3)\n")
    page.click("#differ")
    until(page, "document.querySelector('#differ-told').textContent === '1 place differs'")
    columns = "document.querySelector('lapilli-differences').shadowRoot.querySelectorAll('.cm-editor').length"
    assert page.evaluate(columns) == (2 if size == "desktop" else 1)
    page.select_option("#differ-from", "2")
    until(page, "document.querySelector('#differ-restore').textContent === 'Restore version 2'")
    assert hostile.strip() in shown(page), "it is text"
    assert "print(3)" in shown(page), "what is not saved is there, too"
    assert page.evaluate("document.querySelector('lapilli-differences').shadowRoot.querySelector('img')") is None
    page.select_option("#differ-to", "1")
    until(page, "document.querySelector('lapilli-differences').shadowRoot.textContent.includes('A starter')")
    page.select_option("#differ-how", "one" if size == "desktop" else "two")
    until(page, f"{columns} === {1 if size == 'desktop' else 2}")
    assert axe(page) == []
    page.keyboard.type("nothing")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.select_option("#differ-to", "now")
    page.click("#differ-restore")
    until(page, "document.querySelector('#differences').hidden")
    assert page.evaluate("lapilliIde.editor.text") == f"{hostile}print(1)\n"
    assert page.inner_text("#saved") == "", "it is the last version again"
    page.keyboard.press("Control+z")
    assert page.evaluate("lapilliIde.editor.text") == f"{hostile}print(3)\n", "and that can be taken back"


def test_the_version_that_was_chosen_last_is_shown(people: People, site: Site) -> None:
    page = people.person()
    new_bot(page, site, "hasty", "tictactoe")
    for number in (2, 3):
        write(page, f"print({number})\n")
        page.click("#save")
        expect(page.locator("#saved")).to_have_text(f"Saved as version {number}")
    held: list[Route] = []
    page.route("**/versions/1", lambda route: held.append(route))
    page.select_option("#version", "1")
    while not held:
        page.wait_for_timeout(20)
    page.select_option("#version", "2")
    expect(page.locator("#saved")).to_have_text("Read only")
    held[0].fulfill(body="print(1)\n")
    page.evaluate("fetch('/').then((answer) => answer.text())")
    assert page.evaluate("lapilliIde.editor.text") == "print(2)\n"


def test_deleting_a_bot_asks_for_a_second_click_soon(people: People, site: Site) -> None:
    page = people.person()
    page.clock.install()
    new_bot(page, site, "doomed", "tictactoe")
    page.get_by_role("tab", name="League").click()
    page.get_by_role("button", name="Delete this bot").click()
    expect(page.locator("#delete button")).to_have_text("Really delete the bot and all its versions?")
    page.clock.run_for(5000)
    expect(page.locator("#delete button")).to_have_text("Delete this bot")
    page.click("#delete button")
    page.click("#delete button")
    page.wait_for_url("**/bots")
