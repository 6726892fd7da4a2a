"""Runs a program as another user than root, and where asked with control groups of its own, as systemd gives them.

    PYTHONPATH=tests python -m hostile.as_user [--with-groups] PROGRAM [WORD …]

Only root can run this. Folders on the way to this interpreter and to this checkout that only root may enter, such as
/root, look empty to the program, but for these.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

from lapilli.players import spawning
from lapilli.players.cgroups import hierarchies

USER = 61_000
CHECKOUT = Path(__file__).resolve().parents[2]


def open_ways(places: Iterable[Path]) -> None:
    """Makes places reachable for everybody, in a mount namespace of this process's own."""
    closed: dict[Path, list[Path]] = {}
    for place in places:
        for folder in reversed(place.parents):
            if not folder.stat().st_mode & stat.S_IXOTH:
                closed.setdefault(folder, []).append(place)
                break
    spawning._enter_new_namespace()
    for folder, below in closed.items():
        trees = [spawning._tree(str(place), USER) for place in below]
        spawning._call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"mode=755")
        for place, tree in zip(below, trees, strict=True):
            place.mkdir(parents=True)
            target = os.fsencode(place)
            spawning._call("syscall", spawning._MOVE_MOUNT, tree, b"", spawning._AT_FDCWD, target, 4)


def own_groups() -> Iterator[Path]:
    """Makes control groups that the user may make others in."""
    for hierarchy in hierarchies():
        folder = Path(hierarchy.folder, f"lapilli-test-{uuid4().hex}")
        folder.mkdir()
        for file in (folder, *folder.iterdir()):
            os.chown(file, USER, USER)
        yield folder


def run(program: list[str]) -> NoReturn:
    """Becomes the program, as the user."""
    home = Path("/tmp", f"lapilli-home-{USER}")
    home.mkdir(exist_ok=True)
    os.chown(home, USER, USER)
    open_ways({Path(sys.base_prefix), Path(sys.prefix), CHECKOUT})
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    os.chdir(home)
    os.environ |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    os.execvp(program[0], program)


def main() -> None:
    with_groups = sys.argv[1] == "--with-groups"
    groups = list(own_groups()) if with_groups else []
    child = os.fork()
    if child == 0:
        for group in groups:
            (group / "cgroup.procs").write_text(str(os.getpid()))
        run(sys.argv[2:] if with_groups else sys.argv[1:])
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for group in groups:
        group.rmdir()
    sys.exit(code)


if __name__ == "__main__":
    main()
