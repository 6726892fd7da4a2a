"""Converts setups for study pages, which send them back. JavaScript rounds large integers, so large seeds are
strings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

EXACT = 2**53
"""JavaScript stores all integers up to this number exactly."""
_SEED = re.compile("-?[0-9]{1,19}")


def for_pages(setup: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a setup, in the format of `Setup.to_dict`, in which a large seed is a string."""
    seed = setup.get("seed")
    is_large = isinstance(seed, int) and abs(seed) > EXACT
    return {**setup, "seed": str(seed)} if is_large else dict(setup)


def from_pages(setup: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a setup that a page has sent, in the format of `Setup.to_dict`. A missing seed is 0."""
    seed = setup.get("seed")
    if isinstance(seed, str) and _SEED.fullmatch(seed):
        seed = int(seed)
    return {**setup, "seed": 0 if seed is None else seed}
