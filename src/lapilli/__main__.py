"""python -m lapilli, and the `lapilli` command."""

from __future__ import annotations


def main() -> None:
    """Loads the command line and runs it."""
    try:
        from lapilli.cli import main as run  # takes a third of a second, in which people change their minds
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
