"""Files and environment variables for bots in the sandbox that are Lapilli itself (the command `lapilli bot`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

from lapilli.kernels import compiler_choice, source_folders
from lapilli.kernels.cache import ROOT, current_folders
from lapilli.kernels.source_folders import ELSEWHERE

_CACHE = "/tmp/.cache/lapilli"
"""Folder in the sandbox in which Lapilli finds compiled kernels. HOME is /tmp there."""


def is_lapilli(words: Sequence[str]) -> bool:
    """Returns whether a command line starts Lapilli, as in `lapilli`, `python3 bin/lapilli` or `python3 -m lapilli`."""
    return "lapilli" in map(os.path.basename, words[:2]) or ("-m", "lapilli") in pairwise(words)


def shown() -> dict[str, str]:
    """Returns the folders that Lapilli needs in the sandbox, as a mapping from the path in the sandbox to the real
    path.

    These are the folder of the package, the folders of games outside the package, and the folders of compiled kernels.
    Without compiled kernels, the bot would have to compile them during its own time.
    """
    sources = {str(folder): str(folder) for folder in (ROOT, *ELSEWHERE)}
    return sources | {f"{_CACHE}/{folder.name}": str(folder) for folder in current_folders()}


def environment() -> dict[str, str]:
    """Returns the environment variables that Lapilli needs in the sandbox.

    One variable chooses Lapilli's compiler. If there are games outside the package, a second one lists their folders.
    """
    games = {source_folders.VARIABLE: os.pathsep.join(map(str, ELSEWHERE))} if ELSEWHERE else {}
    return games | {compiler_choice.VARIABLE: compiler_choice.chosen_compiler()}
