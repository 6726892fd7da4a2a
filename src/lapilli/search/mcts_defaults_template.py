"""Template of the default kernels of Monte Carlo tree search, for those that a game's engine does not define."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import Ints, Position, Rng, kernel

rules: Verbs


@kernel
def candidates(p: Position, player: int, out: Ints, *world: Any) -> int:
    """Returns all legal actions."""
    return rules.legal(p, player, out, *world)


@kernel
def may_end(p: Position, player: int, *world: Any) -> bool:
    """Returns always true."""
    return True


@kernel
def describe(p: Position, player: int, actions: Ints, count: int, out: Any, room: Ints, *world: Any) -> None:
    """Describes all actions by the same pattern, so that they are equally likely."""
    out[:count] = 0


@kernel
def choose(p: Position, player: int, style: int, rng: Rng, out: Ints, *world: Any) -> int:
    """Returns a random legal action, whatever the style."""
    return rules.random_action(p, player, rng, out, *world)
