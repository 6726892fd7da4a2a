"""The modes that attacks are tried in, and what came of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

import msgspec

from lapilli.players.processes.cgroups import hierarchies
from plain_user import as_plain_user, is_root, plain_environment, plain_ids

TESTS = Path(__file__).resolve().parents[2]
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
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as home, ExitStack() as groups:
        if as_user:
            words = as_plain_user(words, Path(home))
            environment |= plain_environment(Path(home))
        if as_user and with_groups and is_root():
            own = [groups.enter_context(_group(place.folder)) for place in hierarchies()]
            words = [
                "sh",
                "-c",
                f'for group in {" ".join(own)}; do echo $$ >$group/cgroup.procs; done; exec "$@"',
                "sh",
                *words,
            ]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return msgspec.convert(json.loads(done.stdout), Told)


@contextmanager
def _group(place: str) -> Iterator[str]:
    """A control group in which the plain user may make others, as systemd gives some to its users."""
    folder = Path(place, f"lapilli-test-{uuid4().hex}")
    folder.mkdir()
    for file in (folder, *folder.iterdir()):
        os.chown(file, *plain_ids())
    yield str(folder)
    folder.rmdir()


def possible() -> list[str]:
    """The modes that can be tried here: root can be anybody, others are who they are."""
    return [mode for mode, (as_user, _) in MODES.items() if os.geteuid() == 0 or (as_user and "none" in mode)]
