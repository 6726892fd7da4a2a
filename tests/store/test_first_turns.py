"""Counts of first turns in both kinds of stores: each match once, and in any order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from lapilli.core.content.first_turns import CountedTurn
from lapilli.store import Store
from lapilli.store.site.study import first_turns as stored_turns
from store.rated import GAME, lay

START, LATER = 7, -(2**63)
E4 = CountedTurn(START, 1, (3, 4), 1, 0, 0)
D4 = CountedTurn(START, 2, (5,), 0, 1, 0)
E5 = CountedTurn(LATER, 2**63 - 1, (6,), 0, 0, 1)


def test_a_match_counts_once_whoever_finishes_it(store: Store) -> None:
    tables = [f"t{number}" for number in range(8)]
    for table in tables:
        lay(store, table, "level1", "level4")
    turns = [[E4, E5], [E5, E4], [D4, E5], [E4]] * 2

    def finish(number: int) -> None:
        store.site.matches.finish(tables[number], b"record", "over", [1, 2], first_turns=turns[number])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(finish, [*range(8), *range(8)]))
    first_turns = store.site.first_turns
    assert first_turns.of(GAME, START, 5) == [E4._replace(won=6), D4._replace(drawn=2)]
    assert first_turns.of(GAME, START, 1) == [E4._replace(won=6)]
    assert first_turns.of(GAME, LATER, 5) == [E5._replace(lost=6)]
    assert first_turns.of(GAME, 8, 5) == first_turns.of("other", START, 5) == []


def test_the_rarest_turns_go_when_a_game_has_too_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_turns, "MAX_TURNS", 10)

    def finish(number: int, turns: list[CountedTurn]) -> None:
        lay(store, f"t{number}", "level1", "level4")
        store.site.matches.finish(f"t{number}", b"record", "over", [1, 2], first_turns=turns)

    def rows() -> list[CountedTurn]:
        return store.site.first_turns.of(GAME, START, 99)

    usual = [E4._replace(after=after) for after in range(3)]
    finish(0, usual)
    finish(1, usual)
    finish(2, [E4._replace(after=after) for after in range(10, 17)])
    assert len(rows()) == 10
    finish(3, [E4._replace(after=99)])
    assert len(rows()) == 8
    assert rows()[:3] == [turn._replace(won=2) for turn in usual]
    finish(4, [])
    assert len(rows()) == 8
