"""Builds the three parts of compose.yaml, starts them together, and uses the site through the proxy as people do.

    PYTHONPATH=tests .venv/bin/python tests/hostile/compose.py

The first owner signs up by the link in the log, plays a match over the proxy's encrypted connection, and a bot plays
in the sandbox. Then the site's process is killed, and later the three parts are stopped and started again: nothing that
was there may be missing.

Needs root and, from Debian, podman, buildah, crun, debootstrap, netavark, aardvark-dns, iptables and catatonit;
`podman-compose` from pip; and free ports 80 and 443. No registry of images has to be reachable: stand-ins for the three
images that compose.yaml names are made of Debian 12 with Debian's PostgreSQL and Caddy. Its storage, below /var/tmp, is
removed at the end.
"""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import yaml

from hostile.container import IMAGE, ROOT, Engine, build, make_base
from web.client import Site, Visitor
from web.writing import Author

TOOLS = ("podman", "buildah", "crun", "debootstrap", "iptables", "podman-compose")
"""Commands that have to be installed; the other packages have none that is called by name."""
PROJECT = "lapilli-whole"
HOST = "localhost"  # Caddy makes a certificate of its own for this name
WAIT_S = 120.0
INSIDE = "LAPILLI_COMPOSE_INSIDE"
"""Environment variable of a process that runs in the mount namespace of its own."""
DATABASE = """FROM {base}
RUN apt-get update && apt-get install -y --no-install-recommends postgresql
RUN printf '%s\\n' '#!/bin/sh' 'set -e' 'bin=$(echo /usr/lib/postgresql/*/bin); data=/var/lib/postgresql/data/pg' \\
    'if [ ! -d $data ]; then mkdir -p $data; chown -R postgres /var/lib/postgresql' \\
    'echo "$POSTGRES_PASSWORD" > /tmp/p' \\
    'su postgres -c "$bin/initdb -E UTF8 -A scram-sha-256 -U $POSTGRES_USER --pwfile=/tmp/p -D $data"; rm /tmp/p' \\
    'echo "host all all all scram-sha-256" >> $data/pg_hba.conf' \\
    'echo "CREATE DATABASE $POSTGRES_DB" | su postgres -c "$bin/postgres --single -D $data postgres" || true; fi' \\
    'exec su postgres -c "exec $bin/postgres -D $data -h 0.0.0.0 -k /tmp"' > /start && chmod +x /start
ENV PGHOST=/tmp
ENTRYPOINT ["/start"]
"""
PROXY = """FROM {base}
RUN apt-get update && apt-get install -y --no-install-recommends caddy
ENV XDG_DATA_HOME=/data
ENTRYPOINT ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
"""


class Whole:
    """The three parts, under podman-compose.

    Args:
        engine: podman with a storage of its own.
        home: folder for files of this run.
    """

    def __init__(self, engine: Engine, home: Path) -> None:
        self._engine, self._home = engine, home
        self._file = home / "compose.yaml"
        self._podman = home / "podman"
        words = " ".join(["/usr/bin/podman", *engine.storage])
        self._podman.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        self._podman.chmod(0o755)
        with Path(os.environ["CONTAINERS_CONF"]).open("a", encoding="utf-8") as settings:
            settings.write('[network]\nnetwork_backend = "netavark"\n')
        self._environment = dict(os.environ) | {
            "SITE_HOST": HOST,
            "LAPILLI_SECRET": secrets.token_hex(32),
            "DATABASE_PASSWORD": secrets.token_hex(24),
            "REGISTRATION": "invited",
        }

    @property
    def is_written(self) -> bool:
        """Whether `write` has been called."""
        return self._file.exists()

    def write(self) -> None:
        """Writes compose.yaml for this machine: images by name alone, since the stand-ins have other digests."""
        told = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
        for part in told["services"].values():
            if "image" in part:
                part["image"] = part["image"].partition("@")[0]
        del told["services"]["site"]["build"]
        told["services"]["site"]["image"] = IMAGE
        shutil.copytree(ROOT / "hosting", self._home / "hosting", dirs_exist_ok=True)
        self._file.write_text(yaml.safe_dump(told), encoding="utf-8")

    def images(self) -> dict[str, str]:
        """The names of the images of the database and of the proxy."""
        services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
        return {name: services[name]["image"].partition("@")[0] for name in ("database", "proxy")}

    def __call__(self, *words: str) -> str:
        command = ["podman-compose", "--podman-path", str(self._podman), "-p", PROJECT, "-f", str(self._file), *words]
        done = subprocess.run(
            command, cwd=self._home, env=self._environment, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} failed: {done.stdout[-3000:]}")
        return done.stdout

    def up(self) -> None:
        """Starts the database, waits until it is well, and starts the others. (podman needs systemd to wait itself.)"""
        self("up", "--detach", "--no-build", "--no-deps", "database")
        until(lambda: not self.podman("healthcheck", "run", f"{PROJECT}_database_1"), "the database is not well")
        self("up", "--detach", "--no-build", "--no-deps", "site", "proxy")
        until(is_well, f"the site does not answer: {self.log('site')[-2000:]} {self.log('proxy')[-2000:]}")

    def podman(self, *words: str) -> int:
        """Runs podman; its exit code."""
        return subprocess.run([str(self._podman), *words], check=False, capture_output=True).returncode

    def log(self, part: str) -> str:
        """What a part has written."""
        done = subprocess.run(
            [str(self._podman), "logs", f"{PROJECT}_{part}_1"],
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.stdout

    def read(self, part: str, path: str) -> str:
        """A file of a part."""
        words = [str(self._podman), "exec", f"{PROJECT}_{part}_1", "cat", path]
        return subprocess.run(words, check=True, text=True, capture_output=True).stdout


class Proxied(Site):
    """The site behind the proxy."""

    @property
    def url(self) -> str:
        return f"https://{HOST}"


def until(holds: Callable[[], object], problem: str) -> None:
    """Waits until that holds."""
    end = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(problem)
        time.sleep(0.5)


def is_well() -> bool:
    try:
        return httpx.get(f"https://{HOST}/healthz", verify=False, trust_env=False, timeout=5).is_success
    except httpx.HTTPError:
        return False


def use(whole: Whole) -> list[str]:
    """Uses the site, kills it, and stops and starts all parts; a line for each step."""
    lines = []
    trusted = Path(tempfile.mkstemp(suffix=".crt")[1])
    trusted.write_text(whole.read("proxy", "/data/caddy/pki/authorities/local/root.crt"))
    os.environ["SSL_CERT_FILE"] = str(trusted)
    checked = httpx.get(f"https://{HOST}/", verify=ssl.create_default_context(), trust_env=False, timeout=30)
    lines.append(f"first page over the proxy, certificate checked: {checked.status_code}")
    found = re.search(rf"https://{HOST}/\S*invitation=\S+", whole.log("site"))
    assert found is not None, whole.log("site")
    with Visitor(Proxied(Path())) as visitor:
        assert visitor.join("Ada", found[0]).status_code == 303
        lines.append("the first owner signed up by the link in the log")
        table = visitor.lay("volcanoes", opponent1="greedy")
        with visitor.live(table) as live:
            chance = random.Random(1)
            for _ in range(3):
                assert live.wait_for_turn()
                live.play_turn(chance)
        before = time.monotonic()
        whole.podman("kill", "--signal=KILL", f"{PROJECT}_site_1")
        time.sleep(1)
        if not is_well():
            whole.podman("start", f"{PROJECT}_site_1")
        until(is_well, f"after a kill the site does not come back: {whole.log('site')[-2000:]}")
        lines.append(f"the site was killed, and answered again after {time.monotonic() - before:.0f} s")
        with visitor.live(table) as live:
            turns = live.now["turn"]
            while live.wait_for_turn():
                live.play_turn(chance)
        record = visitor.record(table)
        lines.append(f"the match went on at turn {turns} and ended after {len(record.turns)} turns")
        played = Author(visitor, "Magma", "volcanoes").does("play", 1)
        assert played["state"] == "done", played
        lines.append("a bot played in the sandbox")
        whole("down")
        whole.up()
        assert visitor.record(table) == record
        assert visitor.http.get("/account").status_code == 200
        lines.append("all parts were stopped and started again: the account, its session and the match are there")
    trusted.unlink()
    return lines


def enter_namespace() -> None:
    """Starts this program again in a mount namespace of its own, where all calls of podman see the same mounts, and
    control groups of only one version (`Engine`).
    """
    if os.environ.get(INSIDE) is None:
        os.environ[INSIDE] = "1"
        unmixed = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"'
        os.execvp("unshare", ["unshare", "-m", "sh", "-c", unmixed, "sh", sys.executable, *sys.argv])


def main() -> None:
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        raise SystemExit(f"Install {', '.join(missing)}: the first lines of {Path(__file__).name} say from where.")
    enter_namespace()
    home = Path(tempfile.mkdtemp(prefix="lapilli-compose-", dir="/var/tmp"))
    engine, lines = Engine(home), list[str]()
    whole = Whole(engine, home)
    try:
        base = make_base(engine, home)
        build(engine, home, base)
        for part, text in {"database": DATABASE, "proxy": PROXY}.items():
            file = home / part / "Containerfile"
            file.parent.mkdir()
            file.write_text(text.format(base=base))
            engine("buildah", "build", "--network=host", "--pull=false", "--tag", whole.images()[part],
                   str(file.parent))  # fmt: skip
        whole.write()
        whole.up()
        lines += use(whole)
    finally:
        if whole.is_written:
            whole("down", "--volumes")
        shutil.rmtree(home, ignore_errors=True)
        print("\n".join(lines))


if __name__ == "__main__":
    main()
