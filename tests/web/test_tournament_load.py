"""Two hundred members play an arena at once, each with a session and sockets of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from lapilli.store import PlayerState, TournamentState
from web.client import PublicSite
from web.tournament_load import Plan, percentile, played

PLAN = Plan("arena", "tictactoe", players=200, rounds=2, joining_s=2.0)


def test_two_hundred_play_an_arena(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    site = PublicSite(folder / "site.db")
    site.start()
    try:
        news, measured = played(site, PLAN)
    finally:
        code, errors = site.stop()
    assert (code, errors) == (0, "")
    assert (measured.failed, measured.disconnects) == ([], [])
    assert news.tournament.state is TournamentState.OVER
    assert len(news.players) == PLAN.players
    assert {(player.state, player.misses) for player in news.players} == {(PlayerState.PLAYING, 0)}
    assert all(match.points is not None for match in news.matches)
    counted = Counter(player for match in news.matches for player in match.players)
    assert len(counted) == PLAN.players
    assert min(counted.values()) >= PLAN.rounds
    assert sum(measured.matches.values()) == 2 * len(news.matches), "everybody has seen the end of all their matches"
    assert len({match.table_id for match in news.matches}) == len(news.matches)
    assert percentile(measured.turns, 0.5) < 2
