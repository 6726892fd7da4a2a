"""What may be asked for at a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load, names
from lapilli.players.engines.searches import BEST
from lapilli.site.live.table.plan import PERSON, is_offered, plan_of
from lapilli.site.live.table.seats import take_seat


@pytest.mark.parametrize("name", [name for name in names() if load(name).searches])
def test_a_visitor_has_no_settings_to_choose_and_no_file_read(name: str, tmp_path: Path) -> None:
    game = load(name)
    assert is_offered(game, BEST)
    for settings in ("nodes=100000000", f"weights={tmp_path / 'none.npz'}"):
        with pytest.raises(UnknownName, match="no opponent"):
            plan_of({"game": name, "opponent1": f"{BEST}:{settings}"}, "visitor")


@pytest.mark.parametrize("key", ["", "x" * 22, "\u202e", "\udc80", "\0"])
def test_a_key_that_is_none_opens_no_seat(key: str) -> None:
    plan = plan_of({"game": names()[0], "opponent1": PERSON}, "visitor")
    assert any(seat.key for seat in plan.seats)
    with pytest.raises(LapilliError, match="this link is not valid"):
        take_seat(plan, key, "another", "Eve")


@pytest.mark.parametrize("place", ["1", "2", "3"])
def test_a_table_stays_its_makers_whoever_sits_down_in_an_earlier_seat(place: str) -> None:
    form = {"opponent1": PERSON, "opponent2": PERSON, "seat": place}
    plan = plan_of({"game": next(name for name in names() if 3 in load(name).players)} | form, "visitor")
    guest_seat = next(seat for seat in plan.seats if seat.key)
    take_seat(plan, guest_seat.key, "another", "Eve")
    assert plan.may_cancel("visitor")
    assert not plan.may_cancel("another")
