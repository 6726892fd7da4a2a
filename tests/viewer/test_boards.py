"""What boards show can be seen in either theme, and read on a phone: computed from the pictures and their style sheets.

Contrast by WCAG 2: 3 for shapes that carry meaning, 4.5 for text; a shape that has an edge may stand out by that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest

import lapilli
from lapilli.core.api import State, Step
from lapilli.core.picture.scene import LAYERS, Scene, Shape
from lapilli.games.volcanoes.picture.look import TINTS
from lapilli.match import replay
from lapilli.viewer.theme import DARK, LIGHT
from viewer.test_theme import contrast

THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]
PHONE = 390
"""Pixels."""
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


class Look(NamedTuple):
    """How a shape is painted; "" for what it has not."""

    fill: str
    edge: str
    opacity: float
    font: float


def look(style: str, classes: str, theme: dict[str, str]) -> Look:
    """What a style sheet of compound class selectors says of a shape of these classes."""
    said: dict[str, str] = {}
    for selectors, declarations in _RULE.findall(style):
        compounds = (set(selector.strip().lstrip(".").split(".")) for selector in selectors.split(","))
        if any(compound <= set(classes.split()) for compound in compounds):
            pairs = (declaration.partition(":") for declaration in declarations.split(";"))
            said |= {name.strip(): value.strip() for name, _, value in pairs}
    fill, edge = (_colour(said.get(name, ""), theme) for name in ("fill", "stroke"))
    size = re.search(r"([\d.]+)px", said.get("font", ""))
    return Look(fill, edge, float(said.get("fill-opacity", "1")), float(size[1]) if size else 0)


def _colour(value: str, theme: dict[str, str]) -> str:
    variable = re.fullmatch(r"var\(--([\w-]+)\)", value)
    return theme[variable[1]] if variable else value if value.startswith("#") else ""


def mixed(over: str, under: str, opacity: float) -> str:
    """The colour of a half transparent one over another."""
    pairs = [(int(over[i : i + 2], 16), int(under[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in pairs)


def stands_out(shape: Look, under: str) -> float:
    return max(contrast(colour, under) for colour in (shape.fill, shape.edge) if colour)


def pictures(game: str, variant: str | None = None) -> Iterator[Scene]:
    """Every fifth picture of a match."""
    record = lapilli.play_match(game, ["greedy", "greedy"], seed=2, variant=variant)
    found = [moment for state, step in replay(record) for moment in shown(state, step)]
    yield from (scene for scene in found[::5])


def shown(state: State, step: Step | None) -> list[Scene]:
    return [moment.scene for moment in state.game.pictures(state, step)]


def texts(shapes: list[Shape], scale: float = 1.0) -> Iterator[tuple[Shape, float]]:
    """All texts and how much they are magnified."""
    for shape in shapes:
        if shape.tag == "text":
            yield shape, scale
        yield from texts(list(shape.parts), scale * float(dict(shape.attributes).get("scale", "1")))


@pytest.mark.parametrize(("game", "variant"), [("volcanoes", None), ("pyramids", "square"), ("pyramids", "hex")])
def test_texts_on_a_board_are_large_enough_for_a_phone(game: str, variant: str | None) -> None:
    for scene in pictures(game, variant):
        board = [shape for shape in scene.shapes if shape.place in LAYERS]
        for text, scale in texts(board):
            size = look(scene.style, text.classes, LIGHT).font * scale
            assert size >= 10, text
            if "lapilli-label" not in text.classes:
                assert size * PHONE / scene.width >= 11, text


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("variant", ["square", "hex"])
def test_pieces_and_caps_stand_out_from_all_that_lies_under_them(variant: str, theme: dict[str, str]) -> None:
    scenes = list(pictures("pyramids", variant))
    style = scenes[-1].style
    ground = look(style, "pyramids-cell", theme).fill
    assert look(style, "pyramids-tray", theme).fill == ground
    assert contrast(look(style, "pyramids-cell", theme).edge, theme["paper"]) >= 3
    assert contrast(look(style, "pyramids-name", theme).fill, ground) >= 4.5
    fills = set()
    for scene in scenes:
        for piece in (shape for shape in scene.shapes if shape.key.startswith("piece-")):
            body, face, *pips = (look(style, part.classes, theme) for part in piece.parts)
            lit = mixed(face.fill, body.fill, face.opacity)
            fills |= {body.fill, lit}
            assert body.edge == ground, "which parts it from what it lies on"
            for fill, pip in product((body.fill, lit), pips):
                assert contrast(pip.fill or pip.edge, fill) >= 3
    assert len(fills) == 2 * {"square": 5, "hex": 6}[variant]
    assert min(contrast(fill, ground) for fill in fills) >= 3
    cap = look(style, "pyramids-cap", theme)
    assert contrast(cap.fill, cap.edge) >= 3
    assert min(stands_out(cap, under) for under in (*fills, ground)) >= 3
    for mark in ("pyramids-way", "pyramids-foot", "pyramids-eruption", "pyramids-ring", "pyramids-source"):
        assert contrast(look(style, mark, theme).edge, ground) >= 3, mark


@pytest.mark.parametrize("theme", THEMES)
def test_volcanoes_and_what_is_said_of_them_stand_out_from_their_tiles(theme: dict[str, str]) -> None:
    scene = next(pictures("volcanoes"))
    style, paper = scene.style, theme["paper"]
    for player, level in product((0, 1), range(1, 5)):
        tile = look(style, f"volcanoes-tile of-{player} level-{level}", theme)
        assert tile.opacity == TINTS[level - 1]
        tint = mixed(tile.fill, paper, tile.opacity)
        asleep = " asleep" if level == 4 else ""
        cone = look(style, f"volcanoes-cone of-{player}{asleep}", theme)
        assert stands_out(cone, tint) >= 3, (player, level)
        number = look(style, f"volcanoes-level of-{player}{asleep}", theme)
        assert contrast(number.fill, cone.fill) >= 4.5
        assert number.edge == cone.fill, "which parts it from the contours"
        assert contrast(look(style, "volcanoes-name owned", theme).fill, tint) >= 4.5
        if level >= 3:
            hot = look(style, f"volcanoes-tile of-{player} level-{level}{' hot' * (level == 4)}", theme)
            rim = look(style, "volcanoes-rim", theme).edge
            assert contrast(rim, mixed(hot.fill, paper, hot.opacity)) >= 3, (player, level)
        for mark in ("volcanoes-last", "volcanoes-risen"):
            assert contrast(look(style, mark, theme).edge, tint) >= 3, (mark, player, level)
    assert contrast(look(style, "volcanoes-tile", theme).edge, paper) >= 3
    for name in ("volcanoes-name", "volcanoes-glue", "volcanoes-hit"):
        assert contrast(look(style, name, theme).fill, paper) >= 4.5, name
    for mark in ("goal of-0", "goal of-1", "rim", "ruin", "equator", "ray of-0", "ray of-1", "ray hostile"):
        assert contrast(look(style, f"volcanoes-{mark}", theme).edge, paper) >= 3, mark
    for player in (0, 1):
        assert contrast(look(style, f"volcanoes-dot of-{player}", theme).fill, paper) >= 3
