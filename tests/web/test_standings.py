"""Places and ratings in the leagues of a site, and on its leaderboards."""

from __future__ import annotations

from lapilli.games import load
from lapilli.site.bots.workshop.leagues import figure, interval, place_text, places
from lapilli.site.live.table.plan import called
from lapilli.site.people.profiles.pages import _A_PAGE, _with_levels
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


def test_each_level_is_on_one_page_of_the_leaderboard() -> None:
    """Also a level whose strength lies between the last player of a page and the first of the next."""
    game = load("volcanoes")
    middle = sorted(strength.elo for strength in game.strengths)[len(game.strengths) // 2]
    leaders = [leader(n, middle + 100 * (1 if n < _A_PAGE else -1) - n / 100) for n in range(_A_PAGE + 3)]
    pages = _with_levels(game, leaders[: _A_PAGE + 1], 0), _with_levels(game, leaders[_A_PAGE:], _A_PAGE)
    assert [row["place"] for rows in pages for row in rows if not row["level"]] == list(range(1, len(leaders) + 1))
    levels = [row["level"] for rows in pages for row in rows if row["level"]]
    assert sorted(levels) == sorted(called(game, strength.player) for strength in game.strengths)
    assert all(any(row["level"] for row in rows) for rows in pages)
