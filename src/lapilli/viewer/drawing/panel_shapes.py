"""Draws a scene's panels (headline, players, scores) as shapes above the board, for picture files.

Pages do not use this module: they show the panels as HTML beside the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from lapilli.core.picture.panels import Plate
from lapilli.core.picture.scene import Scene, Shape
from lapilli.core.reading.text import shortened

_BOARD_WIDTH = 64.0
"""Width of the board, in letter heights. This determines the height of the letters above the board."""
_LETTER_WIDTH = 0.56
"""Average width of a letter, in letter heights, to estimate whether a text fits."""
_LINE, _PAD, _CHIP = 1.5, 0.8, 0.8
_SMALL = 0.85


@dataclass(frozen=True)
class Block:
    """A group of shapes with a coordinate system of their own, and the position and scale of this system in the
    picture.

    Attributes:
        x: position of the group's origin in the picture, in scene units from the left.
        y: position of the group's origin in the picture, in scene units from the top.
        scale: length of one unit of the group's coordinate system, in scene units.
        shapes: the shapes.
    """

    x: float
    y: float
    scale: float
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Head:
    """All shapes above the board.

    Attributes:
        height: height of the area above the board, in scene units; 0 if there are no shapes.
        blocks: the shapes, in groups.
    """

    height: float
    blocks: tuple[Block, ...]


def head(scene: Scene, names: Sequence[str]) -> Head:
    """Draws everything above the board: the headline, the players' panels side by side, and supplies that belong to no
    player.

    Args:
        scene: the scene.
        names: names of the players, in order.
    """
    panels = scene.panels
    if panels is None:
        return Head(0, ())
    letter = scene.width / _BOARD_WIDTH
    blocks = [
        Block(0, 0, letter, (_text("headline", _PAD, 1.6, panels.headline, "lapilli-name", 1.2, _BOARD_WIDTH - 2),))
    ]
    top = 2.6 * letter
    lows = [top]
    share = scene.width / len(panels.plates)
    for player, (plate, name) in enumerate(zip(panels.plates, names, strict=False)):
        left = share * player
        blocks.append(Block(left, top, letter, _plate(player, plate, name, share / letter)))
        low = top + (2 * _LINE + 0.6) * letter
        for strip in plate.supplies:
            block, low = _strip(scene, strip, (left + _PAD * letter, low), share - 2 * _PAD * letter, letter)
            blocks.append(block)
        lows.append(low)
    left, top, low = _PAD * letter, max(lows), max(lows)
    width = scene.width - 2 * left
    for strip in panels.supplies:
        supply_width = min(scene.supplies[strip].width, width)
        if left > _PAD * letter and left + supply_width > width:
            left, top = _PAD * letter, low
        block, end = _strip(scene, strip, (left, top), width, letter)
        blocks.append(block)
        left, low = left + supply_width + 2 * letter, max(low, end)
    return Head(low, tuple(blocks))


def _plate(player: int, plate: Plate, name: str, width: float) -> tuple[Shape, ...]:
    """Draws a player's panel: symbol, name and score in one line, and facts about the player in the next line.

    Args:
        player: number of the player.
        plate: the player's panel.
        name: the player's name.
        width: available width, in letter heights. The coordinates of the shapes have the same unit.
    """
    score = plate.counted
    name_width = width - 2 * _PAD - 1.6 - _LETTER_WIDTH * len(score)
    facts = ", ".join(fact.text for fact in plate.facts)
    return (
        chip(player, _PAD + _CHIP, 0.9, _CHIP),
        _text("name", _PAD + 2.2, 1.25, name, "lapilli-name", 1, name_width),
        _text("score", width - _PAD, 1.25, score, "lapilli-name", 1, width, end=True),
        _text("facts", _PAD + 2.2, 1.25 + _LINE, facts, "lapilli-says", _SMALL, width - 2 * _PAD - 2.2),
    )


def _strip(scene: Scene, name: str, corner: tuple[float, float], width: float, letter: float) -> tuple[Block, float]:
    """Draws a supply, which is a strip of pieces, below its title. All lengths are in scene units.

    Args:
        scene: the scene.
        name: name of the supply.
        corner: x and y of the upper left corner of the title.
        width: greatest width. A wider supply is scaled down.
        letter: height of the letters of the title.

    Returns:
        The shapes as a block, and the y coordinate of the block's lower end.
    """
    supply = scene.supplies[name]
    scale = min(1.0, width / supply.width)
    (x, y), down = corner, 1.2 * letter
    shapes = [shape for shape in scene.in_order() if shape.place == name]
    title = _text(f"{name}-title", 0, -0.4 * letter / scale, supply.title, "lapilli-says", _SMALL * letter / scale, 1e6)
    return Block(x, y + down, scale, (title, *shapes)), y + down + supply.height * scale + 0.4 * letter


def chip(player: int, x: float, y: float, radius: float) -> Shape:
    """Draws the symbol of a player (circle, diamond, square or hexagon) in the player's colour.

    (x, y) is the symbol's centre. `radius` is the distance from there to the symbol's corners, or to its edge for a
    circle.
    """
    classes = f"lapilli-chip of-{player}"
    if player == 0:
        return Shape("chip", "circle", (("cx", f"{x:g}"), ("cy", f"{y:g}"), ("r", f"{radius:g}")), classes)
    corners, first = ((4, 0.0), (4, pi / 4), (6, 0.0))[player - 1]
    angles = [first + 2 * pi * number / corners for number in range(corners)]
    points = " ".join(f"{x + radius * cos(a):.2f},{y + radius * sin(a):.2f}" for a in angles)
    return Shape("chip", "polygon", (("points", points),), classes)


def _text(key: str, x: float, y: float, text: str, classes: str, size: float, width: float, end: bool = False) -> Shape:
    """Draws one line of text. The text is shortened to fit into `width`.

    Args:
        key: key of the shape.
        x: position of the start of the text; with `end`, position of the end of the text.
        y: position of the text's baseline.
        text: text to draw.
        classes: CSS classes.
        size: font size.
        width: greatest width.
        end: whether `x` is the position of the end of the text.
    """
    attributes = [("x", f"{x:.2f}"), ("y", f"{y:.2f}"), ("font-size", f"{size:.2f}")]
    attributes += [("text-anchor", "end")] * end
    return Shape(key, "text", tuple(attributes), classes, shortened(text, max(4, int(width / (_LETTER_WIDTH * size)))))
