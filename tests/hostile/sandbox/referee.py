"""Tries all attacks, one bot for each, and prints what came of them as JSON: a program that a test starts in a mode.

PYTHONPATH=tests python -m hostile.sandbox.referee [--without-groups]
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

from hostile.sandbox.attacks import ALLOWED, ATTACKS, Attack
from lapilli.players import PlayerSpec
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.processes import cgroups
from lapilli.players.sandbox.sandbox import BubblewrapLauncher, why_no_sandbox
from lapilli.players.sandbox.syscalls import machine

ATTACKER = Path(__file__).resolve().parents[2] / "bots" / "attacker.py"
_ADD_KEY = {"x86_64": 248, "aarch64": 217}
_SESSION_KEYRING = -3


def outcome(attack: Attack, things: dict[str, str]) -> str:
    """What the bot answers, or why it was ended."""
    words = [word.format(**things) if "{" in word else word for word in attack.words]
    spec = PlayerSpec(
        command=(sys.executable, "-ISu", str(ATTACKER), *words), folder=things["own"], limits=attack.limits
    )
    with BotProcess(spec, 0, BubblewrapLauncher()) as bot:
        fault = bot.start()
        if fault:
            return f"did not start: {fault.reason}"
        [answer] = ask([Prompt(bot, "go\n", 1, 20_000)])
    return answer.reply if isinstance(answer.reply, str) else answer.reply.reason


def left_behind(word: str) -> bool:
    """Whether a process lives that an attack has left behind."""
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"{word}-left".encode() in words.read_bytes() and b"attacker.py" not in words.read_bytes():
                return True
        except OSError:
            continue
    return False


def main() -> None:
    if "--without-groups" in sys.argv:
        cgroups.hierarchies = tuple  # type: ignore[assignment]
    if trouble := why_no_sandbox():
        sys.exit(trouble)
    word = os.environ["LAPILLI_TEST_SECRET"] = uuid4().hex
    key = f"lapilli-{word}".encode()
    ctypes.CDLL(None).syscall(_ADD_KEY[machine()], b"user", key, b"secret", 6, _SESSION_KEYRING)
    ours, theirs = os.openpty()
    with (
        tempfile.TemporaryDirectory() as own,
        tempfile.TemporaryDirectory() as elsewhere,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        local.bind(f"\0{word}")
        local.listen()
        secret = Path(elsewhere, "secret")
        secret.write_text("secret")
        things = {
            "own": own,
            "secret": str(secret),
            "word": word,
            "key": key.decode(),
            "port": str(server.getsockname()[1]),
            "socket": word,
            "terminal": os.ttyname(theirs),
        }
        told = {name: outcome(attack, things) for name, attack in (ATTACKS | ALLOWED).items()}
        if left_behind(word):
            told["daemon"] = "could: it lives"
    os.close(ours)
    os.close(theirs)
    groups = sorted({file for place in cgroups.hierarchies() for file in place.files})
    print(json.dumps({"user": os.getuid(), "groups": groups, "outcomes": told}))


if __name__ == "__main__":
    main()
