"""Whom an offer in the lobby is for, in this process."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from lapilli.core.errors import LapilliError
from lapilli.site.people.identity.people import Person, Role
from lapilli.site.people.lobby.lobby import Lobby
from lapilli.store import Store


def test_the_limits_of_an_offer_include_their_ends(tmp_path: Path) -> None:
    ada, grace = (Person("", name.lower(), name, Role.MEMBER) for name in ("Ada", "Grace"))
    with Store.open(tmp_path / "store.db") as store:
        lobby = Lobby(store, SimpleNamespace(in_memory={}))  # type: ignore[arg-type]
        rating = round(lobby.seek(grace, game="volcanoes", clock="10+5", rated=False, low=0, high=10_000).rating)
        for low, high in ((rating + 1, 10_000), (0, rating - 1), (rating, rating)):
            offer = lobby.seek(ada, game="volcanoes", clock="10+5", rated=False, low=low, high=high)
            if low <= rating <= high:
                assert lobby.accept(grace, offer.id)
            else:
                with pytest.raises(LapilliError, match="this offer is for ratings from"):
                    lobby.accept(grace, offer.id)
