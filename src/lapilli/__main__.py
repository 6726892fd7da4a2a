"""Entry point of `python -m lapilli` and of the `lapilli` command."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Runs the command line. `lapilli referee` and `lapilli match` run in a resident process, if there is one."""
    try:
        if sys.argv[1:2] == ["referee"] or (sys.argv[1:2] == ["match"] and not _shows_output()):
            _run_resident()
        else:
            _run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except OSError as problem:  # without a free file descriptor not even Lapilli's own files can be read
        print(f"lapilli: cannot start: {problem.strerror or problem}", file=sys.stderr)
        raise SystemExit(3) from None


def _shows_output() -> bool:
    """Returns whether stdout or stderr is a terminal. If so, commands may print colours and progress bars."""
    return any(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr))


def _run_resident() -> None:
    """Runs the command line in a resident process if there is one, otherwise in this process.

    A resident process (`lapilli.resident`) has loaded the program already, and waits for calls. This saves time if a
    tool or a shell loop calls Lapilli thousands of times. If this process had to run the command itself, it may
    afterwards start a resident process for the next call.
    """
    from lapilli.resident.client import hand_over, start_for_next_call

    if all(map(_is_open, range(3))):
        code = hand_over()
        if code is not None:
            raise SystemExit(code)
    try:
        _run()
    finally:
        start_for_next_call()


def _run() -> None:
    gc.disable()  # imports leave no garbage, and searching for it would take a tenth of their time
    _open_closed_streams()
    from lapilli.cli import main as run  # takes a third of a second, during which Ctrl-C may come

    run()


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _open_closed_streams() -> None:
    """Opens /dev/null for each of stdin, stdout and stderr that the parent process has closed.

    Otherwise a file that is opened later would get the descriptor 0, 1 or 2, and messages would be written into it.
    """
    number = 0
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


if __name__ == "__main__":
    main()
