"""Pairings for each kind of tournament. They depend only on the tournament's progress, not on the store."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lapilli.site.live.tournaments.progress import PlannedMatch, TournamentProgress, tie_winner
from lapilli.store import NOBODY, TournamentMatch, TournamentPlayer

_NEAR = 8
"""Limits the partners that are considered at first for a player in a Swiss round. A group is all players with equal
points. The partners are about `_NEAR` players directly after the player in the order, and about `_NEAR` players on each
side of the place that is half a group further. If these partners do not allow a pairing of everybody, all players are
considered, which takes some seconds with 200 players.
"""
_SMALL = 4
"""Number of players of an arena up to which the same two players may meet twice in a row."""
_SEATS, _POINTS = 10**12, 10**6
"""Costs of a pair. `_SEATS`: cost if one of the players would then have at least three more matches in one seat than in
the other. `_POINTS`: factor of the squared difference of the players' points, in half points. The distance of the
players in the order costs much less.
"""
_SAME_SEAT = 10**4
"""Cost of a pair in which both players have sat less often in the same seat, so that both should get that seat."""


# -- Swiss


def swiss(progress: TournamentProgress) -> list[PlannedMatch]:
    """Pairs players with about equal points who have not met. Nobody gets a second bye.

    Each pair of players has a cost, which is higher if their points differ more, or if both should get the same seat.
    The pairing with the lowest total cost is found as a matching of maximum weight in a graph (networkx, Edmonds'
    blossom algorithm). Within a group of players with equal points, the upper half is paired with the lower half.

    Returns:
        The pairings; an empty list if not everybody can be paired without meeting somebody again.
    """
    order = sorted(progress.playing, key=lambda one: (-progress.totals[one.number].points, one.seed))
    pairs = _cheapest(progress, order, _NEAR) or _cheapest(progress, order, len(order))
    byes = [first for first, second in pairs if second == NOBODY]
    boards = [
        _seated(progress, first, second, board) for board, (first, second) in enumerate(pairs) if second != NOBODY
    ]
    return [*boards, *(PlannedMatch(player, NOBODY, len(boards)) for player in byes)]


def _cheapest(progress: TournamentProgress, order: Sequence[TournamentPlayer], near: int) -> list[tuple[int, int]]:
    """Returns the pairing of all players with the lowest total cost (see `swiss`), the best players first.

    Args:
        progress: the tournament.
        order: the players to pair, the best first.
        near: how far, in `order`, partners are looked for. A small number saves time, but may leave no pairing.

    Returns:
        Tuples with the numbers of two players; the second is NOBODY for a bye. Empty if there is no pairing of all
            players.
    """
    from networkx import Graph, max_weight_matching  # loading it takes 0.2 s

    graph, places = Graph(), {player.number: place for place, player in enumerate(order)}
    groups = _groups(progress, order)
    for place, player in enumerate(order):
        totals = progress.totals[player.number]
        half = place + groups[totals.points] // 2
        for other_place in {*range(place + 1, place + near), *range(max(place + 1, half - near), half + near)}:
            if other_place < len(order):
                other = order[other_place]
                if frozenset((player.number, other.number)) not in progress.met:
                    graph.add_edge(player.number, other.number, weight=-_cost(progress, player, other, places, groups))
        if len(order) % 2 and not totals.byes:
            cost = totals.points * totals.points * _POINTS + len(order) - place
            graph.add_edge(player.number, NOBODY, weight=-cost)
    found = max_weight_matching(graph, maxcardinality=True)
    pairs = [tuple(sorted(pair, key=lambda one: places.get(one, len(order)))) for pair in found]
    if 2 * len(pairs) < len(order) + len(order) % 2:
        return []
    return sorted(((first, second) for first, second in pairs), key=lambda pair: places[pair[0]])


def _groups(progress: TournamentProgress, order: Sequence[TournamentPlayer]) -> dict[int, int]:
    """Returns how many of the players in `order` have the same points: a dict from half points to number of players."""
    sizes: dict[int, int] = {}
    for player in order:
        points = progress.totals[player.number].points
        sizes[points] = sizes.get(points, 0) + 1
    return sizes


def _cost(
    progress: TournamentProgress,
    one: TournamentPlayer,
    other: TournamentPlayer,
    places: dict[int, int],
    groups: dict[int, int],
) -> int:
    own, theirs = progress.totals[one.number], progress.totals[other.number]
    cost = _POINTS * (own.points - theirs.points) ** 2
    if own.firsts * theirs.firsts > 0:
        cost += _SAME_SEAT + (_SEATS if min(abs(own.firsts), abs(theirs.firsts)) >= 2 else 0)
    half = groups[own.points] // 2 if own.points == theirs.points else 1
    return cost + (abs(places[one.number] - places[other.number]) - half) ** 2


def _seated(progress: TournamentProgress, one: int, other: int, board: int) -> PlannedMatch:
    """Returns the match of the players `one` and `other`, pairing number `board` of the round.

    The first seat goes to the player who has had it less often or, if this is equal, to the player who had the second
    seat in the last match.
    """
    own, theirs = progress.totals[one], progress.totals[other]
    if own.firsts != theirs.firsts:
        is_first = own.firsts < theirs.firsts
    elif own.last_seat != theirs.last_seat:
        is_first = own.last_seat > theirs.last_seat
    else:
        is_first = (board + len(progress.matches)) % 2 == 0
    return PlannedMatch(one, other, board) if is_first else PlannedMatch(other, one, board)


# -- round robin


def round_robin_rounds(progress: TournamentProgress) -> int:
    """Returns the number of rounds of a round robin. Any two players meet as often as the tournament's length says."""
    players = len(progress.starters)
    return max(1, players - 1 + players % 2) * max(1, progress.plan.length)


def round_robin(progress: TournamentProgress) -> list[PlannedMatch]:
    """Pairs players by the circle method: one player's place is fixed, and the others move by one place each round."""
    players = [player.number for player in progress.starters]
    if len(players) % 2:
        players.append(NOBODY)
    turning = len(players) - 1
    cycle, turn = divmod(progress.tournament.round, turning)
    pairs = [(turn, turning) if turn % 2 else (turning, turn)]
    for step in range(1, len(players) // 2):
        up, down = (turn + step) % turning, (turn - step) % turning
        pairs.append((up, down) if step % 2 else (down, up))
    playing = {player.number for player in progress.playing}
    planned: list[PlannedMatch] = []
    for first, second in pairs:
        one, other = (players[first], players[second]) if cycle % 2 == 0 else (players[second], players[first])
        present = [player for player in (one, other) if player in playing]
        if present:
            planned.append(PlannedMatch(present[0], present[1] if len(present) == 2 else NOBODY, len(planned)))
    return planned


# -- knock-out


def knockout_rounds(progress: TournamentProgress) -> int:
    """Returns the number of rounds until one player is left."""
    return max(1, (len(progress.starters) - 1).bit_length())


def knockout(progress: TournamentProgress) -> list[PlannedMatch]:
    """Pairs the winners of the last round. In the first round, pairs the best seed with the worst, and so on.

    Players without an opponent have a bye; in the first round, these are the best seeds.
    """
    playing = {player.number for player in progress.playing}
    planned: list[PlannedMatch] = []
    for board, pair in enumerate(_drawn(progress)):
        present = [player for player in pair if player in playing]
        if len(present) == 2:
            planned.append(_seated(progress, present[0], present[1], board))
        elif present:
            planned.append(PlannedMatch(present[0], NOBODY, board))
    return planned


def _drawn(progress: TournamentProgress) -> list[tuple[int, int]]:
    """Returns the two players of each pairing of the next round of a knock-out, with NOBODY for a missing player."""
    if not progress.tournament.round:
        seeds = [player.number for player in progress.starters]
        order = [0]
        while len(order) < len(seeds):
            order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
        through = [seeds[seed] if seed < len(seeds) else NOBODY for seed in order]
    else:
        ties = _ties(progress)
        boards = 2 ** (knockout_rounds(progress) - progress.tournament.round)
        winners = [tie_winner(progress, ties[board]) if board in ties else None for board in range(boards)]
        through = [NOBODY if winner is None else winner for winner in winners]
    return list(zip(through[::2], through[1::2], strict=True))


def _ties(progress: TournamentProgress) -> dict[int, list[TournamentMatch]]:
    """Returns the matches of each pairing of the current round (called a tie), by the number of the pairing.

    A tie consists of all matches that two players play against each other in the round.
    """
    ties: dict[int, list[TournamentMatch]] = {}
    for match in progress.of_round(progress.tournament.round):
        ties.setdefault(match.board, []).append(match)
    return ties


def knockout_legs(progress: TournamentProgress) -> list[PlannedMatch]:
    """Returns the next match of each pairing of the current round of a knock-out that is not decided yet.

    The two players exchange seats after each match.
    """
    legs: list[PlannedMatch] = []
    for board, matches in _ties(progress).items():
        if all(match.points is not None for match in matches) and tie_winner(progress, matches) is None:
            first, second = matches[-1].players
            legs.append(PlannedMatch(second, first, board, len(matches) + 1))
    return legs


# -- arena


def arena(progress: TournamentProgress) -> list[PlannedMatch]:
    """Pairs players who have no match. Players with similar points are paired, but not the same two twice in a row.

    With very few players, the same two may meet twice in a row, because otherwise players would wait for long. Two
    built-in opponents are not paired with each other: they wait for people and programs.
    """
    chance = Random(f"{progress.tournament.id}/{progress.tournament.step}")
    free = [player for player in progress.playing if player.number not in progress.match_of]
    lots = {player.number: chance.random() for player in free}
    free.sort(key=lambda one: (-progress.totals[one.number].points, lots[one.number]))
    last = {player.number: _last_opponent(progress, player.number) for player in free}
    is_small = len(progress.playing) <= _SMALL
    planned: list[PlannedMatch] = []
    while free:
        player = free.pop(0)
        for place, other in enumerate(free):
            has_met = last[player.number] == other.number or last[other.number] == player.number
            if (player.account or other.account) and (is_small or not has_met):
                del free[place]
                planned.append(_seated(progress, player.number, other.number, len(planned)))
                break
    return planned


def _last_opponent(progress: TournamentProgress, player: int) -> int:
    opponents = progress.totals[player].opponents
    return opponents[-1][0] if opponents else NOBODY
