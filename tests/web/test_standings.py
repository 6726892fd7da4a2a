"""Places and ratings in the leagues of a site, and on its leaderboards."""

from __future__ import annotations

import time

from lapilli.core.api import Termination
from lapilli.games import load
from lapilli.site.bots.editor.league_matches import PageReader, _days, _defeats
from lapilli.site.bots.workshop.leagues import figure, interval, place_text, places
from lapilli.site.live.table.plan import called
from lapilli.site.people.profiles.pages import _levels, _rows
from lapilli.store import DAY_S, LeagueEntry, PlayerRating, RatedPlayer, Rating, StoredMatch
from lapilli.store.results import Contestant, MatchResult, SeatResult


def entry(number: int, *, boss: bool = False, mu: float = 25.0, sigma: float = 2.0) -> LeagueEntry:
    contestant = Contestant(name=f"bot{number}", player="random")
    return LeagueEntry(number=number, contestant=contestant, rating=Rating(mu=mu, sigma=sigma), boss=boss)


def test_a_bot_has_a_place_among_the_bots_and_a_boss_has_none() -> None:
    entries = [entry(7), entry(3, boss=True), entry(5), entry(9), entry(1, boss=True)]
    assert places(entries) == {7: 1, 5: 2, 9: 3}
    assert [place_text(entries, one) for one in entries] == ["1st of 3", "", "2nd of 3", "3rd of 3", ""]
    many = [entry(number) for number in range(1, 123)]
    assert [place_text(many, many[at - 1]).partition(" ")[0] for at in (4, 11, 12, 13, 21, 111, 122)] == [
        "4th",
        "11th",
        "12th",
        "13th",
        "21st",
        "111th",
        "122nd",
    ]


def test_a_rating_lies_in_its_interval() -> None:
    for one in (entry(1), entry(2, mu=8.37, sigma=0.91), entry(3, sigma=25 / 3)):
        low, high = interval(one.rating.mu, one.rating.sigma)
        assert low <= figure(one) <= high


def leader(number: int, rating: float) -> RatedPlayer:
    who = {"subject": f"@{number}", "account": f"{number}", "name": f"p{number}", "owner": f"p{number}"}
    points = PlayerRating(rating, 50.0)
    return RatedPlayer(**who, game="volcanoes", kind="live", rating=points, won=1, drawn=0, lost=0, changed=0.0)


def test_each_player_of_a_leaderboard_is_told_the_level_that_plays_alike() -> None:
    """The level with the nearest rating, as on the form for a match. Places go on from page to page."""
    game = load("volcanoes")
    levels = sorted((one for one in game.strengths if one.player.startswith("level")), key=lambda one: one.elo)
    weak, strong = levels[0], levels[-1]
    between = weak.elo + 0.6 * (levels[1].elo - weak.elo)
    ratings = [strong.elo + 50.0, float(strong.elo), between, weak.elo - 50.0]
    earlier = {"@0": strong.elo - 30.0, "@1": strong.elo + 5.0}
    rows = _rows(game, [leader(n, rating) for n, rating in enumerate(ratings)], 50, earlier)
    assert [row["trend"] for row in rows] == [80, -5, None, None]
    assert [row["place"] for row in rows] == [51, 52, 53, 54]
    best = called(game, strong.player)
    assert [row["like"] for row in rows] == [best, best, called(game, levels[1].player), called(game, weak.player)]


def test_the_levels_beside_a_leaderboard_are_all_there_the_strongest_first() -> None:
    game = load("volcanoes")
    shown = _levels(game)
    assert sorted(row["name"] for row in shown) == sorted(called(game, one.player) for one in game.strengths)
    assert [row["rating"] for row in shown] == sorted((one.elo for one in game.strengths), reverse=True)
    assert all(row["low"] <= row["rating"] <= row["high"] for row in shown)


def stored(number: int, days: float, *points: int, seats: tuple[int, ...] = (1, 2), fault: str = "") -> StoredMatch:
    """A match of some days ago; with a fault, it is one of the second player."""
    sitting = tuple(
        SeatResult(contestant=one, score=score, rank=1 if score == max(points) else 2, fault=fault if place else "")
        for place, (one, score) in enumerate(zip(seats, points, strict=True))
    )
    result = MatchResult(number=number, pair=number, seed=number, seats=sitting, termination=Termination.DECIDED)
    return StoredMatch(id=number, event_id=1, stored=time.time() - days * DAY_S - 60, kept=True, result=result)


NAMES = {1: "Magma", 2: "Pumice", 3: "Scoria"}


def test_matches_of_a_league_are_listed_by_day_and_players() -> None:
    game = load("kingdomino")
    page = [
        stored(9, 0, 20, 10),
        stored(8, 0, 5, 7, seats=(3, 1)),
        stored(7, 0, 3, 4, seats=(2, 1)),
        stored(6, 0, 4, 4),
        stored(5, 3, 1, 2),
    ]
    first, second = _days(game, page, NAMES, PageReader({3}))
    assert (first["title"], second["title"]) == ("Last 24 hours", "3 days ago")
    many, other = first["meetings"]
    assert many["players"] == [{"name": "Magma", "won": True}, {"name": "Pumice", "won": False}]
    assert (many["score"], many["about"], many["is_own"]) == ("2–0", ["3 matches", "1 drawn"], False)
    assert [one["id"] for one in many["matches"]] == [9, 7, 6]
    assert [one["score"] for one in many["matches"]] == ["20–10", "3–4", "4–4"]
    assert (other["is_own"], other["score"]) == (True, "1–0")
    [own, _] = _days(game, page, NAMES, PageReader(set(), 2))
    assert [one["name"] for one in own["meetings"][0]["players"]] == ["Magma"]
    assert (own["meetings"][0]["score"], own["meetings"][0]["standing"]) == ("0–2", "lost")
    assert [one["score"] for one in own["meetings"][0]["matches"]] == ["10–20", "3–4", "4–4"]


def test_a_bot_is_told_how_it_loses() -> None:
    page = [stored(1, 0, 20, 10), stored(2, 0, 16, 10), stored(3, 0, 1, 9)]
    late = stored(4, 0, 3, 0, fault="timeout")
    reader = PageReader(set(), 2)
    assert _defeats(page[2:], reader, counts_points=True) == ""
    assert _defeats(page, reader, counts_points=True) == "Lost 2 of its last 3 matches, by 8 points on average."
    assert _defeats(page, reader, counts_points=False) == "Lost 2 of its last 3 matches."
    told = "Lost 3 of its last 4 matches: 2 by 8 points on average and it ran out of time once."
    assert _defeats([*page, late], reader, counts_points=True) == told
    told = "Lost 3 of its last 4 matches: 2 on the board and it ran out of time once."
    assert _defeats([*page, late], reader, counts_points=False) == told
