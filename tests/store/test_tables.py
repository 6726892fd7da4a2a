"""Tables of the site in the store: what is changed at one changes nothing at another."""

from __future__ import annotations

from random import Random

from lapilli.store import NewAnswer, SiteAnswer, Store
from store.rated import add_account, rows

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


def test_answers_that_are_stored_together_count_as_if_stored_one_by_one(store: Store) -> None:
    matches, random = store.site.matches, Random(5)
    tables = [f"table {number}" for number in range(4)]
    for name in tables:
        matches.add(name, "tictactoe", PLAN)
    kept: dict[str, set[tuple[int, int]]] = {name: set() for name in tables}
    for _ in range(60):
        given, expected = [], []
        for _ in range(random.randint(1, 9)):
            name = random.choice([*tables, "no table"])
            known = kept.get(name, set())
            turn, player = max((turn for turn, _ in known), default=1) + random.randint(-1, 1), random.randint(0, 1)
            before = len({one for one in known if one[0] < turn}) - (random.random() < 0.1)
            given.append(NewAnswer(name, before, SiteAnswer(turn=turn, player=player, reply="N01")))
            earlier = {one for one in known if one[0] < turn}
            expected.append(name in kept and len(earlier) == before and (turn, player) not in known)
            if expected[-1]:
                known.add((turn, player))
        assert matches.add_answers(given) == expected
    for name, known in kept.items():
        assert {(one.turn, one.player) for one in matches.answers(name)} == known
        assert len(known) > 10


def test_a_guests_table_goes_with_the_results_of_a_bot(store: Store) -> None:
    add_account(store, "Ada")
    store.site.bots.add("first", "id Ada", "tictactoe", "python", "First", "")
    seats = [{"holder": "a guest's"}, {"bot": "first"}]
    for name in ("one", "other"):
        store.site.matches.add(name, "tictactoe", {"game": "tictactoe", "seats": seats, "laid_by": "~here"})
    store.site.matches.finish("one", b"record", "over", (2, 1))
    assert [row.table_id for row in rows(store)] == ["one"]
    later = store.site.matches.now() + 1
    assert store.site.matches.drop_guests(idle_since=0, over_since=later, away_since=0, most=9) == ["one", "other"]
    assert rows(store) == []
