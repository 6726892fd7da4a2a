"""Studies: saved, shared with those who may read them, and looked at together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from lapilli.games import names
from lapilli.site.study.saving import MAX_COMMENT
from viewer.pages import until
from web.client import People, Visitor

GAME = "tictactoe"
NODES: list[list[Any]] = [[-1, "", "from the start"], [0, "0", "a <b>corner</b>\nof the board"], [0, "4", ""]]


def fields(**changes: Any) -> dict[str, Any]:
    return {"name": "Corners", "access": "link", "game": GAME, "content": {"setup": {}, "nodes": NODES}} | changes


def saved(visitor: Visitor, **changes: Any) -> str:
    answer = visitor.http.post("/studies", json=fields(**changes))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_who_may_read_a_study(people: People) -> None:
    for access, statuses in (("link", (200, 200, 200)), ("members", (200, 200, 401)), ("private", (200, 404, 404))):
        study = saved(people.ada, access=access)
        for visitor, status in zip((people.ada, people.grace, people.guest), statuses, strict=True):
            assert visitor.http.get(f"/studies/{study}").status_code == status, access
            assert visitor.http.get(f"/studies/{study}/now").status_code == status, access
        for visitor, status in ((people.grace, 404), (people.guest, 401)):
            for path, data in (("", fields(revision=1)), ("/at", {"at": 1}), ("/delete", {})):
                assert visitor.http.post(f"/studies/{study}{path}", json=data).status_code == status
    listed = people.ada.http.get("/studies").text
    assert listed.count("Only me") == 1
    assert "Corners" not in people.grace.http.get("/studies").text


@pytest.mark.parametrize("game", names())
def test_a_study_opens_whatever_its_setup_leaves_out(people: People, game: str) -> None:
    study = saved(people.ada, game=game, content={"setup": {}, "nodes": [[-1, ""]]})
    assert people.guest.http.get(f"/studies/{study}").status_code == 200


def test_a_study_is_saved_by_one_page_at_a_time(people: People) -> None:
    study = saved(people.ada)
    path = f"/studies/{study}"
    assert people.ada.http.post(path, json=fields(revision=1, at=1)).json() == {"revision": 2}
    late = people.ada.http.post(path, json=fields(revision=1, name="Late"))
    assert (late.status_code, "another page" in late.json()["problem"]) == (409, True)
    told = people.guest.http.get(f"{path}/now?revision=2").json()
    assert told == {"revision": 2, "at": 1, "moves": 1}
    assert people.ada.http.post(f"{path}/at", json={"at": 2}).json() == {}
    told = people.guest.http.get(f"{path}/now?revision=1").json()
    assert (told["at"], told["moves"], told["owner"], told["own"]) == (2, 2, "Ada", False)
    assert told["content"]["nodes"] == NODES
    assert people.ada.http.post(f"{path}/delete").status_code == 303
    assert people.guest.http.get(path).status_code == 404


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"content": {"setup": {}, "nodes": []}}, "1 to 2,000 turns"),
        ({"content": {"setup": {}, "nodes": [[-1, ""]] * 2001}}, "1 to 2,000 turns"),
        ({"content": {"setup": {}, "nodes": [[0, ""]]}}, "begins with its start"),
        ({"content": {"setup": {}, "nodes": [[-1, ""], [1, "0"]]}}, "follows an earlier one"),
        ({"content": {"setup": {}, "nodes": [[-1, ""], [0, "a"], [0, "a"]]}}, "twice"),
        ({"content": {"setup": {}, "nodes": [[-1, "", "x" * (MAX_COMMENT + 1)]]}}, "500 characters"),
        ({"content": {"setup": {"position": "?"}, "nodes": [[-1, ""]]}}, "position"),
        ({"game": "chess"}, "chess"),
        ({"access": "everybody"}, "not a valid study"),
        ({"at": 3}, "no such turn"),
        ({"revision": 2**63}, "not a valid study"),
        ({"more": 1}, "not a valid study"),
    ],
)
def test_what_is_no_study_is_refused_in_a_line(people: People, changes: dict[str, Any], problem: str) -> None:
    answer = people.ada.http.post("/studies", json=fields(**changes))
    assert answer.status_code in (400, 404)
    assert problem in answer.json()["problem"]


def test_a_new_study_has_the_first_revision(people: People) -> None:
    study = saved(people.ada, revision=2**53)
    assert people.ada.http.get(f"/studies/{study}/now?revision=1").json() == {"revision": 1, "at": 0, "moves": 0}


def test_too_long_a_study_is_refused(people: People) -> None:
    nodes = [[-1, ""], *([number, "x" * 400] for number in range(400))]
    answer = people.ada.http.post("/studies", json=fields(content={"setup": {}, "nodes": nodes}))
    assert (answer.status_code, "too large" in answer.json()["problem"]) == (413, True)


def opened(browser: Browser, visitor: Visitor, path: str) -> Page:
    context = browser.new_context(base_url=visitor.site.url, viewport={"width": 1440, "height": 900})
    visitor.enter(context)
    page = context.new_page()
    page.goto(path)
    until(page, "!document.querySelector('#board').matches('[aria-busy]')")
    return page


def test_two_look_at_a_study_together(browser: Browser, people: People) -> None:
    """Ada saves an analysis; a guest follows her to a variation, looks around, and follows again."""
    ada = opened(browser, people.ada, f"/analyse?game={GAME}&moves=0")
    ada.click("#views [value=more]")
    ada.click("#study summary")
    ada.fill("#study [data-part=name]", "Together <i>")
    ada.click("#study form button")
    ada.wait_for_url("**/studies/*")
    until(ada, "window.lapilliAnalysis?.at.depth === 1")
    guest = opened(browser, people.guest, ada.url)
    expect(guest.locator("h1")).to_have_text("Together <i>")
    assert guest.evaluate("lapilliAnalysis.at.depth") == 1, "it begins where Ada is"
    assert not guest.is_editable("#comment")
    guest.click("#study [data-part=follow]")
    ada.evaluate("lapilliAnalysis.play('4')")
    until(guest, "lapilliAnalysis.at.depth === 2")
    assert not ada.is_editable("#comment"), "also the owner reads first"
    ada.click("#edits")
    ada.fill("#comment", "the middle <b>")
    expect(guest.locator("#tree q")).to_have_text("the middle <b>")
    ada.click("#first")
    until(guest, "lapilliAnalysis.at.depth === 0")
    guest.evaluate("lapilliAnalysis.play('8')")
    expect(guest.locator("#study [data-part=follow]")).to_have_attribute("aria-pressed", "false")
    expect(ada.locator("#study [data-part=state]")).to_have_text("Saved")
    tree = json.dumps(ada.evaluate("lapilliAnalysis.sharing.packed().nodes"))
    assert "8" not in tree, "what a guest tries stays with the guest"
    ada.reload()
    until(ada, "window.lapilliAnalysis?.root.all().length === 3")
    for page in (ada, guest):
        page.context.close()


def test_a_change_while_the_page_saves_is_saved_next(browser: Browser, people: People) -> None:
    page = opened(browser, people.ada, f"/studies/{saved(people.ada)}")
    state = page.locator("#study [data-part=state]")
    page.evaluate("""(async () => {
        const { sharing, root } = lapilliAnalysis;
        root.after('1');
        const first = sharing.save();
        root.after('2');
        await Promise.all([first, sharing.save()]);
    })()""")
    until(page, "lapilliAnalysis.sharing.saved.revision === 3 || lapilliAnalysis.sharing.isStale")
    expect(state).to_have_text("Saved")
    page.context.close()


def test_a_name_that_is_changed_while_the_page_saves_is_saved_next(browser: Browser, people: People) -> None:
    study = saved(people.ada)
    page = opened(browser, people.ada, f"/studies/{study}")
    page.evaluate("""(async () => {
        const { sharing, root } = lapilliAnalysis;
        root.after('1');
        const first = sharing.save();
        const name = sharing.part('name');
        name.value = 'Middles';
        name.dispatchEvent(new Event('change'));
        await first;
    })()""")
    until(page, "lapilliAnalysis.sharing.saved.revision === 3")
    page.reload()
    assert page.input_value("#study [data-part=name]") == "Middles"
    page.context.close()
