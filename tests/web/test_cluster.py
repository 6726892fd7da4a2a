"""A site that has a real Ray cluster play what is compared and rated."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from clusters import need_ray
from lapilli.kernels.cache import cache_base
from lapilli.players.sandbox.sandbox import why_no_sandbox
from web.client import WAIT, Site, Visitor
from web.writing import Author

need_ray()
RANDOM = "import random\nwhile True:\n    input()\n    print(random.choice(input().split()), flush=True)\n"
FAILS = "input()\n"


class OnCluster(Site):
    """`lapilli site --ray`."""

    def __init__(self, store: Path, address: str) -> None:
        super().__init__(store)
        self.address = address

    def words(self) -> list[str]:
        return [*super().words(), "--ray", self.address]


def has_travelled(mark: str) -> bool:
    """Whether a bot in whose text this stands was sent to a machine of a cluster."""
    there = cache_base().with_name("lapilli-bots").rglob("bot.py")
    return any(mark in file.read_text(encoding="utf-8") for file in there)


@pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")
def test_bots_are_compared_and_rated_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    site = OnCluster(tmp_path / "site.db", cluster.address)
    site.start()
    try:
        with Visitor(site) as ada:
            author, marks = Author(ada, "traveller"), (token_hex(8), token_hex(8))
            version = author.save(f"{RANDOM}# {marks[0]}\n")
            found = author.compares(version, other=author.save(FAILS))
            assert (found["state"], found["told"]["verdict"]) == ("done", "better")
            assert has_travelled(marks[0])
            entered = author.does("submit", author.save(f"{RANDOM}# {marks[1]}\n"))
            assert entered["state"] == "done"
            end = time.monotonic() + 2 * WAIT
            while not ada.http.get(f"{author.path}/league").json()["matches"]:
                assert time.monotonic() < end
                time.sleep(0.1)
            assert has_travelled(marks[1])
    finally:
        assert site.stop()[0] == 0


def test_a_cluster_out_of_reach_is_said_in_one_line(tmp_path: Path) -> None:
    command = OnCluster(tmp_path / "site.db", "127.0.0.1:9").command()
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "lapilli: no Ray cluster is at 127.0.0.1:9: Connection refused\n"
