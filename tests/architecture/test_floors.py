"""The page about the architecture draws the floors that the import contract has."""

from __future__ import annotations

from architecture.floors import PAGE, floors, rooms, with_drawing


def test_the_page_draws_the_floors_that_there_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_drawing(page), "write them: python tests/architecture/floors.py"
    assert [beside for beside in floors() if "match" in beside] == [["match"]]
    assert "bots" in rooms("players")
