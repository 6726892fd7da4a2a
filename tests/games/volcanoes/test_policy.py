"""The learned policy's patterns: the sphere's symmetries, the priors they make, and some kept to the last bit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.core.search.policy import action_probabilities
from lapilli.games.volcanoes import GAME, rules
from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS, TILES
from lapilli.games.volcanoes.engine import policy
from lapilli.games.volcanoes.state import VolcanoesState

KEPT = Path(__file__).with_name("priors.json")
"""Positions, and what the weights that come with the game say of them; `python -m games.volcanoes.test_policy` writes
it."""


def symmetries() -> list[list[int]]:
    """All ways to map tiles to tiles so that neighbours stay neighbours."""
    found = []
    for image in range(TILES):
        for turned in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
            mapped = {0: image, **{NEIGHBOURS[0][k]: NEIGHBOURS[image][turned[k]] for k in range(3)}}
            extended = extend(mapped)
            if extended is not None:
                found.append(extended)
    return found


def extend(mapped: dict[int, int]) -> list[int] | None:
    """The map that this start of one leads to, if there is one: what lies round a corner of the sphere follows."""
    rings = [set(ring) for ring in (*policy._rings(5), *policy._rings(6))]
    of_ring = {frozenset(ring) for ring in rings}
    changed = True
    while changed and len(mapped) < TILES:
        changed = False
        for tile in list(mapped):
            missing = [near for near in NEIGHBOURS[tile] if near not in mapped]
            left = [near for near in NEIGHBOURS[mapped[tile]] if near not in mapped.values()]
            if len(missing) == len(left) == 1:
                mapped[missing[0]] = left[0]
                changed = True
            elif len(missing) == len(left) == 2:
                known = next(near for near in NEIGHBOURS[tile] if near in mapped)
                for near in missing:
                    ring = next(ring for ring in rings if {tile, near, known} <= ring)
                    others = [far for far in NEIGHBOURS[known] if far in ring and far != tile and far in mapped]
                    for far in others:
                        wanted = {mapped[tile], mapped[known], mapped[far]}
                        images = [one for one in left if any(wanted | {one} <= set(other) for other in of_ring)]
                        if len(images) == 1:
                            mapped[near] = images[0]
                            changed = True
                            break
                    if changed:
                        break
    if len(mapped) < TILES or sorted(mapped.values()) != list(range(TILES)):
        return None
    image = [mapped[tile] for tile in range(TILES)]
    fits = all({image[near] for near in NEIGHBOURS[tile]} == set(NEIGHBOURS[image[tile]]) for tile in range(TILES))
    return image if fits else None


def mapped(p: Any, image: list[int]) -> Any:
    """A position with all tiles where the map takes them."""
    moved = np.array([p], rules.VOLCANOES)
    for field in ("blue", "orange", "low", "high"):
        words = [0, 0]
        for tile in range(TILES):
            word = int(p[f"{field}_{'north' if tile < HEMISPHERE else 'south'}"])
            if word >> tile % HEMISPHERE & 1:
                words[image[tile] // HEMISPHERE] |= 1 << image[tile] % HEMISPHERE
        moved[f"{field}_north"], moved[f"{field}_south"] = words
    return moved[0]


def positions(games: int) -> Iterator[VolcanoesState]:
    """Every position of random games in which a player is to move."""
    for seed in range(games):
        state, random = GAME.new_initial_state(), Random(seed)
        while not state.is_terminal():
            if state.current_player() >= 0:
                one = state.clone()
                assert isinstance(one, VolcanoesState)
                yield one
            state.apply_action(random.choice(state.legal_actions()))


def described(p: Any, player: int, actions: list[int]) -> Any:
    out = np.zeros((len(actions), policy.POLICY.features), np.int64)
    policy.features(
        p, player, np.array(actions, np.int64), len(actions), out, np.zeros(policy.POLICY.scratch, np.int64)
    )
    return out


def priors(state: VolcanoesState, weights: Any) -> Any:
    """What the weights say of every legal tile, as searches keep it: float32."""
    numbers = described(state.record, state.current_player(), state.legal_actions())
    likely = np.zeros(len(numbers))
    action_probabilities(weights, numbers, len(numbers), likely)
    return likely.astype(np.float32)


def test_the_spheres_120_symmetries_make_no_difference() -> None:
    """Each tile has the same patterns wherever the whole position is turned or reflected to."""
    images = symmetries()
    assert len(images) == len({tuple(image) for image in images}) == 120
    random = Random(1)
    for state in list(positions(4))[::5]:
        player, actions = state.current_player(), state.legal_actions()
        image = random.choice(images)
        once = described(state.record, player, actions)
        again = described(mapped(state.record, image), player, [image[tile] for tile in actions])
        assert [sorted(row) for row in once.tolist()] == [sorted(row) for row in again.tolist()]


def test_tiles_that_look_different_have_different_patterns() -> None:
    """What any tile that shares a corner with another looks like is told apart in some position."""
    state = GAME.new_initial_state()
    for tile in (0, 1, 7, 20, 21, 33):
        empty = set(described(state.record, 0, [tile])[0].tolist())
        for ring in (*policy._rings(5), *policy._rings(6)):
            for other in set(ring) - {tile} if tile in ring else ():
                after = state.clone()
                after.apply_action(other)
                assert set(described(after.record, 0, [tile])[0].tolist()) != empty, (tile, other)


def test_priors_are_a_softmax_of_the_patterns_weights_and_the_same_for_both_sides() -> None:
    weights = np.random.default_rng(1).normal(size=policy.PATTERNS).astype(np.float32)
    for state in positions(4):
        player, actions = state.current_player(), state.legal_actions()
        found = priors(state, weights)
        likely = np.exp([sum(float(weights[one]) for one in row) for row in described(state.record, player, actions)])
        assert found == pytest.approx(likely / likely.sum(), rel=1e-5)
        board, turn = state.position().split()
        turned = board.translate(str.maketrans("1234abcd", "abcd1234"))
        other = GAME.from_position(f"{turned} {(int(turn) + 2) % 6 + 1}")
        assert isinstance(other, VolcanoesState)
        assert other.current_player() == 1 - player
        assert priors(other, weights).tobytes() == found.tobytes()


def test_patterns_have_weights_of_their_own_kind() -> None:
    ends = policy.OF_STAR, policy.OF_NEAR, policy.OF_FIVE, policy.OF_SIX, policy.PATTERNS
    for state in positions(8):
        for tile, row in zip(state.legal_actions(), described(state.record, 0, state.legal_actions()), strict=True):
            kinds = np.searchsorted(ends, row, side="right") - 1
            assert kinds.tolist() == [0, 1, 1, 1, 3, 3, 2 if policy.IS_CORNER[tile] else 3]


def test_the_priors_of_the_weights_that_come_with_the_game_are_the_same_to_the_last_bit() -> None:
    weights = GAME.weights
    kept = json.loads(KEPT.read_text())
    assert len(kept) > 3
    for position, bits in kept.items():
        state = GAME.from_position(position)
        assert isinstance(state, VolcanoesState)
        assert priors(state, weights).tobytes().hex() == bits


if __name__ == "__main__":
    shown = list(positions(2))[2::9]
    held = GAME.weights
    KEPT.write_text(json.dumps({one.position(): priors(one, held).tobytes().hex() for one in shown}, indent=1) + "\n")
