"""Profiles, leaderboards and the download of an account's data: on pages, and for programs."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from zipfile import ZipFile

import httpx
import pytest

from lapilli.match import play_match
from lapilli.match.record import parse_record
from lapilli.site.live.results.rating import rules_of
from lapilli.store import Store
from lapilli.store.results import pack_record
from web.client import PASSWORD, WAIT, PublicSite, Visitor, new_token

GAME = "volcanoes"
PLAYED = 45


class Club(NamedTuple):
    """A site on which Ada and Grace have played matches, a guest, and a program that reads."""

    site: PublicSite
    ada: Visitor
    guest: Visitor
    program: httpx.Client


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as ada, Visitor(site) as grace, Visitor(site) as guest:
        assert ada.join("Ada", site.owner_link).status_code == 303
        assert grace.join("Grace").status_code == 303
        with Store.open(site.store) as store:
            fill(store)
        headers = {"Authorization": f"Bearer {new_token(ada, 'Reads', 'read')}"}
        with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=WAIT, trust_env=False) as program:
            yield Club(site, ada, guest, program)
    assert site.stop()[0] == 0


def found(pattern: str, page: httpx.Response) -> list[str]:
    return [html.unescape(text) for text in re.findall(pattern, page.text)]


def test_signing_in_and_up_lead_back_to_the_page_with_its_query(club: Club) -> None:
    here, first, long = "/people?game=volcanoes&kind=live", "/?game=volcanoes", f"/people?kind={'x' * 300}"
    with Visitor(club.site) as eve:
        for page, back in ((here, here), (first, first), (long, "/people"), ("/", "")):
            sign_in = eve.http.get(found(r'class="who out" href="([^"]+)"', eve.http.get(page))[0])
            assert found(r'name="next" value="([^"]*)"', sign_in) == [back or "/"]
            sign_up = eve.http.get(found(r'href="(/sign-up[^"]*)"', sign_in)[0])
            assert found(r'name="next" value="([^"]*)"', sign_up) == [back]
        form = {"name": "ada", "password": PASSWORD, "next": here}
        assert eve.http.post("/sign-in", data=form).headers["location"] == here


def fill(store: Store) -> None:
    """Ada beats level4 twice of three times, and plays Grace now and then."""
    ada, grace = (f"@{store.site.people.listed(name)[0].id}" for name in ("ada", "grace"))
    record = pack_record(play_match(GAME, ["random", "random"], seed=1))
    for number in range(PLAYED):
        is_person = number % 5 == 4
        other = {"holder": grace, "name": "Grace"} if is_person else {"engine": "level4", "name": "Level 4"}
        seats = [{"holder": ada, "name": "Ada"}, other]
        store.site.matches.add(f"m{number}", GAME, {"game": GAME, "setup": {}, "seats": seats})
        ranks = [2, 1] if number % 3 == 0 else [1, 2]
        store.site.matches.finish(f"m{number}", record, "over", ranks, rules_of(GAME))


def rows(page: str) -> list[str]:
    """The ids of the matches in the list of matches, which the best wins follow."""
    listed, _, _ = page[page.index('id="matches"') :].partition('id="best"')
    return re.findall(r'"whole" href="/m/(m\d+)"', listed)


def test_the_leaderboard_has_people_and_says_which_level_plays_alike(club: Club) -> None:
    page = club.guest.http.get(f"/people?game={GAME}").text
    assert 'href="/people/Ada"' in page
    assert 'href="/people/Grace"' not in page, "her rating is provisional"
    assert re.search(r">Ada</bdi> <small>like [^<]*· level \d+<", page)
    order = [page.index(text) for text in (">Ada<", "Levels of the computer", ">Master · level 10<", "· level 1<")]
    assert order == sorted(order)
    assert 'href="/people"' in club.guest.http.get("/").text
    assert club.guest.http.get("/people?game=none").status_code == 400
    assert "Nobody is listed yet" in club.guest.http.get("/people?game=kingdomino").text or "level 1" in page


def test_members_see_their_own_standing_on_the_leaderboard(club: Club) -> None:
    address = f"/people?game={GAME}"
    assert 'class="standing"' not in club.guest.http.get(address).text
    assert "You are at <strong>place 1</strong>" in club.ada.http.get(address).text
    with Visitor(club.site) as grace:
        assert grace.sign_in("Grace").status_code == 303
        [few] = found(r"after about <strong>(\d+) more rated match", grace.http.get(address))
        [many] = found(r"after about <strong>(\d+) rated matches", grace.http.get("/people?game=kingdomino"))
        assert 0 < int(few) < int(many)


def test_a_profile_has_ratings_and_matches(club: Club) -> None:
    page = club.guest.http.get("/people/ada").text
    assert re.search(r'<b class="figure">[\d,]+</b>', page)
    assert "place 1<" in page
    assert '<svg role="img" class="chart"' in page
    assert len(rows(page)) == 20
    assert "Download everything" not in page
    best = re.search(r"Best wins.*?/m/m\d+.*?<bdi>(\w+)</bdi>", page, re.DOTALL)
    assert best is not None
    assert best[1] == "Grace"
    older = re.search(r'href="(\?before=\d+)#matches"', page)
    assert older is not None
    pages = [club.guest.http.get(f"/people/Ada{older[1]}").text]
    assert "m24" in pages[0]
    assert "m25" not in pages[0]
    assert rows(club.guest.http.get("/people/Ada?opponent=GRACE&result=lost").text) == ["m39", "m24", "m9"]
    assert rows(club.guest.http.get("/people/Grace?opponent=level4").text) == []
    assert "No match fits this filter" in club.guest.http.get("/people/Ada?opponent=%3Cb%3E").text
    assert "provisional" in club.guest.http.get("/people/Grace").text
    assert club.guest.http.get("/people/Eve").status_code == 404
    assert club.guest.http.get("/people/Ada?result=odd").status_code == 400


def test_programs_read_the_same(club: Club) -> None:
    [leader] = club.program.get(f"/leaderboards/{GAME}").json()
    assert (leader["name"], leader["member"], leader["provisional"]) == ("Ada", "Ada", False)
    member = club.program.get("/people/Ada").json()
    assert member["ratings"] == [leader]
    curve = club.program.get(f"/people/Ada/curve?game={GAME}").json()
    assert len(curve) == PLAYED
    assert curve[-1]["rating"] == leader["rating"]
    matches = club.program.get("/people/Ada/matches?most=30").json()
    more = club.program.get(f"/people/Ada/matches?most=30&before={matches[-1]['number']}").json()
    assert [one["table"] for one in matches + more] == [f"m{number}" for number in reversed(range(PLAYED))]
    assert matches[0]["players"] == ["Ada", "Grace"]
    assert matches[0]["after"] == leader["rating"]
    assert club.program.get("/people/Eve").status_code == 404
    assert club.program.get("/people/Ada/matches?result=odd").status_code == 422
    assert club.program.get("/people/Ada/matches?game=none").json() == []
    for path in ("/leaderboards/none", "/people/Ada/curve?game=none"):
        assert club.program.get(path).status_code == 404


def test_all_data_is_downloaded_and_deleted(club: Club) -> None:
    assert club.guest.http.get("/account/data.zip").status_code == 401
    with Visitor(club.site) as grace:
        grace.sign_in("Grace")
        answer = grace.http.get("/account/data.zip")
        assert answer.status_code == 200
        with ZipFile(io.BytesIO(answer.content)) as zipped:
            assert zipped.testzip() is None
            files = {name: zipped.read(name) for name in zipped.namelist()}
        assert json.loads(files["account.json"])["name"] == "Grace"
        assert "argon2" not in answer.text + files["account.json"].decode()
        assert len(json.loads(files["results.json"])) == PLAYED // 5
        assert parse_record(files["matches/m4.json"]).game == GAME
        before = club.program.get("/people/Ada").json()
        assert grace.http.post("/account/delete", data={"password": PASSWORD}).status_code == 303
    assert club.guest.http.get("/people/Grace").status_code == 404
    assert club.program.get("/people/Ada").json() == before
    page = club.guest.http.get("/people/Ada").text
    assert "Grace" not in page
    assert "<bdi>deleted</bdi>" in page
    with Store.open(club.site.store) as store:
        assert store.site.people.named("grace") is None
