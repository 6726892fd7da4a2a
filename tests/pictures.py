"""What tests of all games' pictures measure."""

from __future__ import annotations

import re

from lapilli.core.picture.scene import LAYERS, Scene, Shape

PHONE = 390
"""Pixels that a phone is wide; the board is that wide there."""
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIZE = re.compile(r"font(?:-size)?:[^;]*?([\d.]+)px")


def letters_on_a_phone(scene: Scene) -> dict[str, float]:
    """The height of the letters of each text on the board but for those that may be hidden, in pixels."""
    sizes: dict[str, float] = {}
    for selectors, content in _RULE.findall(scene.style):
        if size := _SIZE.search(content):
            sizes |= {name: float(size[1]) for name in re.findall(r"\.([\w-]+)", selectors)}
    return {
        key: max(sizes.get(name, 0) for name in text.classes.split()) * PHONE / width
        for key, text, width in _texts(scene)
        if not {"lapilli-label", "lapilli-letter", "lapilli-debug"} & set(text.classes.split())
    }


def _texts(scene: Scene) -> list[tuple[str, Shape, float]]:
    """Texts of the board by their keys, those of pieces by the piece's key and their own; and how wide the board is, or
    the realm that they lie in: one's own is about as wide as a phone."""
    found = []
    for shape in scene.shapes:
        if shape.place in LAYERS or shape.place in scene.realms:
            width = scene.realms[shape.place].crop[2] if shape.place in scene.realms else scene.width
            parts = [(f"{shape.key} {part.key}", part) for part in shape.parts]
            found += [(key, part, width) for key, part in [(shape.key, shape), *parts] if part.tag == "text"]
    return found
