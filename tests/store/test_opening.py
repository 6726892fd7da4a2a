"""Tables when people open them: read at once, and changed many at a time."""

from __future__ import annotations

from typing import Any

from lapilli.core.errors import LapilliError
from lapilli.store import NewAnswer, SiteAnswer, Store
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
