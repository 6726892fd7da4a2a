"""Writes into the documentation what its commands print: python docs/outputs.py [--quick] [PAGE …]

A comment says that a block below commands holds their output. This script runs the commands, and replaces the block:

    <!-- before:
    lapilli new volcanoes mybot
    -->
    ```sh
    lapilli match volcanoes "python3 mybot/bot.py" greedy --seed 7
    ```

    <!-- output quick last=6 -->
    ```text
    ```

`before` has commands that make what the page takes for granted; what they print is not shown. In the other comment,
`quick` is a promise that the commands take seconds and print the same each time, but for times: a test runs them, too.
`first=N` and `last=N` shorten the output of each command to so many lines; with `last=4,0`, that of the first command
to four lines and that of the second one to none. A `…` stands for what is left out. `stop` sends Ctrl-C to each command
after its first lines. What only installs something is not run.

The commands of a page run one after the other, in a folder with the repository's examples, which is also their home: so
they have a store of their own. Quick ones have a folder of their own, too. `--quick` runs nothing else.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COLUMNS = 120
_BLOCK = re.compile(
    r"(?:<!-- before:(?P<before>(?:(?!-->).)*)-->\n)?"
    r"```sh\n(?P<commands>(?:(?!```).)*)```\n(?:(?!```).)*"
    r"<!-- output(?P<words>[^\n]*) -->\n```\w+\n(?P<output>(?:(?!```).)*)```",
    re.DOTALL,
)
_INSTALLS = re.compile(r"pip install .*|python3 -m venv .* && \.venv/bin/(?=lapilli )")
_CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
_PASSING = re.compile(r"^lapilli: compiling .*\n|^(?:.*: )?\d+ (?:of \d+ )?matches, .* a minute.*\n", re.MULTILINE)
"""What only the first command of a machine prints, and what in a terminal the result replaces."""
_MISUSE = (2, 126, 127)
"""Exit codes of commands that are wrong, or of programs that are missing."""
_SETTLE_S = 3.0
"""Time after which a command that is to be stopped gets Ctrl-C, in seconds; it begins with the command's first line."""

Call = Callable[[str, Path, Mapping[str, str], IO[bytes]], int]
"""Runs a command line in a folder, with these variables; writes what it prints to a file, and returns its exit code."""


class Place:
    """A folder in which the commands of a page run.

    Args:
        home: an empty folder. call: what runs a command.
    """

    def __init__(self, home: Path, call: Call) -> None:
        self.home, self._call = home, call
        self._cwd = home
        shutil.copytree(ROOT / "examples", home / "examples")

    def printed(self, command: str, stop: bool = False) -> str:
        """Runs a command and returns what it prints. Raises RuntimeError if the command is wrong.

        Args:
            stop: whether to send Ctrl-C to the command after its first lines.
        """
        if found := re.fullmatch(r"cd (\S+)", command):
            self._cwd /= found[1]
            return ""
        with tempfile.TemporaryFile() as file:
            code = (stopped if stop else self._call)(command, self._cwd, variables(self.home), file)
            file.seek(0)
            text = file.read().decode()
        if code in _MISUSE or "Traceback" in text:
            raise RuntimeError(f"exit code {code}: {command}\n{text}")
        return _PASSING.sub("", text).replace(str(self.home), "~").replace(_CACHE, "~/.cache")


def variables(home: Path) -> dict[str, str]:
    """Returns the environment variables of all commands. Kernels are cached where they are cached otherwise, too."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("LAPILLI_", "XDG_", "PYTEST_"))}
    return own | {
        "BROWSER": "true",
        "COLUMNS": str(COLUMNS),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LAPILLI_RESIDENT": "0",
        "NO_COLOR": "1",
        "XDG_CACHE_HOME": _CACHE,
    }


def in_shell(command: str, folder: Path, environment: Mapping[str, str], file: IO[bytes]) -> int:
    """Runs a command in a shell in which `lapilli` is the program of this checkout."""
    return _started(command, folder, environment, file).wait()


def stopped(command: str, folder: Path, environment: Mapping[str, str], file: IO[bytes]) -> int:
    """Does the same, and sends Ctrl-C to the command after its first lines."""
    process = _started(command, folder, environment, file)
    while os.fstat(file.fileno()).st_size == 0 and process.poll() is None:
        time.sleep(0.2)
    time.sleep(_SETTLE_S)
    os.killpg(process.pid, signal.SIGINT)
    return process.wait()


def _started(command: str, folder: Path, environment: Mapping[str, str], file: IO[bytes]) -> subprocess.Popen[bytes]:
    start = f'lapilli() {{ PYTHONPATH="{ROOT}/src" "{sys.executable}" -m lapilli "$@"; }}\n{command}\n'
    words, error = ["bash", "-c", start], subprocess.STDOUT
    return subprocess.Popen(words, cwd=folder, env=environment, stdout=file, stderr=error, start_new_session=True)


def commands_of(block: str) -> Iterator[str]:
    """Yields the commands of a block of a page, without comments; those that install something are left out."""
    for line in block.replace("\\\n", " ").splitlines():
        command = _INSTALLS.sub("", re.sub(r"\s+# .*", "", line)).strip()
        if command:
            yield re.sub(r" {2,}", " ", command)


def first_and_last(text: str, first: int | None, last: int | None) -> list[str]:
    """Returns the lines of a text, at most so many of its beginning and end; a `…` stands for the others."""
    lines = [line.rstrip() for line in text.rstrip("\n").splitlines()]
    if (first is None and last is None) or len(lines) <= (first or 0) + (last or 0):
        return lines
    return [*lines[: first or 0], "…", *(lines[-last:] if last else [])]


def counts(words: str, name: str) -> list[int | None]:
    """Returns the numbers of lines that a comment sets by `first=` or `last=`; [None] if it does not set any."""
    found = re.search(rf"\b{name}=([\d,]+)", words)
    return [int(number) for number in found[1].split(",")] if found else [None]


def output(place: Place, block: re.Match[str]) -> str:
    """Runs the commands of a block. Returns what a terminal would show, shortened as the block's comment says."""
    for command in commands_of(block["before"] or ""):
        place.printed(command)
    commands = list(commands_of(block["commands"]))
    first, last = (counts(block["words"], name) for name in ("first", "last"))
    lines: list[str] = []
    for number, command in enumerate(commands):
        text = place.printed(command, stop="stop" in block["words"].split())
        lines += [f"$ {command}"] if len(commands) > 1 else []
        lines += first_and_last(text, *(each[min(number, len(each) - 1)] for each in (first, last)))
    return "".join(f"{line}\n" for line in lines)


def is_quick(block: re.Match[str]) -> bool:
    """Returns whether a test runs the commands of a block, too."""
    return "quick" in block["words"].split()


def blocks(page: Path) -> list[re.Match[str]]:
    """Returns the blocks of a page whose outputs are written by this script."""
    return list(_BLOCK.finditer(page.read_text(encoding="utf-8")))


def write(page: Path, quick: bool) -> None:
    """Runs the quick commands of a page, or the others, and writes what they print into the page."""
    chosen = [block for block in blocks(page) if is_quick(block) == quick]
    if not chosen:
        return
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), in_shell)
        made = [(block.span("output"), output(place, block)) for block in chosen]
    for (start, end), new in reversed(made):
        text = text[:start] + new + text[end:]
    page.write_text(text, encoding="utf-8")


def main(words: list[str]) -> None:
    """Writes the outputs of the pages that are named, or of all."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts this with & has switched it off
    pages = [Path(word).resolve() for word in words if word != "--quick"]
    for page in pages:
        if page not in PAGES:
            raise SystemExit(f"{page} is not a page of the documentation. Name files, like docs/engines.md.")
    for page in pages or PAGES:
        print(page.relative_to(ROOT), flush=True)
        write(page, quick=True)
        if "--quick" not in words:
            write(page, quick=False)


if __name__ == "__main__":
    main(sys.argv[1:])
