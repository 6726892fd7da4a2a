"""Bots that were written on the site in tournaments: who may enter them, and how the site plays their turns."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lapilli.core.errors import LapilliError
from lapilli.site.bots.workshop.bot_seat import SitAsk
from lapilli.site.bots.workshop.forgetting import forget_bot
from lapilli.site.bots.workshop.worker import JobFailed
from lapilli.site.live.drivers import driver
from lapilli.site.live.drivers.bot_pool import MATCHES, BotPool
from lapilli.site.live.table.draft import Draft
from lapilli.site.live.tournaments import director, entries
from lapilli.site.live.tournaments.shown import shown, shown_for
from lapilli.site.live.upkeep.renaming import forget_seats
from lapilli.store import PlayerState, SiteBot, Store
from players.conftest import need_sandbox, needs_sandbox
from web.client import People, Visitor
from web.test_bots import FIRST, GAME, VARIED
from web.test_tournament_director import Hall, hall
from web.test_tournaments import act, make, now, until
from web.writing import Author

__all__ = ["hall", "needs_sandbox"]
ENDS = "import sys\nsys.exit('no')\n"
BREAKS = "import sys\nsys.stdin.readline()\nprint(input().split()[0], flush=True)\nsys.exit(3)\n"


def write(hall: Hall, name: str, account: str = "Ada", code: str = FIRST, game: str = GAME) -> SiteBot:
    bots = hall.store.site.bots
    bots.add(name, f"id {account}", game, "python", name, code)
    found = bots.get(name)
    assert found is not None
    return found


def enter(hall: Hall, tournament_id: str, *bots: SiteBot, account: str = "") -> None:
    """Enters bots for their authors, or for another account."""
    for bot in bots:
        person = hall.person(account or bot.owner.removeprefix("id "))
        hall.store.site.tournaments.amend(
            tournament_id,
            lambda one, players: entries.enter_bot(one, players, person, bot, 1000.0),  # noqa: B023
        )


def withdraw(hall: Hall, tournament_id: str, bot: SiteBot, account: str = "Ada") -> None:
    hall.store.site.tournaments.amend(
        tournament_id, lambda one, players: entries.withdraw_bot(one, players, hall.person(account), bot.id)
    )


def fake_replies(
    monkeypatch: pytest.MonkeyPatch, failures: int = 0, failure: type[LapilliError] = LapilliError
) -> None:
    """Lets all bots choose their first action, without processes. The site cannot ask them at first."""
    left = [failures]

    async def reply(
        self: BotPool, key: Any, host: str, asked: SitAsk, report: Any, *, has_people: bool = True
    ) -> dict[str, Any]:
        if left[0]:
            left[0] -= 1
            raise failure("the bot's worker process died several times")
        draft = Draft(asked.state, asked.player)
        while not draft.complete:
            draft.pick(draft.choices()[0].action)
        return {"reply": draft.reply(), "milliseconds": 1.0}

    monkeypatch.setattr(BotPool, "reply", reply)


def test_only_own_bots_of_the_game_enter(hall: Hall) -> None:
    tournament_id, people = hall.make("swiss"), hall.make("swiss", bots=False)
    own, other = write(hall, "own"), write(hall, "other", game="volcanoes")
    for odd, account in ((own, "Grace"), (other, "Ada")):
        with pytest.raises(LapilliError, match="you have no such bot for"):
            enter(hall, tournament_id, odd, account=account)
    with pytest.raises(LapilliError, match="for people only"):
        enter(hall, people, own)
    enter(hall, tournament_id, own)
    with pytest.raises(LapilliError, match="this bot takes part already"):
        enter(hall, tournament_id, own)
    with pytest.raises(LapilliError, match="no such bot of yours takes part"):
        withdraw(hall, tournament_id, own, "Grace")
    withdraw(hall, tournament_id, own)
    assert not hall.progress(tournament_id).players
    with pytest.raises(LapilliError, match="no such bot of yours takes part"):
        withdraw(hall, tournament_id, own)
    enter(hall, tournament_id, own)
    hall.join(tournament_id, "Grace")
    hall.start(tournament_id)
    hall.run(hall.look)
    with pytest.raises(LapilliError, match="has begun"):
        enter(hall, tournament_id, write(hall, "late"))


def test_an_account_and_a_tournament_have_only_some_bots(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    rated, free = hall.make("swiss", rated=True), hall.make("swiss")
    bots = [write(hall, f"bot{number}") for number in range(entries.MAX_ENTRIES + 1)]
    enter(hall, rated, bots[0])
    for again in (partial(enter, hall, rated, bots[1]), partial(hall.join, rated, "Ada")):
        with pytest.raises(LapilliError, match="an account has one player, its programs and bots included"):
            again()
    enter(hall, free, *bots[:-1])
    for again in (partial(enter, hall, free, bots[-1]), partial(hall.join, free, "Ada")):
        with pytest.raises(LapilliError, match="your account has 5 players"):
            again()
    monkeypatch.setattr(entries, "MAX_BOTS", 5)
    with pytest.raises(LapilliError, match="5 bots of this site take part already"):
        enter(hall, free, write(hall, "further", "Grace"))
    hall.join(free, "Grace")


def test_the_version_is_the_newest_at_entry(hall: Hall) -> None:
    tournament_id, bot = hall.make("arena"), write(hall, "bot")
    enter(hall, tournament_id, bot)
    assert hall.store.site.bots.save("bot", VARIED) == 2
    hall.join(tournament_id, "Grace")
    hall.start(tournament_id)
    hall.run(hall.look)
    [match] = hall.progress(tournament_id).pending
    table = hall.site.tables.in_memory[match.table_id]
    assert [(seat.bot, seat.version) for seat in table.plan.seats if seat.is_machine] == [("bot", 1)]
    newer = hall.store.site.bots.get("bot")
    assert newer is not None
    withdraw(hall, tournament_id, bot)
    enter(hall, tournament_id, newer)
    player = hall.progress(tournament_id).by_subject["bot bot"]
    assert (player.version, player.state, player.number) == (2, PlayerState.PLAYING, 0)


def test_the_site_plays_bots_and_asks_again_where_it_failed(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_replies(monkeypatch, failures=2)
    monkeypatch.setattr(director, "RETRY_S", 0.0)
    tournament_id = hall.make("round-robin")
    enter(hall, tournament_id, *(write(hall, name, name) for name in ("Ada", "Grace", "Eve")))
    hall.start(tournament_id)
    hall.run(lambda: hall.watch(tournament_id, 5))
    progress = hall.progress(tournament_id)
    assert sum(not match.is_bye for match in progress.matches.values()) == 3
    assert all(player.misses == 0 for player in progress.players.values())
    assert {row["kind"] for row in shown(progress)["rows"]} == {"bot"}
    assert shown_for(progress, "id Ada", "@id Ada")["bots"] == [
        {"id": "Ada", "number": 0, "name": "Ada", "version": 1, "state": "playing", "problem": "", "match": ""}
    ]
    assert shown_for(progress, "", "")["bots"] == []


def test_a_bot_that_could_not_be_asked_is_asked_again_soon(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody need reload a page, as was so when a busy machine could not measure the bot's time."""
    fake_replies(monkeypatch, failures=4, failure=JobFailed)
    monkeypatch.setattr(director, "RETRY_S", 1000.0)
    monkeypatch.setattr(driver, "_PAUSE_S", 0.0)
    tournament_id = hall.make("round-robin")
    enter(hall, tournament_id, *(write(hall, name, name) for name in ("Ada", "Grace")))
    hall.start(tournament_id)
    hall.run(lambda: hall.watch(tournament_id, 5))
    assert [match.points for match in hall.progress(tournament_id).matches.values() if match.points]


def test_a_bot_that_is_deleted_loses_its_match_and_gets_no_other(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_replies(monkeypatch)
    tournament_id = hall.make("round-robin")
    gone = write(hall, "gone", "Eve")
    enter(hall, tournament_id, gone, *(write(hall, name, name) for name in ("Ada", "Grace", "Bob")))
    hall.start(tournament_id)

    async def work() -> None:
        await asyncio.to_thread(hall.director._look)  # the first round is paired, and nobody plays yet
        await forget_seats(hall.site, gone)
        await asyncio.to_thread(forget_bot, hall.store, gone, tmp_path)
        await hall.watch(tournament_id, 5)

    hall.run(work)
    progress = hall.progress(tournament_id)
    player = progress.by_subject["bot gone"]
    assert (player.name, player.state) == ("a deleted bot", PlayerState.LEFT)
    own = [match for match in progress.matches.values() if player.number in match.players]
    assert [match.points[match.players.index(player.number)] for match in own if match.points] == [0]
    assert sum(match.is_bye for match in progress.matches.values()) == 2
    record = asyncio.run(hall.site.tables.record(own[0].table_id))
    assert record is not None
    assert "a deleted bot" in record.player_names


@pytest.mark.usefixtures("needs_sandbox")
def test_two_matches_of_bots_are_played_at_a_time(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six bots in three matches: none loses its place in the middle of a match, so each is started once."""
    tournament_id, most, started = hall.make("swiss", length=3), [0], list[Any]()
    names = ("Ada", "Grace", "Eve", "Bob", "Kay", "Lin")
    enter(hall, tournament_id, *(write(hall, name, name, BREAKS if name == "Lin" else VARIED) for name in names))
    hall.start(tournament_id)
    take_place = BotPool._take_place

    async def counted(self: BotPool, key: Any, *more: Any) -> Any:
        most[0] = max(most[0], len({table_id for table_id, _ in [*self._pooled, key]}))
        started.append(key)
        return await take_place(self, key, *more)

    monkeypatch.setattr(BotPool, "_take_place", counted)

    async def first_round() -> None:
        try:
            while len([one for one in hall.progress(tournament_id).matches.values() if one.points]) < 3:
                await hall.look()
                await asyncio.sleep(0.05)
        finally:
            await asyncio.to_thread(hall.site.bot_pool.close)

    hall.run(first_round)
    progress = hall.progress(tournament_id)
    lin = progress.by_subject["bot Lin"]
    assert most[0] == MATCHES
    assert len(started) == len(set(started)) == 6
    assert progress.totals[lin.number].points == 0
    [told] = shown_for(progress, "id Lin", "@id Lin")["bots"]
    assert "3" in told["problem"], "the code with which it ended"
    assert told["match"] in {match.table_id for match in progress.matches.values()}
    assert lin.misses == 0, "it had replied"


def test_bots_of_people_play_a_tournament(people: People) -> None:
    """Over HTTP: rights, a whole tournament, a bot that fails, and an account that is suspended."""
    need_sandbox()
    site, ada, grace, guest = people
    path = make(ada, kind="knock-out")
    first, ends = Author(ada, "first"), Author(grace, "ends")
    first.save(FIRST)
    ends.save(ENDS)
    ids = [author.path.removeprefix("/bots/") for author in (first, ends)]
    assert guest.http.post(f"{path}/enter", data={"bot": ids[0]}).status_code == 401
    assert act(grace, path, "enter", bot=ids[0]).startswith("you have no such bot")
    assert act(ada, path, "enter", bot="nothing").startswith("you have no such bot")
    assert act(ada, path, "enter", bot=ids[0]) == act(grace, path, "enter", bot=ids[1]) == ""
    assert act(ada, path, "withdraw", bot=ids[1]) == "no such bot of yours takes part"
    assert "first · version 2" in ada.http.get(path).text
    assert "first · version 2" not in grace.http.get(path).text
    with Visitor(site) as eve:
        assert eve.join("Eve").status_code == 303
        suspended = Author(eve, "suspended").path.removeprefix("/bots/")
        assert act(eve, path, "enter", bot=suspended) == ""
        with Store.open(site.store) as store:
            account = next(one.id for one in store.site.people.listed("eve"))
        form = {"days": "3", "reason": "a test"}
        assert ada.http.post(f"/members/{account}/suspend", data=form).status_code == 303
        assert eve.http.post(f"{path}/enter", data={"bot": suspended}).status_code == 403
    assert [row["name"] for row in until(guest, path, lambda one: one["playing"] == 2)["rows"]] == ["first", "ends"]
    assert act(ada, path, "start") == ""
    over = until(grace, path, lambda one: one["state"] == "over")
    assert [(row["name"], row["kind"], row["state"]) for row in over["rows"]] == [
        ("first", "bot", "playing"),
        ("ends", "bot", "out"),
    ]
    [told] = over["bots"]
    assert "ended" in told["problem"] or "exit" in told["problem"], told
    assert grace.http.get(f"/m/{told['match']}").status_code == 200
    assert [one["problem"] for one in now(ada, path)["bots"]] == [""]
    assert now(guest, path)["bots"] == []
