"""Places and ratings in the leagues of a site, and on its leaderboards."""

from __future__ import annotations

from lapilli.games import load
from lapilli.site.bots.workshop.leagues import figure, interval, place_text, places
from lapilli.site.live.table.plan import called
from lapilli.site.people.profiles.pages import _levels, _rows
from lapilli.store import LeagueEntry, PlayerRating, RatedPlayer, Rating
from lapilli.store.results import Contestant


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
    """The strongest level that is not better. Places go on from page to page."""
    game = load("volcanoes")
    levels = sorted((one for one in game.strengths if one.player.startswith("level")), key=lambda one: one.elo)
    weak, strong = levels[0], levels[-1]
    ratings = [strong.elo + 50.0, float(strong.elo), (weak.elo + levels[1].elo) / 2, weak.elo - 50.0]
    rows = _rows(game, [leader(n, rating) for n, rating in enumerate(ratings)], 50)
    assert [row["place"] for row in rows] == [51, 52, 53, 54]
    best = called(game, strong.player)
    assert [row["like"] for row in rows] == [best, best, called(game, weak.player), ""]


def test_the_levels_beside_a_leaderboard_are_all_there_the_strongest_first() -> None:
    game = load("volcanoes")
    shown = _levels(game)
    assert sorted(row["name"] for row in shown) == sorted(called(game, one.player) for one in game.strengths)
    assert [row["rating"] for row in shown] == sorted((one.elo for one in game.strengths), reverse=True)
    assert all(row["low"] <= row["rating"] <= row["high"] for row in shown)
