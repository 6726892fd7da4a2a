"""Runs the quick tests where little is as usual; words after the command go to pytest.

The checkout and its virtual environment lie in a folder with blanks in its name. A user without rights runs them (if
root starts this), with a home that cannot be written to, umask 077, the locale C and one processor, in random order.
Python warns of all it can (`-X dev`), and a warning is an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from plain_user import ROOT, as_plain_user, is_root, plain_ids

PIP = ("-m", "pip", "install", "--quiet")


def copy_checkout(place: Path) -> None:
    """Copies the files that git knows or would add, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    for name in map(os.fsdecode, filter(None, listed.stdout.split(b"\0"))):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)


def install(checkout: Path, environment: Path) -> Path:
    """Makes the virtual environment; its Python."""
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    subprocess.run([python, *PIP, "--upgrade", "pip"], check=True)
    subprocess.run([python, *PIP, "-e", ".", "--group", "test"], cwd=checkout, check=True)
    return python


def give_away(folder: Path) -> None:
    """Makes the plain user the owner of all that is there."""
    for at, _, files in os.walk(folder):
        for path in (at, *(os.path.join(at, name) for name in files)):
            os.lchown(path, *plain_ids())


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="an odd place ") as folder:
        place = Path(folder)
        checkout, home, scratch = place / "a checkout", place / "home", place / "scratch"
        for made in (checkout, home, scratch):
            made.mkdir()
        copy_checkout(checkout)
        python = install(checkout, place / "an environment")
        if is_root():
            give_away(place)
        home.chmod(0o500)
        tests = [str(python), "-X", "dev", "-W", "error", "-m", "pytest", "-p", "randomly", "-n", "1", *sys.argv[1:]]
        command = ["taskset", "--cpu-list", "0", "sh", "-c", 'umask 077 && exec "$@"', "sh", *tests]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "NUMBA_"))}
        environment |= {"HOME": str(home), "LANG": "C", "LC_ALL": "C", "TMPDIR": str(scratch)}
        environment["XDG_CACHE_HOME"] = str(scratch)  # else every process would compile all its kernels
        return subprocess.run(as_plain_user(command, place), cwd=checkout, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
