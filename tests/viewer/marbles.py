"""Scenes of a game that nobody plays, with all that a board shows: marbles on tiles, and captured ones beside them."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin

from lapilli.core.picture.choices import Choice
from lapilli.core.picture.panels import Fact, Panels, Plate, Sample
from lapilli.core.picture.scene import Scene, Shape

COLUMNS, ROWS, SIDE = 5, 4, 60.0
STYLE = """
.marbles-tile { fill: color-mix(in srgb, var(--line) 25%, var(--paper)); stroke: var(--line); stroke-width: 1.5; }
.marbles-name { font: 11px sans-serif; fill: var(--ink); }
.marbles-ball { stroke: var(--ink); stroke-width: 2; }
.marbles-ball.of-0 { fill: var(--player-0); }
.marbles-ball.of-1 { fill: var(--player-1); }
.marbles-shine { fill: url(#marbles-light); }
"""
_STOPS = '<stop stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/>'
DEFS = f'<radialGradient id="marbles-light">{_STOPS}</radialGradient>'
WHERE = [f"{column}{row}" for row in range(ROWS) for column in "ABCDE"[:COLUMNS]]


def tile(name: str) -> tuple[float, float]:
    """The middle of a tile."""
    return (ord(name[0]) - ord("A") + 0.5) * SIDE, (int(name[1]) + 0.5) * SIDE


def marbles(
    board: Mapping[str, str], captured: tuple[int, int] = (0, 0), turn: int = 1, columns: int = COLUMNS, label: str = ""
) -> Scene:
    """A position: for each marble, by a name such as b1 (blue's) or o2 (orange's), its tile; those that a player has
    captured, by their number, lie on its strip."""
    drawn = Scene(columns * SIDE, ROWS * SIDE, label or f"Marbles, turn {turn}", STYLE, defs=DEFS, layer="ground")
    shown = [name for name in WHERE if ord(name[0]) - ord("A") < columns]
    for name in shown:
        x, y = tile(name)
        drawn.rect(f"tile-{name}", x - SIDE / 2, y - SIDE / 2, SIDE, SIDE, "marbles-tile", f"{name}: a tile")
        drawn.text(f"name-{name}", x - 26, y - 16, name, "marbles-name lapilli-label")
        drawn.anchors[f"tile-{name}"] = (x, y)
    with drawn.on("pieces"):
        for marble, name in board.items():
            _ball(drawn, marble, *tile(name))
    for player, count in enumerate(captured):
        with drawn.supply(f"captured-{player}", 200, 40, "captured"):
            for number in range(count):
                _ball(drawn, f"{'ob'[player]}{number + 1}", 20 + 36 * number, 20, 0.7)
    with drawn.supply("bag", 160, 40, "in the bag"):
        _ball(drawn, "o9", 20, 20)
    drawn.links = {
        "tile-B1": ["tile-A1", "tile-C1", "tile-E3"],
        "b1": ["tile-A0"],
        "tile-A0": ["tile-A1", ("tile-E3", "far")],
    }
    drawn.globe = {f"tile-{name}": _patch(name) for name in WHERE} | {
        marble: (_sphere(*_angles(board[marble])),) for marble in board
    }
    drawn.panels = _panels(captured, turn)
    return drawn


def _panels(captured: tuple[int, int], turn: int) -> Panels:
    to_move = (turn + 1) % 2
    plates = []
    for player, count in enumerate(captured):
        facts = [Fact("to move", kind="to-move")] if player == to_move else []
        facts.append(Fact(f"{count} captured", f"Each captured marble counts 10: {count} × 10"))
        plates.append(Plate(10 * count, "points", tuple(facts), (f"captured-{player}",)))
    ball = Shape("ball", "circle", (("cx", "0"), ("cy", "0"), ("r", "14")), "marbles-ball of-0")
    sample = Shape("marble", "g", (("x", "20"), ("y", "20")), parts=(ball,))
    headline = f"Turn {turn}: {('Blue', 'Orange')[to_move]} to move"
    return Panels(headline, tuple(plates), ("bag",), (Sample("a marble of Blue", (sample,)),))


def _ball(drawn: Scene, marble: str, x: float, y: float, scale: float = 1.0) -> None:
    player = "bo".index(marble[0])
    with drawn.piece(marble, x, y, "marbles-marble", f"marble {marble}", scale):
        drawn.circle("ball", 0, 0, 16, f"marbles-ball of-{player}")
        drawn.circle("shine", -5, -6, 6, "marbles-shine")


def _angles(name: str) -> tuple[float, float]:
    return (ord(name[0]) - ord("A") + 0.5) * 2 * pi / COLUMNS, (1.5 - int(name[1])) * pi / (ROWS + 1)


def _sphere(across: float, up: float) -> tuple[float, float, float]:
    return sin(across) * cos(up), sin(up), cos(across) * cos(up)


def _patch(name: str) -> tuple[tuple[float, float, float], ...]:
    across, up = _angles(name)
    wide, high = pi / COLUMNS, pi / (ROWS + 1) / 2
    return tuple(_sphere(across + a * wide, up + b * high) for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1)))


CHOICES = [
    Choice(0, ("b1", "tile-B1"), "b1 to B1"),
    Choice(1, ("b1", "tile-C1", "=1"), "b1 to C1, 1 step"),
    Choice(2, ("b1", "tile-C1", "=2"), "b1 to C1, 2 steps"),
    Choice(3, ("b2", "tile-D3"), "b2 to D3"),
    Choice(4, ("o9",), "take one out of the bag"),
    Choice(5, ("=pass",), "pass"),
]
START = {"b1": "A1", "b2": "D2", "o1": "C1", "o2": "E0"}
