"""What holds in all tests: tic-tac-toe below `fifth` is one of the games, in this process and in those it starts,
and Ctrl-C stops both."""

from __future__ import annotations

import os
import signal
from pathlib import Path

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as where a shell runs all this in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
FIFTH = Path(__file__).parent / "fifth"
os.environ["LAPILLI_GAMES"] = os.pathsep.join([str(FIFTH), *filter(None, [os.environ.get("LAPILLI_GAMES")])])
