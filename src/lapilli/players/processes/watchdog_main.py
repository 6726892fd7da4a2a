"""The program of the watchdog (see `watchdog`): runs `serve` with nothing but Python's standard library.

So that the watchdog starts fast, Python is started in isolated mode and without installed packages (-I -S). The
packages around this folder stay empty, because their own code imports libraries.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType


def main() -> None:
    """Runs the watchdog until its standard input ends, and then ends all bots that it still watches.

    Reads orders to watch bots, or to stop watching them, from standard input. If a bot exceeds a limit, writes the
    reason to standard output.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in ("lapilli", "lapilli.players", "lapilli.players.processes"):
        sys.modules[name] = package = ModuleType(name)
        package.__path__ = [folder]
    from lapilli.players.processes.watching import serve

    serve(0, 1)


if __name__ == "__main__":
    main()
