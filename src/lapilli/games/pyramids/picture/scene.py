"""Draws a position: stacks seen from the side, and beside the board the captured pieces, grouped in nests."""

from __future__ import annotations

from functools import lru_cache
from math import dist
from typing import cast

from lapilli.core.picture.panels import one_line
from lapilli.core.picture.scene import Layer, Scene, Shape
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.pyramids.board import COLOUR, SIZE, Board
from lapilli.games.pyramids.picture import look, places
from lapilli.games.pyramids.picture.story import LastTurn, last_turn
from lapilli.games.pyramids.picture.trays import EDGE, SCALE, Tray, trays
from lapilli.games.pyramids.picture.words import colours_of, headline, long_name, panels
from lapilli.games.pyramids.state.layout import climb
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

NAMES = ((r"\b[A-G][1-7]\b", "cell-{0}"),)
"""Value of `Scene.names`: the pattern by which viewers find names of cells in texts."""
_COLOUR_STEP, _COLOUR_HEIGHT = 42.0, 22.0
"""Distance between two pieces on the strip of colours, and their height, in scene units."""
_RING = 50.0
"""Radius of the ring that marks a cell on which a piece was captured, in scene units."""
_SHORT = 40.0
"""Distance from the end of an eruption's arrow to the middle of the last cell, in scene units, so that the arrow does
not hide the stack on this cell."""


def scene(state: State, step: Step | None) -> Scene:
    """Draws the board, the last turn's cap paths and eruption, and both players' captures. Implements `Game.scene`.

    Each piece has the same key, such as `piece-17`, during a whole game, on the board and among the captures. Each cap
    has the same key, too, such as `cap-2`.
    """
    state = cast(PyramidsState, state)
    last = last_turn(step)
    if not last.paths:
        last = LastTurn(tuple(tuple(state.board.number[name] for name in path) for path in state.paths()))
    return draw(state, last)


def draw(state: PyramidsState, last: LastTurn, heading: str = "", flying: int | None = None) -> Scene:
    """Draws a position, with marks for the effects of a turn.

    Args:
        state: the position.
        last: the effects to mark: paths of caps, and perhaps an eruption.
        heading: the headline beside the board; "" for a sentence about the position.
        flying: number of the piece that has just landed; this piece and the eruption's arrow are drawn over the stacks.
            None if no piece has just landed.
    """
    board = state.board
    heading = heading or headline(state)
    drawn = Scene(*places.extent(board), "", look.STYLE, names=NAMES, is_dark=True)
    drawn.anchors = {f"cell-{name}": places.middle(board, cell) for cell, name in enumerate(board.cells)}
    captures = [tuple(trays(state, player)) for player in (0, 1)]
    strips = [(_colours_name(player), *(tray.name for tray in own)) for player, own in enumerate(captures)]
    drawn.panels = panels(state, heading, strips)
    drawn.label = one_line(state.game, drawn.panels)
    piles, caps = _piles(state), state.record["cap_on"].tolist()
    for cell, (pieces, cap) in enumerate(zip(piles, caps, strict=False)):
        drawn.shapes += _ground(board, cell, _cell_title(board, cell, pieces, cap >= 0))
    with drawn.on("marks"):
        for number, path in enumerate(last.paths):
            _draw_way(drawn, board, number, path)
        if last.landed and flying is None:
            _draw_eruption(drawn, board, last, "trace")
    _draw_stacks(drawn, board, piles, caps, flying)
    with drawn.on("overlay"):
        if last.landed and flying is not None:
            _draw_eruption(drawn, board, last, "eruption")
        for cell in sorted(last.captured):
            name = board.cells[cell]
            ring = (f"captured-{name}", *places.middle(board, cell), _RING)
            drawn.circle(*ring, "pyramids-ring lapilli-last", f"captured on {name}")
    for player, own in enumerate(captures):
        _draw_colours(drawn, state, player)
        for tray in own:
            _draw_tray(drawn, board, tray, SIDES[player])
    return drawn


def _piles(state: PyramidsState) -> list[list[int]]:
    """Returns the numbers of the pieces on each cell, bottom to top."""
    below = state.record["below"].tolist()
    return [climb(top, below) for top in state.record["top"].tolist()[: len(state.board.cells)]]


@lru_cache(maxsize=1 << 12)
def _ground(board: Board, cell: int, title: str) -> list[Shape]:
    """Returns the shapes of a cell and its name."""
    name, drawn = board.cells[cell], Scene(0, 0, "", look.STYLE, layer="ground")
    drawn.polygon(f"cell-{name}", places.outline(board, cell), "pyramids-cell", title)
    drawn.text(f"name-{name}", *places.name_point(board, cell), name, "pyramids-name lapilli-label")
    return drawn.shapes


def _cell_title(board: Board, cell: int, pieces: list[int], is_capped: bool) -> str:
    stack = ", ".join([long_name(board, piece) for piece in pieces]) or "empty"
    cap = ", capped" if is_capped else ""
    return f"{board.cells[cell]}: {stack}{cap}" + (" (bottom to top)" if len(pieces) > 1 else "")


def _draw_stacks(drawn: Scene, board: Board, piles: list[list[int]], caps_on: list[int], flying: int | None) -> None:
    """Draws all stacks with their caps: first the pieces in the order of their numbers, then the caps in the order of
    theirs.

    Args:
        drawn: the picture.
        board: the board.
        piles: numbers of the pieces on each cell, bottom to top.
        caps_on: number of the cap on each cell; -1 for none.
        flying: number of the piece that has just landed, which is drawn over the stacks; None if no piece has.
    """
    standing, caps = [], []
    for cell, (pieces, cap) in enumerate(zip(piles, caps_on, strict=False)):
        if not pieces and cap < 0:
            continue
        x, y = places.middle(board, cell)
        levels = [y + places.FOOT - height for height in places.heights(pieces, cap >= 0)]
        for place, piece in enumerate(pieces):
            is_covered = cap >= 0 or place < len(pieces) - 1
            standing.append(
                (piece, x, levels[place], levels[place] - levels[place + 1] if is_covered else look.BASES[-1])
            )
        if cap >= 0:
            caps.append((cap, x, levels[-1]))
    for piece, x, foot, shown in sorted(standing):
        layer: Layer = "overlay" if piece == flying else "pieces"
        drawn.shapes.append(_standing(piece, board.colours[int(COLOUR[piece])], x, foot, shown, layer))
    for cap, x, foot in sorted(caps):
        with drawn.piece(f"cap-{cap}", x, foot, "pyramids-standing"):
            look.cap(drawn)


@lru_cache(maxsize=1 << 13)
def _standing(piece: int, colour: str, x: float, foot: float, shown: float, layer: Layer) -> Shape:
    """Returns the shape of a piece on the board. It is cached, because most pieces do not move between two pictures.

    (x, foot) is the middle of the piece's lower edge, and `shown` the height of its visible part, in scene units.
    `layer` is the layer of the board on which the piece is drawn.
    """
    drawn = Scene(0, 0, "", look.STYLE, layer=layer)
    with drawn.piece(f"piece-{piece}", x, foot, "pyramids-standing"):
        look.pyramid(drawn, colour, int(SIZE[piece]), shown)
    return drawn.shapes[0]


def _draw_way(drawn: Scene, board: Board, number: int, path: tuple[int, ...]) -> None:
    points = [(x, y + places.FOOT + 3.0) for x, y in (places.middle(board, cell) for cell in path)]
    title = "cap's way: " + " ".join(board.cells[cell] for cell in path)
    drawn.circle(f"foot-{number}", *points[0], 6, "pyramids-foot lapilli-last", title)
    drawn.polyline(f"way-{number}", points, "pyramids-way lapilli-last", title)


def _draw_eruption(drawn: Scene, board: Board, last: LastTurn, key: str) -> None:
    assert last.source is not None
    title = f"{board.cells[last.source]} erupts to {board.cells[last.landed[-1]]}"
    drawn.polygon(f"{key}-source", places.outline(board, last.source), "pyramids-source lapilli-last", title)
    start, goal = places.middle(board, last.source), places.middle(board, last.landed[-1])
    share = 1 - _SHORT / dist(start, goal)
    end = start[0] + share * (goal[0] - start[0]), start[1] + share * (goal[1] - start[1])
    look.arrow(drawn, start, end, key, title)


def _colours_name(player: int) -> str:
    return f"colours-{player}"


def _draw_colours(drawn: Scene, state: PyramidsState, player: int) -> None:
    """Draws a strip with all colours: one piece for each that the player has captured, an outline for each other."""
    board, has = state.board, colours_of(state, player)
    count = len(board.colours)
    missing = count - len(has)
    width = 2 * EDGE + count * _COLOUR_STEP
    title = "all colours" if not missing else f"{missing} to go"
    with drawn.supply(_colours_name(player), width, 2 * EDGE + _COLOUR_HEIGHT, title):
        drawn.rect(f"tray-{_colours_name(player)}", 3, 3, width - 6, 2 * EDGE + _COLOUR_HEIGHT - 6, "pyramids-tray")
        for number, (colour, name) in enumerate(zip(board.colours, board.colour_names, strict=True)):
            x, what = EDGE + (number + 0.5) * _COLOUR_STEP, "has" if number in has else "lacks"
            title = f"{SIDES[player]} {what} {name.lower()}"
            drawn.shapes.append(_colour(drawn.layer, f"colour-{player}-{colour}", x, colour, title, number in has))


@lru_cache(maxsize=1 << 8)
def _colour(strip: str, key: str, x: float, colour: str, title: str, is_captured: bool) -> Shape:
    """Returns the shape for one colour on the strip of colours beside the board.

    It is a piece if the player has captured a piece of this colour (`is_captured`), otherwise an outline.

    Args:
        strip: name of the strip.
        key: key of the shape.
        x: horizontal position on the strip.
        colour: letter of the colour.
        title: text that is shown when somebody points at the shape.
        is_captured: whether the player has captured a piece of this colour.
    """
    drawn = Scene(0, 0, "", look.STYLE, layer=strip)
    with drawn.piece(key, x, EDGE + _COLOUR_HEIGHT, "", title, SCALE):
        if is_captured:
            look.pyramid(drawn, colour, 1, look.BASES[-1])
        else:
            look.hollow(drawn, colour)
    return drawn.shapes[0]


def _draw_tray(drawn: Scene, board: Board, tray: Tray, side: str) -> None:
    with drawn.supply(tray.name, tray.width, tray.height, tray.title):
        drawn.rect(f"tray-{tray.name}", 3, 3, tray.width - 6, tray.height - 6, "pyramids-tray")
        for piece, x, foot, shown in tray.pieces:
            with drawn.piece(f"piece-{piece}", x, foot, "", f"{long_name(board, piece)}, captured by {side}", SCALE):
                look.pyramid(drawn, board.colours[int(COLOUR[piece])], int(SIZE[piece]), shown)
