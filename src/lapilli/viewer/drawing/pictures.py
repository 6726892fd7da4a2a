"""Draws scenes as PNG, and matches as animated GIF. Needs the extra `pictures` (resvg and Pillow)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.installed import how_to_install
from lapilli.core.picture.scene import Moment, Scene
from lapilli.match.record import Record
from lapilli.viewer.drawing.svg import svg
from lapilli.viewer.films.early_end import pictures, replay_to_end
from lapilli.viewer.theme import DARK, LIGHT

_VARIABLE = re.compile(r"var\(--([\w-]+)\)")
_FAMILY = "Source Sans Pro"
_FONTS = [str(file) for file in sorted((Path(__file__).parents[1] / "fonts").glob("*.ttf"))]
"""Files of the font _FAMILY, one for each weight in pictures. Fonts of the system are not used, so that pictures look
the same on every machine.
"""

MAX_PICTURES = 80
"""If a match has more pictures than this, its animation shows only the positions, without the pictures between them."""
LAST_MS = 3000
"""Display time of the last picture of an animation, in milliseconds."""
Progress = Callable[[int, int], None]
"""Callback for a progress bar: receives the number of pictures drawn so far, and the number of all pictures to draw."""


def png(scene: Scene, names: Sequence[str], width: int = 1200, dark: bool = False, letters: bool = False) -> bytes:
    """Draws a scene as PNG.

    Args:
        scene: the scene.
        names: names of the players, in order.
        width: width in pixels.
        dark: whether to use the dark theme.
        letters: whether to draw the shapes of class `lapilli-letter`, which are hidden by default.

    Raises:
        LapilliError: the extra `pictures` is not installed.
    """
    resvg = _library("resvg_py")
    # CSS variables and media queries are replaced, because the renderer does not support them
    theme = DARK if dark else LIGHT
    plain = _VARIABLE.sub(lambda name: theme[name[1]], svg(scene, names, letters))
    plain = re.sub(r"@media [^{]*\{[^{}]*\{[^{}]*\}\s*\}", "", plain)
    font = {
        "sans_serif_family": _FAMILY,
        "monospace_family": _FAMILY,
        "font_files": _FONTS,
        "skip_system_fonts": True,
    }
    return bytes(resvg.svg_to_bytes(svg_string=plain, width=width, **font))


def decoded(picture: bytes) -> Any:
    """Decodes a picture in PNG format to pixels.

    Returns:
        An array of uint8 of shape (height, width, 3). The last axis is red, green, blue.

    Raises:
        LapilliError: the extra `pictures` is not installed.
    """
    return np.asarray(_library("PIL.Image").open(io.BytesIO(picture)).convert("RGB"))


def gif(
    record: Record,
    width: int = 800,
    milliseconds: int = 700,
    turns: tuple[int, int] | None = None,
    dark: bool = False,
    letters: bool = False,
    progress: Progress | None = None,
) -> bytes:
    """Draws a match as an animated GIF.

    Args:
        record: the match.
        width: width in pixels.
        milliseconds: display time of a picture with weight 1 (`Moment.weight`). Other pictures are shown for this time
            multiplied by their weight, and the last picture for LAST_MS milliseconds.
        turns: numbers of the first and the last referee turn to show; None for all turns.
        dark: whether to use the dark theme.
        letters: whether to draw the shapes of class `lapilli-letter`, which are hidden by default.
        progress: callback that is called after each picture; None for none.

    Raises:
        LapilliError: the extra `pictures` is not installed, the record breaks the rules, or it contains none of these
            turns.
    """
    image_of, fast = _library("PIL.Image").open, _library("PIL.Image").Quantize.FASTOCTREE
    moments = list(_moments(record, turns))
    if not moments:
        raise LapilliError("there is nothing to show: the record has none of these turns")
    if len(moments) > MAX_PICTURES:
        moments = [(moment, True) for moment, is_position in moments if is_position]
    names = record.player_names
    images, durations = [], []
    for number, (moment, _) in enumerate(moments, start=1):
        drawn = io.BytesIO(png(moment.scene, names, width, dark, letters))
        images.append(image_of(drawn).convert("RGB").quantize(128, method=fast))
        durations.append(max(40, round(milliseconds * moment.weight)))
        if progress is not None:
            progress(number, len(moments))
    durations[-1] = LAST_MS
    size = max(image.width for image in images), max(image.height for image in images)
    images = [image if image.size == size else _extended(image, size) for image in images]
    out = io.BytesIO()
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True)
    return out.getvalue()


def _extended(image: Any, size: tuple[int, int]) -> Any:
    """Extends a picture, `image`, at the right and at the bottom to `size`: width and height in pixels.

    This is needed because all pictures of an animation must have the same size. The new area has the colour of the
    picture's upper left corner.
    """
    sheet = image.copy().resize(size)
    sheet.paste(image.getpixel((0, 0)), (0, 0, *size))
    sheet.paste(image, (0, 0))
    return sheet


def _moments(record: Record, turns: tuple[int, int] | None) -> Iterator[tuple[Moment, bool]]:
    """Yields the pictures of some turns as pairs: the picture, and whether it shows the position after a turn.

    The other pictures show what happens between two positions.

    `turns`: numbers of the first and the last referee turn; None for all turns.
    """
    for state, step, end in replay_to_end(record):
        turn = step.report.turn if step else 0
        if turns is not None and not turns[0] <= turn <= turns[1]:
            continue
        *intermediate, last = pictures(state.game, state, step, end)
        yield from ((moment, False) for moment in intermediate)
        yield last, True


def _library(name: str) -> Any:
    """Imports a library of the extra `pictures` and returns it. Raises LapilliError if the library is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise LapilliError(f"pictures need two more libraries: {how_to_install('pictures')}") from None
