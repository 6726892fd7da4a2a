"""The public data of a member: ratings with their curves, puzzles, bots and matches."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import HTTPException

from lapilli.arena.puzzles.solving import points as puzzle_points
from lapilli.core.errors import LapilliError
from lapilli.games import names
from lapilli.site.people.identity.names import folded, is_account_name
from lapilli.site.people.identity.people import holder_of
from lapilli.site.runtime.site import Site
from lapilli.store import ENGINE, Account, BestWin, PlayerRating, RatedPlayer, ResultFilter, Standing, Store

_NO_MEMBER = "There is no member with this name."


@dataclass(frozen=True)
class GameRating:
    """A rating of a member, or of one of the member's programs and bots.

    Attributes:
        player: the rated player.
        place: place on the leaderboard; None for a provisional rating.
        curve: the rating after each of the last matches, as tuples of the time in seconds since 1970 and the rating.
        best_win: the member's win against the strongest person; None if there is none, and for programs and bots.
    """

    player: RatedPlayer
    place: int | None
    curve: list[tuple[float, PlayerRating]]
    best_win: BestWin | None


@dataclass(frozen=True)
class PuzzleRating:
    """A member's results in the puzzles of a game.

    Attributes:
        game: name of the game.
        points: the rating.
        tries: number of tries.
        solved: number of successful tries.
    """

    game: str
    points: int
    tries: int
    solved: int


@dataclass(frozen=True)
class LeagueBot:
    """A bot of a member that plays in a league.

    Attributes:
        name: name of the bot.
        game: name of the game.
    """

    name: str
    game: str


@dataclass(frozen=True)
class Profile:
    """The public data of a member, except the list of matches.

    Attributes:
        account: the member's account.
        ratings: ratings of the member, one for each game and kind of matches in which the member played rated matches.
        helpers: ratings of the member's programs and bots.
        puzzles: results in puzzles, one for each game of which the member has tried a puzzle.
        bots: bots in leagues.
    """

    account: Account
    ratings: list[GameRating]
    helpers: list[GameRating]
    puzzles: list[PuzzleRating]
    bots: list[LeagueBot]


async def member_named(site: Site, name: str) -> Account:
    """Returns the account with this name. Raises HTTPException (404) if there is none."""
    found = None
    if site.public is not None and is_account_name(name):
        found = await asyncio.to_thread(site.store.site.people.named, folded(name))
    if found is None:
        raise HTTPException(404, _NO_MEMBER)
    return found


def profile_of(store: Store, account: Account) -> Profile:
    """Returns a member's profile. Reads the store, and blocks."""
    holder, ratings = holder_of(account.id), store.site.ratings
    rated = [
        GameRating(
            player,
            None if player.rating.is_provisional else ratings.place(player.game, player.rating, player.kind),
            ratings.curve(player.game, player.subject, player.kind) if player.subject == holder else [],
            ratings.best_win(player.game, player.subject, player.kind) if player.subject == holder else None,
        )
        for player in ratings.of_account(account.id)
    ]
    solvers = ((name, store.site.puzzles.solver(holder, name)) for name in names())
    return Profile(
        account,
        [one for one in rated if one.player.subject == holder],
        [one for one in rated if one.player.subject != holder],
        [
            PuzzleRating(name, puzzle_points(solver.rated), solver.rated.tries, solver.solved)
            for name, solver in solvers
            if solver.rated.tries
        ],
        [LeagueBot(bot.name, bot.game) for bot in store.site.bots.owned(account.id) if bot.submitted],
    )


def filter_of(store: Store, game: str, result: str, opponent: str, before: int) -> ResultFilter | None:
    """Returns conditions on a member's matches; None if no match can fulfil them. Reads the store, and blocks.

    Args:
        store: the database.
        game: name of a game; "" for all games.
        result: "won", "drawn" or "lost"; "" for all results.
        opponent: name of a member, or of a built-in opponent such as `level3`; "" for all opponents.
        before: only matches with smaller numbers are listed; 0 for no limit.

    Raises:
        LapilliError: there is no such result.
    """
    if result and result not in list(Standing):
        raise LapilliError("a result is won, drawn or lost")
    if game and game not in names():
        return None
    subject = ""
    if opponent:
        member = store.site.people.named(folded(opponent)) if is_account_name(opponent) else None
        if member is None and not opponent.replace(":", "", 1).isalnum():
            return None
        subject = member.id if member is not None else ENGINE + opponent
    return ResultFilter(game=game, standing=result, opponent=subject, before=before)
