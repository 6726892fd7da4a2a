"""Saved studies in both kinds of stores: revisions, rights of owners, and how many there may be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from lapilli.core.errors import LapilliError
from lapilli.store import MAX_STUDIES, SavedStudy, Store, StudyAccess
from store.rated import GAME, add_account

ADA, GRACE = "id Ada", "id Grace"


def study(study_id: str, owner: str = ADA) -> SavedStudy:
    return SavedStudy(id=study_id, owner=owner, game=GAME, name="Naïve", access=StudyAccess.LINK, content="{}")


def test_a_revision_is_saved_once_and_by_its_owner(store: Store) -> None:
    studies = store.site.studies
    studies.add(study("s"))
    assert not studies.save(study("s", GRACE))
    assert not studies.lead("s", GRACE, 5)
    assert not studies.remove("s", GRACE)
    with ThreadPoolExecutor(4) as threads:
        saved = list(threads.map(lambda at: studies.save(msgspec.structs.replace(study("s"), at=at)), range(4)))
    assert sum(saved) == 1
    found = studies.get("s")
    assert found is not None
    assert (found.revision, found.at, found.moves, found.access) == (2, saved.index(True), 1, StudyAccess.LINK)
    assert studies.lead("s", ADA, 7)
    found = studies.get("s")
    assert found is not None
    assert (found.revision, found.at, found.moves) == (2, 7, 2)
    assert studies.listed(ADA) == [msgspec.structs.replace(found, content="")]
    assert studies.remove("s", ADA)
    assert studies.get("s") is None


def test_an_account_has_so_many(store: Store) -> None:
    studies = store.site.studies
    add_account(store, "Ada")
    for number in range(MAX_STUDIES - 1):
        studies.add(study(f"s{number}"))

    def is_added(number: int) -> bool:
        try:
            studies.add(study(f"t{number}"))
        except LapilliError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(is_added, range(4))) == 1
    studies.add(study("g", GRACE))
    with pytest.raises(LapilliError, match="delete one first"):
        studies.add(study("u"))
    studies.forget(ADA)
    assert studies.listed(ADA) == []
    assert len(studies.listed(GRACE)) == 1
