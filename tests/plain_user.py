"""Starts programs as a user without rights, where the tests run as root: a public site refuses to run as root.

Python and this folder may lie where only root looks (below /root, or a temporary folder). Then the program gets a mount
namespace of its own, in which they can be reached at their usual places.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from lapilli.kernels.cache import cache_base

ROOT = Path(__file__).resolve().parents[1]
_USER = "daemon"
"""A user that every system has and that owns nothing."""


def is_root() -> bool:
    return os.geteuid() == 0


def plain_ids() -> tuple[int, int]:
    """The user's number and its group's."""
    user = pwd.getpwnam(_USER)
    return user.pw_uid, user.pw_gid


def as_plain_user(command: Sequence[str], *folders: Path) -> list[str]:
    """What starts a command as that user, in the same process; the command itself where we are not root.

    Args:
        folders: those it works in; they become the user's.
    """
    for folder in folders:
        give(folder)
    return seeing(command, *folders)


def give(folder: Path) -> None:
    """Makes a folder that user's, where we are root."""
    if is_root():
        os.chown(folder, *plain_ids())


def seeing(command: Sequence[str], *folders: Path) -> list[str]:
    """What starts a command as that user, who can then reach these folders, too, whoever's they are."""
    if not is_root():
        return list(command)
    uid, gid = plain_ids()
    python = map(Path, (sys.prefix, sys.base_prefix))
    setting = "\n".join(_showing([*python, ROOT / "src", ROOT / "tests", *folders, _cache()]))
    started = f"exec setpriv --reuid={uid} --regid={gid} --clear-groups -- {shlex.join(command)}"
    space = ["unshare", "--mount", "--propagation=private"] if setting else []
    return [*space, "sh", "-euc", f"{setting}\n{started}"]


def plain_environment(home: Path) -> dict[str, str]:
    """What to add to the environment of such a command."""
    if not is_root():
        return {}
    path = f"{os.environ['PATH']}:{sys.base_prefix}/bin"
    return {"HOME": str(home), "PATH": path, "NUMBA_CACHE_DIR": str(_cache())}


@cache
def _cache() -> Path:
    """A copy of the compiled kernels, since nobody takes machine code that is somebody else's."""
    folder = Path(tempfile.mkdtemp(prefix="lapilli-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(cache_base(), folder / "lapilli")
    for at, folders, files in os.walk(folder):
        for path in (at, *(os.path.join(at, name) for name in (*folders, *files))):
            os.chown(path, *plain_ids())
    return folder


def _showing(places: Sequence[Path]) -> Iterator[str]:
    """Commands that put those places over folders that others may not enter."""
    stages: dict[Path, Path] = {}
    for place in sorted({place.resolve() for place in places}):
        hidden = next((above for above in reversed(place.parents) if not above.stat().st_mode & 0o001), None)
        if hidden is None:
            continue
        if hidden not in stages:
            stages[hidden] = Path(tempfile.mkdtemp(prefix="lapilli-tests-"))
            atexit.register(stages[hidden].rmdir)
            yield f"mount -t tmpfs -o mode=755 tests {stages[hidden]}"
        shown = shlex.quote(str(stages[hidden] / place.relative_to(hidden)))
        yield f"mkdir -p {shown} && mount --rbind {shlex.quote(str(place))} {shown}"
    for hidden, stage in stages.items():
        yield f"mount --rbind {stage} {shlex.quote(str(hidden))}"
