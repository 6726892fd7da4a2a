"""Tables when people open them: read at once, and changed many at a time."""

from __future__ import annotations

from typing import Any

import pytest

from lapilli.core.errors import LapilliError
from lapilli.store import GUEST, NewAnswer, SiteAnswer, Store
from store.rated import GAME

PLAN: dict[str, Any] = {"game": GAME, "seats": []}


def test_a_table_comes_with_its_answers_and_lines(store: Store) -> None:
    store.site.matches.add("one", GAME, PLAN)
    answers = [SiteAnswer(turn=turn, player=0, reply="1") for turn in (1, 2)]
    for number, answer in enumerate(answers):
        store.site.matches.add_answers([NewAnswer("one", number, answer)])
    store.site.chat.add("one", "players", "@ada", "Ada", "Hello!")
    opened = store.site.opening.read("one")
    assert opened is not None
    assert opened.table == store.site.matches.get("one")
    assert opened.answers == store.site.matches.answers("one")
    assert opened.lines == store.site.chat.listed("one")
    assert [len(opened.answers), len(opened.lines)] == [2, 1]
    assert store.site.opening.read("none") is None


def test_plans_are_changed_together_and_one_that_fails_changes_nothing(store: Store) -> None:
    def come(*players: int) -> Any:
        return lambda plan: plan.update(come=[*plan.get("come", ()), *players])

    def refuse(plan: dict[str, Any]) -> None:
        plan["come"] = [7]
        raise LapilliError("no")

    for name in ("one", "two"):
        store.site.matches.add(name, GAME, PLAN)
    changes = [("two", come(1)), ("none", come(0)), ("one", come(0)), ("two", refuse), ("two", come(0))]
    plans = store.site.opening.amend_each(changes)
    assert [plan and plan["come"] for plan in plans] == [[1], None, [0], None, [1, 0]]
    for name, players in (("one", [0]), ("two", [1, 0])):
        stored = store.site.matches.get(name)
        assert stored is not None
        assert stored.plan["come"] == players
    assert store.site.opening.amend_each([]) == []


def test_a_table_is_read_from_a_turn_and_a_line_on(store: Store) -> None:
    store.site.matches.add("one", GAME, PLAN)
    for turn in (1, 2, 3):
        store.site.matches.add_answers([NewAnswer("one", turn - 1, SiteAnswer(turn=turn, player=0, reply="1"))])
        store.site.chat.add("one", "players", "@ada", "Ada", f"line {turn}")
    lines = store.site.chat.listed("one")
    opened = store.site.opening.read("one", 2, lines[1].id)
    assert opened is not None
    assert [answer.turn for answer in opened.answers] == [2, 3]
    assert [line.text for line in opened.lines] == ["line 3"]


@pytest.mark.parametrize("laid_by", ["account:1", f"{GUEST}1"])
def test_a_table_that_is_loaded_has_a_driver_and_a_guest_has_visited_it(where: str, laid_by: str) -> None:
    with Store.open(where) as one, Store.open(where) as other:
        for store in (one, other):
            store.site.driving.report_alive(60.0)
        one.site.matches.add("one", GAME, PLAN | {"laid_by": laid_by})
        before = one.site.matches.get("one")
        assert one.site.opening.load("none", drives=True, is_visit=True) is None
        opened = [store.site.opening.load("one", drives=True, is_visit=True) for store in (one, other)]
        after = one.site.matches.get("one")
        assert before is not None
        assert after is not None
        assert (after.seen > before.seen) == laid_by.startswith(GUEST)
        assert [table and table.driven_since is None for table in opened] == [True, False]
        assert [table and table.time >= before.created for table in opened] == [True, True]
        assert one.site.driving.report_alive(60.0).mine == {"one"}
