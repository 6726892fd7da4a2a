"""Functions that handle a closed stdout, for example after a pipe into `head`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def mute() -> None:
    """Redirects stdout to /dev/null, so that further output is dropped without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def unless_closed(show: Callable[[], None]) -> bool:
    """Calls the function `show`, which prints. If writing to stdout fails, drops all further output to stdout.

    So the command can continue, for example to save a record.

    Returns:
        Whether the output could be written.
    """
    try:
        show()
        sys.stdout.flush()
    except OSError:
        mute()
        return False
    return True
