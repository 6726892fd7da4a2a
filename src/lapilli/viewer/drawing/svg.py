"""Converts a scene to an SVG document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from lapilli.core.picture.scene import LAYERS, Scene, Shape
from lapilli.viewer.drawing.panel_shapes import Block, head
from lapilli.viewer.theme import DARK, LIGHT, variables

STYLE = """
.lapilli-paper { fill: var(--paper); }
.lapilli-name { font-family: system-ui, sans-serif; font-weight: 600; fill: var(--ink); }
.lapilli-says { font-family: system-ui, sans-serif; fill: var(--muted); }
.lapilli-chip { stroke: var(--ink); stroke-width: .07; }
""" + "".join(f".lapilli-chip.of-{player} {{ fill: var(--player-{player}); }}\n" for player in range(4))
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_LETTERS = ".lapilli-letter { display: none; }\n"


def svg(scene: Scene, names: Sequence[str], letters: bool = False) -> str:
    """Draws a scene as an SVG document that needs no other files: the board, and above it the panels.

    The document contains a light and a dark theme. The system setting of the person who looks at it selects the theme.

    Args:
        scene: the scene.
        names: names of the players, in order.
        letters: whether to draw the shapes of class `lapilli-letter`, which are hidden by default.
    """
    top = head(scene, names)
    width, height = scene.width, scene.height + top.height
    opening_tag = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lapilli" role="img" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">'
    )
    style = (
        f"svg.lapilli {{ {variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ svg.lapilli {{ {variables(DARK)} }} }}\n"
        f"{STYLE}{scene.style}{'' if letters else _NO_LETTERS}"
    )
    parts = [
        opening_tag,
        f"<title>{_content(scene.label)}</title>",
        f"<style>{escape(style)}</style>",
        f"<defs>{scene.defs}</defs>" if scene.defs else "",
        '<rect class="lapilli-paper" width="100%" height="100%"/>',
        *_blocks(scene, top.blocks),
        f'<g transform="translate(0 {top.height:g})">',
        *(element(shape) for shape in scene.in_order() if shape.place in LAYERS),
        *_blocks(scene, (_realm(scene, name) for name in scene.realms)),
        "</g>",
        "</svg>\n",
    ]
    return "\n".join(parts)


def _realm(scene: Scene, name: str) -> Block:
    """Returns the shapes of the realm `name` as a block at the realm's place on the board.

    A realm is a player's own part of the board.
    """
    realm = scene.realms[name]
    shapes = tuple(shape for shape in scene.shapes if shape.place == name)
    return Block(*realm.on_board((0.0, 0.0)), realm.scale, shapes)


def _blocks(scene: Scene, blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        yield f'<g transform="translate({block.x:.2f} {block.y:.2f}) scale({block.scale:.4f})">'
        yield from map(element, block.shapes)
        yield "</g>"


def element(shape: Shape) -> str:
    """Converts a shape, or a piece with its parts, to an SVG element."""
    attributes = {"transform": _transform(shape)} if shape.tag == "g" else dict(shape.attributes)
    xml_attributes = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    classes = f" class={quoteattr(' '.join(shape.classes.split()))}" if shape.classes else ""
    title = f"<title>{_content(shape.title)}</title>" if shape.title else ""
    content = _content(shape.text) + "".join(map(element, shape.parts))
    return f"<{shape.tag}{classes}{xml_attributes}>{title}{content}</{shape.tag}>"


def _content(text: str) -> str:
    """Escapes a text as the content of an XML element. Removes characters that XML does not even allow when escaped."""
    return escape(_NOT_IN_XML.sub("", text))


def _transform(piece: Shape) -> str:
    attributes = dict(piece.attributes)
    turn = f" rotate({attributes['turn']})" if "turn" in attributes else ""
    scale = f" scale({attributes['scale']})" if "scale" in attributes else ""
    return f"translate({attributes['x']} {attributes['y']}){turn}{scale}"
