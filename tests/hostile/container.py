"""Builds the image of Containerfile, runs the site in it as compose.yaml says, and attacks as a member's bot.

    PYTHONPATH=tests .venv/bin/python tests/hostile/container.py [--base] [--seccomp unconfined]

It prints a line for each attack, and ends with 1 where one of them came to YES.

Needs root and, from Debian, podman, buildah, crun and debootstrap; no engine has to run. With --base it makes a
stand-in for the base image, of Debian 12 by debootstrap, where no registry of images can be reached. Its storage, below
/var/tmp, is removed at the end.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import yaml

from lapilli.players.bots.starters import LANGUAGES
from web.client import Site, Visitor
from web.writing import Author

ROOT = Path(__file__).resolve().parents[2]
GAME = "volcanoes"
IMAGE, NAME, PORT = "localhost/lapilli:attacked", "lapilli-attacked", 8480
URL = f"http://127.0.0.1:{PORT}"
PARTS = "python3,python3-venv,python3-pip,ca-certificates"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

ATTACKS = r'''
import ctypes, mmap, os, socket, sys, time

def tried(attack):
    try:
        return attack()
    except Exception as error:
        return f"no ({type(error).__name__})"

def writable():
    """Files of /proc/sys and /sys that open for writing; nothing is written."""
    found = []
    for top in ("/proc/sys", "/sys"):
        for folder, _, files in os.walk(top):
            for name in files:
                try:
                    os.close(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_NONBLOCK))
                    found.append(f"{folder}/{name}")
                except OSError:
                    pass
    return "YES, " + " ".join(found) if found else "no"

def others():
    """Processes of the site that are seen."""
    seen = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        words = open(f"/proc/{pid}/cmdline", "rb").read()
        if b"--public" in words:
            seen.append(pid)
    return f"YES, {seen}" if seen else "no"

def secret():
    return "YES" if any(b"LAPILLI_SECRET" in open(f"/proc/{pid}/environ", "rb").read()
                        for pid in os.listdir("/proc") if pid.isdigit()) else "no"

def call(host, port):
    socket.create_connection((host, port), 2)
    return "YES"

def read(path):
    open(path, "rb").read(1)
    return "YES"

def write(path):
    open(path, "w").write("x")
    return "YES"

def fill(path):
    with open(path, "wb") as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
    return "YES"

def processes():
    pids = []
    try:
        while len(pids) < 2000:
            pid = os.fork()
            if not pid:
                os.read(os.pipe()[0], 1)
            pids.append(pid)
    except OSError:
        pass
    for pid in pids:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    return f"no ({len(pids)} started)" if len(pids) < 256 else f"YES, {len(pids)}"

def system(number, *values):
    libc = ctypes.CDLL(None, use_errno=True)
    got = libc.syscall(number, *values)
    return "YES" if got >= 0 else f"no ({os.strerror(ctypes.get_errno())})"

def shared():
    """More shared memory than a bot may have, at once."""
    room = mmap.mmap(-1, 2 << 30, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
    time.sleep(0.3)
    return f"YES, {len(room) >> 20} MB"

LISTED = {
    "open /proc/sys and /sys for writing": writable,
    "see the site's processes": others,
    "read the site's secret": secret,
    "reach the site": lambda: call("127.0.0.1", PORT),
    "reach the internet": lambda: call("9.9.9.9", 53),
    "read the store": lambda: read("/var/lib/lapilli/data/lapilli/arena.db"),
    "read the passwords' file": lambda: read("/etc/shadow"),
    "read the runtime's files": lambda: read("/run/.containerenv"),
    "write into its folder": lambda: write("planted"),
    "write into /usr": lambda: write("/usr/planted"),
    "fill /tmp with 300 MB": lambda: fill("/tmp/x"),
    "fill /dev/shm with 300 MB": lambda: fill("/dev/shm/x"),
    "make a namespace": lambda: system(272, 0x10000000),
    "mount": lambda: system(165, b"none", b"/tmp", b"tmpfs", 0, 0),
    "io_uring": lambda: system(425, 4, ctypes.create_string_buffer(120)),
    "userfaultfd": lambda: system(323, 0),
    "bpf": lambda: system(321, 0, 0, 0),
    "perf_event_open": lambda: system(298, 0, 0, -1, -1, 0),
    "keyctl": lambda: system(250, 0, -3, 0),
    "memfd_secret": lambda: system(447, 0),
    "ptrace": lambda: system(101, 0, 0, 0, 0),
    "AF_VSOCK": lambda: str(bool(socket.socket(40, socket.SOCK_STREAM)) and "YES"),
    "write control groups' files": lambda: write("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
}
'''
SAYS = "for name, attack in LISTED.items():\n    print(f'{name}: {tried(attack)}', file=sys.stderr, flush=True)\n"
PLAYS = "\nimport itertools\nsys.stdin.readline()\nprint('0', flush=True)\n"
EATS = {
    "2 GB of memory": "x = b'x' * (2 << 30)\ntime.sleep(0.3)\nprint('YES', file=sys.stderr, flush=True)\n",
    "2 GB of shared memory": "print(shared(), file=sys.stderr, flush=True)\n",
    "2000 processes": "print(processes(), file=sys.stderr, flush=True)\n",
    "endless computing": "while True: pass\n",
}


def run(*words: str, quiet: bool = False) -> str:
    done = subprocess.run(
        words, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None
    )
    if done.returncode and not quiet:
        raise SystemExit(f"{words[0]} failed: {done.stdout[-2000:]}")
    return done.stdout


class Engine:
    """Podman and buildah with storage of their own, where only control groups of version 1 or only of 2 are seen: crun
    refuses a mixture."""

    def __init__(self, home: Path) -> None:
        settings = home / "containers.conf"
        settings.write_text(
            '[containers]\ndefault_ulimits = ["nofile=8192:8192", "nproc=30000:30000"]\n'
            '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
        )
        os.environ["CONTAINERS_CONF"] = str(settings)
        self.storage = ["--storage-driver", "vfs", "--root", str(home / "root"), "--runroot", str(home / "run")]

    def __call__(self, program: str, *words: str, quiet: bool = False) -> str:
        unmixed = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"'
        return run("unshare", "-m", "sh", "-c", unmixed, "sh", program, *self.storage, *words, quiet=quiet)


def base_image() -> str:
    found = re.search(r"^ARG PYTHON=(\S+)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def make_base(engine: Engine, home: Path) -> str:
    """A stand-in for the base image; its name."""
    rootfs, name = home / "rootfs", base_image().partition("@")[0]
    run("debootstrap", "--variant=minbase", f"--include={PARTS}", "bookworm", str(rootfs))
    (rootfs / "usr/bin/python").symlink_to("python3")
    shutil.rmtree(rootfs / "var/cache/apt/archives")  # as in images of registries
    run("tar", "-C", str(rootfs), "-cf", str(home / "rootfs.tar"), ".")
    shutil.rmtree(rootfs)
    engine("podman", "import", "--quiet", str(home / "rootfs.tar"), name)
    (home / "rootfs.tar").unlink()
    return name


def build(engine: Engine, home: Path, base: str, name: str = IMAGE, languages: str | None = None) -> None:
    """The image; pip takes this machine's certificates, which do not get into it. `languages` are Debian's packages."""
    (home / "pip.conf").write_text("[global]\ncert = /run/ca.crt\n")
    shown = [f"--volume={CERTIFICATES}:/run/ca.crt:ro", f"--volume={home}/pip.conf:/etc/pip.conf:ro"]
    given = ["--network=host", "--pull=false", f"--build-arg=PYTHON={base}"] if base else []
    if languages is not None:
        given.append(f"--build-arg=LANGUAGES={languages}")
    engine("buildah", "build", "--format=docker", *given, *shown, "--tag", name, str(ROOT))


def start(engine: Engine, seccomp: str = "", image: str = IMAGE) -> None:
    """The site, with what compose.yaml says of its service."""
    service: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["site"]
    options = [f"--cap-drop={name}" for name in service["cap_drop"]]
    for option in service["security_opt"]:
        name, _, value = option.replace(":", "=").partition("=")
        value = (seccomp or str(ROOT / value)) if name == "seccomp" else value
        options.append(
            f"--security-opt={'unmask=ALL' if name == 'systempaths' else '='.join(filter(None, (name, value)))}"
        )
    memory = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", service["mem_limit"])
    options += [f"--pids-limit={service['pids_limit']}", f"--memory={memory}", f"--memory-swap={memory}", "--init"]
    options += ["--read-only", *(f"--tmpfs={place}" for place in service["tmpfs"])]
    told = ["--port", str(PORT), "--url", URL, "--plain-http", "--registration=open"]
    os.environ["LAPILLI_SECRET"] = secrets.token_hex(32)
    engine(
        "podman", "run", "--detach", f"--name={NAME}", "--network=host", "--env=LAPILLI_SECRET", *options, image, *told
    )
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if httpx.get(f"{URL}/healthz", trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.3)
    raise SystemExit(f"the site does not start: {engine('podman', 'logs', NAME)}")


def remove(engine: Engine, home: Path) -> None:
    """Ends the site, and removes the storage of its images."""
    engine("podman", "rm", "--force", "--time=5", NAME, quiet=True)
    shutil.rmtree(home, ignore_errors=True)


def attack() -> list[str]:
    """Attacks as a member's bot, and plays a match in every language; a line for each."""
    site, lines = Site(Path()), list[str]()
    site.port = PORT
    with Visitor(site) as visitor:
        assert visitor.join("Mallory").status_code == 303
        code = ATTACKS.replace("PORT", str(PORT))
        author = Author(visitor, "attacks", GAME)
        lines += author.said(author.does("play", author.save(code + SAYS + PLAYS))["id"]).splitlines()
        assert len(lines) > 20, lines
        for name, more in EATS.items():
            trial = author.does("play", author.save(code + more + PLAYS))
            lines.append(f"{name}: {author.said(trial['id']).strip() or 'no'} ({trial['told'].get('reason')})")
        for language in LANGUAGES:
            plays = Author(visitor, language, GAME, language).does("play", 1)
            played = plays["state"] == "done" and "reply" not in str(plays["told"]["reason"])
            lines.append(f"a bot in {language}: {'plays' if played else f'YES, is hindered: {plays}'}")
    lines.append(f"the site: {httpx.get(f'{URL}/healthz', trust_env=False).text.strip()}")
    return [line for line in lines if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", action="store_true", help="make a stand-in for the base image")
    parser.add_argument("--seccomp", default="", help="another profile than that of compose.yaml")
    asked = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="lapilli-container-", dir="/var/tmp"))
    engine = Engine(home)
    try:
        build(engine, home, make_base(engine, home) if asked.base else "")
        start(engine, asked.seccomp)
        lines = attack()
    finally:
        print(engine("podman", "stats", "--no-stream", NAME, quiet=True), file=sys.stderr)
        remove(engine, home)
    print("\n".join(lines))
    sys.exit(any(": YES" in line for line in lines))


if __name__ == "__main__":
    main()
