"""The analysis board without a browser: what positions, searches and records tell, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from lapilli.games import load, names
from lapilli.match import play_match
from lapilli.site.http.forms import MAX_FORM
from lapilli.site.study.positions import MAX_PLACE
from web.client import Site, Visitor

GAME = names()[-1]


def ask(visitor: Visitor, path: str, **data: Any) -> Any:
    answer = visitor.http.post(path, content=json.dumps(data))
    return answer.json() if answer.status_code == 200 else answer


def lines(answer: httpx.Response) -> list[Any]:
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize("game", names())
def test_a_turn_is_put_together_and_leads_on(site: Site, game: str) -> None:
    with Visitor(site) as visitor:
        told = ask(visitor, "/analyse/at", game=game, whole=True)
        assert {"style", "defs", "players", "legend"} <= told["look"].keys()
        given: list[str] = []
        actions: list[int] = []
        for _ in range(60):
            told = ask(visitor, "/analyse/at", game=game, given=given, actions=actions)
            draft = told["draft"]
            if draft["reply"] is not None:
                given, actions = [*given, draft["reply"]], []
                if len(given) == len(told["asked"]):
                    break
            else:
                actions = [*actions, min(draft["choices"])[0]]
        after = ask(visitor, "/analyse/at", game=game, moves=[" | ".join(given)])
        assert after["frames"][0].keys() >= {"placed", "size"}
        assert after["told"][0][0] == told["asked"][0]
        assert after["position"] != told["position"]
        again = ask(
            visitor, "/analyse/at", game=game, setup=after["setup"] | {"seed": None, "position": after["position"]}
        )
        assert again["position"] == after["position"], "its notation opens the same"


def test_what_cannot_be_is_refused_in_a_line(site: Site) -> None:
    with Visitor(site) as visitor:
        for data, said in (
            ({"game": "chess"}, "chess"),
            ({"game": GAME, "moves": ["nonsense"]}, "turn 1"),
            ({"game": GAME, "setup": {"seed": "x"}}, "seed"),
            ({"game": GAME, "moves": ["x"] * 2001}, "2000"),
            ({"game": GAME, "actions": [10**6]}, "cannot be played"),
            ({"game": GAME, "given": ["a", "b", "c"]}, "answered"),
            ({"game": GAME, "more": 1}, "not a valid position"),
            ([], "not a valid position"),
        ):
            for path in ("/analyse/at", "/analyse/think"):
                answer = visitor.http.post(path, content=json.dumps(data))
                if path == "/analyse/at" or "moves" in data or "setup" in data:  # the other keys are not its own
                    assert said in answer.json()["problem"], data
                assert answer.status_code == 400
        assert visitor.http.post("/analyse/at", content=b" " * (MAX_PLACE + 1)).status_code == 413
        assert (
            visitor.http.post("/analyse/at", content="{}", headers={"Origin": "http://evil.example"}).status_code == 403
        )
        assert MAX_PLACE > MAX_FORM


@pytest.mark.parametrize("game", [name for name in names() if load(name).searches])
def test_an_engine_thinks_ever_longer_and_stops_when_it_is_left(site: Site, game: str) -> None:
    with Visitor(site) as visitor:
        seen: list[Any] = []
        with visitor.http.stream("POST", "/analyse/think", content=json.dumps({"game": game})) as answer:
            for line in answer.iter_lines():
                seen.append(json.loads(line))
                if len(seen) == 2:
                    break
        assert seen[0]["ms"] < seen[-1]["ms"] or seen[0]["proven"]
        assert 0 <= seen[-1]["value"] <= 1
        best = seen[-1]["lines"][0]
        told = ask(visitor, "/analyse/at", game=game, moves=best["moves"][:1])
        assert told["position"] if best["moves"] else len(told["asked"]) > 1


def test_a_record_is_verified_and_opened(site: Site) -> None:
    record = play_match(GAME, ["random", "random"], seed=3)
    with Visitor(site) as visitor:
        place = visitor.http.post("/analyse/record", content=record.to_json()).json()
        told = ask(visitor, "/analyse/at", game=place["game"], setup=place["setup"], moves=place["moves"], whole=True)
        assert told["outcome"]["ranks"] == (record.outcome and record.outcome.ranks)
        assert len(told["words"]) == len(place["moves"])
        false = json.loads(record.to_json())
        false["outcome"]["scores"] = [7, 7]
        for content, said in ((json.dumps(false), "by the rules"), ("{}", "not a record"), ("", "not a record")):
            answer = visitor.http.post("/analyse/record", content=content)
            assert answer.status_code == 400
            assert said in answer.json()["problem"]


def test_puzzles_are_rated_and_the_first_try_counts(site: Site) -> None:
    with Visitor(site) as visitor:
        path = visitor.http.get(f"/puzzles/{GAME}").headers["location"]
        page = visitor.http.get(path).text
        assert "Find the best turn" in page
        [shown] = lines(visitor.http.post(path, content='{"reply": ""}'))
        assert (shown["good"], shown["counted"]) == (False, True)
        assert shown["rating"] < 1500
        reply = shown["line"][0]
        [solved] = lines(visitor.http.post(path, content=json.dumps({"reply": reply})))
        assert (solved["good"], solved["counted"], solved["streak"]) == (True, False, 0)
        assert visitor.http.get(f"/puzzles/{GAME}").headers["location"] != path
    with Visitor(site) as other:
        assert other.http.get(f"/puzzles/{GAME}").headers["location"] == path, "the day's is the same for everybody"
        other.http.get(path)
        [solved] = lines(other.http.post(path, content=json.dumps({"reply": reply})))
        assert (solved["good"], solved["counted"], solved["streak"]) == (True, True, 1)
        assert solved["rating"] > 1500
        for content in ("", "[]", '{"reply": 3}', '{"reply": "x", "more": 1}'):
            assert other.http.post(path, content=content).status_code == 400
        assert "problem" in lines(other.http.post(path, content='{"reply": "nonsense"}'))[0]
        assert other.http.get(f"/puzzles/{GAME}/000000000000").status_code == 404


def test_rules_are_shown_with_boards(site: Site) -> None:
    with Visitor(site) as visitor:
        for game in names():
            page = visitor.http.get(f"/rules/{game}")
            assert page.status_code == 200
            assert "<h1>" in page.text
        assert page.text.count("<lapilli-board") >= 2
        assert visitor.http.get("/rules/chess").status_code == 400
        assert visitor.http.post(f"/learn/{GAME}/99", content='{"reply": ""}').status_code == 404
        assert visitor.http.post(f"/learn/{GAME}/0", content='{"reply": "nonsense"}').status_code == 400
