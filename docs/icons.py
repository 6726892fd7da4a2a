"""Makes the site's icons, and the picture that other sites show beside a link to it: python docs/icons.py

Needs the extra `pictures`. The fonts in `site/frontend/static/fonts` are made by pyftsubset of fonttools, see
docs/look.md.
"""

from __future__ import annotations

import io
from pathlib import Path

import resvg_py
from PIL import Image

import lapilli
from lapilli.match import replay
from lapilli.match.record import parse_record
from lapilli.site.pages.showcase import FILE
from lapilli.viewer.drawing.pictures import _FONTS, png
from lapilli.viewer.theme import LIGHT

ICONS = Path(lapilli.__file__).parent / "site" / "frontend" / "static" / "icons"
WIDTH, HEIGHT = 1200, 630
EDGE, BOARD, HEAD = 48, 252, 250
MARK = (ICONS / "icon.svg").read_text(encoding="utf-8")


def draw(svg: str, width: int) -> Image.Image:
    """Draws an SVG picture."""
    drawn = resvg_py.svg_to_bytes(svg_string=svg, width=width, font_files=_FONTS, skip_system_fonts=True)
    return Image.open(io.BytesIO(bytes(drawn))).convert("RGBA")


def save(picture: Image.Image, name: str, colours: int) -> None:
    """Writes a picture with so many colours into the site's static files."""
    picture.quantize(colours, method=Image.Quantize.FASTOCTREE).save(ICONS / name, "PNG", optimize=True)


def icons() -> None:
    """Makes the icons out of `icon.svg`."""
    square = MARK.replace(' rx="7"', "")
    shrunk = square.replace("<g ", '<g transform="translate(3.2 3.2) scale(.8)"><g ', 1).replace("</svg>", "</g></svg>")
    for name, svg, width in (
        ("icon-192.png", MARK, 192),
        ("icon-512.png", MARK, 512),
        ("icon-180.png", square, 180),
        ("icon-maskable-512.png", shrunk, 512),
    ):
        save(draw(svg, width), name, 64)


def board(name: str) -> Image.Image:
    """The position in the middle of a game's example match."""
    game = lapilli.load(name)
    states = list(replay(parse_record((game.content / FILE).read_bytes())))
    scene = game.picture(*states[len(states) * 2 // 3])
    return Image.open(io.BytesIO(png(scene, game.sides, 600))).convert("RGBA")


def card() -> None:
    """Makes the picture for links: the name, and a board of each game."""
    inner = MARK.partition(">")[2].removesuffix("</svg>\n")
    words = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">
<rect width="{WIDTH}" height="{HEIGHT}" fill="{LIGHT["sunken"]}"/>
<g transform="translate({EDGE} {EDGE}) scale(3.4)">{inner}</g>
<g font-family="Source Sans Pro" fill="{LIGHT["ink"]}">
<text x="184" y="126" font-size="84" font-weight="600">Lapilli</text>
<text x="{EDGE}" y="222" font-size="40">Board games of tactics, for people and bots</text></g></svg>"""
    picture = draw(words, WIDTH)
    names = lapilli.names()
    for number, name in enumerate(names):
        left = EDGE + number * (WIDTH - 2 * EDGE + 16) // len(names)
        sheet = Image.new("RGBA", (BOARD + 10, HEIGHT - HEAD - EDGE), LIGHT["paper"])
        drawn = board(name)
        drawn.thumbnail((sheet.width - 24, sheet.height - 24), Image.Resampling.LANCZOS)
        sheet.alpha_composite(drawn, ((sheet.width - drawn.width) // 2, (sheet.height - drawn.height) // 2))
        picture.alpha_composite(sheet, (left, HEAD))
    save(picture, "card.png", 128)


if __name__ == "__main__":
    icons()
    card()
