"""The modes that attacks are tried in, and what came of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
MODES = {
    "root, control groups": (False, True),
    "root, none": (False, False),
    "a user, control groups": (True, True),
    "a user, none": (True, False),
}
"""Whether the referee is a plain user, and whether there are control groups."""


class Told(msgspec.Struct):
    """What `referee.py` prints.

    Attributes:
        user: who it ran as. groups: what the control groups offer. outcomes: by the attack's name.
    """

    user: int
    groups: list[str]
    outcomes: dict[str, str]


@cache
def told(mode: str) -> Told:
    """What came of all attacks in a mode. Root alone can try all modes."""
    as_user, with_groups = MODES[mode]
    words = [sys.executable, "-m", "hostile.sandbox.referee", *([] if with_groups else ["--without-groups"])]
    if as_user:
        before = [sys.executable, "-m", "hostile.as_user", *(["--with-groups"] if with_groups else [])]
        words = [*before, *words]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return msgspec.convert(json.loads(done.stdout), Told)


def possible() -> list[str]:
    """The modes that can be tried here: root can be anybody, others are who they are."""
    return [mode for mode, (as_user, _) in MODES.items() if os.geteuid() == 0 or (as_user and "none" in mode)]
