"""The search's own parts: plans, drafts, the learned value; and what it must find where all is known."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest

from games.kingdomino import walks
from lapilli.core.search.search_result import SearchResult
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.board import MAX_LEGAL, TILE, TILES
from lapilli.games.kingdomino.engine.draft import beats, draft
from lapilli.games.kingdomino.engine.network.features import survey_pile
from lapilli.games.kingdomino.engine.network.value import outlook
from lapilli.games.kingdomino.engine.network.weights import read_weights
from lapilli.games.kingdomino.engine.plan import extend, promising
from lapilli.games.kingdomino.engine.rounds import prepare_player, value_after_rounds, write_next_round
from lapilli.games.kingdomino.engine.scratch import WIDEST, DraftScratch, new_draft_scratch
from lapilli.games.kingdomino.rules.territory import lay, placements
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.players.engines.searches import find_search
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher


def searched(state: KingdominoState, nodes: int = 16) -> SearchResult:
    searcher = new_searcher(GAME, GAME.searches["draft"], {})
    return searcher.search(state.clone(), state.current_player(), Budget(nodes=nodes), 1)


def late(seed: int, rounds: int, **form: object) -> KingdominoState:
    """A greedy player's match against random turns, with so many rounds to go, this one included."""
    state, random = walks.start(**form, seed=seed), Random(seed)
    while int(state.record["rounds"]) - int(state.record["this_round"]) >= rounds:
        for action in GAME.engines["greedy"](state.clone(), state.current_player(), random):
            state.apply_action(action)
    return state


def new_scratch(state: KingdominoState) -> DraftScratch:
    scratch = new_draft_scratch(read_weights())
    survey_pile(state.array["pile"][0], scratch.network.stock)
    return scratch


def best_end(state: KingdominoState, player: int, tiles: list[int]) -> float:
    """The most that the player's territory can come to with these tiles, put in this order."""
    if not tiles:
        return outlook(state.record, player, 0, 0, new_scratch(state).network)
    actions = np.zeros(1024, np.int64)
    count = placements(state.record, player, TILE[tiles[0], 0], TILE[tiles[0], 2], actions)
    best = -1.0
    for action in actions[:count].tolist():
        child = state.clone()
        lay(child.record, player, tiles[0], action)
        best = max(best, best_end(child, player, tiles[1:]))
    return best if count else best_end(state, player, tiles[1:])


def tiles_left(state: KingdominoState, player: int) -> list[int]:
    """What the player still has to put of the row in play."""
    slot = int(state.record["slot"])
    return [tile for tile, owner in state.row_in_play()[slot:] if owner == player]


@pytest.mark.parametrize("form", walks.FORMS)
def test_the_last_round_is_played_perfectly(form: dict[str, object]) -> None:
    for seed in range(4):
        state = late(seed, 1, **form)
        wanted = [best_end(state, player, tiles_left(state, player)) for player in range(state.num_players)]
        while not state.is_terminal():
            found = searched(state)
            own = state.current_player()
            expected = [(wanted[own] > other) + 0.5 * (wanted[own] == other) for other in wanted]
            assert found.value == pytest.approx((sum(expected) - 0.5) / (len(wanted) - 1), abs=0.002)
            state.apply_action(found.turn[0])
        scratch = new_scratch(state)
        assert [outlook(state.record, player, 0, 0, scratch.network) for player in range(state.num_players)] == wanted


def test_the_last_pick_is_followed_by_the_best_puts() -> None:
    """The last tile to pick is forced: with it and those before, the search finds the best territory there is."""
    for seed in range(6):
        state = late(seed, 2)
        while int(state.record["slot"]) < 3:
            for action in searched(state).turn:
                state.apply_action(action)
        player = state.current_player()
        (rest,) = [tile for tile, owner in state.row_to_pick() if owner < 0]
        later = [tile for tile, owner in state.row_to_pick() if owner in (player, -1)]
        wanted = best_end(state, player, [*tiles_left(state, player), *later])
        for action in searched(state).turn:
            state.apply_action(action)
        assert rest in [tile for tile, owner in state.row_in_play() if owner == player]
        assert best_end(state, player, tiles_left(state, player)) == wanted


def test_a_plan_for_one_tile_is_the_best_place() -> None:
    random = Random(4)
    for seed in range(10):
        state = late(seed, random.randrange(2, 6))
        scratch, player, tile = new_scratch(state), seed % 2, random.randrange(1, TILES + 1)
        actions = np.zeros(1024, np.int64)
        count = placements(state.record, player, TILE[tile, 0], TILE[tile, 2], actions)
        worth = []
        for action in actions[:count].tolist():
            child = state.clone()
            lay(child.record, player, tile, action)
            worth.append(outlook(child.record, player, 2, 0, scratch.network))
        scratch.nodes[0] = state.record
        found = extend(scratch, 0, 1, WIDEST, 3, player, tile, 2, 0)
        best = sorted(set(worth), reverse=True)[:3]
        assert scratch.worth[WIDEST : WIDEST + found].tolist() == best


def test_promising_places_come_first_and_all_are_there() -> None:
    random = Random(7)
    for seed in range(8):
        state = late(seed, random.randrange(2, 6))
        scratch, player, tile = new_scratch(state), seed % 2, random.randrange(1, TILES + 1)
        actions = np.zeros(1024, np.int64)
        count = placements(state.record, player, TILE[tile, 0], TILE[tile, 2], actions)
        legal = set(actions[:count].tolist())
        found = scratch.actions[: promising(state.record, player, tile, MAX_LEGAL, scratch)].tolist()
        assert set(found) <= legal
        results = [{end_of(state, player, tile, action) for action in some} for some in (found, legal)]
        assert results[0] == results[1]
        assert scratch.actions[: promising(state.record, player, tile, 3, scratch)].tolist() == found[:3]


def end_of(state: KingdominoState, player: int, tile: int, action: int) -> bytes:
    """The player's territory after this action."""
    child = state.clone()
    lay(child.record, player, tile, action)
    return bytes(child.record["land"][player].tobytes())


def test_who_picks_first_in_the_next_round_expects_more() -> None:
    more = []
    for seed in range(10):
        state = late(seed, 4)
        network = new_scratch(state).network
        more.append(outlook(state.record, 0, 6, 0b0011, network) - outlook(state.record, 0, 6, 0b1100, network))
    assert sum(more) / len(more) > 0.5


@pytest.mark.parametrize("rounds", [2, 3])
def test_picked_tiles_are_placed_when_the_next_row_is_known(rounds: int) -> None:
    """Until then they are in play. Only after the last draw they are placed at once."""
    state = late(3, rounds)
    scratch, starts = new_scratch(state), state.array.copy()
    for player in range(2):
        prepare_player(state.record, player, -1, 3, scratch)
    scratch.best[:2] = 0b0101, 0b1010
    row = [tile for tile, _owner in state.row_to_pick()]
    write_next_round(state.record, starts[0], scratch.best, scratch)
    assert starts[0]["play_tile"].tolist() == (row if rounds > 2 else [0] * 4)
    assert starts[0]["play_owner"].tolist() == [0, 1, 0, 1]
    for player in range(2):
        before, after = (covered_squares(p, player) for p in (state.record, starts[0]))
        assert after - before <= 4 if rounds > 2 else after - before > 4


def covered_squares(p: np.void, player: int) -> int:
    return sum(int(word).bit_count() for word in p["land"][player][:6])


def drafted(state: KingdominoState, table: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> dict[int, int]:
    """Who gets what when each picks its best, by trying all orders; for matches in which each picks once."""
    order = [owner for _tile, owner in state.row_in_play()]

    def best(taken: tuple[int, ...]) -> tuple[int, ...]:
        if len(taken) == len(order):
            return taken
        picker = order[len(taken)]
        ends = [best((*taken, slot)) for slot in range(len(order)) if slot not in taken]
        return max(ends, key=lambda end: worth(end, picker))

    def worth(end: tuple[int, ...], player: int) -> float:
        own = {owner: table[owner, 1 << slot] for owner, slot in zip(order, end, strict=True)}
        return sum(beats(own[player] - own[other], 8.0) for other in own if other != player)

    return {owner: 1 << slot for owner, slot in zip(order, best(()), strict=True)}


def test_a_draft_is_what_each_would_pick() -> None:
    random = Random(2)
    state = walks.start(players=4, seed=2)
    for order in list(permutations(range(4)))[::5]:
        scratch = new_scratch(state)
        weights = scratch.network.weights
        network = scratch.network._replace(weights=weights._replace(spread=np.full((4, 25), 8.0)))
        scratch = scratch._replace(network=network)
        state.record["play_owner"] = order
        scratch.table[:] = [[random.uniform(0, 20) for _ in range(16)] for _ in range(4)]
        draft(state.record, -1, scratch)
        assert dict(enumerate(scratch.best[:4].tolist())) == drafted(state, scratch.table)


def test_a_lead_is_worth_what_the_normal_distribution_says() -> None:
    for lead, wanted in ((0, 0.5), (4, 0.6915), (8, 0.8413), (16, 0.9772), (-8, 0.1587), (80, 1), (-80, 0)):
        assert beats(float(lead), 8.0) == pytest.approx(wanted, abs=0.002)
    assert [beats(lead, 0.0) for lead in (-1.0, 0.0, 1.0)] == [0, 0.5, 1]


def points_won(better: str, worse: str, pairs: int) -> float:
    """The share of points of one level against another in matches in pairs, on nodes alone."""
    won = 0.0
    for seed in range(pairs):
        for seat in range(2):
            state, random = walks.start(seed=seed), Random(seed)
            searches = [find_search(GAME, better if player == seat else worse) for player in range(2)]
            searchers = [new_searcher(GAME, named.search, {}) for named in searches if named]
            while not state.is_terminal():
                player = state.current_player()
                budget = getattr(searches[player], "budget", None) or Budget(nodes=1)
                for action in searchers[player].search(state.clone(), player, budget, random.getrandbits(60)).turn:
                    state.apply_action(action)
            won += (state.returns()[seat] + 1) / 2
    return won / (2 * pairs)


def test_a_level_four_steps_up_wins() -> None:
    for level in (1, 3, 6):
        assert points_won(f"level{level + 4}", f"level{level}", 12) > 0.6


def test_what_has_left_the_game_is_played_round() -> None:
    state = walks.start(players=3, seed=5)
    for _ in range(4):
        for action in searched(state).turn:
            state.apply_action(action)
    GAME.verbs.leave(state.record, state.current_player(), 1)
    while not state.is_terminal():
        for action in searched(state, nodes=2).turn:
            state.apply_action(action)
    assert sum(map(state.is_out, range(3))) == 1


@pytest.mark.parametrize("form", walks.FORMS)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_sample_of_several_rounds_draws_the_tiles_of_each(form: dict[str, object], rounds: int) -> None:
    state = late(5, 5, **form)
    position = state.array.copy()
    p = position[0]
    p["play_tile"] = 0  # as if all tiles of the round had been put
    pile, lot = int(p["pile"]).bit_count(), int(p["lot"])
    value = value_after_rounds(p, 0, rounds, new_scratch(state))
    assert -0.002 <= value <= 1.002  # a lead counts a little, also when the match is won
    assert pile - int(p["pile"]).bit_count() == (rounds - 1) * lot
    assert np.count_nonzero(p["pick_tile"]) == lot
