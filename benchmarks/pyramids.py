"""Volcano with pyramids: the kernel against the naive twin in one run, and against a published engine's figure.

python benchmarks/pyramids.py
"""

from __future__ import annotations

from lapilli.games.pyramids import speed

PEER_CAP_MOVE_NS = 2900
"""AbstractPlay's TypeScript engine (gameslib, volcano.ts), a cap move, one core (issue 5)."""


def main() -> None:
    found = speed.figures(2.0)
    for name, figure in found.items():
        print(f"{figure:16,.1f}  {name}")
    print(f"{PEER_CAP_MOVE_NS / found['cap move ns']:16,.1f}  times AbstractPlay's 2.9 us a cap move")


if __name__ == "__main__":
    main()
