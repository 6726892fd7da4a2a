"""Stores trials, which are jobs for the site's bots, and the results of trials.

All workers share one queue of trials, in which accounts take turns. A worker must regularly report that it still works
on its trial. If the reports stop, another worker takes the trial.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Index,
    LargeBinary,
    Row,
    Table,
    Text,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.results import ascii_json
from lapilli.store.site.bots import site_bots
from lapilli.store.site.facts import MAX_KEPT, MAX_WAITING, Trial, TrialState
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.statements import now
from lapilli.store.tables import metadata

LEASE_S = 15.0
"""Time without a report after which another worker may take a trial, in seconds."""

site_trials = Table(
    "site_trials",
    metadata,
    Column("id", Text, primary_key=True),
    Column("bot_id", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("ask", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("told", Text, nullable=False),
    Column("record", LargeBinary),
    Column("worker", Text, nullable=False, default=""),
    Column("created", Double, nullable=False),
    Column("taken", Double, nullable=False, default=0.0),  # time when a worker last took it
    Column("changed", Double, nullable=False),
    Index("site_trials_by_bot", "bot_id", "created"),
    Index("site_trials_by_state", "state"),
)
_OPEN = (TrialState.WAITING, TrialState.RUNNING)


def _add(connection: Connection, trial_id: str, bot_id: str, owner: str, kind: str, request: Mapping[str, Any]) -> None:
    connection.execute(select(site_users.c.id).where(site_users.c.id == owner).with_for_update())
    conditions = site_trials.c.owner == owner, site_trials.c.state.in_(_OPEN)
    if connection.execute(select(func.count()).select_from(site_trials).where(*conditions)).scalar_one() >= MAX_WAITING:
        raise LapilliError(f"you have {MAX_WAITING} waiting trials, the maximum: cancel one, or wait for it")
    time = now(connection)
    row = {"id": trial_id, "bot_id": bot_id, "owner": owner, "kind": kind, "ask": ascii_json(request), "told": "{}"}
    connection.execute(
        insert(site_trials).values(row | {"state": TrialState.WAITING, "created": time, "changed": time})
    )
    over = select(site_trials.c.id).where(site_trials.c.bot_id == bot_id, site_trials.c.state.not_in(_OPEN))
    kept = over.order_by(site_trials.c.created.desc()).limit(MAX_KEPT)
    old = site_trials.c.id.in_(over) & site_trials.c.id.not_in(kept)
    connection.execute(delete(site_trials).where(old))


def _queue(connection: Connection, kinds: Collection[str]) -> list[str]:
    """Returns the ids of the waiting trials (jobs for bots) of these kinds, in the order in which workers take them."""
    lease_start = now(connection) - LEASE_S
    is_lost = (site_trials.c.state == TrialState.RUNNING) & (site_trials.c.changed < lease_start)
    waits = or_(site_trials.c.state == TrialState.WAITING, is_lost)
    columns = site_trials.c.id, site_trials.c.owner
    query = select(*columns).outerjoin(site_bots, site_bots.c.id == site_trials.c.bot_id)
    can_run = or_(site_bots.c.id.is_(None), is_installed(site_bots.c.game))
    query = query.where(site_trials.c.kind.in_(kinds), waits, can_run)
    query = query.order_by(site_trials.c.created)
    waiting = [(row.id, row.owner) for row in connection.execute(query)]
    owners = {owner for _, owner in waiting}
    served = select(site_trials.c.owner, func.max(site_trials.c.taken)).where(
        site_trials.c.owner.in_(owners), site_trials.c.kind.in_(kinds)
    )
    last = connection.execute(served.group_by(site_trials.c.owner)).all()
    return in_turn(waiting, {row[0]: row[1] for row in last})


def in_turn(waiting: Iterable[tuple[str, str]], served: Mapping[str, float]) -> list[str]:
    """Returns the ids of waiting trials (jobs for bots) in the order in which workers take the trials.

    Owners take turns: one trial of each owner, then a second trial of each owner, and so on. In each turn, the owner
    whose last trial was taken longest ago comes first.

    Args:
        waiting: id and owner of each waiting trial, the longest waiting trial first.
        served: for each owner, the time at which a worker last took one of the owner's trials.
    """
    of_owner: dict[str, list[str]] = {}
    for trial_id, owner in waiting:
        of_owner.setdefault(owner, []).append(trial_id)
    owners = sorted(of_owner, key=lambda owner: served.get(owner, 0.0))
    rounds = max(map(len, of_owner.values()), default=0)
    return [of_owner[owner][turn] for turn in range(rounds) for owner in owners if turn < len(of_owner[owner])]


def _take(connection: Connection, kinds: Collection[str], worker: str) -> Trial | None:
    time = now(connection)
    for trial_id in _queue(connection, kinds):
        is_free = or_(site_trials.c.state == TrialState.WAITING, site_trials.c.changed < time - LEASE_S)
        conditions = site_trials.c.id == trial_id, site_trials.c.state.in_(_OPEN), is_free
        statement = update(site_trials).where(*conditions)
        values = {"state": TrialState.RUNNING, "worker": worker, "taken": time, "changed": time, "record": None}
        if connection.execute(statement.values(values)).rowcount:
            return _get(connection, trial_id)
    return None


def _keep(
    connection: Connection, trial_id: str, worker: str, progress: Mapping[str, Any] | None, record: bytes | None
) -> bool:
    values: dict[str, Any] = {} if progress is None else {"told": ascii_json(progress)}
    if record is not None:
        values["record"] = record
    conditions = _is_assigned(trial_id, worker)
    statement = update(site_trials).where(*conditions).values(changed=now(connection), **values)
    return bool(connection.execute(statement).rowcount)


def _end(
    connection: Connection,
    trial_id: str,
    worker: str,
    state: TrialState,
    progress: Mapping[str, Any] | None,
    record: bytes | None,
) -> None:
    values: dict[str, Any] = {"state": state, "changed": now(connection)}
    if progress is not None:
        values["told"] = ascii_json(progress)
    if record is not None:
        values["record"] = record
    connection.execute(update(site_trials).where(*_is_assigned(trial_id, worker)).values(values))


def _is_assigned(trial_id: str, worker: str) -> tuple[Any, ...]:
    """Returns the SQL conditions that select a trial (job for a bot) if this worker is running it."""
    return (
        site_trials.c.id == trial_id,
        site_trials.c.state == TrialState.RUNNING,
        site_trials.c.worker == worker,
    )


def _stop(connection: Connection, trial_id: str) -> None:
    conditions = site_trials.c.id == trial_id, site_trials.c.state.in_(_OPEN)
    connection.execute(update(site_trials).where(*conditions).values(state=TrialState.STOPPED, changed=now(connection)))


def _get(connection: Connection, trial_id: str) -> Trial | None:
    row = connection.execute(select(site_trials).where(site_trials.c.id == trial_id)).one_or_none()
    return None if row is None else _trial_of(row)


def _of_bot(connection: Connection, bot_id: str, kinds: Collection[str], most: int) -> list[Trial]:
    columns = [column for column in site_trials.c if column.name != "record"]
    query = select(*columns).where(site_trials.c.bot_id == bot_id, site_trials.c.kind.in_(kinds))
    return [_trial_of(row) for row in connection.execute(query.order_by(site_trials.c.created.desc()).limit(most))]


def _forget(connection: Connection, bot_id: str) -> None:
    connection.execute(delete(site_trials).where(site_trials.c.bot_id == bot_id))


def _trial_of(row: Row[Any]) -> Trial:
    columns = row._mapping
    return Trial(
        id=columns["id"],
        bot_id=columns["bot_id"],
        owner=columns["owner"],
        kind=columns["kind"],
        request=json.loads(columns["ask"]),
        state=TrialState(columns["state"]),
        progress=json.loads(columns["told"]),
        record=columns.get("record"),
        created=columns["created"],
        changed=columns["changed"],
    )


class Trials:
    """The trials in a store: waiting, running and finished ones. A trial is a job for a bot written on the site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, trial_id: str, bot_id: str, owner: str, kind: str, request: Mapping[str, Any]) -> None:
        """Adds a trial (job for a bot) to the queue. Of the bot's finished trials, only the newest MAX_KEPT stay.

        Args:
            trial_id: id of the new trial.
            bot_id: id of the bot.
            owner: id of the account that requests the trial.
            kind: kind of job, see `Trial.kind`.
            request: parameters of the job, see `Trial.request`.

        Raises:
            LapilliError: the account has too many waiting or running trials.
        """
        self._database.write(_add, trial_id, bot_id, owner, kind, request)

    def get(self, trial_id: str) -> Trial | None:
        """Returns the trial (job for a bot) with this id; None if there is no such trial."""
        return self._database.read(_get, trial_id)

    def of_bot(self, bot_id: str, kinds: Collection[str], most: int = 20) -> list[Trial]:
        """Returns up to `most` trials (jobs) of a bot, newest first, without their records.

        `kinds`: the kinds of jobs to return, see `Trial.kind`.
        """
        return self._database.read(_of_bot, bot_id, kinds, most)

    def queue(self, kinds: Collection[str]) -> list[str]:
        """Returns the ids of the waiting trials (jobs for bots) of these kinds, in the order in which workers will take
        them.
        """
        return self._database.read(_queue, kinds)

    def take(self, kinds: Collection[str], worker: str) -> Trial | None:
        """Assigns the next waiting trial (job for a bot) of these kinds to a worker.

        Returns the trial; None if no trial is waiting. `kinds`: kinds of jobs, see `Trial.kind`. `worker`: name of the
        worker.
        """
        return self._database.write(_take, kinds, worker) if self.queue(kinds) else None

    def keep(
        self,
        trial_id: str,
        worker: str,
        progress: Mapping[str, Any] | None = None,
        record: bytes | None = None,
    ) -> bool:
        """Reports that a worker still works on a trial (a job for a bot), and stores the results so far.

        Args:
            trial_id: id of the trial.
            worker: name of the worker.
            progress: new value of `Trial.progress`; None for no change.
            record: new value of `Trial.record`; None for no change.

        Returns:
            False if the worker must stop: the trial was stopped, or another worker has taken it.
        """
        return self._database.write(_keep, trial_id, worker, progress, record)

    def end(
        self,
        trial_id: str,
        worker: str,
        state: TrialState,
        progress: Mapping[str, Any] | None = None,
        record: bytes | None = None,
    ) -> None:
        """Stores the final state and the results of a trial (job for a bot) that a worker has run.

        Does nothing if the trial was stopped, or another worker has taken it.

        Args:
            trial_id: id of the trial.
            worker: name of the worker.
            state: the final state; WAITING to return the trial to the queue.
            progress: new value of `Trial.progress`; None for no change.
            record: new value of `Trial.record`; None for no change.
        """
        self._database.write(_end, trial_id, worker, state, progress, record)

    def stop(self, trial_id: str) -> None:
        """Stops a trial (job for a bot) that is waiting or running. Does nothing if the trial has ended."""
        self._database.write(_stop, trial_id)

    def forget(self, bot_id: str) -> None:
        """Deletes all trials (jobs) of a bot."""
        self._database.write(_forget, bot_id)
