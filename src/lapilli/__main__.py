"""python -m lapilli, and the `lapilli` command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Loads the command line and runs it."""
    _open_closed_streams()
    try:
        from lapilli.cli import main as run  # takes a third of a second, in which people change their minds
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    run()


def _open_closed_streams() -> None:
    """Whoever starts us may have closed our stdin, stdout or stderr; what we open must not take their numbers."""
    number = 0
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


if __name__ == "__main__":
    main()
