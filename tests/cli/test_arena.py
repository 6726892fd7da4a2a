"""lapilli arena, as scripts and people see it, on stores filled by real matches."""

from __future__ import annotations

import csv
import json
import re
import shlex
import sqlite3
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import lapilli
from arena.filled import NEW, OLD, fill
from cli.running import refused, run
from lapilli.arena.statistics import PairCounts, estimate
from lapilli.match import verify
from lapilli.store import EventKind, Store
from store.made import event, result

COMMANDS = ("list", "show", "board", "matches", "export", "page")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("store") / "my arena.db"
    fill(file)
    return file


def arena(filled: Path, *words: object) -> str:
    """What the command says."""
    done = run("arena", *words, "--store", filled)
    assert done.stderr == ""
    return done.stdout


def told(filled: Path, *words: object) -> Any:
    return json.loads(arena(filled, *words, "--json"))


def words_of(line: str) -> list[str]:
    """A command that was printed, as a shell would take it, without what comes after it."""
    found = re.search(r"lapilli (.*?--store ('[^']*'|\S+))", line)
    assert found is not None, line
    return shlex.split(found[1])


def test_events_are_listed_and_filtered(filled: Path) -> None:
    listed = told(filled, "list")
    assert [(event["event"], event["kind"], event["game"]) for event in listed] == [
        (4, "league", "volcanoes"),
        (3, "tournament", "kingdomino"),
        (2, "comparison", "volcanoes"),
        (1, "comparison", "volcanoes"),
    ]
    assert [event["played"] for event in listed] == [12, 6, 4, 40]
    assert (listed[2]["abandoned"], listed[2]["verdict"]) == (1, "crashes is better.")
    assert [event["event"] for event in told(filled, "list", "--kind", "comparison", "--limit", 1)] == [2]
    assert [event["event"] for event in told(filled, "list", "--game", "kingdomino")] == [3]
    shown = arena(filled, "list")
    assert "spring cup" in shown
    assert "4 (+1 abandoned)" in shown
    assert "No events found." in arena(filled, "list", "--game", "tryangle")


def test_a_comparison_is_shown_with_elo_from_its_pairs(filled: Path) -> None:
    data = told(filled, "show", 1)
    first, second = data["contestants"]
    assert (first["name"], first["player"], second["player"]) == (NEW, "greedy", "random")
    assert first["matches"] == first["won"] + first["drawn"] + first["lost"] == 40
    assert (first["won"], first["lost"]) == (second["lost"], second["won"])
    assert 0 <= first["p50_ms"] <= first["p99_ms"] <= first["max_ms"]
    compared = data["comparison"]
    figures = estimate(PairCounts(tuple(compared["pairs"])))
    assert sum(compared["pairs"]) == 20
    assert compared["score"] == pytest.approx(first["score"])
    assert (compared["elo"], compared["elo_low"], compared["elo_high"]) == (figures.elo, figures.low, figures.high)
    shown = arena(filled, "show", 1)
    assert f"{figures.elo:+.0f} Elo ({figures.low:+.0f} to {figures.high:+.0f}, 95 %)" in shown
    assert NEW in shown
    assert "\x1b" not in shown


def test_every_lost_match_is_one_command_away(filled: Path, tmp_path: Path) -> None:
    lost = arena(filled, "show", 1).split("Lost by ")[1].splitlines()
    commands = [words_of(line) for line in lost[1:]]
    *views, all_of_them = commands
    assert views
    for number, words in enumerate(views):
        target = tmp_path / f"{number}.html"
        run(*words, "--html", target)
        assert target.read_text().startswith("<!doctype html>")
    count = len(json.loads(run(*all_of_them, "--json", "--limit", 1000).stdout))
    assert count == told(filled, "show", 1)["contestants"][0]["lost"] >= len(views)


def test_a_match_in_the_store_is_a_record_like_any_other(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.json"
    assert f"Wrote the record to {out}." in arena(filled, "match", "1/7", "-o", out)
    for words in (["show", "--turn", 3], ["inputs", "--player", 1], ["inputs", "--player", 0, "--json"]):
        name, *options = words
        from_store = run(name, "1/7", "--store", filled, *options).stdout
        assert from_store == run(name, out, *options).stdout
    data = told(filled, "match", "1/7")
    record = lapilli.load_record(out)
    outcome = verify(record)
    assert outcome is not None
    assert [seat["rank"] for seat in data["seats"]] == list(outcome.ranks)
    assert [seat["name"] for seat in data["seats"]] == [player.name for player in record.players]
    assert data["seed"] == record.setup["seed"]
    assert f"seed {data['seed']}" in arena(filled, "match", "1/7")


def test_a_file_of_that_name_goes_first(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    run("match", "kingdomino", "random", "random", "--record", tmp_path / "1" / "7.json", "-q")
    (tmp_path / "1" / "7.json").rename(tmp_path / "1" / "7")
    shown = run("show", "1/7", "--store", filled, cwd=tmp_path).stdout
    assert shown != run("show", "1/7", "--store", filled).stdout


def test_faults_and_what_was_abandoned_are_told(filled: Path) -> None:
    data = told(filled, "show", 2)
    assert [share["faults"] for share in data["contestants"]] == [{"exited": 4}, {}]
    assert data["abandoned_last"] == [{"number": 4, "reason": "busy"}]
    shown = arena(filled, "show", 2)
    assert "Faults of crashes: 4 exited." in shown
    assert "Last reasons: busy." in shown
    assert "2/3 (record not kept)" in shown
    assert "was not kept" in refused("view", "2/3", "--store", filled)
    assert "was not kept" in refused("arena", "match", "2/3", "-o", "x.json", "--store", filled)


def test_matches_are_filtered(filled: Path) -> None:
    everything = told(filled, "matches", 1, "--limit", 1000)
    assert len(everything) == 40
    lost = [
        match["match"] for match in everything for seat in match["seats"] if seat["name"] == NEW and seat["rank"] > 1
    ]
    assert [match["match"] for match in told(filled, "matches", 1, "--lost-by", NEW, "--limit", 1000)] == lost
    seed = everything[5]["seed"]
    assert [match["match"] for match in told(filled, "matches", 1, "--seed", seed)] == [
        match["match"] for match in everything if match["seed"] == seed
    ]
    assert len(told(filled, "matches", 2, "--fault", "any")) == 4
    assert len(told(filled, "matches", 2, "--fault", "exited", "--player", "crashes")) == 4
    assert told(filled, "matches", 2, "--fault", "exited", "--player", "stays") == []
    assert told(filled, "matches", 2, "--fault", "timeout") == []
    met = told(filled, "matches", 3, "--player", "Ada", "--opponent", "Linus")
    assert [{seat["name"] for seat in match["seats"]} for match in met] == [{"Ada", "Linus"}] * 2
    assert "No matches found." in arena(filled, "matches", 3, "--player", "Idle")


def test_pages_of_matches_lead_on_to_each_other(filled: Path) -> None:
    wanted = [match["match"] for match in told(filled, "matches", 1, "--player", NEW, "--limit", 1000)]
    seen, words = [], ["arena", "matches", 1, "--player", NEW, "--limit", 15, "--store", filled]
    while words:
        shown = run(*words).stdout
        assert "\x1b" not in shown
        seen += re.findall(r"^1/\d+", shown, re.MULTILINE)
        more = shown.partition("More: ")[2]
        words = [*words_of(more), "--limit", "15"] if more else []
    assert seen == wanted


def test_the_board_of_a_tournament_is_a_cross_table(filled: Path) -> None:
    data = told(filled, "board", 3)
    rows = {row["name"]: row for row in data["rows"]}
    assert [row["name"] for row in data["rows"]][-1] == "Idle"
    assert rows["Idle"]["elo"] is None
    assert sum(row["elo"] for row in data["rows"] if row["elo"] is not None) == pytest.approx(0, abs=1e-6)
    assert all(row["low"] < row["elo"] < row["high"] for row in data["rows"] if row["elo"] is not None)
    assert sum(row["won"] - row["lost"] for row in rows.values()) == 0
    assert {(met["name"], met["opponent_name"]) for met in data["meetings"]} == {
        (one, other) for one in ("Ada", "Grace", "Linus") for other in ("Ada", "Grace", "Linus") if one != other
    }
    shown = arena(filled, "board", 3)
    assert "vs 4" in shown
    assert "–" in shown


def test_the_board_of_a_league_is_its_ladder(filled: Path) -> None:
    data = told(filled, "board", 4)
    first, *rest = data["entries"]
    assert (first["name"], first["division"], first["boss"]) == ("climber", 1, False)
    assert {entry["name"]: bool(entry["withdrawn"]) for entry in rest} == {"wood boss": False, "<leaver>": True}
    assert [move["reason"] for move in data["promotions"]] == ["stands above the boss"]
    shown = arena(filled, "board", 4)
    assert "climber: wood to bronze: stands above the boss" in shown
    assert "boss" in shown
    assert "withdrawn" in shown


def test_the_event_begun_last_is_meant_by_default(filled: Path) -> None:
    assert told(filled, "show")["event"] == 4
    assert told(filled, "show")["comparison"] is None
    assert "Last reasons" not in arena(filled, "show")
    assert "Last lost match of each contestant:" in arena(filled, "show", 3)


def test_settings_are_shown_in_words(tmp_path: Path) -> None:
    settings = {"setup": {"players": 4, "variant": "standard"}, "clock": {"reply_ms": 50}}
    with Store.open(tmp_path / "arena.db") as store:
        store.open_event(EventKind.TOURNAMENT, "spring cup", "kingdomino", settings, [])
    shown = arena(tmp_path / "arena.db", "show")
    assert " · 0 matches · players 4 · variant standard · reply ms 50\n" in shown


def test_records_are_exported(filled: Path, tmp_path: Path) -> None:
    for name in ("all.jsonl", "all.jsonl.gz"):
        assert "Wrote 40 matches to" in arena(filled, "export", 1, "-o", tmp_path / name)
        records = list(lapilli.load_records(tmp_path / name))
        assert len(records) == 40
        assert all(verify(record) is not None for record in records)
    run("match", "volcanoes", "random", "random", "-q", "--record", tmp_path / "all.jsonl.gz")
    assert len(list(lapilli.load_records(tmp_path / "all.jsonl.gz"))) == 41
    lost = told(filled, "export", 1, "-o", tmp_path / "lost.jsonl", "--lost-by", NEW)
    assert lost["written"] == told(filled, "show", 1)["contestants"][0]["lost"]
    assert "The records of 4 more were not kept." in arena(filled, "export", 2, "-o", tmp_path / "none.jsonl")


def test_a_table_of_matches_is_exported(filled: Path, tmp_path: Path) -> None:
    listed = told(filled, "matches", 1, "--limit", 1000)
    assert told(filled, "export", 1, "-o", tmp_path / "m.json")["written"] == 40
    assert json.loads((tmp_path / "m.json").read_text()) == listed
    arena(filled, "export", 1, "-o", tmp_path / "m.csv")
    with open(tmp_path / "m.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["match"], row["name_1"], row["rank_0"]) for row in rows] == [
        (match["match"], match["seats"][1]["name"], str(match["seats"][0]["rank"])) for match in listed
    ]
    for name in ("none.json", "none.csv"):
        assert "0 matches" in arena(filled, "export", 3, "-o", tmp_path / name, "--player", "Idle")
    assert json.loads((tmp_path / "none.json").read_text()) == []


def test_a_table_has_columns_for_the_match_with_most_seats(tmp_path: Path) -> None:
    """Matches of a league may have different numbers of seats."""
    with Store.open(tmp_path / "arena.db") as store:
        made = event(store, 4)
        store.add_results(made.id, [result(0), result(1, (3, 2, 1)), result(2, (0, 1, 2, 3)), result(3)])
    for name in ("m.csv", "m.json"):
        arena(tmp_path / "arena.db", "export", 1, "-o", tmp_path / name)
    with open(tmp_path / "m.csv", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    matches = json.loads((tmp_path / "m.json").read_text())
    assert len(rows) == len(matches) == 4
    for row, match in zip(rows, matches, strict=True):
        names = [seat["name"] for seat in match["seats"]]
        assert [row[f"name_{place}"] for place in range(4)] == names + [""] * (4 - len(names))
        assert None not in row.keys() | row.values()


def test_bad_input_costs_one_line(filled: Path, tmp_path: Path) -> None:
    here = ("--store", filled)
    assert "there is no event 99" in refused("arena", "show", 99, *here)
    assert "event 1 has no match 999" in refused("arena", "match", "1/999", *here)
    assert "expected EVENT/MATCH" in refused("arena", "match", "17", *here)
    assert "no contestant 'v9'" in refused("arena", "matches", 1, "--lost-by", "v9", *here)
    assert "did you mean 'timeout'" in refused("arena", "matches", 1, "--fault", "timeot", *here)
    assert "give one of them" in refused("arena", "matches", 3, "--lost-by", "Ada", "--player", "Ada", *here)
    assert "needs a contestant" in refused("arena", "matches", 3, "--opponent", "Ada", *here)
    assert "name a .jsonl" in refused("arena", "export", 1, "-o", tmp_path / "x.txt", *here)
    assert "name the file" in refused("arena", "export", 1, *here)
    assert "cannot write" in refused("arena", "export", 1, "-o", tmp_path / "no" / "x.csv", *here)
    assert "comparison" in refused("arena", "list", "--kind", "duel", *here)
    assert not (tmp_path / "x.txt").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_store_is_told_in_one_line(command: str, tmp_path: Path) -> None:
    words = ["arena", command, *(["-o", "x.csv"] if command == "export" else [])]
    assert "there is no store" in refused(*words, "--store", tmp_path / "none.db")
    (tmp_path / "text.db").write_text("no database at all, and long enough to be one of a hundred bytes" * 20)
    assert "text.db" in refused(*words, "--store", tmp_path / "text.db")
    with Store.open(tmp_path / "newer.db"):
        pass
    connection = sqlite3.connect(tmp_path / "newer.db")
    connection.execute("UPDATE lapilli_store SET version = 999")
    connection.commit()
    connection.close()
    assert "install a newer Lapilli" in refused(*words, "--store", tmp_path / "newer.db")
    assert not (tmp_path / "none.db").exists()


def test_an_empty_store_and_this_users_own(tmp_path: Path) -> None:
    here = {"XDG_DATA_HOME": str(tmp_path)}
    assert "there is no store" in refused("view", "1/2", env=here)
    (tmp_path / "lapilli").mkdir()
    with Store.open(tmp_path / "lapilli" / "arena.db"):
        pass
    assert run("arena", "list", "--json", env=here).stdout == "[]\n"
    assert refused("arena", "show", env=here).startswith("lapilli: the store has no event yet")
    assert "usage" in run("arena", code=None, env=here).stdout.lower()


def test_names_cannot_steer_the_terminal(filled: Path) -> None:
    assert OLD.replace("\x1b", "\\x1b") in arena(filled, "board", 1)


def test_a_page_is_written_with_the_matches_beside_it(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "v2 page.html"
    assert "and the pages of 3 matches beside it." in arena(
        filled, "page", 1, "-o", out, "--matches", "all", "--limit", 3
    )
    links = re.findall(r'href="([^"]*)"', out.read_text())
    assert len(links) == 3
    for link in links:
        assert (tmp_path / unquote(link)).read_text().startswith("<!doctype html>")
    assert arena(filled, "page", 2, "-o", tmp_path / "2.html", "--matches", "all") == f"Wrote {tmp_path / '2.html'}.\n"
    arena(filled, "page", 1, "-o", out)
    assert "lapilli view 1/" in out.read_text()
    assert f"--store '{filled}'" in unescape(out.read_text())


def test_a_page_is_shown_in_the_browser(filled: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path / "seen"}\n')
    browser.chmod(0o755)
    words = ("arena", "page", "3", "--matches", "lost", "--store", filled)
    done = run(*words, env={"BROWSER": f"{browser} %s", "TMPDIR": str(tmp_path)})
    assert "The tournament is in" in done.stdout
    page = Path(unquote((tmp_path / "seen").read_text().strip().removeprefix("file://")))
    links = re.findall(r'href="([^"]*)"', page.read_text())
    assert links
    assert all((page.parent / link).is_file() for link in links)


def test_where_no_page_can_be_written(filled: Path, tmp_path: Path) -> None:
    here = ("--store", filled)
    assert "cannot write" in refused("arena", "page", 1, "-o", tmp_path / "no" / "x.html", *here)
    (tmp_path / "x-matches").write_text("")
    told = refused("arena", "page", 1, "-o", tmp_path / "x.html", "--matches", "all", *here)
    assert "cannot make the folder" in told
    assert not (tmp_path / "x.html").exists()
