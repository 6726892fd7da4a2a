"""The site collects garbage in short pauses, and finds all of it in the end."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import asyncio, gc, weakref
from lapilli.site.runtime import garbage

class Thing:
    def __init__(self):
        self.own = self

async def main():
    before = gc.get_threshold()
    collector = garbage.Garbage()
    collector.start()
    new = weakref.ref(Thing())
    collector.collect()
    assert new() is None, "new garbage is found at once"
    thing = Thing()
    old = weakref.ref(thing)
    collector.collect()
    del thing
    collector.collect()
    assert old() is not None, "what was there before is not visited"
    garbage.ALL_S = 0.0
    collector.collect()
    assert old() is None, "but sooner or later"
    garbage.ALL_S, garbage._GROWTH = 300.0, 0.5
    thing = Thing()
    old = weakref.ref(thing)
    gc.freeze()
    del thing
    collector.collect()
    assert old() is None, "and when the process has grown"
    collector.stop()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0

asyncio.run(main())
"""


def test_garbage_is_found_at_once_if_it_is_new_and_later_if_it_is_old() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
