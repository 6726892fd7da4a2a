"""Builds users' programs in a sandbox: compiles them or, for a language without a compiler, checks their syntax."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path, PurePosixPath
from time import monotonic

from lapilli.core.errors import LapilliError
from lapilli.players.bots.process import BotProcess
from lapilli.players.bots.starters import LANGUAGES
from lapilli.players.processes.launcher import has_data
from lapilli.players.sandbox.sandbox import launcher_for
from lapilli.players.spec import Limits, PlayerSpec, Sandbox

PATIENCE_S = 60.0
"""Longest time for building one program, in seconds. A build that takes longer fails."""
_LIMITS = Limits(memory_mb=2048, cpu_s=120, tmp_mb=256)
"""Resource limits of a compiler in the sandbox."""
_MAX_OUTPUT = 64 << 20
"""Greatest number of bytes that a build may produce: the compiler's messages and all files that it makes, together."""
_MAX_FILES = 500
"""Greatest number of files and folders that a compiler may make for one program."""
_MAX_MESSAGES = 40_000
"""Number of bytes of a compiler's messages that are kept. Everything after them is dropped."""
_COMPILERS = {
    "python": "PYTHONPYCACHEPREFIX=/tmp python3 -m py_compile {file}",
    "cpp": "g++ -O2 -std=c++17 -fdiagnostics-color=never -o /tmp/out/bot {file}",
    "javascript": "node --check {file}",
    "java": "javac -proc:none -d /tmp/out {file}",
    "rust": '"$1"/bin/rustc -O --color=never -o /tmp/out/bot {file}',
}
"""Shell commands by language. A command checks the program `{file}`, or compiles the program into /tmp/out. "$1" is the
folder of the Rust installation, which may lie outside the system's folders.
"""
_SCRIPT = (
    "mkdir /tmp/out; {{ {compiler} ; }} >/tmp/messages 2>&1; code=$?; head -c {most} /tmp/messages | tr -d '\\000'; "
    "printf '\\0%d\\0' $code; [ $code != 0 ] || tar -C /tmp/out -cf - ."
)
"""Shell script that runs a compiler. The script prints the compiler's messages, the exit code and, if the code is 0, a
tar archive of /tmp/out. NUL characters separate the three parts.
"""


class BuildError(LapilliError):
    """The error for a program that cannot be built. Its message is the compiler's output, or says which limit was
    exceeded.
    """


def build(language: str, code: str, folder: Path) -> None:
    """Writes a program into an empty folder, compiles or checks it in the sandbox, and adds the files that the compiler
    makes.

    Args:
        language: one of `LANGUAGES`.
        code: the program's source text.
        folder: an empty folder. The bot can later be run in it, see `command_of`.

    Raises:
        BuildError: the compiler reports an error, takes too long, or produces too much output.
        LapilliError: there is no sandbox, or no compiler.
    """
    file = LANGUAGES[language].file
    (folder / file).write_text(code, encoding="utf-8", newline="")
    compiler = _COMPILERS[language].format(file=file)
    script = _SCRIPT.format(compiler=compiler, most=_MAX_MESSAGES)
    words = ["/bin/sh", "-c", script, "sh", *([_rust()] if language == "rust" else [])]
    spec = PlayerSpec(command=words, folder=str(folder), sandbox=Sandbox.REQUIRE, limits=_LIMITS)
    with _Build(spec, 0, launcher_for(spec)) as process:
        messages, code_text, archive = _parts(process.output(), process)
    if code_text != b"0":
        text = messages.decode(errors="replace").replace(f"{folder}/", "").strip()
        raise BuildError(text or f"the compiler ended with code {code_text.decode(errors='replace')}")
    _unpack(archive, folder)


def command_of(language: str) -> str:
    """Returns the command line that runs a built program. `language`: one of `LANGUAGES`.

    Start the command in the folder that `build` has filled.
    """
    return LANGUAGES[language].run.format(folder=".")


class _Build(BotProcess):
    """The process of a compiler. It runs in the sandbox like the process of a bot."""

    def output(self) -> bytes:
        """Starts the compiler, waits for its end, and returns everything that it wrote to its standard output.

        Raises BuildError if the compiler does not start, takes longer than `PATIENCE_S`, or writes more than
        `_MAX_OUTPUT`.
        """
        fault = self.start()
        if fault is not None:
            raise BuildError(fault.reason)
        assert self._process is not None
        assert self._process.stdout is not None
        pipe, end, size = self._process.stdout.fileno(), monotonic() + PATIENCE_S, 0
        parts: list[bytes] = []
        os.set_blocking(pipe, True)
        while True:
            if not has_data(pipe, max(0.0, end - monotonic())):
                raise BuildError(f"the compiler did not finish within {PATIENCE_S:g} s")
            part = os.read(pipe, 1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > _MAX_OUTPUT:
                raise BuildError(f"the program is larger than {_MAX_OUTPUT >> 20} MiB")


def _parts(output: bytes, running: _Build) -> tuple[bytes, bytes, bytes]:
    """Splits the output of `_SCRIPT` into the compiler's messages, its exit code, and a tar archive of the files that
    it made.

    `running` is the process that ran the script. If the output is incomplete, the script was killed. Then BuildError is
    raised, with a message that says how the process ended.
    """
    parts = output.split(b"\0", 2)
    if len(parts) != 3:
        raise BuildError(f"the compiler was ended: {running.how_it_ended() or 'nobody knows why'}")
    return parts[0], parts[1], parts[2]


def _unpack(archive: bytes, folder: Path) -> None:
    """Extracts all files of an untrusted tar archive into `folder`, without subfolders, and makes them executable.

    The archive's folders, links and file modes are ignored. Raises BuildError if the archive is damaged, has too many
    files, or describes larger files than it contains.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for number, member in enumerate(files, 1):
                if number > _MAX_FILES:
                    raise BuildError(f"the compiler made more than {_MAX_FILES} files")
                if member.issparse():  # a short archive could fill the disk with zeros
                    raise BuildError("what the compiler made has a sparse file")
                content = files.extractfile(member) if member.isfile() else None
                name = PurePosixPath(member.name).name
                if content is None or not name:
                    continue
                (folder / name).write_bytes(content.read())
                (folder / name).chmod(0o755)
    except (tarfile.TarError, EOFError):
        raise BuildError("what the compiler made cannot be read") from None


@cache
def _rust() -> str:
    """Returns the installation folder of Rust. Raises LapilliError if Rust is not installed.

    `build` runs the compiler in this folder. The `rustc` on the PATH may be a wrapper that needs files in a user's home
    folder, which the sandbox does not show.
    """
    program = shutil.which("rustc")
    if program is None:
        raise LapilliError("there is no Rust on this machine: install rustc")
    result = subprocess.run([program, "--print", "sysroot"], capture_output=True, text=True, timeout=30, check=False)
    return result.stdout.strip()
