"""Locations of the workshop's data: the store, the folders of bots, and the Ray cluster, if there is one."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lapilli.kernels.folder_trust import private_folder, why_untrusted
from lapilli.store import Store
from lapilli.store.places import beside


class Places(NamedTuple):
    """Locations of the workshop's data, which each of its worker processes receives with a job.

    Attributes:
        where: the store's location, as `Store.open` takes it.
        builds: folder of the built bots.
        leagues: folder with the leagues' copies of bots.
        ray: address of a Ray cluster; None if there is none.
    """

    where: str
    builds: Path
    leagues: Path
    ray: str | None = None

    @classmethod
    def of(cls, store: Store, ray: str | None = None) -> Places:
        """Returns the default locations of a site with this store. `ray` is the attribute of the same name."""
        where = str(store.where)
        return cls(where, _builds_of(where), beside(where, "leagues"), ray)


@cache
def _builds_of(where: str) -> Path:
    """Returns the folder for the built bots of the store at the location `where`.

    If other users of this machine could write programs into that folder, prints a warning, and returns a private folder
    of this process instead.
    """
    folder = beside(where, "builds")
    with suppress(OSError):  # `why_untrusted` then returns the reason
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (why := why_untrusted(folder)):
        return folder
    private = private_folder()
    print(f"lapilli: {why}; until then bots are built in {private} and again after a restart", file=sys.stderr)
    return private
