"""Tables of the site in the store: what is changed at one changes nothing at another."""

from __future__ import annotations

from lapilli.store import NewAnswer, SiteAnswer, Store

PLAN = {"game": "tictactoe", "seats": []}


def answer(turn: int, player: int = 0) -> SiteAnswer:
    return SiteAnswer(turn=turn, player=player, milliseconds=1.0, reply=f"reply {turn}")


def test_turns_are_taken_back_at_their_own_table(store: Store) -> None:
    matches = store.site.matches
    for table in ("one", "other"):
        matches.add(table, "tictactoe", PLAN)
        for turn in range(1, 5):
            assert matches.add_answers([NewAnswer(table, turn - 1, answer(turn))]) == [True]
    plan = matches.drop_answers("one", 3, lambda stored: stored.update(taken_back=1))
    assert plan["taken_back"] == 1
    assert [given.turn for given in matches.answers("one")] == [1, 2]
    assert [given.turn for given in matches.answers("other")] == [1, 2, 3, 4]
    found = matches.get("other")
    assert found is not None
    assert "taken_back" not in found.plan
