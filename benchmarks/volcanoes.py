"""Volcanoes: the kernel against the naive twin in one run, and against the original Java code's figure.

python benchmarks/volcanoes.py
"""

from __future__ import annotations

from lapilli.games.volcanoes.speed import figures

JAVA_PLAYOUTS = 27_537
"""Uniform random playouts/s of the original Java board, one core (its own machine; shared golden bench file)."""


def main() -> None:
    found = figures(3.0)
    for name, figure in found.items():
        print(f"{figure:14,.1f}  {name}")
    print(f"{found['playouts/s'] / JAVA_PLAYOUTS:14,.1f}  times the original Java board's {JAVA_PLAYOUTS:,} playouts/s")


if __name__ == "__main__":
    main()
