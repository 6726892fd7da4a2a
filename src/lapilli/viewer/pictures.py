"""Scenes and records as PNG and GIF. Needs the extra `pictures` (resvg and Pillow)."""

from __future__ import annotations

import atexit
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from lapilli.games.errors import LapilliError
from lapilli.games.scene import Scene
from lapilli.match.record import Record
from lapilli.match.replay import replay
from lapilli.viewer.svg import svg
from lapilli.viewer.theme import LIGHT

_VARIABLE = re.compile(r"var\(--([\w-]+)\)")


MAX_PICTURES = 80
"""A longer animation shows the positions alone, without the pictures on the way to them."""


def png(scene: Scene, width: int = 1200) -> bytes:
    """The scene as a PNG picture of that many pixels' width, in the light theme. Raises LapilliError."""
    resvg = _library("resvg_py")
    # The renderer knows no CSS variables and no media queries.
    plain = _VARIABLE.sub(lambda name: LIGHT[name[1]], svg(scene))
    plain = re.sub(r"@media [^{]*\{[^{}]*\{[^{}]*\}\s*\}", "", plain)
    name, file = _font()
    font = {"sans_serif_family": name, "font_files": [file], "skip_system_fonts": True}
    return bytes(resvg.svg_to_bytes(svg_string=plain, width=width, **font))


@cache
def _font() -> tuple[str, str]:
    """Family and file of the font that Pillow brings along, so that pictures are the same on every machine."""
    font = _library("PIL.ImageFont").load_default(20)
    file = Path(tempfile.mkdtemp(prefix="lapilli-")) / "font.ttf"
    file.write_bytes(font.font_bytes)
    atexit.register(shutil.rmtree, file.parent, ignore_errors=True)
    return font.getname()[0], str(file)


def gif(record: Record, width: int = 800, milliseconds: int = 700) -> bytes:
    """The whole match as an animated GIF.

    Args:
        width: in pixels.
        milliseconds: how long each position stays; pictures on the way to it stay half as long, the last one 3 s.

    Raises:
        LapilliError: the extra is not installed, or the rules refute the record.
    """
    image_of = _library("PIL.Image").open
    scenes = list(_scenes(record))
    if len(scenes) > MAX_PICTURES:
        scenes = [(scene, True) for scene, is_position in scenes if is_position]
    images, durations = [], []
    for scene, is_position in scenes:
        images.append(image_of(io.BytesIO(png(scene, width))).convert("RGB").quantize(64))
        durations.append(milliseconds if is_position else milliseconds // 2)
    durations[-1] = 3000
    out = io.BytesIO()
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True)
    return out.getvalue()


def _scenes(record: Record) -> Iterator[tuple[Scene, bool]]:
    """Every picture, and whether it is a position's or one on the way to it."""
    for state, step in replay(record):
        *way, last = state.game.pictures(state, step)
        yield from ((moment.scene, False) for moment in way)
        yield last.scene, True


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise LapilliError("pictures need two more libraries: pip install 'lapilli[pictures]'") from None
