"""Bots that are Lapilli itself, `lapilli bot GAME`: what they need in the sandbox besides what every bot has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

from lapilli.kernels.cache import ROOT, current_folders
from lapilli.kernels.source_folders import ELSEWHERE, VARIABLE

_CACHE = "/tmp/.cache/lapilli"
"""Where Lapilli looks for compiled kernels in the sandbox: its HOME is the sandbox's /tmp."""


def is_lapilli(words: Sequence[str]) -> bool:
    """Returns whether a command line starts Lapilli: as a program, as a script of an interpreter, or as a module."""
    return "lapilli" in map(os.path.basename, words[:2]) or ("-m", "lapilli") in pairwise(words)


def shown() -> dict[str, str]:
    """Returns the files it has to see, as a mapping from the path in the sandbox to the real path: the package, games
    in other folders, and the compiled kernels. Without those it would have to compile during its time.
    """
    sources = {str(folder): str(folder) for folder in (ROOT, *ELSEWHERE)}
    return sources | {f"{_CACHE}/{folder.name}": str(folder) for folder in current_folders()}


def environment() -> dict[str, str]:
    """Returns the environment variables it needs."""
    return {VARIABLE: os.pathsep.join(map(str, ELSEWHERE))} if ELSEWHERE else {}
