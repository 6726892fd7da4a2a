"""Stores studies: analyses with variations and comments, which people save and share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    Row,
    Table,
    Text,
    delete,
    func,
    literal,
    select,
)
from sqlalchemy import update as updating

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.study.facts import MAX_STUDIES, SavedStudy, StudyAccess
from lapilli.store.statements import now
from lapilli.store.tables import metadata

site_studies = Table(
    "site_studies",
    metadata,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("access", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("at", Integer, nullable=False),
    Column("moves", BigInteger, nullable=False),
    Column("changed", Double, nullable=False),
    Index("site_studies_by_owner", "owner", "changed"),
)


def _add(connection: Connection, study: SavedStudy) -> None:
    connection.execute(select(site_users.c.id).where(site_users.c.id == study.owner).with_for_update())
    number = select(func.count()).select_from(site_studies).where(site_studies.c.owner == study.owner)
    if connection.execute(number).scalar_one() >= MAX_STUDIES:
        raise LapilliError(f"you have {MAX_STUDIES} studies, the maximum: delete one first")
    row = {field: getattr(study, field) for field in study.__struct_fields__}
    connection.execute(site_studies.insert().values(row | {"access": str(study.access), "changed": now(connection)}))


def _get(connection: Connection, study_id: str) -> SavedStudy | None:
    row = connection.execute(select(site_studies).where(site_studies.c.id == study_id)).one_or_none()
    return None if row is None else _study_of(row)


def _study_of(row: Row[Any]) -> SavedStudy:
    return SavedStudy(**dict(row._mapping) | {"access": StudyAccess(row.access)})


def _listed(connection: Connection, owner: str) -> list[SavedStudy]:
    table = site_studies
    facts: list[Any] = [literal("").label("content"), *(column for column in table.c if column is not table.c.content)]
    query = select(*facts).where(table.c.owner == owner)
    return [_study_of(row) for row in connection.execute(query.order_by(table.c.changed.desc()))]


def _save(connection: Connection, study: SavedStudy) -> bool:
    conditions = _is_of(study.id, study.owner), site_studies.c.revision == study.revision
    values = {"name": study.name, "access": str(study.access), "content": study.content, "at": study.at}
    changes = {"revision": study.revision + 1, "moves": site_studies.c.moves + 1, "changed": now(connection)}
    return connection.execute(updating(site_studies).where(*conditions).values(values | changes)).rowcount > 0


def _lead(connection: Connection, study_id: str, owner: str, at: int) -> bool:
    values = {"at": at, "moves": site_studies.c.moves + 1}
    return connection.execute(updating(site_studies).where(_is_of(study_id, owner)).values(values)).rowcount > 0


def _remove(connection: Connection, study_id: str, owner: str) -> bool:
    return connection.execute(delete(site_studies).where(_is_of(study_id, owner))).rowcount > 0


def _is_of(study_id: str, owner: str) -> Any:
    """Returns the SQL condition that selects a study, if it belongs to this owner."""
    return (site_studies.c.id == study_id) & (site_studies.c.owner == owner)


def _forget(connection: Connection, owner: str) -> None:
    connection.execute(delete(site_studies).where(site_studies.c.owner == owner))


class SavedStudies:
    """The studies in a store. A study is an analysis that somebody has saved: turns with variations and comments."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, study: SavedStudy) -> None:
        """Stores a new study. Raises LapilliError if its owner has MAX_STUDIES studies."""
        self._database.write(_add, study)

    def get(self, study_id: str) -> SavedStudy | None:
        """Returns the study with this id; None if there is none."""
        return self._database.read(_get, study_id)

    def listed(self, owner: str) -> list[SavedStudy]:
        """Returns all studies of an owner, the last changed first. Their `content` is left empty to save memory."""
        return self._database.read(_listed, owner)

    def save(self, study: SavedStudy) -> bool:
        """Stores a changed study as its next revision. `study.revision` is the revision that was changed.

        Returns:
            Whether the study was stored. False, and nothing is changed, if the owner has no such study, or if the store
            contains a later revision, which another page has saved.
        """
        return self._database.write(_save, study)

    def lead(self, study_id: str, owner: str, at: int) -> bool:
        """Stores which turn of a study its owner looks at now, so that pages can follow the owner.

        `at`: number of the turn in the study's tree. Returns False if the owner has no such study.
        """
        return self._database.write(_lead, study_id, owner, at)

    def remove(self, study_id: str, owner: str) -> bool:
        """Deletes a study. Returns False if the owner has no such study."""
        return self._database.write(_remove, study_id, owner)

    def forget(self, owner: str) -> None:
        """Deletes all studies of an owner."""
        self._database.write(_forget, owner)
