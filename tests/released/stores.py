"""A store with rows in its tables, and all that a program reads in such a store.

`fill` writes the store of a version that is released. `content` is what later versions must read in it: whoever changes
the store changes `content` so that it still returns the same, and leaves the stored files alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from lapilli.arena import events
from lapilli.core.api import Termination
from lapilli.core.content.first_turns import CountedTurn
from lapilli.core.content.puzzles import Puzzle
from lapilli.match import Record
from lapilli.players import PlayerSpec
from lapilli.store import (
    CORRESPONDENCE,
    DAY_S,
    LIVE,
    Delays,
    Event,
    EventKind,
    NewAnswer,
    PlannedTurn,
    PlayerRating,
    Rated,
    Rating,
    RatingRules,
    ResultFilter,
    SavedStudy,
    Seek,
    SiteAnswer,
    SiteTournament,
    Store,
    StudyAccess,
    TournamentChange,
    TournamentMatch,
    TournamentPlayer,
    TournamentState,
    TrialState,
    tables,
)
from lapilli.store.results import Contestant, MatchResult, SeatResult, pack_record, unpack_record

GAME = "volcanoes"
NOW = 1_795_000_000.0
"""The time at which the store is filled and read, in seconds since 1970."""
TRANSIENT = {"claims", "site_drivers", "site_leads", "site_processes"}
"""Tables of processes that run: what they hold is worthless seconds later."""
PLAYERS = (
    Contestant(name="new", player=PlayerSpec(command="./bot --depth 3", folder="v2"), hash="sha256:2", version="2"),
    Contestant(name="old", player="python3 v1/bot.py", hash="sha256:1"),
)
SETTINGS = {"seed": 7, "setup": {"players": 2}}
NEW = PlayerRating(800.0, 350.0)
PEOPLE = ("Ada", "Grace", "Zoë")


def fill(store: Store, matches: Sequence[Record]) -> None:
    """Writes events of the arena, and all that a site stores.

    Args:
        store: an empty store.
        matches: two records of Volcanoes.
    """
    _fill_arena(store, matches)
    _fill_league(store, matches[0])
    _fill_people(store)
    _fill_tables(store, matches)
    _fill_days(store)
    _fill_tournament(store, matches[1])
    _fill_study(store)
    _fill_bots(store, matches[0])


def _fill_arena(store: Store, matches: Sequence[Record]) -> None:
    compared = store.open_event(EventKind.COMPARISON, "new against old", GAME, SETTINGS, PLAYERS)
    store.add_results(compared.id, [_result(number, matches[number % 2]) for number in range(4)])
    store.add_results(compared.id, [_abandoned(4)])
    store.note_event(compared.id, "with the new evaluation")
    store.plan_event(compared.id, {"matches": 4})
    store.keep_checkpoint(compared.id, "{}")
    store.finish(compared.id, "new is better than old", 2)
    for kind in (EventKind.TOURNAMENT, EventKind.TUNING):
        event = store.open_event(kind, f"a {kind}", GAME, SETTINGS | {"kind": kind}, PLAYERS)
        store.add_results(event.id, [_result(0, matches[0]), _result(1, matches[1], fault="timeout")])
    gone = store.open_event(EventKind.COMPARISON, "deleted", GAME, SETTINGS | {"seed": 8}, PLAYERS)
    store.delete_event(gone.id)


def _result(number: int, record: Record, fault: str = "") -> MatchResult:
    outcome = record.outcome
    assert outcome is not None
    assert outcome.scores is not None
    assert outcome.ranks is not None
    seats = (0, 1) if number % 2 == 0 else (1, 0)
    return MatchResult(
        number=number,
        pair=number // 2,
        seed=-(2**63) + number,
        position=None if number < 2 else "start",
        seats=tuple(
            SeatResult(
                contestant=contestant,
                score=outcome.scores[seat],
                rank=outcome.ranks[seat],
                fault=fault if seat == 1 else "",
                answers=9,
                times={30: 5, 41: 4},
                cpu_ms=12.25,
                waited_ms=0.5,
                data={"depth": str(6 + number)},
            )
            for seat, contestant in enumerate(seats)
        ),
        termination=Termination(fault) if fault else Termination.DECIDED,
        reason=outcome.reason,
        moves=f"moves {number}",
        turns=len(record.turns),
        started=NOW + number,
        seconds=1.5,
        record=pack_record(record),
        data={"phase": "late"},
    )


def _abandoned(number: int) -> MatchResult:
    seats = (SeatResult(contestant=0), SeatResult(contestant=1))
    return MatchResult(
        number=number, pair=2, seed=1, seats=seats, termination=Termination.ABANDONED, reason="no memory left"
    )


def _fill_league(store: Store, record: Record) -> None:
    league = store.open_league("spring", GAME, {"divisions": ["wood", "bronze"]})
    for number, player in enumerate(PLAYERS):
        store.enter(league.id, player, Rating(25.0, 8.0), folder=f"leagues/{number}", boss=number == 1)
    store.add_results(
        league.id, [_result(0, record)], lambda _, before: [Rating(r.mu + 1, r.sigma / 2) for r in before]
    )
    store.promote(league.id, 0, 0, 1, "evidence 20 against old")
    store.withdraw(league.id, 1)


def _fill_people(store: Store) -> None:
    people = store.site.people
    for name in PEOPLE:
        people.add(f"id {name}", name, name.lower(), f"$argon2id$ of {name}", "owner" if name == "Ada" else "member")
    people.suspend("id Zoë", NOW + DAY_S, "rude words")
    people.start("session key", "id Ada", "$argon2id$ of Ada", 30 * DAY_S, 10)
    people.invite("invitation key", "member", 7 * DAY_S, made_by="id Ada")
    store.site.attempts.begin({"ada": Delays(free=5, first=2.0, longest=60.0)})
    store.site.tokens.add("0" * 64, "token 1", "id Ada", "robot", ["read", "play"])
    store.site.mails.ask("id Grace", "grace@example.org", "mail key")
    store.site.mails.confirm("mail key", DAY_S)
    store.site.owner_log.add("Ada", "suspended", "Zoë", "rude words")
    store.site.seeks.add(_seek(), 600)
    store.site.seeks.report(["id Ada"], ["@id Ada"], 60)
    store.site.health.check()


def _seek() -> Seek:
    return Seek(
        id="seek", holder="@id Ada", account="id Ada", name="Ada", game=GAME, clock="10+5", rated=True,
        rating=812.5, low=-1000, high=1000, quick=False,
    )  # fmt: skip


def _plan(*players: str, seconds: float = 600) -> dict[str, Any]:
    seats = [{"holder" if one.startswith("@") else "engine": one, "name": one.removeprefix("@id ")} for one in players]
    return {"game": GAME, "setup": {"seed": 7}, "seats": seats, "control": {"seconds": seconds}}


def _rules() -> RatingRules:
    return RatingRules(NEW, {"level1": PlayerRating(197.0, 30.0)}, _rated)


def _rated(before: Sequence[PlayerRating], ranks: Sequence[int], weight: float) -> list[PlayerRating]:
    return [
        PlayerRating(old.rating + weight * (10.0 if rank == 1 else -10.0), old.deviation * 0.9)
        for old, rank in zip(before, ranks, strict=True)
    ]


def _fill_tables(store: Store, matches: Sequence[Record]) -> None:
    site = store.site.matches
    counted = [CountedTurn(-(2**63), 2**63 - 1, (3, 4), 1, 0, 0), CountedTurn(2**63 - 1, 5, (6,), 0, 0, 1)]
    for number, players in enumerate((("@id Ada", "@id Grace"), ("level1", "@id Ada"))):
        record = matches[number]
        assert record.outcome is not None
        site.add(f"over {number}", GAME, _plan(*players))
        ranks = record.outcome.ranks
        site.finish(f"over {number}", pack_record(record), "it is over", ranks, _rules(), first_turns=counted)
    site.add("goes on", GAME, _plan("@id Ada", "@id Grace"))
    answers = [SiteAnswer(turn=turn, player=turn - 1, reply=f"N0{turn}") for turn in (1, 2)]
    site.add_answers([NewAnswer("goes on", number, answer) for number, answer in enumerate(answers)])
    store.site.chat.add("goes on", "players", "@id Ada", "Ada", "Good luck!")
    store.site.chat.add("goes on", "watchers", "@id Zoë", "Zoë", "Hm…")
    store.site.chat.report("goes on", 2, "@id Grace")
    store.site.analyses.store("over 0", b'{"format":"lapilli-analysis/1"}')
    puzzle = Puzzle(setup={"seed": 7}, player=0, reply="N01", value=0.9, second=0.4, nodes=500, line=[[(1, "S01")]])
    store.site.puzzles.add(GAME, [puzzle], [Rated(30.0, 6.0)])
    (known,) = store.site.puzzles.ids(GAME)
    store.site.puzzles.add_try("@id Ada", known, True, 20_775, lambda *_: (Rated(27.0, 7.0, 1), Rated(29.0, 5.5, 1)))


def _fill_days(store: Store) -> None:
    store.site.matches.add("slow", GAME, _plan("@id Ada", "@id Grace", seconds=3 * DAY_S))
    store.site.turns.ask("slow", 1, {0: "@id Ada", 1: "@id Grace"}, [0], 3 * DAY_S)
    store.site.turns.claim_overdue()
    store.site.vacations.begin("@id Grace", 2)
    store.site.planned.add("slow", 1, PlannedTurn(1, "N01", "S01", "N01, then S01"))


def _fill_tournament(store: Store, record: Record) -> None:
    tournaments = store.site.tournaments
    tournaments.add(SiteTournament(id="cup", game=GAME, name="Cup", account="id Ada", plan={"kind": "swiss"}), 3)
    players = [
        TournamentPlayer(number=number, subject=f"@id {name}", account=f"id {name}", name=name, rating=800.0)
        for number, name in enumerate(("Ada", "Grace"))
    ]
    match = TournamentMatch(number=0, round=1, board=0, leg=1, players=(0, 1), table_id="cup 1", opened=NOW)
    change = TournamentChange(
        fields={"state": TournamentState.RUNNING, "round": 1},
        players=players,
        matches=[match],
        plans={"cup 1": _plan("@id Ada", "@id Grace") | {"tournament": "cup"}},
    )
    tournaments.advance("cup", 0, change)
    assert record.outcome is not None
    store.site.matches.finish("cup 1", pack_record(record), "it is over", record.outcome.ranks)


def _fill_study(store: Store) -> None:
    content = '{"setup":{"seed":7},"nodes":[{"turn":["N01"],"comment":"why not?"}]}'
    study = SavedStudy(id="study", owner="id Ada", game=GAME, name="Naïve", access=StudyAccess.LINK, content=content)
    store.site.studies.add(study)
    store.site.studies.lead("study", "id Ada", 1)


def _fill_bots(store: Store, record: Record) -> None:
    store.site.bots.add("bot", "id Ada", GAME, "python", "Probe", "print(input())")
    store.site.bots.save("bot", "print('N01')")
    store.site.bots.submit("bot", 1)
    store.site.trials.add("trial", "bot", "id Ada", "match", {"against": "level1"})
    store.site.trials.take(["match"], "worker")
    store.site.trials.end("trial", "worker", TrialState.DONE, {"score": 1}, pack_record(record))


def empty_tables(store: Store) -> set[str]:
    """The tables without a row, but those of running processes."""

    def read(connection: Connection) -> set[str]:
        looked_at = {name: table for name, table in tables.metadata.tables.items() if name not in TRANSIENT}
        return {name for name, table in looked_at.items() if connection.execute(table.select()).first() is None}

    return store._database.read(read)


def content(store: Store) -> dict[str, Any]:
    """All that the store's functions return, as JSON values."""
    parts = _arena(store) | _people(store) | _site(store)
    texts = msgspec.to_builtins(parts, str_keys=True, order="sorted")
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(texts))  # lists in place of tuples
    return found


def _arena(store: Store) -> dict[str, Any]:
    listed = store.events()
    return {
        "events": listed,
        "public": [event.to_dict() | {"matches": [m.to_dict() for m in event.matches()]} for event in events(store)],
        "matches": [[match.result for match in store.results(event.id)] for event in listed],
        "records": [_records(store, event) for event in listed],
        "abandoned": [store.abandoned(event.id) for event in listed],
        "tallies": [store.tallies(event.id) for event in listed],
        "meetings": [store.meetings(event.id) for event in listed],
        "different": [store.different_matches(event.id) for event in listed],
        "data": [store.data_sums(event.id) for event in listed],
        "checkpoints": [store.checkpoint(event.id) for event in listed],
        "league": [store.leaderboard(event.id, withdrawn=True) for event in listed],
        "promotions": [store.promotions(event.id) for event in listed],
        "ratings": [list(store.ratings(event.id, 0)) for event in listed if event.kind == EventKind.LEAGUE],
    }


def _records(store: Store, event: Event) -> list[str]:
    """The records of an event's matches, as JSON."""
    found = [store.match(match.id).result.record for match in store.results(event.id)]
    return [unpack_record(record).to_json().decode() for record in found if record]


def _people(store: Store) -> dict[str, Any]:
    site = store.site
    return {
        "accounts": site.people.listed(),
        "sessions": site.people.sessions("id Ada"),
        "invitation": site.people.invitation("invitation key"),
        "token": site.tokens.find("0" * 64),
        "mail": [site.mails.of("id Grace"), site.mails.due()],
        "owners did": site.owner_log.listed(),
        "seeks": site.seeks.listed(),
        "online": site.seeks.online(),
        "results": {name: site.ratings.listed(f"id {name}", ResultFilter()) for name in PEOPLE},
        "rated": {name: site.ratings.of_account(f"id {name}") for name in PEOPLE},
        "curves": {kind: site.ratings.curve(GAME, "@id Ada", kind) for kind in (LIVE, CORRESPONDENCE)},
        "vacation": site.vacations.of("@id Grace"),
        "solver": [site.puzzles.solver("@id Ada", GAME), site.puzzles.tried("@id Ada")],
        "studies": [site.studies.listed("id Ada"), site.studies.get("study")],
        "bots": [site.bots.owned("id Ada"), site.bots.in_league(GAME), site.bots.versions("bot")],
        "code": [site.bots.version("bot", number) for number in (1, 2)],
        "trials": [_unpacked(site.trials.get("trial")), site.trials.of_bot("bot", ["match"])],
    }


def _site(store: Store) -> dict[str, Any]:
    site = store.site
    found = {name: site.matches.get(name) for name in ("over 0", "over 1", "goes on", "slow", "cup 1")}
    return {
        "tables": {name: _unpacked(table) for name, table in found.items()},
        "lists": [[table.id for table in site.matches.listed(over=over)] for over in (False, True)],
        "answers": {name: site.matches.answers(name) for name in found},
        "changes": {name: site.ratings.changes(name) for name in found},
        "chat": [site.chat.listed("goes on"), site.chat.reported()],
        "analysis": (site.analyses.get("over 0") or b"").decode(),
        "puzzles": [site.puzzles.get(one) for one in site.puzzles.ids(GAME)],
        "days": [site.turns.of(holder) for holder in ("@id Ada", "@id Grace")],
        "planned": site.planned.listed("slow", 1),
        "tournament": site.tournaments.since("cup", -1),
        "tournaments": site.tournaments.listed(),
        "first turns": [site.first_turns.of(GAME, position, 5) for position in (-(2**63), 2**63 - 1)],
    }


def _unpacked(row: Any) -> Any:
    """A table or trial, with its record as text."""
    fields = msgspec.structs.asdict(row)
    packed = fields["record"]
    return fields | {"record": unpack_record(packed).to_json().decode() if packed else None}


def reopened(store: Store) -> int:
    """The event with which the same command continues: one of those that are there, not a new one."""
    return store.open_event(EventKind.COMPARISON, "new against old", GAME, SETTINGS, PLAYERS).id
