"""Whole tournaments at live tables in this process, with a clock of the test's own."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.players.engines.searches import elo_range
from lapilli.site.app import build_site
from lapilli.site.live.actions import play_reply
from lapilli.site.live.tournaments import director, entries
from lapilli.site.live.tournaments.advancing import PAUSE_S, WAITING_S
from lapilli.site.live.tournaments.director import TournamentDirector
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import TournamentProgress, standings
from lapilli.site.live.tournaments.shown import shown, shown_for
from lapilli.site.people.identity.people import Person, Role
from lapilli.site.runtime.settings import Public
from lapilli.site.runtime.site import Site
from lapilli.store import PlayerState, SiteTournament, Store, TournamentMatch, TournamentState
from lapilli.store.site.tournament.tournaments import Tournaments
from store.rated import GAME, add_account

RUNNING = TournamentState.RUNNING
NAMES = ("Ada", "Grace", "Eve", "Bob", "Kay", "Lin")


class Hall:
    """A site in this process without pages, with members who join a tournament, and a clock that tests set."""

    def __init__(self, store: Store) -> None:
        self.store, self.time = store, 1_000_000.0
        self.site: Site = build_site(store, Public("http://example.org", b"x" * 32))
        self.director = TournamentDirector(store, self.site.tables, lambda: self.time)
        self.chance = random.Random(1)

    def person(self, name: str) -> Person:
        return Person("", f"id {name}", name, Role.MEMBER)

    def make(self, kind: str, *, least: int = 2, **more: Any) -> str:
        """A tournament of Ada's that starts now, with all members; its id."""
        for name in NAMES:
            if self.store.site.people.get(f"id {name}") is None:
                add_account(self.store, name)
        new = entries.new_tournament(
            self.person("Ada"),
            self.time,
            game=GAME,
            kind=kind,
            clock="10+5",
            least=least,
            **more,
        )
        self.store.site.tournaments.add(new, entries.MAX_ORGANISED)
        return new.id

    def join(self, tournament_id: str, *names: str) -> None:
        for name in names:
            self.store.site.tournaments.amend(
                tournament_id,
                lambda one, players: entries.join(one, players, self.person(name), 1000.0),  # noqa: B023
            )

    def start(self, tournament_id: str) -> None:
        self.store.site.tournaments.amend(
            tournament_id, lambda one, players: entries.start(one, players, self.person("Ada"), self.time)
        )

    def progress(self, tournament_id: str) -> TournamentProgress:
        found = self.director.reader.read(tournament_id)
        assert found is not None
        return found

    async def look(self) -> None:
        """The director looks once, and what it begins is done."""
        await self.director.look()
        while work := [*self.director._work]:
            await asyncio.gather(*work)

    async def play(self, progress: TournamentProgress, match: TournamentMatch, *, first_wins: bool = False) -> None:
        """The players come to their table and play; or the second one comes and resigns."""
        table = await self.site.tables.find(match.table_id)
        assert table is not None
        holders = [progress.players[player].subject for player in match.players]
        for holder in holders:
            await table.wake(holder)
        while not table.match.over:
            [player, *_] = table.match.asked
            draft = table.match.draft(player)
            while not draft.complete:
                draft.pick(self.chance.choice([choice.action for choice in draft.choices()]))
            await play_reply(table, holders[player], table.match.turn, draft.reply())

    async def play_all(self, tournament_id: str, most: int = 200, every_s: float = PAUSE_S / 2) -> None:
        """Plays the tournament to its end. After each look, the clock goes forward by `every_s` seconds."""
        for _ in range(most):
            await self.look()
            progress = self.progress(tournament_id)
            if progress.tournament.state is TournamentState.OVER:
                return
            for match in progress.pending:
                await self.play(progress, match)
            self.time += every_s
        raise AssertionError("the tournament does not end")

    async def watch(self, tournament_id: str, every_s: float) -> None:
        """Looks until the tournament is over: the site plays. After each look, the clock goes forward by `every_s`."""
        for _ in range(1200):
            await self.look()
            if self.progress(tournament_id).tournament.state is TournamentState.OVER:
                return
            self.time += every_s
            await asyncio.sleep(0.02)
        raise AssertionError("the tournament does not end")

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Runs a test, and closes what it has begun."""

        async def whole() -> None:
            self.site.compilation.start()
            try:
                await work()
            finally:
                self.director.close()
                self.site.stop_thinking()
                await asyncio.to_thread(self.site.compilation.close)

        asyncio.run(whole())


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Store.open(tmp_path / "site.db") as store:
        yield Hall(store)


def test_a_whole_swiss(hall: Hall) -> None:
    tournament_id = hall.make("swiss", length=3, rated=True)
    hall.join(tournament_id, *NAMES)

    async def work() -> None:
        await hall.look()
        assert hall.progress(tournament_id).tournament.state is TournamentState.OPEN, "nobody has started it"
        hall.start(tournament_id)
        await hall.play_all(tournament_id)

    hall.run(work)
    progress = hall.progress(tournament_id)
    assert progress.tournament.round == 3
    assert len(progress.matches) == 9
    assert sum(totals.points for totals in progress.totals.values()) == 18
    assert all(player.misses == 0 for player in progress.players.values())
    ranked = standings(progress, KINDS["swiss"].order)
    assert ranked[0].numbers[0] >= ranked[-1].numbers[0]
    results = hall.store.site.ratings.of_account("id Ada")
    assert results[0].matches == 3, "rated"
    page = shown(progress)
    assert page["podium"] == [row.player.number for row in ranked[:3]]
    assert len(page["matches"]) == 3
    assert page["rounds"] == 3
    mine = shown_for(progress, "id Ada", "@id Ada")
    assert [match["round"] for match in mine["mine"]] == [1, 2, 3]
    assert not mine["isPlaying"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "swiss"])
def test_every_kind_is_played_to_its_end(hall: Hall, kind: str) -> None:
    tournament_id = hall.make(kind, length=min(KINDS[kind].lengths))
    hall.join(tournament_id, *NAMES[:4])
    hall.start(tournament_id)
    hall.run(lambda: hall.play_all(tournament_id, every_s=60 if KINDS[kind].is_timed else PAUSE_S / 2))
    progress = hall.progress(tournament_id)
    assert all(match.points is not None for match in progress.matches.values())
    page = shown(progress)
    assert len(page["podium"]) == 3
    assert len(page["rows"][0]["numbers"]) == len(page["columns"])


def test_who_does_not_come_loses_and_then_is_out(hall: Hall) -> None:
    tournament_id = hall.make("swiss", length=3)
    hall.join(tournament_id, *NAMES[:4])
    hall.start(tournament_id)

    async def work() -> None:
        for number in (1, 2):
            while hall.progress(tournament_id).tournament.round < number:
                await hall.look()
                hall.time += PAUSE_S
            progress = hall.progress(tournament_id)
            eve = progress.by_subject["@id Eve"]
            for match in progress.pending:
                if eve.number in match.players:
                    continue
                await hall.play(progress, match)
            match = progress.match_of[eve.number]
            other = next(player for player in match.players if player != eve.number)
            table = await hall.site.tables.find(match.table_id)
            assert table is not None
            await table.wake(progress.players[other].subject)
            hall.time = match.opened + KINDS["swiss"].patience_s - 1
            await hall.look()
            assert not table.match.over
            hall.time += 2
            await hall.look()
            assert table.match.outcome is not None
            assert "did not come" in table.match.outcome.reason
            progress = hall.progress(tournament_id)
            assert progress.players[eve.number].misses == number
            assert progress.totals[eve.number].points == 0
            assert progress.players[other].misses == 0
        assert progress.players[eve.number].state is PlayerState.OUT
        with pytest.raises(LapilliError, match="has begun"):
            hall.join(tournament_id, "Eve")
        await hall.play_all(tournament_id)

    hall.run(work)
    progress = hall.progress(tournament_id)
    [bye] = [match for match in progress.of_round(3) if match.is_bye]
    assert progress.players[bye.players[0]].subject != "@id Eve"


def test_two_who_do_not_come_both_lose(hall: Hall) -> None:
    tournament_id = hall.make("knock-out")
    hall.join(tournament_id, *NAMES[:2])
    hall.start(tournament_id)

    async def work() -> None:
        for _ in range(8):
            await hall.look()
            hall.time += KINDS["knock-out"].patience_s + 1

    hall.run(work)
    progress = hall.progress(tournament_id)
    assert progress.tournament.state is TournamentState.OVER
    assert {match.points for match in progress.matches.values()} == {(0, 0)}
    assert {player.state for player in progress.players.values()} == {PlayerState.OUT}


def test_another_process_goes_on_where_one_was_killed(hall: Hall) -> None:
    """Everything is in the store: also matches in progress, and the absence of those who never came."""
    tournament_id = hall.make("swiss", length=3)
    hall.join(tournament_id, *NAMES)
    hall.start(tournament_id)
    later = Hall(hall.store)

    async def first() -> None:
        await hall.look()
        progress = hall.progress(tournament_id)
        await hall.play(progress, progress.pending[0])

    async def second() -> None:
        await later.look()
        assert later.site.tables.in_memory, "clocks and engines run, although nobody has opened a page"
        await later.play_all(tournament_id)

    hall.run(first)
    later.time = hall.time
    later.run(second)
    progress = later.progress(tournament_id)
    assert len(progress.matches) == 9
    assert len({match.table_id for match in progress.matches.values()}) == 9


def test_levels_play_without_people(hall: Hall) -> None:
    tournament_id = hall.make("round-robin")
    for engine in ("random", "best"):
        hall.store.site.tournaments.amend(
            tournament_id,
            lambda one, players: entries.add_level(one, players, hall.person("Ada"), engine),  # noqa: B023
        )
    hall.start(tournament_id)
    hall.run(lambda: hall.watch(tournament_id, 1))


def test_a_scheduled_tournament_starts_by_itself_or_is_cancelled(hall: Hall) -> None:
    few = hall.make("swiss", least=4, starts=hall.time + 60)
    many = hall.make("swiss", least=2, starts=hall.time + 60)
    forgotten = hall.make("swiss")
    for tournament_id in (few, many):
        hall.join(tournament_id, "Ada", "Grace")

    async def work() -> None:
        await hall.look()
        assert hall.progress(many).tournament.state is TournamentState.OPEN
        hall.time += 61
        await hall.look()
        assert hall.progress(many).tournament.state is TournamentState.RUNNING
        assert hall.progress(few).tournament.state is TournamentState.CANCELLED
        assert hall.progress(forgotten).tournament.state is TournamentState.OPEN
        hall.time = hall.progress(forgotten).tournament.created + WAITING_S + 1
        await hall.look()
        assert hall.progress(forgotten).tournament.state is TournamentState.CANCELLED

    hall.run(work)


def test_an_account_that_is_deleted_gets_no_more_matches(hall: Hall) -> None:
    tournament_id = hall.make("swiss", length=3)
    hall.join(tournament_id, *NAMES[:5])
    hall.start(tournament_id)

    async def work() -> None:
        await hall.look()
        hall.store.site.tournaments.forget("id Eve")
        hall.store.site.people.remove("id Eve")
        progress = hall.progress(tournament_id)
        for match in progress.pending:
            await hall.play(progress, match)
        await hall.play_all(tournament_id)

    hall.run(work)
    progress = hall.progress(tournament_id)
    eve = progress.by_subject["@id Eve"]
    assert eve.name == ""
    assert all(eve.number not in match.players for match in progress.matches.values() if match.round > 1)
    assert "deleted" in {row["name"] for row in shown(progress)["rows"]}


def test_a_tournament_that_fails_does_not_stop_the_others(
    hall: Hall, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.Logger("a test")  # other tests may have redirected or disabled those that are registered
    logger.addHandler(caplog.handler)
    caplog.set_level(logging.ERROR)
    monkeypatch.setattr(director, "_LOG", logger)
    tournament_id = hall.make("swiss")
    broken = SiteTournament(
        id="broken", game=GAME, name="B", account="id Ada", plan={"kind": "gone", "clock": "10+5"}, state=RUNNING
    )
    hall.store.site.tournaments.add(broken, entries.MAX_ORGANISED)
    hall.join(tournament_id, "Ada", "Grace")

    async def work() -> None:
        await hall.look()
        hall.start(tournament_id)
        await hall.look()

    hall.run(work)
    assert hall.progress(tournament_id).tournament.state is RUNNING
    assert [record.getMessage()[:30] for record in caplog.records] == ["the tournament broken failed, "]


def test_a_page_shows_a_change_that_came_while_the_tournament_was_read(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament_id = hall.make("swiss")
    since, reader = Tournaments.since, hall.director.reader

    def slow(self: Tournaments, *args: Any) -> Any:
        news = since(self, *args)
        monkeypatch.undo()
        hall.join(tournament_id, "Ada")
        reader.expire()
        return news

    monkeypatch.setattr(Tournaments, "since", slow)
    before = reader.read(tournament_id)
    assert before is not None
    assert not before.players
    after = asyncio.run(reader.recent(tournament_id))
    assert after is not None
    assert [player.name for player in after.playing] == ["Ada"]


def test_refusals_are_one_clear_line(hall: Hall) -> None:
    ada, grace = hall.person("Ada"), hall.person("Grace")
    usual: dict[str, Any] = {"game": GAME, "kind": "swiss", "clock": "10+5"}
    oddities: list[dict[str, Any]] = [
        {"kind": "league"},
        {"clock": "none"},
        {"game": "chess"},
        {"length": 100},
        {"least": 5, "most": 4},
        {"most": 1000},
        {"variant": "x"},
        {"starts": 5.0},
        {"starts": hall.time + 1e9},
    ]
    for odd in oddities:
        with pytest.raises(LapilliError) as told:
            entries.new_tournament(ada, hall.time, **usual | odd)
        assert len(str(told.value).splitlines()) == 1
    tournament_id = hall.make("swiss", least=3, most=3, rated=True, bots=False)
    hall.join(tournament_id, "Ada", "Grace")
    with pytest.raises(LapilliError, match="take part already"):
        hall.join(tournament_id, "Ada")
    with pytest.raises(LapilliError, match="1 more player is needed"):
        hall.start(tournament_id)
    program = Person("", "id Eve", "Rover", Role.MEMBER, "token 1")
    amend = hall.store.site.tournaments.amend
    with pytest.raises(LapilliError, match="for people only"):
        amend(tournament_id, lambda one, players: entries.join(one, players, program, 1000.0))
    with pytest.raises(LapilliError, match="only the organiser"):
        amend(tournament_id, lambda one, players: entries.start(one, players, grace, hall.time))
    with pytest.raises(LapilliError, match="only the organiser"):
        amend(tournament_id, lambda one, _: entries.cancel(one, grace))
    with pytest.raises(LapilliError, match="do not take part"):
        amend(tournament_id, lambda one, players: entries.leave(one, players, "@id Eve"))
    hall.join(tournament_id, "Eve")
    with pytest.raises(LapilliError, match="all 3 places are taken"):
        hall.join(tournament_id, "Bob")
    amend(tournament_id, lambda one, players: entries.leave(one, players, "@id Eve"))
    hall.join(tournament_id, "Bob")
    hall.start(tournament_id)
    hall.run(hall.look)
    with pytest.raises(LapilliError, match="has begun"):
        hall.join(tournament_id, "Kay")
    with pytest.raises(LapilliError, match="has begun: only an owner"):
        amend(tournament_id, lambda one, _: entries.cancel(one, ada))
    owner = Person("", "id Kay", "Kay", Role.OWNER)
    amend(tournament_id, lambda one, _: entries.cancel(one, owner))
    with pytest.raises(LapilliError, match="is over"):
        amend(tournament_id, lambda one, _: entries.cancel(one, owner))


def test_an_account_has_one_player_in_a_rated_tournament(hall: Hall) -> None:
    def join(tournament_id: str, number: int) -> None:
        program = Person("", "id Ada", f"Rover{number}", Role.MEMBER, f"token {number}")
        hall.store.site.tournaments.amend(
            tournament_id, lambda one, players: entries.join(one, players, program, 1000.0)
        )

    rated, free = hall.make("swiss", rated=True), hall.make("swiss")
    join(rated, 1)
    with pytest.raises(LapilliError, match="an account has one player"):
        hall.join(rated, "Ada")
    for number in range(entries.MAX_ENTRIES):
        join(free, number)
    with pytest.raises(LapilliError, match="your account has 5 players"):
        hall.join(free, "Ada")


def test_a_tournament_has_only_some_levels(hall: Hall) -> None:
    """The site plays them: with hundreds of engines, one member could let everybody else wait for an engine."""
    add_account(hall.store, "Ada")
    ada, (low, name) = (
        hall.person("Ada"),
        next((found[0], name) for name in names() if (found := elo_range(load(name)))),
    )
    new = entries.new_tournament(ada, hall.time, game=name, kind="swiss", clock="10+5", most=200)
    hall.store.site.tournaments.add(new, entries.MAX_ORGANISED)

    def add(number: int) -> None:
        hall.store.site.tournaments.amend(
            new.id, lambda one, players: entries.add_level(one, players, ada, f"level:{low + number}")
        )

    for number in range(entries.MAX_LEVELS):
        add(number)
    with pytest.raises(LapilliError, match=f"{entries.MAX_LEVELS} built-in opponents take part already"):
        add(entries.MAX_LEVELS)
    add(0)  # removes it
    add(entries.MAX_LEVELS)


def test_an_account_does_not_fill_a_running_arena_with_players_who_leave(hall: Hall) -> None:
    """Who leaves stays in the standings. An account can make new tokens without end, and each would be a new player."""
    arena = hall.make("arena")
    hall.join(arena, "Grace", "Eve")
    hall.start(arena)
    hall.run(hall.look)
    amend = hall.store.site.tournaments.amend

    def come_and_leave(number: int) -> None:
        program = Person("", "id Ada", f"Rover{number}", Role.MEMBER, f"~token {number}")
        amend(arena, lambda one, players: entries.join(one, players, program, 1000.0))
        amend(arena, lambda one, players: entries.leave(one, players, program.holder))

    for number in range(20):
        come_and_leave(number)
    with pytest.raises(LapilliError, match="too many players of your account have left"):
        come_and_leave(20)
    come_and_leave(0)
    hall.join(arena, "Kay")
