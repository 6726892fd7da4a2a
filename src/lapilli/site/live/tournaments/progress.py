"""The players and matches of a tournament at one moment, and the numbers by which players are ordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from lapilli.store import NOBODY, WIN, PlayerState, SiteTournament, TournamentMatch, TournamentPlayer


class TournamentPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """The settings of a tournament, which its organiser has chosen.

    Attributes:
        kind: name of the kind of tournament.
        clock: name of the time control of all matches.
        variant: variant of the game; "" for the game's first variant.
        rated: whether the matches change the players' ratings.
        length: number of rounds, of meetings or of minutes, depending on the kind.
        least: least number of players; with fewer, the tournament is cancelled.
        most: largest number of players.
        has_bots: whether programs, bots and built-in opponents may take part.
    """

    kind: str
    clock: str
    variant: str = ""
    rated: bool = False
    length: int = 0
    least: int = 2
    most: int = 16
    has_bots: bool = True


def plan_of_tournament(tournament: SiteTournament) -> TournamentPlan:
    """Returns the settings of a tournament."""
    return msgspec.convert(tournament.plan, TournamentPlan)


class PlannedMatch(msgspec.Struct, frozen=True):
    """A match to open, or a bye.

    Attributes:
        first, second: numbers of the players in the first and second seat; `second` is NOBODY for a bye.
        board: number of the pairing in its round, from 0.
        leg: number of the match among the matches of the same two players in this round, from 1.
    """

    first: int
    second: int
    board: int
    leg: int = 1


@dataclass(frozen=True)
class PlayerTotals:
    """Points, results and seats of a player of a tournament so far.

    Attributes:
        points: number of half points: 2 for a win, 1 for a draw.
        won, drawn, lost: numbers of matches with these results; a bye is a win.
        byes: number of byes.
        opponents: for each finished match, in order, the opponent's number and the player's own half points.
        firsts: number of matches in the first seat minus number of matches in the second seat, unfinished matches
            included.
        last_seat: seat in the last match, 0 or 1; -1 before the first match.
    """

    points: int
    won: int
    drawn: int
    lost: int
    byes: int
    opponents: tuple[tuple[int, int], ...]
    firsts: int
    last_seat: int

    @property
    def played(self) -> int:
        """Number of finished matches, without byes."""
        return len(self.opponents)


@dataclass(frozen=True)
class TournamentProgress:
    """A tournament at one moment. This object never changes: after a change, `TournamentProgress.of` makes a new one.

    Attributes:
        tournament: the tournament.
        players: all players, by number.
        matches: all matches and byes, by number.
    """

    tournament: SiteTournament
    players: Mapping[int, TournamentPlayer]
    matches: Mapping[int, TournamentMatch]

    @classmethod
    def of(
        cls, tournament: SiteTournament, players: Iterable[TournamentPlayer], matches: Iterable[TournamentMatch]
    ) -> TournamentProgress:
        """Returns the progress with these players and matches."""
        by_number = sorted(matches, key=lambda match: match.number)
        return cls(tournament, {one.number: one for one in players}, {match.number: match for match in by_number})

    @cached_property
    def plan(self) -> TournamentPlan:
        """The settings of the tournament."""
        return plan_of_tournament(self.tournament)

    @cached_property
    def playing(self) -> list[TournamentPlayer]:
        """Players who have not left, the best seed first."""
        playing = (one for one in self.players.values() if one.state is PlayerState.PLAYING)
        return sorted(playing, key=lambda one: (one.seed, one.number))

    @cached_property
    def starters(self) -> list[TournamentPlayer]:
        """All players, including those who have left since the start, the best seed first."""
        return sorted((one for one in self.players.values() if one.seed), key=lambda one: one.seed)

    @cached_property
    def pending(self) -> list[TournamentMatch]:
        """Matches that are not over."""
        return [match for match in self.matches.values() if match.points is None]

    @cached_property
    def by_subject(self) -> dict[str, TournamentPlayer]:
        """Players by subject, the string that identifies an account, a program, a bot or a built-in opponent."""
        return {one.subject: one for one in self.players.values()}

    @cached_property
    def match_of(self) -> dict[int, TournamentMatch]:
        """The unfinished match of each player who has one, by the player's number."""
        return {player: match for match in self.pending for player in match.players}

    @cached_property
    def totals(self) -> dict[int, PlayerTotals]:
        """Totals of each player, by the player's number."""
        opponents: dict[int, list[tuple[int, int]]] = {number: [] for number in self.players}
        points, byes, firsts, last = Counter[int](), Counter[int](), Counter[int](), dict[int, int]()
        for match in self.matches.values():
            for seat, player in enumerate(match.players):
                if player == NOBODY:
                    continue
                if match.points is not None:
                    points[player] += match.points[seat]
                if match.is_bye:
                    byes[player] += 1
                    continue
                firsts[player] += 1 - 2 * seat
                last[player] = seat
                if match.points is not None:
                    opponents[player].append((match.players[1 - seat], match.points[seat]))
        return {
            number: PlayerTotals(
                points[number],
                byes[number] + sum(own == WIN for _, own in met),
                sum(0 < own < WIN for _, own in met),
                sum(own == 0 for _, own in met),
                byes[number],
                tuple(met),
                firsts[number],
                last.get(number, -1),
            )
            for number, met in opponents.items()
        }

    @cached_property
    def met(self) -> set[frozenset[int]]:
        """The pairs of players (their numbers) who have been paired so far. Byes are left out."""
        return {frozenset(match.players) for match in self.matches.values() if not match.is_bye}

    def of_round(self, number: int) -> list[TournamentMatch]:
        """Returns the matches and byes of a round."""
        return [match for match in self.matches.values() if match.round == number]


# -- numbers by which players are ordered; a larger number is better


def points(progress: TournamentProgress, player: int) -> float:
    """Returns a player's points: 1 for a win, ½ for a draw."""
    return progress.totals[player].points / 2


def buchholz(progress: TournamentProgress, player: int) -> float:
    """Returns the Buchholz score: the sum of the points of a player's opponents.

    A bye counts as an opponent with as many points as the player.
    """
    own = progress.totals[player]
    met = sum(progress.totals[other].points for other, _ in own.opponents)
    return (met + own.byes * own.points) / 2


def sonneborn(progress: TournamentProgress, player: int) -> float:
    """Returns the Sonneborn-Berger score: the points of the opponents whom a player has beaten, plus half the points of
    the opponents with a draw.
    """
    return sum(own * progress.totals[other].points for other, own in progress.totals[player].opponents) / 4


def wins(progress: TournamentProgress, player: int) -> float:
    """Returns the number of a player's wins, byes included."""
    return progress.totals[player].won


def quickness(progress: TournamentProgress, player: int) -> float:
    """Returns minus the number of matches that a player has played: fewer matches for the same points are better."""
    return -progress.totals[player].played


def depth(progress: TournamentProgress, player: int) -> float:
    """Returns the number of rounds that a player has won so far in a knock-out."""
    own = [match for match in progress.matches.values() if player in match.players]
    if not own:
        return 0
    last = max(match.round for match in own)
    return last - 1 + (tie_winner(progress, [match for match in own if match.round == last]) == player)


TIE_MATCHES = 4
"""Largest number of matches of a tie in a knock-out. The first two are always played, once in each seat."""


def tie_winner(progress: TournamentProgress, legs: Sequence[TournamentMatch]) -> int | None:
    """Returns the winner of a tie in a knock-out; None while it is undecided.

    A tie consists of the matches of two players in a round. The player with more points after two matches wins. If the
    points are equal, the first further match with a winner decides. After four matches without a decision, the better
    seed wins. A player who has left loses the tie.

    Args:
        progress: the tournament.
        legs: the matches of the tie so far, at least one.
    """
    first, second = legs[0].players
    if second == NOBODY:
        return first
    if any(match.points is None for match in legs):
        return None
    one, other = progress.players[first], progress.players[second]
    better, worse = (first, second) if one.seed < other.seed else (second, first)
    gone = {player for player in (first, second) if progress.players[player].state is not PlayerState.PLAYING}
    total = Counter[int]()
    for match in legs:
        total.update(dict(zip(match.players, match.points or (0, 0), strict=True)))
    if len(legs) >= 2 and total[first] != total[second]:
        return max((first, second), key=lambda player: total[player])
    if len(gone) == 1:
        return ({first, second} - gone).pop()
    if len(gone) == 2 or len(legs) >= TIE_MATCHES:
        return better if total[better] >= total[worse] else worse
    return None


@dataclass(frozen=True)
class Criterion:
    """A number by which players are ordered.

    Attributes:
        title: short title of the column in the standings.
        meaning: explanation of the number, in words.
        number: function that returns the number of one player.
        is_shown: whether standings have a column with the number.
    """

    title: str
    meaning: str
    number: Callable[[TournamentProgress, int], float]
    is_shown: bool = True


CRITERIA: Mapping[str, Criterion] = {
    "points": Criterion("Points", "1 for a win, ½ for a draw; a bye counts as a win", points),
    "buchholz": Criterion("Opponents", "sum of the opponents' points (Buchholz)", buchholz),
    "sonneborn": Criterion(
        "Beaten", "sum of the beaten opponents' points, with half of those after a draw (Sonneborn-Berger)", sonneborn
    ),
    "wins": Criterion("Won", "number of wins", wins),
    "quickness": Criterion("", "fewer matches for the same points", quickness, is_shown=False),
    "depth": Criterion("Rounds won", "number of rounds that were won, byes included", depth),
}
"""The numbers by which players can be ordered, by name."""


@dataclass(frozen=True)
class RankedPlayer:
    """A player in the standings.

    Attributes:
        place: place from 1; players with equal `numbers` share a place.
        player: the player.
        numbers: points and tie-breaks, which decide the place. `TournamentKind.order` has their names, in this order.
    """

    place: int
    player: TournamentPlayer
    numbers: tuple[float, ...]


def standings(progress: TournamentProgress, order: Sequence[str]) -> list[RankedPlayer]:
    """Returns all players from the best to the worst.

    Args:
        progress: the tournament.
        order: names of the numbers in `CRITERIA` by which players are ordered; the first counts most.
    """
    rows = [
        (tuple(CRITERIA[name].number(progress, player.number) for name in order), player)
        for player in progress.players.values()
    ]
    rows.sort(key=lambda row: ([-number for number in row[0]], row[1].seed or row[1].number + 1, row[1].number))
    ranked: list[RankedPlayer] = []
    for number, (numbers, player) in enumerate(rows, 1):
        is_equal = bool(ranked) and ranked[-1].numbers == numbers
        ranked.append(RankedPlayer(ranked[-1].place if is_equal else number, player, numbers))
    return ranked
