"""Bots that are Lapilli itself, `lapilli bot GAME`: what they need in the sandbox beside what every bot has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

from lapilli.games.codecache import ROOT, cache_base
from lapilli.games.elsewhere import ELSEWHERE, VARIABLE

KERNELS = "/kernels"
"""Where the sandbox shows the compiled kernels: without them a bot would compile while its time runs."""
COPYING = f"mkdir -p /tmp/.cache/lapilli && cp -R {KERNELS}/. /tmp/.cache/lapilli && "
"""What a shell does in it before the bot starts: the compiler wants a folder that it can write to."""


def is_lapilli(words: Sequence[str]) -> bool:
    """Whether a command line starts Lapilli: as a program, as one that an interpreter runs, or as a module."""
    return "lapilli" in map(os.path.basename, words[:2]) or ("-m", "lapilli") in pairwise(words)


def shown() -> list[str]:
    """The folders that it is to see: its package's, and those of games elsewhere."""
    return [str(ROOT), *map(str, ELSEWHERE)]


def environment() -> dict[str, str]:
    """The variables that it is to have: HOME is the sandbox's /tmp, where the kernels are copied to."""
    return {VARIABLE: os.pathsep.join(map(str, ELSEWHERE))} if ELSEWHERE else {}


def walls() -> list[str]:
    """The options of bubblewrap that show the kernels."""
    return ["--ro-bind", str(cache_base()), KERNELS]
