"""Where the page's scripts can be changed by a single operator or number: as in plain Python, with a real parser."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mutation.sites import Lines, Mutant

_PROGRAM = Path(__file__).with_suffix(".mjs")


def script_mutants_of(root: Path, files: Sequence[Path]) -> list[Mutant]:
    """All mutants of these scripts, in the order of their places. Needs Node.js, and what `npm ci` installs.

    Args:
        root: the checkout's root, from which the files' paths lead.
    """
    paths = json.dumps([str(root / file) for file in files])
    listed = subprocess.run(
        ["node", str(_PROGRAM)], input=paths, stdout=subprocess.PIPE, check=True, text=True, encoding="utf-8"
    )
    found = []
    for file, changes in zip(files, json.loads(listed.stdout), strict=True):
        lines = Lines((root / file).read_bytes())
        ordered = sorted({(one["start"], one["end"], one["after"], one["function"]) for one in changes})
        found += [lines.mutant(file, function, 0, (start, end, after)) for start, end, after, function in ordered]
    return found
