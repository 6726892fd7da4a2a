"""Structs of saved studies, and limits on them."""

from __future__ import annotations

from enum import StrEnum

import msgspec

MAX_STUDIES = 64
"""Largest number of studies of an account."""


class StudyAccess(StrEnum):
    """Who may read a study: only its owner, all members of the site, or everybody who has its link."""

    PRIVATE = "private"
    MEMBERS = "members"
    LINK = "link"


class SavedStudy(msgspec.Struct, frozen=True, kw_only=True):
    """An analysis that somebody has saved: turns with variations and comments.

    Attributes:
        id: id of the study, which is part of its link.
        owner: id of the account that may change the study.
        game: name of the game.
        name: name of the study.
        access: who may read the study.
        content: setup and tree, in the format of the site.
        revision: number of times that the study was saved.
        at: number of the turn in the tree that the owner looks at.
        moves: how often the owner has gone to another turn or saved the study.
        changed: time of the last change, in seconds since 1970 by the store's clock.
    """

    id: str
    owner: str
    game: str
    name: str
    access: StudyAccess
    content: str
    revision: int = 1
    at: int = 0
    moves: int = 0
    changed: float = 0.0
