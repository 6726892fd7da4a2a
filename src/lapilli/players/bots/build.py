"""Builds users' programs: checks or compiles them, in the same sandbox in which they run later."""

from __future__ import annotations

import io
import os
import select
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path, PurePosixPath
from time import monotonic

from lapilli.core.errors import LapilliError
from lapilli.players.bots.process import BotProcess
from lapilli.players.bots.starters import LANGUAGES
from lapilli.players.sandbox.sandbox import launcher_for
from lapilli.players.spec import Limits, PlayerSpec, Sandbox

PATIENCE_S = 60.0
"""Time limit of a compiler, in seconds."""
_LIMITS = Limits(memory_mb=2048, cpu_s=120, tmp_mb=256)
_MAX_OUTPUT = 64 << 20
"""Greatest length of a compiler's output, messages and files together, in bytes."""
_MAX_FILES = 500
_MAX_MESSAGES = 40_000
"""Length after which a compiler's messages are cut, in bytes."""
_COMPILERS = {
    "python": "PYTHONPYCACHEPREFIX=/tmp python3 -m py_compile {file}",
    "cpp": "g++ -O2 -std=c++17 -fdiagnostics-color=never -o /tmp/out/bot {file}",
    "javascript": "node --check {file}",
    "java": "javac -proc:none -d /tmp/out {file}",
    "rust": '"$1"/bin/rustc -O --color=never -o /tmp/out/bot {file}',
}
"""Shell commands, by language, that check a program or compile it into /tmp/out. $1 is the folder of the Rust
installation, which may lie outside the system's folders.
"""
_SCRIPT = (
    "mkdir /tmp/out; {{ {compiler} ; }} >/tmp/messages 2>&1; code=$?; head -c {most} /tmp/messages | tr -d '\\000'; "
    "printf '\\0%d\\0' $code; [ $code != 0 ] || tar -C /tmp/out -cf - ."
)
"""Shell script that prints a compiler's messages, its exit code, and a tar archive of /tmp/out, with NUL characters
between them.
"""


class BuildError(LapilliError):
    """The error for a program that does not compile; the message is the compiler's output."""


def build(language: str, code: str, folder: Path) -> None:
    """Writes a program and the files that its compiler makes into an empty folder.

    Args:
        language: one of `LANGUAGES`.
        code: the program's source text.
        folder: the empty folder.

    Raises:
        BuildError: the compiler reports an error, takes too long, or makes too much output.
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
    """Returns the command line that runs a program of this language in the folder where it was built."""
    return LANGUAGES[language].run.format(folder=".")


class _Build(BotProcess):
    """A compiler that runs in the sandbox like a bot."""

    def output(self) -> bytes:
        """Returns everything that the compiler writes to its standard output.

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
            if not select.select([pipe], [], [], max(0.0, end - monotonic()))[0]:
                raise BuildError(f"the compiler did not finish within {PATIENCE_S:g} s")
            part = os.read(pipe, 1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > _MAX_OUTPUT:
                raise BuildError(f"the program is larger than {_MAX_OUTPUT >> 20} MiB")


def _parts(output: bytes, running: _Build) -> tuple[bytes, bytes, bytes]:
    """Splits the compiler's output into its messages, its exit code, and a tar archive of the files that it made.

    Raises BuildError if the output is incomplete, because the compiler was ended.
    """
    parts = output.split(b"\0", 2)
    if len(parts) != 3:
        raise BuildError(f"the compiler was ended: {running.how_it_ended() or 'nobody knows why'}")
    return parts[0], parts[1], parts[2]


def _unpack(archive: bytes, folder: Path) -> None:
    """Writes the files of an untrusted archive directly into `folder`. Ignores the archive's folders, links and file
    modes.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for number, member in enumerate(files, 1):
                content = files.extractfile(member) if member.isfile() else None
                name = PurePosixPath(member.name).name
                if content is None or not name:
                    continue
                if number > _MAX_FILES:
                    raise BuildError(f"the compiler made more than {_MAX_FILES} files")
                (folder / name).write_bytes(content.read())
                (folder / name).chmod(0o755)
    except (tarfile.TarError, EOFError):
        raise BuildError("what the compiler made cannot be read") from None


@cache
def _rust() -> str:
    """Returns the installation folder of Rust. Raises LapilliError if Rust is not installed.

    The compiler in this folder is used because the `rustc` on the PATH may be a wrapper that needs files in a user's
    home.
    """
    program = shutil.which("rustc")
    if program is None:
        raise LapilliError("there is no Rust on this machine: install rustc")
    result = subprocess.run([program, "--print", "sysroot"], capture_output=True, text=True, timeout=30, check=False)
    return result.stdout.strip()
