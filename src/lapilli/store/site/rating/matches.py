"""Stores the result of a finished match, and changes the ratings of its players, in the transaction of the caller."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from lapilli.core.errors import RecordError
from lapilli.store.facts import Standing, standings
from lapilli.store.results import unpack_record
from lapilli.store.site.bots import site_bots
from lapilli.store.site.correspondence.facts import DAY_S, kind_of
from lapilli.store.site.facts import ACCOUNT, PROGRAM
from lapilli.store.site.people.tokens import site_tokens
from lapilli.store.site.rating.facts import BOT, ENGINE, FULL_MATCHES, PlayerRating, RatingRules, subject_of
from lapilli.store.site.rating.tables import site_ratings, site_results
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata


class _Match(NamedTuple):
    """A finished match.

    Attributes:
        table_id: id of its table.
        game: name of the game.
        kind: kind of the match, LIVE or CORRESPONDENCE.
    """

    table_id: str
    game: str
    kind: str


def add_results(
    connection: Connection, table_id: str, game: str, plan: Mapping[str, Any], ranks: Sequence[int] | None, at: float
) -> None:
    """Stores the results of a finished match that is not rated.

    `ranks`: rank of each player; None if nobody is ranked. `at`: time of the results, in seconds since 1970.
    """
    subjects = [subject_of(seat) for seat in plan["seats"]]
    match = _Match(table_id, game, kind_of(plan))
    _insert(connection, match, subjects, accounts_of(connection, subjects), ranks, at, None)


def add_rated_results(
    connection: Connection,
    table_id: str,
    game: str,
    plan: Mapping[str, Any],
    ranks: Sequence[int] | None,
    rules: RatingRules,
) -> None:
    """Stores the results of a finished match, and changes the players' ratings if the match counts.

    A match counts if it has ranks, if a player with an existing account takes part, and if all other players belong to
    other existing accounts or are built-in opponents with fixed ratings.

    Args:
        connection: the connection.
        table_id: id of the table.
        game: name of the game.
        plan: the table's plan, which names the players.
        ranks: rank of each player; 1 is best, ties share a rank. None if nobody is ranked.
        rules: the rules by which ratings change.
    """
    match, subjects = _Match(table_id, game, kind_of(plan)), [subject_of(seat) for seat in plan["seats"]]
    accounts = accounts_of(connection, subjects)
    fixed = [
        rules.anchors.get(subject.removeprefix(ENGINE)) if subject.startswith(ENGINE) else None for subject in subjects
    ]
    owners = [account for account in accounts if account]
    is_each_known = all(account or anchor for account, anchor in zip(accounts, fixed, strict=True))
    if ranks is None or not owners or not is_each_known or len(set(owners)) < len(owners):
        _insert(connection, match, subjects, accounts, ranks, now(connection), None)
        return
    stored = _locked_ratings(connection, match, subjects, accounts, rules)
    time = now(connection)  # after the wait for the locks: results of a player are in the order of their times
    weight = _weight(connection, owners, time)
    before = [anchor or stored[subject] for anchor, subject in zip(fixed, subjects, strict=True)]
    rated = rules.rate(before, ranks, weight)
    after = [anchor or new for anchor, new in zip(fixed, rated, strict=True)]
    _insert(connection, match, subjects, accounts, ranks, time, (weight, before, after))
    for subject, account, standing, new in zip(subjects, accounts, standings(ranks), after, strict=True):
        if account:
            _update_rating(connection, match, subject, standing, new, time)


def accounts_of(connection: Connection, subjects: Sequence[str]) -> list[str]:
    """Returns the id of the existing account of each player; "" for a player without account.

    `subjects`: the texts that identify the players, see `BOT`.
    """
    return [_account_of(connection, subject) for subject in subjects]


def _account_of(connection: Connection, subject: str) -> str:
    if subject.startswith(ACCOUNT):
        account: str | None = subject.removeprefix(ACCOUNT)
    elif subject.startswith(PROGRAM):
        by_id = site_tokens.c.id == subject.removeprefix(PROGRAM)
        account = connection.execute(select(site_tokens.c.owner).where(by_id, site_tokens.c.revoked.is_(None))).scalar()
    elif subject.startswith(BOT):
        by_id = site_bots.c.id == subject.removeprefix(BOT)
        account = connection.execute(select(site_bots.c.owner).where(by_id)).scalar()
    else:
        return ""
    users = metadata.tables["site_users"]
    return connection.execute(select(users.c.id).where(users.c.id == account)).scalar() or ""


def _locked_ratings(
    connection: Connection, match: _Match, subjects: Sequence[str], accounts: Sequence[str], rules: RatingRules
) -> dict[str, PlayerRating]:
    """Returns the ratings before a match of all players with an account. Locks the rows of these ratings.

    Rows are locked in a fixed order, so that two transactions cannot deadlock.

    Args:
        connection: the connection.
        match: the match.
        subjects: the texts that identify the players, see `BOT`.
        accounts: id of each player's account; "" for none.
        rules: the rules with the rating of a new player.

    Returns:
        The ratings, by subject.
    """
    rated = sorted((subject, account) for subject, account in zip(subjects, accounts, strict=True) if account)
    for subject, account in rated:
        row: dict[str, Any] = {"game": match.game, "kind": match.kind, "subject": subject, "account": account}
        row["changed"] = now(connection)
        new = {"rating": rules.new.rating, "deviation": rules.new.deviation}
        connection.execute(insert_into(connection, site_ratings).values(row | new).on_conflict_do_nothing())
    names = [subject for subject, _ in rated]
    of_game = site_ratings.c.game == match.game, site_ratings.c.kind == match.kind, site_ratings.c.subject.in_(names)
    query = select(site_ratings).where(*of_game).order_by(site_ratings.c.subject).with_for_update()
    return {row.subject: PlayerRating(row.rating, row.deviation) for row in connection.execute(query)}


def _weight(connection: Connection, accounts: Sequence[str], time: float) -> float:
    """Returns the weight of a match at this time between these accounts, from 0 to 1.

    The weight depends on the number of rated matches within a day between two of these accounts: the two that have
    played most often.
    """
    most = max((_meetings(connection, pair, time - DAY_S) for pair in combinations(accounts, 2)), default=0)
    return float(0.5 ** max(0, most + 1 - FULL_MATCHES))


def _meetings(connection: Connection, accounts: tuple[str, str], since: float) -> int:
    """Returns the number of rated matches between two accounts since this time."""
    own, other = site_results.alias(), site_results.alias()
    conditions: tuple[ColumnElement[bool], ...] = (
        own.c.account == accounts[0],
        own.c.at > since,
        own.c.weight.is_not(None),
        other.c.account == accounts[1],
    )
    joined = own.join(other, own.c.table_id == other.c.table_id)
    return int(connection.execute(select(func.count()).select_from(joined).where(*conditions)).scalar_one())


def _insert(
    connection: Connection,
    match: _Match,
    subjects: Sequence[str],
    accounts: Sequence[str],
    ranks: Sequence[int] | None,
    time: float,
    rated: tuple[float, Sequence[PlayerRating], Sequence[PlayerRating]] | None,
) -> None:
    """Stores the result of each player except guests. Does nothing if no player has an account.

    Args:
        connection: the connection.
        match: the match.
        ranks: rank of each player; 1 is best, ties share a rank. None if nobody is ranked.
        subjects: the text that identifies each player, see `BOT`; "" for a guest.
        accounts: id of each player's account; "" for none.
        time: time of the results, in seconds since 1970.
        rated: the match's weight, and the ratings before and after the match; None if the match is not rated.
    """
    if not any(accounts):
        return
    results: Sequence[str] = standings(ranks) if ranks else [""] * len(subjects)
    for player, (subject, account, result) in enumerate(zip(subjects, accounts, results, strict=True)):
        if not subject:
            continue
        row = match._asdict() | {"player": player, "subject": subject, "account": account, "at": time}
        row |= {"rank": ranks[player] if ranks else 0, "standing": result}
        if rated is not None:
            weight, before, after = rated
            row |= {"weight": weight, "rating": after[player].rating, "deviation": after[player].deviation}
            row |= {"rating_before": before[player].rating, "deviation_before": before[player].deviation}
        connection.execute(site_results.insert().values(row))


def _update_rating(
    connection: Connection, match: _Match, subject: str, standing: Standing, new: PlayerRating, time: float
) -> None:
    table = site_ratings
    counted = {str(standing): table.c[str(standing)] + 1}
    values = {"rating": new.rating, "deviation": new.deviation, "settled": int(not new.is_provisional), "changed": time}
    by_key = table.c.game == match.game, table.c.kind == match.kind, table.c.subject == subject
    connection.execute(update(table).where(*by_key).values(values | counted))


def forget_account(connection: Connection, account: str) -> None:
    """Deletes the ratings of an account, and makes its results of matches anonymous.

    In the results, random texts replace the account's id and the texts that identify its programs and bots. The results
    are not deleted, because the other players' ratings are computed from them.
    """
    connection.execute(delete(site_ratings).where(site_ratings.c.account == account))
    of_account = site_results.c.account == account
    gone = f"gone {secrets.token_hex(8)}"
    subjects = connection.execute(select(site_results.c.subject).where(of_account).distinct()).scalars().all()
    for number, subject in enumerate(subjects):
        of_subject = of_account, site_results.c.subject == subject
        connection.execute(update(site_results).where(*of_subject).values(subject=f"{gone} {number}"))
    connection.execute(update(site_results).where(of_account).values(account=gone))


def add_earlier_results(connection: Connection) -> None:
    """Stores unrated results of all matches that were finished under an older version, which stored no results."""
    tables, users = metadata.tables["site_tables"], metadata.tables["site_users"]
    if connection.execute(select(users.c.id).limit(1)).first() is None:
        return
    finished = select(tables.c.id).where(tables.c.record.is_not(None), tables.c.guests == 0)
    for table_id in connection.execute(finished.order_by(tables.c.changed, tables.c.id)).scalars().all():
        row = connection.execute(select(tables).where(tables.c.id == table_id)).one()
        try:
            outcome = unpack_record(row.record, f"match {table_id}").outcome
        except RecordError:  # the match's own page says what is wrong with the record
            continue
        ranks = outcome.ranks if outcome else None
        add_results(connection, table_id, row.game, json.loads(row.plan), ranks, row.changed)
