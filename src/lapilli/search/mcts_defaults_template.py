"""A text: what stands for the kernels that a game's engine leaves out of those that Monte Carlo tree search asks."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import Ints, Position, Rng, kernel

rules: Verbs


@kernel
def candidates(p: Position, player: int, out: Ints, *world: Any) -> int:
    """All legal actions."""
    return rules.legal(p, player, out, *world)


@kernel
def may_end(p: Position, player: int, *world: Any) -> bool:
    """Always."""
    return True


@kernel
def describe(p: Position, player: int, actions: Ints, count: int, out: Any, room: Ints, *world: Any) -> None:
    """All alike."""
    out[:count] = 0


@kernel
def choose(p: Position, player: int, style: int, rng: Rng, out: Ints, *world: Any) -> int:
    """By lot, whatever the style."""
    return rules.random_action(p, player, rng, out, *world)
