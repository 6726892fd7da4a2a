"""What a bot needs to be promoted: matches, and evidence against the boss of its division."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from lapilli.arena.progress.duels import PROOF, Duel, Duels, Progress
from lapilli.core.api import Termination
from lapilli.store import Event, LeagueEntry, Rating, Store
from lapilli.store.results import Contestant, MatchResult, SeatResult

BOSS, BOT, OTHER = 0, 1, 2


def result(number: int, ranks: dict[int, int]) -> MatchResult:
    seats = tuple(SeatResult(contestant=who, rank=rank, score=0, answers=1) for who, rank in ranks.items())
    return MatchResult(number=number, pair=number // 2, seed=0, seats=seats, termination=Termination.DECIDED)


def won(number: int, against: int = BOSS) -> MatchResult:
    return result(number, {BOT: 1, against: 2})


def lost(number: int, against: int = BOSS) -> MatchResult:
    return result(number, {BOT: 2, against: 1})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "arena.db") as store:
        yield store


@pytest.fixture
def league(store: Store) -> Event:
    event = store.open_league("spring", "tictactoe", {"setup": {"players": 2}, "enough": 20})
    for number, name in enumerate(("wood boss", "bot", "other")):
        who = Contestant(name=name, player="random", hash=name)
        store.enter(event.id, who, Rating(25, 8), boss=number == BOSS)
    return event


def progress(store: Store, league: Event, duels: Duels | None = None) -> Progress:
    found = (duels or Duels(store, league.id, league.settings)).progress(store.leaderboard(league.id))
    return next(one for one in found if one.entry.number == BOT)


def play(store: Store, league: Event, results: list[MatchResult]) -> None:
    store.add_results(league.id, results, lambda _, before: before)


def test_only_whole_pairs_against_the_boss_count() -> None:
    duel = Duel(BOT, BOSS, 2)
    for one in (won(0), won(1), won(2, OTHER), won(3, OTHER), won(4), lost(6), won(7)):
        duel.add(one)
    assert (duel.matches, duel.score) == (4, 0.75)
    with_order_changed = Duel(BOT, BOSS, 2)
    for one in (won(7), lost(6), won(1), won(0)):
        with_order_changed.add(one)
    assert with_order_changed.evidence == pytest.approx(duel.evidence)


def test_a_seat_that_always_wins_proves_nothing() -> None:
    duel = Duel(BOT, BOSS, 2)
    for number in range(400):
        duel.add(won(number) if number % 2 else lost(number))
    assert duel.evidence == 1


def test_a_bot_needs_matches_and_a_clear_lead(store: Store, league: Event) -> None:
    duels = Duels(store, league.id, league.settings)
    assert progress(store, league, duels).missing == [
        "20 more matches in wood",
        "20 more matches of wood boss",
        "a lead over wood boss",
    ]
    play(store, league, [won(number) for number in range(12)])
    assert progress(store, league, duels).missing[:2] == ["8 more matches in wood", "8 more matches of wood boss"]
    play(store, league, [lost(number) for number in range(12, 24)])
    [left] = progress(store, league, duels).missing
    assert left.startswith("a clearer lead over wood boss: 50 % of 24 matches, evidence 0.")
    play(store, league, [won(number) for number in range(24, 70)])
    assert progress(store, league, duels).missing == []
    assert progress(store, league).duel.evidence == pytest.approx(progress(store, league, duels).duel.evidence)


def test_a_division_is_begun_afresh(store: Store, league: Event) -> None:
    play(store, league, [won(number) for number in range(40)])
    assert progress(store, league).missing == []
    above = Contestant(name="bronze boss", player="random", hash="bronze boss")
    boss = store.enter(league.id, above, Rating(25, 8), division=1, boss=True)
    store.promote(league.id, BOT, 0, 1, "beat wood boss")
    assert progress(store, league).boss.number == boss
    assert progress(store, league).missing == [
        "20 more matches in bronze",
        "20 more matches of bronze boss",
        "a lead over bronze boss",
    ]


def test_of_equal_bots_at_most_5_percent_are_ever_promoted() -> None:
    """The whole rule, looked at after every match, with a seat that is worth 100 Elo and some draws."""
    random, promoted, bots = Random(3), 0, 600
    entry = LeagueEntry(number=BOT, contestant=Contestant(name="bot", player="x"), rating=Rating(25, 2), matches=99)
    boss = LeagueEntry(number=BOSS, contestant=Contestant(name="boss", player="x"), rating=Rating(25, 2), matches=99)
    for _ in range(bots):
        duel = Duel(BOT, BOSS, 2)
        for number in range(600):
            share = 0.64 if number % 2 else 0.36
            lot = random.random()
            ranks = (1, 1) if lot < 0.2 else (1, 2) if lot < 0.2 + 0.8 * share else (2, 1)
            duel.add(result(number, {BOT: ranks[0], BOSS: ranks[1]}))
            if not Progress(entry, boss, min(number + 1, 20), 20, duel).missing:
                promoted += 1
                break
    assert PROOF == 1 / 0.05
    assert 0 < promoted <= 0.05 * bots
