"""Volcanoes: the kernel against the naive twin in one run, and against a figure of the original Java code.

python benchmarks/volcanoes.py
"""

from __future__ import annotations

from lapilli.games import load

JAVA_PLAYOUTS = 27_537
"""Uniform random playouts/s of the original Java board on one core (on another machine; shared golden bench file)."""


def main() -> None:
    figures = load("volcanoes").speed(3.0)
    for name, figure in figures.items():
        print(f"{figure:14,.1f}  {name}")
    print(
        f"{figures['playouts/s'] / JAVA_PLAYOUTS:14,.1f}  times the original Java board's {JAVA_PLAYOUTS:,} playouts/s"
    )


if __name__ == "__main__":
    main()
