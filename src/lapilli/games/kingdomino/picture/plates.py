"""The panels beside the board: each player's points with the reasons for them, and the legend."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from lapilli.core.picture.panels import Fact, Panels, Plate, Sample, standing
from lapilli.core.picture.scene import Scene
from lapilli.core.picture.signs import draw_sign
from lapilli.core.picture.words import plural, quantity
from lapilli.games.kingdomino.board import TERRAIN_NAMES, TERRAINS
from lapilli.games.kingdomino.picture.look import CASTLE, CELL, CROWN, STYLE
from lapilli.games.kingdomino.picture.rows import rows_of, slots_done
from lapilli.games.kingdomino.picture.story import TurnEffects, best_gain, zones_of
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

_MIDDLE, _HARMONY = 10, 5
"""Points for the house options "middle kingdom" and "harmony"."""


def panels(state: KingdominoState, last: TurnEffects | None, head: str) -> Panels:
    """Returns the panels beside the picture of a position.

    Args:
        state: the position.
        last: the effects of the turn that led to the position; None at the beginning of a match.
        head: the headline.
    """
    plates = tuple(
        Plate(score, plural(score, "point"), _facts(state, player, last)) for player, score in enumerate(state.scores())
    )
    return Panels(head, plates, rows_of(state), legend())


def _facts(state: KingdominoState, player: int, last: TurnEffects | None) -> tuple[Fact, ...]:
    fault = state.fault(player)
    facts = [Fact(f"out: {fault.value}", kind="out")] if fault else [*standing(state, player)]
    if fault and state.is_terminal():
        facts += standing(state, player)
    if player == state.current_player():
        facts += _in_hand(state)
    if last is not None and last.player == player:
        facts += _put(last)
    zones = zones_of(state, player)
    squares, crowns = sum(len(zone.squares) for zone in zones), sum(zone.crowns for zone in zones)
    if state.is_terminal():
        size = f"{quantity(squares, 'square')}, {quantity(crowns, 'crown')}"
        facts.append(Fact(size, "they break ties, in this order"))
    return (*facts, *_options(state, player, squares), *_tie(state, player, squares))


def _in_hand(state: KingdominoState) -> list[Fact]:
    """Returns the fact that the tile to place in this turn fits nowhere; empty if it fits, or if there is no tile."""
    if state.record["phase"] != rules.PUT or best_gain(state) is not None:
        return []
    return [Fact(f"tile {state.tile_in_play()} fits nowhere")]


def _put(last: TurnEffects) -> list[Fact]:
    """Returns a fact about the last turn's PUT: the points with their calculation, or that the tile was discarded."""
    if last.discarded:
        return [Fact(f"tile {last.tile} discarded", f"tile {last.tile} was put nowhere")]
    if last.gain is None:
        return []
    how = f" = {last.gain.sum}" if last.gain.points and last.gain.sum else ""
    return [Fact(f"+{last.gain.points}{how}", f"tile {last.tile}: {last.gain.words}")]


# ---------------------------------------------------------------------------------------- house options, ties


def _options(state: KingdominoState, player: int, squares: int) -> list[Fact]:
    """Returns facts about the points that a player has or can still get for house options (optional rules).

    The result is empty if the game has no house options. `squares` is the number of squares of the territory.
    """
    facts = []
    if state.record["options"] & rules.MIDDLE_KINGDOM:
        there = _is_central(state, player) and squares
        text = f"castle in the middle: +{_MIDDLE}" if there else "castle not in the middle"
        facts.append(Fact(text, f"{_MIDDLE} points at the end for a castle in the middle of its realm"))
    if state.record["options"] & rules.HARMONY:
        full = _can_be_full(state, player, squares)
        text = f"harmony: +{_HARMONY}" if full else "no harmony"
        facts.append(Fact(text, f"{_HARMONY} points at the end for a full square, with no tile discarded"))
    return facts


def _is_central(state: KingdominoState, player: int) -> bool:
    """Returns whether the castle is in the middle of a player's territory, including a territory with only the
    castle."""
    left, right, top, bottom = state.record["box"][player].tolist()
    return bool(left == -right and top == -bottom)


def _can_be_full(state: KingdominoState, player: int, squares: int) -> bool:
    """Returns whether a player can still get the points for "harmony", that is, has discarded no tile so far.

    At the end of the game, returns whether the territory is a full square. `squares` is the number of squares of the
    territory.
    """
    if state.is_terminal():
        return squares + 1 == state.kind.extent**2
    rounds = int(state.record["this_round"])
    done = slots_done(state)
    tiles = sum(owner == player for _, owner in state.row_in_play()[:done]) if rounds > 1 else 0
    tiles += max(0, rounds - 2) * state.kind.lot // state.num_players
    return squares == 2 * tiles and state.fault(player) is None


def _tie(state: KingdominoState, player: int, squares: int) -> list[Fact]:
    """Returns a fact about a player's tie-break points; empty if there are none or the game is not over.

    `squares` is the number of squares of the player's territory.
    """
    if not state.is_terminal():
        return []
    points = int(state.record["score"][player])
    if state.record["options"] & rules.MIDDLE_KINGDOM and _is_central(state, player) and squares:
        points += _MIDDLE
    if state.record["options"] & rules.HARMONY and _can_be_full(state, player, squares):
        points += _HARMONY
    extra = state.scores()[player] - points
    return [Fact(f"+{extra} in the tie", "for the larger realm, then for more crowns")] * bool(extra)


# ---------------------------------------------------------------------------------------- the legend


@cache
def legend() -> tuple[Sample, ...]:
    """Returns the legend: terrains, crowns, castle, king, free squares, the realm's limit, and the last tile."""
    samples = [
        _sample(f"{name}", ("rect", f"kingdomino-square kingdomino-{letter}0"))
        for letter, name in zip(TERRAINS, TERRAIN_NAMES, strict=True)
    ]
    crowned = _sample("crowns: a zone is worth its squares × its crowns", ("rect", "kingdomino-square kingdomino-g2"))
    castle = Scene(CELL, CELL, "", STYLE)
    castle.polygon("castle", [(x + CELL / 2, y + CELL / 2) for x, y in CASTLE], "kingdomino-castle kingdomino-of-0")
    king = Scene(CELL, CELL, "", STYLE)
    draw_sign(king, "sign", 0, CELL / 2, CELL / 2, 15, "kingdomino-king kingdomino-of-0")
    king.path("crown", CROWN, "kingdomino-on-0")
    king.shapes[-1] = replace(king.shapes[-1], attributes=(("d", CROWN), ("transform", "translate(20 20)")))
    return (
        *samples,
        crowned,
        Sample("castle, which joins every terrain", tuple(castle.shapes)),
        Sample("king, on the tile that its player has picked", tuple(king.shapes)),
        _sample("free: the next tile may reach it", ("rect", "kingdomino-place")),
        _limit_sample(),
        _sample("put or picked last", ("rect", "kingdomino-new")),
    )


def _limit_sample() -> Sample:
    drawn = Scene(CELL, CELL, "", STYLE)
    drawn.rect("place", 2, 2, CELL - 4, CELL - 4, "kingdomino-place")
    drawn.path("limit", f"M2 2V{CELL - 2:g}", "kingdomino-limit")
    return Sample("the realm cannot grow beyond this side", tuple(drawn.shapes))


def _sample(text: str, shape: tuple[str, str]) -> Sample:
    drawn = Scene(CELL, CELL, "", STYLE)
    drawn.rect(shape[0], 2, 2, CELL - 4, CELL - 4, shape[1])
    return Sample(text, tuple(drawn.shapes))
