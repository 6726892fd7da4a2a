"""Scene -> SVG text."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from lapilli.games.scene import Scene, Shape
from lapilli.viewer.theme import DARK, LIGHT, variables


def svg(scene: Scene) -> str:
    """The scene as one self-contained SVG document; it follows the system's choice of light or dark."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lapilli" role="img" '
        f'viewBox="0 0 {scene.width:g} {scene.height:g}" width="{scene.width:g}" height="{scene.height:g}">'
    )
    style = (
        f"svg.lapilli {{ {variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ svg.lapilli {{ {variables(DARK)} }} }}\n"
        f".lapilli-paper {{ fill: var(--paper); }}\n{scene.style}"
    )
    parts = [
        head,
        f"<title>{escape(scene.label)}</title>",
        f"<style>{escape(style)}</style>",
        f"<defs>{scene.defs}</defs>" if scene.defs else "",
        '<rect class="lapilli-paper" width="100%" height="100%"/>',
        *(element(shape) for shape in scene.shapes),
        "</svg>\n",
    ]
    return "\n".join(parts)


def element(shape: Shape) -> str:
    """One shape as an SVG element."""
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in shape.attributes)
    classes = f" class={quoteattr(' '.join(shape.classes.split()))}" if shape.classes else ""
    title = f"<title>{escape(shape.title)}</title>" if shape.title else ""
    return f"<{shape.tag}{classes}{attributes}>{title}{escape(shape.text)}</{shape.tag}>"
