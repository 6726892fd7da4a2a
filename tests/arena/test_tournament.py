"""Tournaments with real players, real stores and real worker processes."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest

import lapilli
from lapilli.arena.matches.contestants import contestants_of
from lapilli.arena.matches.playing import InProcessPool, Recipe
from lapilli.arena.matches.pool import LocalPool
from lapilli.arena.matches.recipes import recipe_of
from lapilli.arena.progress.pairings import Format
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.finaltable import FinalTable
from lapilli.arena.tournament import Terms, Tournament, tournament
from lapilli.core.errors import LapilliError
from lapilli.store import Store

CHAIN = f"{sys.executable} {Path(__file__).parents[2] / 'examples' / 'volcanoes' / 'chain.py'}"


def recipe(game: str, *players: str, seats: int | None = None) -> Recipe:
    what = lapilli.load(game)
    return recipe_of(what, contestants_of(what, players), setup={"players": seats})


def place_of(table: FinalTable, name: str) -> int:
    return next(row.rank for row in table.rows if row.figures.name == name)


def test_all_against_all_with_a_real_bot(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    table = tournament("volcanoes", ["random", "greedy", f"chain={CHAIN}"], matches=6, jobs=2, store=store)
    assert table.ending == StopReason.PLAYED
    assert (table.matches, table.all_matches) == (18, 18)
    assert [row.possible for row in table.rows] == [12, 12, 12]
    assert sum(row.points for row in table.rows) == 18
    assert place_of(table, "random") == 3
    assert next(row for row in table.rows if row.figures.name == "chain").figures.answers > 30
    with Store.open(store) as opened:
        results = [stored.result for stored in opened.results(table.event)]
        assert all(stored.kept for stored in opened.results(table.event))
        assert (opened.event(table.event).finished is not None, opened.event(table.event).verdict) == (
            True,
            table.sentence,
        )
    met = {frozenset(seat.contestant for seat in result.seats) for result in results}
    assert met == {frozenset(two) for two in combinations(range(3), 2)}
    starts = {result.pair: result.position for result in results}
    assert [starts[pair] for pair in range(3)] == [None] * 3
    assert all(starts[pair] for pair in range(3, 9)), "from the second pair on, starts are openings"


def test_more_games_go_on_where_it_was(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    players = ["random", "greedy", "other=random"]
    first = tournament("volcanoes", players, matches=4, jobs=1, store=store)
    more = tournament("volcanoes", players, matches=6, jobs=1, store=store)
    assert (more.event, more.resumed, more.matches) == (first.event, 12, 18)
    again = tournament("volcanoes", players, matches=6, jobs=1, store=store)
    assert (again.resumed, again.matches, again.rows) == (18, 18, more.rows)
    assert again.earlier.sentence.startswith("18 earlier matches of these 3 players, stored since ")
    assert again.to_json()["hashes"].keys() == {"random", "greedy", "other"}
    fresh = tournament("volcanoes", players, matches=4, jobs=1, store=store, resume=False)
    assert (fresh.resumed, fresh.event) == (0, first.event + 1)


@pytest.mark.parametrize("kind", list(Format))
def test_results_do_not_depend_on_who_played_them(tmp_path: Path, kind: Format) -> None:
    names = ["greedy", *(f"r{number}=random" for number in range(4))]
    terms = Terms(recipe=recipe("kingdomino", *names), format=kind, matches=4, seed=5)
    tables = []
    pools: tuple[InProcessPool | LocalPool, ...] = (InProcessPool(terms.recipe), LocalPool(terms.recipe, 2))
    for number, pool in enumerate(pools):
        with Store.open(str(tmp_path / f"{number}.db")) as store:
            played = Tournament(terms, store, "all")
            played.run(pool)
            tables.append((played.table.rows(), played.rounds))
    for row, other in zip(tables[0][0], tables[1][0], strict=True):
        assert (row.place, row.points) == (other.place, other.points)
        assert row.rating is not None
        assert other.rating is not None
        # Matches are stored as they end, and sums of floating-point numbers in another order differ in the last digit.
        assert asdict(row.rating) == pytest.approx(asdict(other.rating))
    assert tables[0][1] == tables[1][1]


def test_swiss_rounds_follow_from_the_results_before(tmp_path: Path) -> None:
    """Stopped in the midst of a round and taken up again, the same rounds are played."""
    names = ["greedy", *(f"r{number}=random" for number in range(5))]
    terms = Terms(recipe=recipe("kingdomino", *names), format=Format.SWISS, matches=2, rounds=3)

    def stop(played: Tournament) -> None:
        if played.matches == 9 and played.ending is None:
            raise KeyboardInterrupt

    with Store.open(tmp_path / "a.db") as store:
        first = Tournament(terms, store, "swiss")
        first.run(InProcessPool(terms.recipe), stop)
        assert first.ending == StopReason.INTERRUPTED
        assert len(first.rounds) == 2
        rest = Tournament(terms, store, "swiss")
        assert (rest.resumed, rest.rounds) == (9, first.rounds)
        rest.run(InProcessPool(terms.recipe))
    with Store.open(tmp_path / "b.db") as store:
        whole = Tournament(terms, store, "swiss")
        whole.run(InProcessPool(terms.recipe))
    assert rest.rounds == whole.rounds
    assert rest.matches == whole.matches == 18
    winners = {who for group in whole.rounds[0] for who in group if whole.table.points(who) >= 2}
    assert whole.table.rows()[0].place in winners
    assert all(len({*group}) == 2 for meetings in whole.rounds for group in meetings)


def test_three_in_a_match_and_one_sits_out() -> None:
    names = [f"r{number}=random" for number in range(4)]
    table = tournament("kingdomino", names, format="swiss", matches=3, rounds=2, seats=3, jobs=1)
    assert table.matches == 6
    assert sorted(row.possible for row in table.rows) == [6, 6, 12, 12]


def test_functions_are_asked_here() -> None:
    def lowest(state: lapilli.State) -> int:
        return state.legal_actions()[0]

    table = tournament("tictactoe", [lowest, "random"], matches=4)
    assert [row.possible for row in table.rows] == [4, 4]
    assert {row.figures.name for row in table.rows} == {"lowest", "random"}


def test_a_function_may_be_an_object_that_counts_as_false() -> None:
    class Lowest:
        """A player that counts its turns, none at first."""

        turns = 0

        def __len__(self) -> int:
            return self.turns

        def __call__(self, state: lapilli.State) -> int:
            self.turns += 1
            return state.legal_actions()[0]

    mine = Lowest()
    tournament("tictactoe", [mine, "random"], matches=1)
    assert mine.turns > 0


@pytest.mark.parametrize("jobs", [0, -1])
def test_a_match_needs_a_worker(jobs: int) -> None:
    with pytest.raises(LapilliError, match=f"jobs must be at least 1, not {jobs}"):
        tournament("tictactoe", ["random", "again=random"], matches=2, jobs=jobs)


def test_the_table_for_scripts_people_and_notebooks() -> None:
    table = tournament("tictactoe", ["a|b=random", "<c>=random"], matches=4, jobs=1)
    data = json.loads(json.dumps(table.to_json()))
    assert {player["name"] for player in data["players"]} == {"a|b", "<c>"}
    for player in data["players"]:
        [against] = player["against"].values()
        assert (against["points"], against["matches"]) == (player["points"], 4)
    first, second = data["players"]
    assert first["elo_low"] < first["elo"] < first["elo_high"]
    assert second["elo_low"] == second["elo"] == second["elo_high"] == 0
    head, *lines = csv.reader(table.to_csv().splitlines())
    assert [dict(zip(head, line, strict=True))["player"] for line in lines] == [p["name"] for p in data["players"]]
    assert "| a\\|b |" in table.to_markdown()
    assert "&lt;c&gt;" in table._repr_html_()
    assert table.sentence in str(table)


@pytest.mark.parametrize(
    ("players", "keys", "complaint"),
    [
        (["random"], {}, "2 to 500 players can take part, not 1"),
        (["random", "greedy"], {"rounds": 2}, "rounds is for Swiss tournaments only"),
        (["random", "greedy"], {"matches": 0}, "matches and rounds must be at least 1"),
        (["a=random", "a=greedy"], {}, "two players are called 'a'"),
        (["random", "greedy"], {"seats": 3}, "Volcanoes is for 2 players, not 3"),
        (["random", "greedy"], {"position": "x"}, "position: each pair has its own"),
        (["random", "false"], {}, "player 'false'"),
    ],
)
def test_what_makes_no_sense_is_refused(players: list[str], keys: dict[str, object], complaint: str) -> None:
    with pytest.raises(LapilliError, match=complaint):
        tournament("volcanoes", players, **keys)  # type: ignore[arg-type]


def test_a_format_that_is_none_is_refused() -> None:
    with pytest.raises(LapilliError, match="no format 'knockout'"):
        tournament("tictactoe", ["random", "random"], format="knockout")
