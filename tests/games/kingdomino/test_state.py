"""Draws, notation, results."""

from __future__ import annotations

import doctest
import pickle
import re
from random import Random
from typing import Any

import pytest

from games.kingdomino import walks
from lapilli.core.api import CHANCE, TERMINAL, Termination
from lapilli.core.errors import IllegalAction, PositionError, SetupError, UnknownName
from lapilli.games import kingdomino, load
from lapilli.games.kingdomino import GAME, naive
from lapilli.games.kingdomino.board import DISCARD
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState


def drawn_tiles(state: KingdominoState) -> list[list[int]]:
    """The rows that come up in a game in which the lowest action is always taken."""
    rows = []
    while not state.is_terminal():
        row = [tile for tile, _ in state.row_to_pick()]
        if row not in rows and all(row):
            rows.append(row)
        state.apply_action(state.legal_actions()[0])
    return rows


# ------------------------------------------------------------------------------------------- names, setup


def test_answers_to_its_names() -> None:
    for name in ("kingdomino", "Kingdomino", "Coders of the Realm", "coders-of-the-realm"):
        assert load(name) is GAME


@pytest.mark.parametrize("players", [3, 4])
def test_the_duel_is_for_two(players: int) -> None:
    with pytest.raises(SetupError, match="duel is for 2"):
        GAME.new_initial_state(variant="duel", players=players)


@pytest.mark.parametrize("players", [0, 1, 5, -2])
def test_numbers_of_players(players: int) -> None:
    with pytest.raises(SetupError, match="2, 3 or 4"):
        GAME.new_initial_state(players=players or 7)


def test_house_options_are_true_or_false() -> None:
    with pytest.raises(SetupError, match="harmony must be true or false"):
        GAME.new_initial_state(harmony="maybe")
    with pytest.raises(UnknownName):
        GAME.new_initial_state(dynasty=True)


# ------------------------------------------------------------------------------------------------- draws


@pytest.mark.parametrize("form", walks.FORMS)
def test_draws_follow_from_the_seed_alone(form: dict[str, Any]) -> None:
    for seed in (0, 1, -1, 2**63 - 1, -(2**63)):
        draws, pile = naive.Draws(seed), sorted(naive.TILES)
        rows = drawn_tiles(walks.start(**form, seed=seed))
        for row in rows:
            assert row == sorted(pile.pop(draws.below(len(pile))) for _ in row)
        players = form.get("players", 2)
        assert sum(map(len, rows)) == {2: 24, 3: 36, 4: 48}[players] if "variant" not in form else 48


def test_examples_of_the_rules_page() -> None:
    text = GAME.rules_page
    assert doctest.testfile("content/RULES.md", package=kingdomino, encoding="utf-8", verbose=False) == (0, 3)
    (draws,) = re.findall(r"seed 1 draws ([0-9 ]+) …", text)
    state = walks.start()
    for tile in map(int, draws.split()[:4]):
        state.apply_action(DISCARD + tile)
    assert state.legal_actions() == walks.start(seed=1).legal_actions()
    (line,) = re.findall(r"^    (9/\S+ \S+ \S+ .*)$", text, re.MULTILINE)
    assert GAME.from_position(line).position() == line


def test_players_do_not_sway_the_draws() -> None:
    random = Random(4)
    expected = drawn_tiles(walks.start(seed=77, players=4))
    rows = []
    for state in walks.random_walk({"players": 4, "seed": 77}, random, kill=0.02):
        row = [tile for tile, _ in state.row_to_pick()]
        if all(row) and row not in rows:
            rows.append(row)
    assert rows == expected[: len(rows)]
    assert len(rows) > 4


def test_open_lots_are_chance_nodes() -> None:
    state = walks.start(players=3)
    left = 48
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            outcomes = state.chance_outcomes()
            assert len(outcomes) == left
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            assert [action for action, _ in outcomes] == state.legal_actions()
            assert state.action_to_string(outcomes[0][0]).startswith("DRAW ")
            left -= 1
            state.apply_action(outcomes[-1][0])
        else:
            with pytest.raises(IllegalAction):
                state.chance_outcomes()
            state.apply_action(state.legal_actions()[0])
    assert left == 48 - 36


def test_rows_do_not_remember_the_order_of_draws() -> None:
    one, other = walks.start(), walks.start()
    for tile in (7, 3, 40, 12):
        one.apply_action(DISCARD + tile)
    for tile in (40, 12, 7, 3):
        other.apply_action(DISCARD + tile)
    assert one == other
    assert [tile for tile, _ in one.row_to_pick()] == [3, 7, 12, 40]


def test_settled_lots_leave_no_chance_nodes() -> None:
    for form in walks.FORMS:
        assert all(state.current_player() != CHANCE for state in walks.random_walk(form | {"seed": 6}, Random(1)))


def test_determinised_copies_know_nothing_of_what_comes() -> None:
    """Two games that look the same and will draw differently have the same determinised copies."""
    one = walks.start(seed=10)
    other = one.clone()
    other.record["lots"] = 123456789
    assert drawn_tiles(one.clone()) != drawn_tiles(other.clone())
    for seed in range(5):
        first, second = one.determinised(seed), other.determinised(seed)
        assert first == second
        assert pickle.dumps(first) == pickle.dumps(second)
        assert first.row_to_pick() == one.row_to_pick()
        assert first.setup.seed == seed
    futures = {str(drawn_tiles(one.determinised(seed))) for seed in range(20)}
    assert len(futures) == 20
    position = one.position()
    again = GAME.from_position(position, seed=3).determinised(1)
    assert again.setup.position is None


def test_open_lots_stay_open_when_determinised() -> None:
    state = walks.start().determinised(5)
    assert state.current_player() == CHANCE
    assert state.setup.seed is None


# ----------------------------------------------------------------------------------------------- actions


def test_illegal_actions_change_nothing() -> None:
    state = walks.start(seed=2)
    for action in (
        -1,
        0,
        DISCARD,
        DISCARD + 49,
        10**9,
        next(a for a in range(677, 725) if a not in state.legal_actions()),
    ):
        before = state.clone()
        with pytest.raises(IllegalAction):
            state.apply_action(action)
        assert state == before


@pytest.mark.parametrize(
    "text", ["", "PUT", "PUT 1 2 9", "PUT 01 2 3", "PICK 99", "DRAW 1", "DISCARD", "pick 1", "PICK ٣"]
)
def test_texts_of_no_action(text: str) -> None:
    with pytest.raises(IllegalAction):
        walks.start(seed=2).string_to_action(text)


def test_pickles_and_copies_are_equal_and_apart() -> None:
    for state in walks.random_walk({"players": 4, "seed": 1}, Random(2))[::20]:
        copy = pickle.loads(pickle.dumps(state))
        assert copy == state
        assert copy.setup == state.setup
        if not state.is_terminal():
            copy.apply_action(copy.legal_actions()[0])
            assert copy != state


# ---------------------------------------------------------------------------------------------- notation


@pytest.mark.parametrize("form", walks.FORMS)
@pytest.mark.parametrize("seed", [None, 99])
def test_positions_round_trip(form: dict[str, Any], seed: int | None) -> None:
    keys = form if seed is None else form | {"seed": seed}
    for state in walks.random_walk(keys, Random(3), kill=0.02):
        again = GAME.from_position(state.position(), **form)
        assert again.position() == state.position()
        assert again.current_player() == state.current_player()
        assert again.legal_actions() == state.legal_actions()
        assert again.record.tobytes() == state.record.tobytes()


def test_a_position_with_lots_outranks_the_seed() -> None:
    state = walks.start(seed=99)
    assert GAME.from_position(state.position(), seed=1) == state
    unsettled = state.position().rsplit(" ", 1)[0] + " open"
    assert GAME.from_position(unsettled, seed=1).record["lots"] >= 0
    assert GAME.from_position(unsettled).record["lots"] == rules.OPEN


def test_a_position_in_the_middle_of_a_draw_is_settled_by_a_seed() -> None:
    state = walks.start()
    state.apply_action(DISCARD + 9)
    settled = GAME.from_position(state.position(), seed=4)
    assert settled.current_player() == 0
    assert 9 in [action - DISCARD for action in settled.legal_actions()]


BARE = "9/9/9/9/4*4/9/9/9/9"
TWO = f"{BARE}|{BARE}"
GOOD = f"{TWO} 12:0,17:1,30:0,44:1 3:-,9:-,21:-,40:- 1-2,4-8,10,22-29 2 1 put 5 -,- open"
BAD_POSITIONS = [
    ("", "10 fields"),
    (GOOD + " x", "10 fields"),
    (GOOD.replace(BARE, BARE[2:], 1), "rows"),
    (GOOD.replace(BARE, BARE.replace("4*4", "4*5"), 1), "row 4"),
    (GOOD.replace(BARE, BARE.replace("4*4", "4*x3"), 1), "row 4"),
    (GOOD.replace(BARE, BARE.replace("4*4", "4*c++++3"), 1), "row 4"),
    (GOOD.replace(BARE, BARE.replace("4*4", "9"), 1), "castle"),
    (GOOD.replace(BARE, BARE.replace("4*4", "3*5"), 1), "castle"),
    (GOOD.replace(BARE, BARE.replace("4*4", "3c*cccc"), 1), "6 by 1"),
    (
        GOOD.replace(TWO, f"{TWO}|{BARE}"),
        "needs 3 players: players=3 in Python, 3 PLAYER arguments on the command line",
    ),
    (GOOD.replace(TWO, BARE), "2 territories"),
    (GOOD.replace(TWO, "|".join(["/".join(["13"] * 6 + ["6*6"] + ["13"] * 6)] * 2)), "--variant duel"),
    (GOOD.replace("12:0", "12"), "row in play"),
    (GOOD.replace("12:0", "49:0"), "1 to 48"),
    (GOOD.replace("12:0", "12:2"), "0 to 1"),
    (GOOD.replace("12:0", "17:0"), "two places"),
    (GOOD.replace("12:0,17:1", "17:1,12:0"), "ascending"),
    (GOOD.replace("12:0,", ""), "3 tiles"),
    (GOOD.replace("12:0", "-:0"), "3 tiles"),
    (GOOD.replace("44:1", "44:1,45:1"), "5 slots"),
    (GOOD.replace("3:-", "3:1"), "has picked 1"),
    (GOOD.replace("3:-,", ""), "3 tiles"),
    (GOOD.replace("1-2,", "12,"), "two places"),
    (GOOD.replace("1-2,4-8,10,22-29", "-"), "16 are still to be drawn"),
    (GOOD.replace("1-2", "2-1"), "2 to 48"),
    (GOOD.replace("1-2", "x"), "range"),
    (GOOD.replace(" 2 1 put", " 8 1 put"), "round"),
    (GOOD.replace(" 2 1 put", " 2 6 put"), "slot"),
    (GOOD.replace(" 2 1 put", " 2 5 put"), "nobody's"),
    (GOOD.replace("12:0", "12:-"), "nobody's"),
    (GOOD.replace("-,- open", "timeout,- open"), "nobody's"),
    (GOOD.replace("-,- open", "timeout,exited open"), "over"),
    (GOOD.replace("-,- open", "late,- open"), "fault"),
    (GOOD.replace("-,- open", "- open"), "2 players"),
    (GOOD.replace("put", "think"), "phase"),
    (GOOD.replace("put", "over"), "somebody is in the game"),
    (GOOD.replace(" 2 1 put", " 7 1 pick"), "no pick"),
    (GOOD.replace(" 2 1 put", " 1 1 pick"), "round 1"),
    (GOOD.replace("put 5", "put 0"), "turn"),
    (GOOD.replace("put 5", "put 5.0"), "turn"),
    (GOOD.replace("open", "shut"), "lots"),
    (GOOD.replace("open", "281474976710656"), "lots"),
    (GOOD.replace("open", "9" * 5000), "lots"),
    (GOOD.replace(" 2 1 put", " 2 1 draw"), "4 tiles"),
    (GOOD.replace(" 2 1 put", " 2 2 draw"), "slot is 1"),
    (GOOD.replace("-,- open", "timeout,exited open").replace(" 2 1 put", " 2 5 over"), "left last"),
]


def test_the_good_position_is_good() -> None:
    assert GAME.from_position(GOOD).current_player() == 0


@pytest.mark.parametrize(("text", "reason"), BAD_POSITIONS)
def test_bad_positions(text: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        GAME.from_position(text)


def test_positions_survive_any_scrawl() -> None:
    random = Random(1)
    for _ in range(3000):
        place = random.randrange(len(GOOD))
        scrawl = "".join(random.choice("0123456789*cfglwm+|/:-, xé") for _ in range(random.randrange(3)))
        text = GOOD[:place] + scrawl + GOOD[place + random.randrange(3) :]
        try:
            state = GAME.from_position(text)
        except PositionError:
            continue
        steps = 0
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            steps += 1
        assert steps <= GAME.max_game_length


# ----------------------------------------------------------------------------------------------- results


def final(*rows: str, **keys: Any) -> KingdominoState:
    """A finished game with these territories, each its middle rows."""
    full = [row if row.count("/") > 4 else f"9/9/9/{row}/9/9/9" for row in rows]
    number = len(full)
    lot, rounds = (3 if number == 3 else 4), (7 if number == 2 else 13)
    play = ",".join(f"{slot + 1}:{slot % number}" for slot in range(lot))
    line = f"{'|'.join(full)} {play} - - {rounds} {lot + 1} over 29 {','.join('-' * number)} open"
    state = GAME.from_position(line, players=number, **keys)
    assert isinstance(state, KingdominoState)
    assert state.current_player() == TERMINAL
    return state


def result(state: KingdominoState) -> tuple[tuple[int, ...], tuple[int, ...]]:
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores == state.scores()
    return outcome.scores, outcome.ranks


def test_zones_are_worth_size_times_crowns() -> None:
    state = final("4c+c3/4*4/4m+++m+3", "4cc3/4*4/9")
    assert state.scores() == (2 + 8, 0)
    assert result(state) == ((10, 0), (1, 2))
    assert state.returns() == [1, -1]


def test_the_larger_territory_breaks_a_tie() -> None:
    assert result(final("4c+f3/4*4/9", "4c+4/4*4/9")) == ((2, 1), (1, 2))


def test_crowns_break_a_second_tie_and_then_it_is_one() -> None:
    assert result(final("4c++f3/4*4/9", "4c+c3/4*4/9")) == ((4, 3), (1, 2))
    tie = final("4c+f3/4*4/9", "4f+g3/4*4/9")
    assert result(tie) == ((3, 3), (1, 1))
    assert tie.returns() == [0, 0]
    outcome = tie.outcome()
    assert outcome is not None
    assert outcome.reason == "the last tile was placed"


def test_a_game_that_everybody_has_left_does_not_end_with_the_last_tile() -> None:
    state = walks.start(seed=3)
    while not state.is_terminal():
        state.leave(state.current_player(), Termination.TIMEOUT)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "no player was left (out early: Blue, timeout; Orange, timeout)"


def test_tie_break_points_never_pass_a_better_score() -> None:
    """Players 0 and 1 share 2 points; the one with more land gets a third, and stays behind player 2's 3."""
    state = final("4c+c3/4*f3/9", "4c+c3/4*4/9", "4c+++4/4*4/9")
    assert result(state) == ((3, 2, 3), (2, 3, 1))
    assert state.returns() == [0, -1, 1]


def test_ties_share_ranks_among_four() -> None:
    state = final("4c+4/4*4/9", "4c+4/4*4/9", "4c+c3/4*4/9", "9/4*4/9")
    assert result(state) == ((3, 3, 2, 0), (2, 2, 1, 4))
    assert state.returns() == pytest.approx([0, 0, 1, -1])


def test_house_options() -> None:
    assert final("9/3f*g3/9", "9/4*g3/9", middle_kingdom=True).scores() == (10, 0)
    assert final("9/4*4/9", "9/4*g3/9", middle_kingdom=True).scores() == (0, 1)
    full = "9/9/2ggggg2/2ggggg2/2gg*gg2/2ggggg2/2ggggg2/9/9"
    holed = full.replace("2ggggg2", "2gggg3", 1)
    assert final(full, holed, harmony=True).scores() == (5, 0)
    assert final(full, holed, harmony=True, middle_kingdom=True).scores() == (15, 10)
    assert final(full, holed).scores() == (1, 0)
