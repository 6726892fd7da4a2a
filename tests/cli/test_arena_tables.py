"""The tables that `lapilli arena` prints, without a store."""

from __future__ import annotations

import pytest

from lapilli.cli.arena import tables
from lapilli.store.facts import StoredMatch
from store.made import result


def test_a_list_of_matches_says_which_have_no_record(capsys: pytest.CaptureFixture[str]) -> None:
    found = [StoredMatch(id=k, event_id=7, stored=0.0, kept=k == 1, result=result(k)) for k in (1, 2)]
    tables.matches(["new", "old"], found)
    first, second = (line for line in capsys.readouterr().out.splitlines() if " 7/" in f" {line}")
    assert "7/1" in first
    assert "no record" not in first
    assert "7/2 (no record)" in second
