"""Places and ratings in the leagues of a site."""

from __future__ import annotations

from lapilli.site.workshop.leagues import figure, interval, place_text, places
from lapilli.store import LeagueEntry, Rating
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
