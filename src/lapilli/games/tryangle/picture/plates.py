"""The panels beside the map: headline, scores and facts for each player, a strip with shares of triangles, legend."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from msgspec.structs import replace

from lapilli.core.picture.panels import Fact, Panels, Plate, Sample, standing
from lapilli.core.picture.scene import Scene
from lapilli.core.picture.words import plural, quantity
from lapilli.games.tryangle.board import MAX_TURNS
from lapilli.games.tryangle.picture.houses import draw_group, house_parts
from lapilli.games.tryangle.picture.look import BAR, SIDES, STYLE
from lapilli.games.tryangle.state.notation import owners_of
from lapilli.games.tryangle.state.state import TryAngleState

GOAL = 0.8
"""A player who owns this share of all triangles puts the other player out."""


def panels(state: TryAngleState, turn: int, on_the_way: bool) -> Panels:
    """Returns the texts beside the picture of a position, or of a stage of a turn.

    Args:
        state: the position.
        turn: number of the turn that led to the position; 0 before the first turn.
        on_the_way: whether the picture shows a stage within a turn, when no player is to move.
    """
    plates = tuple(
        Plate(score, plural(score, "point"), _facts(state, player, on_the_way))
        for player, score in enumerate(state.scores())
    )
    return Panels(headline(state, turn), plates, (), _legend())


def headline(state: TryAngleState, turn: int) -> str:
    """Returns a sentence with the last turn, the leader and the scores; if the game is over, with the result."""
    mine, theirs = state.scores()
    if state.is_terminal():
        return f"{verdict(state)}, {mine} : {theirs}"
    if not turn:
        return "The start: both players plan their first turn"
    leader = f"{SIDES[theirs > mine]} leads" if mine != theirs else "both are even"
    return f"Turn {turn} of {MAX_TURNS}: {leader}, {mine} : {theirs}"


def verdict(state: TryAngleState) -> str:
    """Returns the result of a game that is over, such as "The end: Blue wins"."""
    outcome = state.outcome()
    assert outcome is not None
    best = [player for player, rank in enumerate(outcome.ranks) if rank == 1]
    return f"The end: {SIDES[best[0]]} wins" if len(best) == 1 else "The end: a draw"


def held_by(state: TryAngleState) -> tuple[int, int, int]:
    """Returns the number of triangles of player 0, that of player 1, and the number of all triangles."""
    owned = owners_of(state.record)
    return owned.count(0), owned.count(1), len(owned)


def percent(part: int, whole: int) -> int:
    """Returns the share `part` / `whole` in per cent, rounded down, so that 80 is returned only if 80 % are reached."""
    return 100 * part // max(1, whole)


def _facts(state: TryAngleState, player: int, on_the_way: bool) -> tuple[Fact, ...]:
    *both, total = held_by(state)
    held = both[player]
    mine, theirs = state.record["score"][player], state.record["score"][1 - player]
    facts = [] if on_the_way else [*standing(state, player)]
    if mine > theirs:
        facts.append(Fact(f"{quantity(int(mine - theirs), 'point')} ahead"))
    units = int(state.record["units"][player].sum())
    share = f"{held} of {quantity(total, 'triangle')}: {percent(held, total)} %"
    return (
        *facts,
        Fact(f"+{held} a turn", f"a point a turn for each triangle: {quantity(held, 'triangle')} held"),
        Fact(share, "who holds 80 % of all triangles when a turn begins puts the other player out"),
        Fact(quantity(units, "unit"), "units on all houses together"),
    )


def draw_shares(drawn: Scene, state: TryAngleState) -> None:
    """Draws a bar along the upper edge of the board that shows each player's share of the triangles."""
    left, top, high = BAR
    width = drawn.width - 2 * left
    *held, total = held_by(state)
    for player, side in enumerate(SIDES):
        share = width * held[player] / max(1, total)
        title = f"{side} holds {held[player]} of {quantity(total, 'triangle')}; with 80 % of them a player wins"
        start = left + width - share if player else left
        drawn.rect(f"share-{player}", start, top, share, high, f"tryangle-share owner-{player}", title)
    drawn.rect("bar", left, top, width, high, "tryangle-bar")
    for player, part in enumerate((GOAL, 1 - GOAL)):
        x = left + part * width
        drawn.line(f"goal-{player}", x, top - 8, x, top + high + 8, "tryangle-goal", f"{SIDES[player]} wins with 80 %")


# ---------------------------------------------------------------------------------------- how to read it


@cache
def _legend() -> tuple[Sample, ...]:
    """Returns the legend: samples of houses, triangles and moving units."""
    corners = [(-64.0, 60.0), (0.0, -60.0), (64.0, 60.0)]

    def triangle(look: str) -> Callable[[Scene], None]:
        return lambda drawn: drawn.polygon("triangle", corners, f"tryangle-triangle {look}")

    def house(owner: int, mine: int, theirs: int) -> Callable[[Scene], None]:
        return lambda drawn: drawn.shapes.extend(house_parts(owner, (mine, theirs)))

    def share(drawn: Scene) -> None:
        drawn.rect("share", -64, -14, 60, 28, "tryangle-share owner-0")
        drawn.rect("bar", -64, -14, 128, 28, "tryangle-bar")
        drawn.line("goal", 38, -24, 38, 24, "tryangle-goal")

    return (
        _sample("a house with units of the one player", house(0, 3, 0)),
        _sample("a house with units of the other", house(1, 0, 3)),
        _sample("units of both: whoever has more holds it", house(0, 2, 1)),
        _sample("nobody there, but held from all sides", house(0, 0, 0)),
        _sample("a ring: the house belongs to the other one, units in it may die", house(1, 1, 0)),
        _sample("units on their way", lambda drawn: draw_group(drawn, 0, 2)),
        _sample("a triangle that is held: a point a turn", triangle("owner-0")),
        _sample("one of the other player's", triangle("owner-1")),
        _sample("spent: who spent it may not capture it just now", triangle("used-0")),
        _sample("the bar: how many triangles each has; with 80 % of them a player wins", share),
    )


def _sample(text: str, draw: Callable[[Scene], None], scale: float = 0.28) -> Sample:
    """Returns an entry of the legend: a text, and the shapes that `draw` draws around the origin, scaled by `scale`."""
    drawn = Scene(40, 40, "", STYLE)
    draw(drawn)
    put = ("transform", f"translate(20 20) scale({scale:g})")
    return Sample(text, tuple(replace(shape, attributes=(*shape.attributes, put)) for shape in drawn.shapes))
