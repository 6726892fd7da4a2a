"""What holds in all tests: tic-tac-toe below `fifth` is one of the games, in this process and in those it starts."""

from __future__ import annotations

import os
from pathlib import Path

FIFTH = Path(__file__).parent / "fifth"
os.environ["LAPILLI_GAMES"] = os.pathsep.join([str(FIFTH), *filter(None, [os.environ.get("LAPILLI_GAMES")])])
