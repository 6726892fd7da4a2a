"""Template of the default search hooks of Monte Carlo tree search, for a game that does not define its own."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import Ints, Position, Rng, kernel

rules: Verbs


@kernel
def candidates(p: Position, player: int, out: Ints, *static: Any) -> int:
    """Writes all legal actions into `out` and returns their number: every legal action is a candidate."""
    return rules.legal(p, player, out, *static)


@kernel
def may_end(p: Position, player: int, *static: Any) -> bool:
    """Returns True: in every position, some action might end the game."""
    return True


@kernel
def features(p: Position, player: int, actions: Ints, count: int, out: Any, scratch: Ints, *static: Any) -> None:
    """Writes the same pattern (0) for all actions, so that the policy makes all actions equally likely."""
    out[:count] = 0


@kernel
def choose(p: Position, player: int, style: int, rng: Rng, out: Ints, *static: Any) -> int:
    """Returns a uniformly random legal action, whatever the style."""
    return rules.random_action(p, player, rng, out, *static)
