"""python -m lapilli, and the `lapilli` command."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Loads the command line and runs it."""
    gc.disable()  # what is loaded stays: to look for garbage meanwhile would take a tenth of the time
    try:
        _open_closed_streams()
        from lapilli.cli import main as run  # takes a third of a second, in which people change their minds

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except OSError as problem:  # where no descriptor is left, not even our own files can be read
        print(f"lapilli: cannot start: {problem.strerror or problem}", file=sys.stderr)
        raise SystemExit(3) from None


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
