"""Seeds of built-in opponents: the same in a match and in a batch of environments."""

from __future__ import annotations

from hashlib import sha256

from lapilli.kernels.kernel import Rng, new_random


def opponent_random(seed: int, player: int) -> Rng:
    """Returns the generator from which an opponent draws a seed for each of its turns.

    Args:
        seed: seed of the opponent. All players of a match may have the same.
        player: the opponent's player number.
    """
    return new_random(int.from_bytes(sha256(f"{seed}/{player}".encode()).digest()[:8], "big"))
