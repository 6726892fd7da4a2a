"""Openings of a user's own: pairs of a comparison and of a tournament start from them in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

import lapilli
from lapilli.arena.matches.recipes import read_openings
from lapilli.arena.reports.compared import compared
from lapilli.core.errors import LapilliError
from lapilli.store import Store

GAME = "tictactoe"
OPENINGS = ["X........", "....X....", "X...O...."]


def starts(store: Path) -> list[str | None]:
    with Store.open(store) as opened:
        return [stored.result.position for stored in opened.results(opened.events()[0].id)]


def test_pairs_start_from_them_in_turn(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    lapilli.compare(GAME, "random", "b=random", matches=8, openings=OPENINGS, store=store, jobs=1)
    assert sorted(map(str, starts(store))) == sorted(OPENINGS * 2 + OPENINGS[:1] * 2)
    again = lapilli.compare(GAME, "random", "b=random", matches=8, openings=OPENINGS, store=store, jobs=1)
    assert again.earlier.matches == 8, "the same openings are the same comparison"
    other = lapilli.compare(GAME, "random", "b=random", matches=8, openings=OPENINGS[:2], store=store, jobs=1)
    assert other.earlier.matches == 0
    lapilli.tournament(GAME, ["random", "b=random", "c=random"], matches=6, openings=OPENINGS, store=store, jobs=1)
    assert set(starts(store)) == set(OPENINGS)


def test_players_that_repeat_themselves_play_each_once(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    openings = lapilli.load("pyramids").openings()[:3]
    players = "a=alphabeta:nodes=9", "b=alphabeta:nodes=5"
    verdict = lapilli.compare("pyramids", *players, matches=40, openings=openings, store=store, jobs=1)
    assert sum(verdict.pairs) == 3
    assert "all starts have been played" in verdict.sentence
    assert "from 6 matches" in verdict.sentence
    with Store.open(store) as opened:
        [event] = opened.events()
        assert event.played < 40
        assert compared(opened, event).counts.pairs == 3, "one pair more has shown that they repeat"


def test_a_file_of_them(tmp_path: Path) -> None:
    plain, table = tmp_path / "openings.txt", tmp_path / "openings.csv"
    plain.write_text("# corners and the middle\n\n" + "\n".join(OPENINGS) + "\n")
    table.write_text("number,position\n" + "".join(f"{number},{text}\n" for number, text in enumerate(OPENINGS)))
    assert read_openings(plain) == read_openings(table) == OPENINGS


@pytest.mark.parametrize(
    ("openings", "complaint"),
    [
        (["X......."], "opening 'X.......': "),
        (["XXX.OO..."], "opening 'XXX.OO...': no player is to move there"),
    ],
)
def test_what_is_no_opening(openings: list[str], complaint: str) -> None:
    with pytest.raises(LapilliError, match=f"^{complaint}"):
        lapilli.compare(GAME, "random", "random", matches=2, openings=openings)


def test_a_file_that_has_none(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    with pytest.raises(LapilliError, match=r"cannot read the openings in .*: No such file"):
        read_openings(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LapilliError, match="it is no text"):
        read_openings(file)
    file.write_text("# nothing\n")
    with pytest.raises(LapilliError, match="contains no opening"):
        read_openings(file)
