"""The analysis board without a browser: what positions, searches and records tell, and what is refused."""

from __future__ import annotations

import gc
import json
import re
import weakref
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from lapilli.arena.puzzles.themes import themes_of
from lapilli.core.api import Setup
from lapilli.core.content.puzzles import read_puzzles
from lapilli.core.content.tutorials import read_tutorial
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.games import load, names
from lapilli.match import play_match
from lapilli.match.analyser import Analyser
from lapilli.players.engines.turns import actions_in
from lapilli.search.budget import Budget
from lapilli.site.app import build_site
from lapilli.site.http.forms import MAX_FORM
from lapilli.site.people.identity.people import Person, Role
from lapilli.site.study import search_jobs
from lapilli.site.study.mistakes import reviewed
from lapilli.site.study.position_data import link_setup, shown
from lapilli.site.study.positions import MAX_PLACE, Asking, Place, place_data, place_of, position, record_of, turn_text
from lapilli.site.study.puzzles import _store_try, _themes_by_id
from lapilli.site.study.search_jobs import ranked
from lapilli.store import Rated, Store, puzzle_id
from lapilli.viewer.films.film_analysis import travels
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
            ({"game": GAME, "actions": [10**6]}, "not possible now"),
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


def solve(visitor: Visitor, path: str) -> Any:
    """Plays all turns of a puzzle's solution. Returns the last verdict."""
    puzzle = next(one for one in read_puzzles(load(GAME).content) if path.endswith(puzzle_id(GAME, one)))
    replies = [turn_text([reply]) for _, reply in puzzle.solution]
    for number, reply in enumerate(replies):
        sent = json.dumps({"reply": reply, "found": replies[:number]})
        [verdict] = lines(visitor.http.post(path, content=sent))
    return verdict


def test_puzzles_are_rated_and_the_first_try_counts(site: Site) -> None:
    with Visitor(site) as visitor:
        path = visitor.http.get(f"/puzzles/{GAME}").headers["location"]
        page = visitor.http.get(path).text
        assert re.search(r"Find the best (turn|\d turns)", page), "the day's may have several turns"
        [shown] = lines(visitor.http.post(path, content='{"reply": ""}'))
        assert (shown["good"], shown["counted"]) == (False, True)
        assert shown["rating"] < 1500
        solved = solve(visitor, path)
        assert (solved["good"], solved["counted"], solved["streak"]) == (True, False, 0)
        assert visitor.http.get(f"/puzzles/{GAME}").headers["location"] != path
    with Visitor(site) as other:
        assert other.http.get(f"/puzzles/{GAME}").headers["location"] == path, "the day's is the same for everybody"
        other.http.get(path)
        solved = solve(other, path)
        assert (solved["good"], solved["counted"], solved["streak"]) == (True, True, 1)
        assert solved["rating"] > 1500
        for content in ("", "[]", '{"reply": 3}', '{"reply": "x", "more": 1}'):
            assert other.http.post(path, content=content).status_code == 400
        assert "problem" in lines(other.http.post(path, content='{"reply": "nonsense"}'))[0]
        assert other.http.get(f"/puzzles/{GAME}/000000000000").status_code == 404


def test_the_list_of_puzzles_shows_what_is_solved(site: Site) -> None:
    with Visitor(site) as visitor:
        path = visitor.http.get(f"/puzzles/{GAME}").headers["location"]
        before = visitor.http.get("/puzzles").text
        assert "Solved today" not in before
        visitor.http.get(path)
        assert solve(visitor, path)["good"]
        page = visitor.http.get("/puzzles").text
        assert page.count("✓ Solved today") == 1
        assert len(re.findall(r"<span>1 of \d+ solved</span>", page)) == 1
        assert re.search(rf'/puzzles/{GAME}\?theme=[\w-]+">[^<]+<small>1 of \d+</small>', page)


def test_rules_are_shown_with_boards(site: Site) -> None:
    with Visitor(site) as visitor:
        for game in names():
            page = visitor.http.get(f"/rules/{game}")
            assert page.status_code == 200
            assert "<h1>" in page.text
            sections = re.findall(r'<a href="#(rules-\d+)">', page.text)
            assert sections or "<h2" not in page.text
            assert all(f'<h2 id="{one}">' in page.text for one in sections)
        assert page.text.count("<lapilli-board") >= 2
        assert visitor.http.get("/rules/chess").status_code == 400
        assert visitor.http.post(f"/learn/{GAME}/99", content='{"reply": ""}').status_code == 404
        assert visitor.http.post(f"/learn/{GAME}/0", content='{"reply": "nonsense"}').status_code == 400


# -- without a site


def test_lines_are_sorted_and_what_was_hardly_examined_has_no_value() -> None:
    searched = [(0, 0.56, 900), (1, 0.72, 20), (2, 0.31, 300), (3, 0.5, 400), (4, 0.6, 500)]
    lines = tuple(Line((turn,), value, nodes) for turn, value, nodes in searched)
    order = [(line.turn[0], value) for line, value in ranked(SearchResult((0,), 0.56, lines, 2120, 1.0))]
    assert order == [(0, 0.56), (3, 0.5), (2, 0.31), (4, None), (1, None)]


def test_lines_of_the_same_value_do_not_change_places_while_an_engine_thinks() -> None:
    searched = [(0, 0.56, 900), (1, 0.501, 300), (2, 0.504, 400), (3, 0.52, 500), (4, 0.503, 200)]
    result = SearchResult((0,), 0.56, tuple(Line((turn,), value, nodes) for turn, value, nodes in searched), 2300, 1.0)
    assert [line.turn[0] for line, _ in ranked(result)] == [0, 3, 2, 4, 1]
    shown = [(1,), (2,), (3,), (0,)]
    assert [line.turn[0] for line, _ in ranked(result, shown)] == [0, 3, 1, 2, 4], "the best is first, as before"


@pytest.mark.parametrize("game", names())
def test_the_actions_of_a_reply_are_found_again(game: str) -> None:
    record = play_match(game, ["greedy" if "greedy" in load(game).engines else "random", "random"], seed=2)
    place = Place(game=game, setup=record.load_setup().to_dict())
    found = 0
    state, _ = position(place)
    for entry in record.turns[:6]:
        if entry.player in state.asked() and entry.action and entry.turn == state.turn:
            actions = actions_in(state, entry.player, entry.action)
            found += not actions or load(game).protocol.format_reply(state, entry.player, actions) == entry.action
            assert actions or len(state.asked()) > 1
            break
    assert found == 1


@pytest.mark.parametrize("game", names())
def test_an_address_holds_the_start_even_where_a_map_was_set(game: str) -> None:
    """A setup key that a position replaces, such as a map, cannot stand in an address."""
    steps = [step for step in read_tutorial(load(game).content).steps if set(step.setup) & set(load(game).own_keys)]
    for setup in ({}, *(step.setup for step in steps[:1])):
        data = shown(Asking(game=game, setup=setup, whole=True))
        for key in ("start", "here"):
            assert not set(load(game).position_keys) & set(data[key])
            assert all(isinstance(value, str | int) for value in data[key].values())
            assert shown(Asking(game=game, setup=data[key]))["position"] == data["position"]


@pytest.mark.parametrize("game", [name for name in names() if load(name).searches])
def test_the_better_turn_of_a_mistake_can_be_shown(game: str) -> None:
    """Also where players act at once: then the others play what they played."""
    record = play_match(game, ["random"] * load(game).players[0], seed=3)
    analyser = Analyser(record, budget=Budget(nodes=20))
    with closing(analyser.analyse()) as turns:
        for _ in zip(range(12), turns, strict=False):
            pass
    place, _ = place_of(record)
    told = reviewed(place, analyser.analysis)
    assert told["mistakes"]
    for one in told["mistakes"]:
        moves = place.moves[: one["moves"]]
        before, after = (
            position(Place(game=game, setup=place.setup, moves=line))[0] for line in (moves, [*moves, one["instead"]])
        )
        assert after.turn > before.turn or after.is_terminal()
        assert one["best"] in one["instead"].split(" | ")
        assert one["after"] < one["before"], "a rise is no mistake"


def test_pictures_show_a_piece_that_moves_several_times_as_one_arrow() -> None:
    """But its last step stays, because it is what the others prepare; and a domino lies on two places."""

    def shown_after(game: str, moves: list[str], reply: str) -> list[list[str]]:
        state = position(Place(game=game, setup={"seed": 1}, moves=moves))[0]
        (player,) = state.asked()
        return travels(state, player, actions_in(state, player, reply))

    assert shown_after("pyramids", [], "B2-B1 B1-C1") == [["cell-B2", "cell-B1"], ["cell-B1", "cell-C1"]]
    assert shown_after("pyramids", 2 * ["B2-B1 B1-C1", "C1-B2"], "B2-B1 B1-C2 C2-B3") == [
        ["cell-B2", "cell-C2"],
        ["cell-C2", "cell-B3"],
    ]
    picks = [f"PUT 0 0 0 / PICK {tile}" for tile in (35, 10, 45, 48)]
    assert shown_after("kingdomino", picks, "PUT 3 4 2\nPICK 16") == [
        ["place-1-3-4", "place-1-2-4", "+tile-10"],
        ["tile-16"],
    ]


def test_an_engines_lines_all_read_differently() -> None:
    """The same commands in another order are the same turn for a reader."""
    game = load("tryangle")
    state = game.new_initial_state(seed=1)
    for result in zip(range(2), search_jobs.think(state, 0), strict=False):
        said = [sorted(line["words"][0][1].split(", ")) for line in result[1]["lines"]]
        assert all(said.count(one) == 1 for one in said)


@pytest.mark.parametrize("seed", [2**62 + 1, -(2**63), 2**53 + 1, 7])
def test_seeds_survive_scripts(seed: int) -> None:
    """A script rounds large integers; then other tiles would be drawn than in the match."""
    game = load("kingdomino")
    setup = game.complete(Setup(seed=seed)).to_dict()
    sent = place_data(Place(game=game.name, setup=setup))["setup"]
    rounded = json.loads(json.dumps(sent), parse_int=lambda digits: int(float(digits)))
    assert Place(game=game.name, setup=rounded).load()[1].seed == seed
    state = game.new_initial_state(seed=seed)
    assert Place(game=game.name, setup=link_setup(state)).load()[1] == state.setup


@pytest.mark.parametrize("game", [name for name in names() if read_puzzles(load(name).content)])
def test_each_theme_of_puzzles_has_some(game: str) -> None:
    found = [themes_of(load(game), puzzle) for puzzle in read_puzzles(load(game).content)]
    occurring = {key for themes in found for key in themes}
    assert {"win", "take-the-lead"} < occurring
    assert len(occurring) > 4, "the game has themes of its own"
    for themes in found:
        assert len({"win", "take-the-lead", "save-the-game"} & set(themes)) == 1
        assert all(key == quote(key) for key in themes), "keys stand in addresses"


# -- with a site


def test_analyse_asks_what_to_analyse(site: Site) -> None:
    with Visitor(site) as visitor:
        page = visitor.http.get("/analyse").text
        assert 'id="board"' not in page, "no game is opened unasked"
        assert all(f'href="/analyse?game={game}"' in page for game in names())


def test_every_turn_of_a_line_is_judged(site: Site) -> None:
    record = play_match(GAME, ["random", "random"], seed=3)
    moves = [entry.action for entry in record.turns][:8]
    place: dict[str, Any] = {"game": GAME, "setup": record.load_setup().to_dict(), "moves": moves}
    with Visitor(site) as visitor:
        *progress, told = lines(visitor.http.post("/analyse/review", content=json.dumps(place)))
        assert all(one["of"] == len(moves) for one in progress)
        assert len(told["values"]) == len(moves) + 1
        assert all(0 <= value <= 1 for row in told["values"][:-1] for value in row)
        for one in told["mistakes"]:
            assert one["reply"] == moves[one["moves"]]
            assert one["played"]
            assert one["better"]
            assert one["words"]
            assert not one["reason"] or one["reason"].endswith(".")
        for content in ('{"game": "chess"}', "[]", json.dumps(place | {"moves": ["nonsense"]})):
            assert visitor.http.post("/analyse/review", content=content).status_code == 400
    assert turn_text([record_of(Place(**place)).turns[-1].action or ""]) == moves[-1]


def test_a_puzzle_of_a_theme_leads_to_the_next_one_of_it(site: Site) -> None:
    with Visitor(site) as visitor:
        assert f"/puzzles/{GAME}?theme=save-the-game" in visitor.http.get("/puzzles").text
        path = visitor.http.get(f"/puzzles/{GAME}?theme=save-the-game").headers["location"]
        page = visitor.http.get(path).text
        assert f'id="next" class="button quiet" href="/puzzles/{GAME}?theme=save-the-game"' in page
        assert "Save the game" in page
        assert visitor.http.get(f"/puzzles/{GAME}?theme=nonsense").status_code == 303


def test_each_turn_of_a_solution_is_asked_after_the_one_before(site: Site) -> None:
    puzzle = next(puzzle for puzzle in read_puzzles(load(GAME).content) if puzzle.turns > 1)
    solution = [turn_text([reply]) for _, reply in puzzle.solution]
    path = f"/puzzles/{GAME}/{puzzle_id(GAME, puzzle)}"
    with Visitor(site) as visitor:
        visitor.http.get("/puzzles")
        assert f"Find the best {puzzle.turns} turns" in visitor.http.get(path).text
        for found in ([solution[1]], ["nonsense"], solution):
            sent = json.dumps({"reply": solution[0], "found": found})
            assert visitor.http.post(path, content=sent).status_code == 400, "nobody skips a turn"
        for number, reply in enumerate(solution[:-1], 1):
            sent = json.dumps({"reply": reply, "found": solution[: number - 1]})
            [told] = lines(visitor.http.post(path, content=sent))
            between = puzzle.solution[number][0] - puzzle.solution[number - 1][0]
            assert (told["good"], told["found"], len(told["next"])) == (True, solution[:number], between)
            assert {"good", "found", "next"} == set(told), "nothing is counted yet, and no later turn is shown"
        [shown_rest] = lines(visitor.http.post(path, content=json.dumps({"reply": "", "found": solution[:-1]})))
        assert (shown_rest["good"], shown_rest["counted"], shown_rest["line"][0]) == (False, True, solution[-1])
        [told] = lines(visitor.http.post(path, content=json.dumps({"reply": solution[-1], "found": solution[:-1]})))
        assert (told["good"], told["counted"]) == (True, False)


def test_a_guest_with_many_cookies_does_not_move_a_puzzles_rating(tmp_path: Path) -> None:
    """A guest's own rating moves, as a member's does."""
    with Store.open(tmp_path / "site.db") as store:
        puzzle, puzzles = read_puzzles(load(GAME).content)[0], store.site.puzzles
        puzzles.add(GAME, [puzzle], [Rated(25.0, 8.0, 0)])
        site: Any = SimpleNamespace(store=store)

        def tried(person: Person) -> tuple[int, Rated]:
            stored = puzzles.get(puzzle_id(GAME, puzzle))
            assert stored is not None
            rating = _store_try(site, stored, person, solved=True)["rating"]
            now = puzzles.get(stored.id)
            assert now is not None
            return rating, now.rated

        for number in range(5):
            rating, rated = tried(Person(visitor=f"{number:032}"))
            assert rating > 1500
            assert rated == Rated(25.0, 8.0, 0)
        _, rated = tried(Person(visitor="", id="ada", role=Role.MEMBER))
        assert (rated.mu < 25.0, rated.tries) == (True, 1)


def test_themes_of_puzzles_do_not_keep_a_store(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "site.db")
    puzzle = read_puzzles(load(GAME).content)[0]
    store.site.puzzles.add(GAME, [puzzle], [Rated(25.0, 8.0, 0)])
    ids = tuple(store.site.puzzles.ids(GAME))
    known = _themes_by_id(store, GAME, ids)
    assert known.keys() == set(ids)
    assert _themes_by_id(store, GAME, ids) is known
    store.close()
    gone = weakref.ref(store)
    del store
    gc.collect()
    assert gone() is None


def test_a_page_says_beforehand_what_a_try_costs(site: Site) -> None:
    with Visitor(site) as visitor:
        path = visitor.http.get(f"/puzzles/{GAME}").headers["location"]
        page = visitor.http.get(path).text
        [shown_data] = lines(visitor.http.post(path, content='{"reply": ""}'))
        assert f"your rating drops from 1500 to {shown_data['rating']}" in page
        assert f"−{1500 - shown_data['rating']} if you do not" in page
        assert "does not count again" in visitor.http.get(path).text


def test_a_lesson_ends_in_a_match_against_the_weakest_opponent(site: Site) -> None:
    with Visitor(site) as visitor:
        for game in [name for name in names() if read_tutorial(load(name).content).steps]:
            page = visitor.http.get(f"/learn/{game}").text
            weakest = "level1" if load(game).levels else "random"
            assert f'<input type="hidden" name="opponent1" value="{weakest}">' in page
            assert page.count("<li>") == len(read_tutorial(load(game).content).notes) >= 3


def test_an_analysis_takes_the_cores_that_are_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("lapilli.search.threads.os.sched_getaffinity", lambda _: range(6), raising=False)
    with Store.open(tmp_path / "store.db") as store:
        for wanted, expected in ((None, 4), (3, 3)):
            site = build_site(store, analysis_threads=wanted)
            site.engines.queued, site.analysis._going = 1, [1, 0]
            assert site.free_threads() == expected
            site.stop_thinking()
    first = next(search_jobs.think(load("volcanoes").new_initial_state(seed=1), 0, threads=2))
    assert first["nodes"] > 0
