"""Setups: the values from which a game starts, such as seed and number of players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted

SEED_MIN, SEED_MAX = -(2**63), 2**63 - 1
COMMON_KEYS = {"seed": int, "players": int, "variant": str, "league": str, "position": str}
"""The setup keys that every game has, with their types."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The values from which a game starts. None is a missing value; `Game.complete` replaces it by a default.

    Attributes:
        seed: 64-bit signed integer, like Java's long. It determines all random draws. Without a seed, the draws during
            the game are chance nodes, whose outcomes the caller chooses.
        players: number of players.
        variant: one of `Game.variants`.
        league: one of `Game.leagues`.
        position: notation of the position from which the game starts; None for the usual start.
        own: the game's own keys (`Game.own_keys`), for example a map.

    Raises:
        SetupError: a value has the wrong type. (NumPy integers are accepted and converted.)
    """

    seed: int | None = None
    players: int | None = None
    variant: str | None = None
    league: str | None = None
    position: str | None = None
    own: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, kind in COMMON_KEYS.items():
            value = getattr(self, key)
            if kind is int and isinstance(value, np.integer):
                object.__setattr__(self, key, int(value))
            elif value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
                raise SetupError(f"setup: {key} must be {kind.__name__}, not {quoted(value)}")

    def to_dict(self) -> dict[str, Any]:
        """Returns the setup as a flat dictionary, as records store it, without the keys whose value is None."""
        common = {key: getattr(self, key) for key in COMMON_KEYS}
        return {key: value for key, value in common.items() if value is not None} | dict(self.own)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Setup:
        """Returns the setup with the keys and values of the dictionary `data`: the inverse of `to_dict`.

        Raises:
            SetupError: a common key has the wrong type.
        """
        common = {key: data.get(key) for key in COMMON_KEYS}
        return cls(**common, own={key: value for key, value in data.items() if key not in COMMON_KEYS})
