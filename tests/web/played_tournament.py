"""A tournament in memory, played by lots: for tests of pairings and standings."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec

from lapilli.site.live.tournaments.advancing import next_change
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import TournamentPlan, TournamentProgress
from lapilli.store import PlayerState, SiteTournament, TournamentChange, TournamentPlayer, TournamentState

GAME = "tictactoe"
Result = Callable[[TournamentPlayer, TournamentPlayer], tuple[int, int]]
"""Function that returns the half points of two players, by seat."""


class PlayedTournament:
    """A tournament without a store.

    Attributes:
        progress: how it stands.
        time: the present time; tests set it forth.
    """

    def __init__(self, kind: str, players: int, length: int = 0, least: int = 2) -> None:
        plan = TournamentPlan(kind, "10+5", length=length or KINDS[kind].lengths[0], least=least, most=200)
        tournament = SiteTournament(
            id="t", game=GAME, name="T", account="a", plan=msgspec.to_builtins(plan), starts=1000.0
        )
        entered = [
            TournamentPlayer(number=n, subject=f"@{n}", account=f"{n}", name=f"P{n}", rating=2000.0 - 10 * lot)
            for n, lot in enumerate(Random(players).sample(range(players), players))
        ]
        self.progress, self.time = TournamentProgress.of(tournament, entered, ()), 1000.0

    def apply(self, change: TournamentChange) -> None:
        """Changes the tournament as the store would."""
        before = self.progress
        tournament = msgspec.structs.replace(before.tournament, **change.fields, step=before.tournament.step + 1)
        players = dict(before.players) | {player.number: player for player in change.players}
        matches = dict(before.matches) | {match.number: match for match in change.matches}
        assert len(matches) == len(before.matches) + len(change.matches)
        self.progress = TournamentProgress.of(tournament, players.values(), matches.values())

    def step(self) -> bool:
        """Does the next thing that is due; whether there was one."""
        change = next_change(self.progress, self.time)
        if change is not None:
            self.apply(change)
        return change is not None

    def finish(self, number: int, points: tuple[int, int]) -> None:
        """Ends a match."""
        before = self.progress
        match = msgspec.structs.replace(before.matches[number], points=points)
        matches = dict(before.matches) | {number: match}
        self.progress = TournamentProgress.of(before.tournament, before.players.values(), matches.values())

    def leave(self, number: int) -> None:
        """A player leaves."""
        self.apply(
            TournamentChange(players=[msgspec.structs.replace(self.progress.players[number], state=PlayerState.LEFT)])
        )

    def play(self, result: Result, before_round: Callable[[], object] = lambda: None) -> None:
        """Plays it to its end. `before_round` is called when no match goes on."""
        for _ in range(10_000):
            if self.progress.tournament.state is TournamentState.OVER:
                return
            for match in self.progress.pending:
                one, other = (self.progress.players[player] for player in match.players)
                self.finish(match.number, result(one, other))
            before_round()
            while self.step():
                pass
            self.time += 5.0
        raise AssertionError("the tournament does not end")


def by_lot(seed: int) -> Result:
    """Better players win more often, and some matches are drawn."""
    chance = Random(seed)

    def result(one: TournamentPlayer, other: TournamentPlayer) -> tuple[int, int]:
        lot = chance.gauss(one.rating - other.rating, 60)
        return (1, 1) if abs(lot) < 15 else (2, 0) if lot > 0 else (0, 2)

    return result
