"""Bots that are Lapilli itself, `lapilli bot GAME`: what they need in the sandbox beside what every bot has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

from lapilli.kernels.cache import ROOT, current_folders
from lapilli.kernels.source_folders import ELSEWHERE, VARIABLE

_CACHE = "/tmp/.cache/lapilli"
"""Where it looks for compiled kernels, as its HOME is the sandbox's /tmp."""


def is_lapilli(words: Sequence[str]) -> bool:
    """Whether a command line starts Lapilli: as a program, as one that an interpreter runs, or as a module."""
    return "lapilli" in map(os.path.basename, words[:2]) or ("-m", "lapilli") in pairwise(words)


def shown() -> dict[str, str]:
    """What it is to see, by the paths at which it sees it: the package, games elsewhere, and the compiled kernels,
    without which it would compile while its time runs."""
    sources = {str(folder): str(folder) for folder in (ROOT, *ELSEWHERE)}
    return sources | {f"{_CACHE}/{folder.name}": str(folder) for folder in current_folders()}


def environment() -> dict[str, str]:
    """The variables that it is to have."""
    return {VARIABLE: os.pathsep.join(map(str, ELSEWHERE))} if ELSEWHERE else {}
