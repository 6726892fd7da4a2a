"""Texts for the panels beside the board, and descriptions of moves in words."""

from __future__ import annotations

from collections.abc import Set
from typing import cast

from lapilli.core.picture.panels import Fact, Panels, Plate, standing
from lapilli.core.picture.words import plural, quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, INDEX, NAMES
from lapilli.games.volcanoes.board import SIDES as PLAYERS
from lapilli.games.volcanoes.picture.chains import Chain, nearest_chain
from lapilli.games.volcanoes.picture.look import LEGEND
from lapilli.games.volcanoes.state import VolcanoesState

SIDES = (*PLAYERS, "growth")
CYCLE_STRIP = "cycle"
"""Name of the strip beside the board that shows the cycle of six turns."""
Chains = tuple[Chain | None, Chain | None]
"""A pair, for Blue and Orange: the chain from a tile to its antipode that the player can complete with the fewest
further tiles; None if the opponent blocks every chain."""


def gauge(state: State) -> tuple[float, ...]:
    """Returns the number of tiles with volcanoes of Blue, then of Orange. Implements `Game.gauge`."""
    blue, orange = tiles_held(cast(VolcanoesState, state).levels())
    return float(blue), float(orange)


def tiles_held(levels: list[int]) -> tuple[int, int]:
    """Returns the number of tiles with volcanoes of Blue, then of Orange, from the levels of all tiles."""
    return sum(level > 0 for level in levels), sum(level < 0 for level in levels)


def chains_of(state: VolcanoesState) -> Chains:
    """Returns each player's chain that lacks the fewest tiles; at the end of the game, only completed chains."""
    levels = state.levels()
    found = nearest_chain(levels, 0), nearest_chain(levels, 1)
    if not state.is_terminal():
        return found
    blue, orange = (chain if chain and not chain.missing else None for chain in found)
    return blue, orange


def headline(state: VolcanoesState, chains: Chains) -> str:
    """Returns a sentence about the position: who moves now, and whose chain lacks fewer tiles; or how the game ended.

    `chains` has, for each player, the chain that lacks the fewest tiles.
    """
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason[0].upper() + outcome.reason[1:]
    now, then = (CYCLE[(state.turn + ahead) % 6] for ahead in (-1, 0))
    if now < 0:
        about = sum(abs(level) == 3 for level in state.levels())
        will = f": {quantity(about, 'volcano')} will erupt" if about else ""
        return f"Growth is next{will}{_race(chains)}"
    return f"{SIDES[now]} to move, then {SIDES[then]}" + _race(chains)


def _race(chains: Chains) -> str:
    """Returns the end of a headline that compares how many tiles each player's chain lacks.

    Returns "" if the opponent blocks every chain of a player. `chains` has, for each player, the chain that lacks the
    fewest tiles.
    """
    if None in chains:
        return ""
    missing = [len(chain.missing) if chain else 0 for chain in chains]
    if missing[0] == missing[1]:
        return f"; both lack {quantity(missing[0], 'tile')}"
    nearer = int(missing[1] < missing[0])
    return f"; {SIDES[nearer]} is nearer, lacking {quantity(missing[nearer], 'tile')} against {missing[1 - nearer]}"


def panels(state: VolcanoesState, chains: Chains, heading: str, hot: Set[int]) -> Panels:
    """Returns the panels beside the board.

    Args:
        state: the position.
        chains: for each player, the chain that lacks the fewest tiles.
        heading: the headline.
        hot: tiles that are erupting; they are not counted as asleep.
    """
    levels = state.levels()
    calm = [0 if tile in hot else level for tile, level in enumerate(levels)]
    plates = []
    for player, held in enumerate(tiles_held(levels)):
        tells = chains[player] is not None or not state.is_terminal()
        joins = [_joins(chains[player])] if tells else []
        facts = (*standing(state, player), *joins, *_facts(calm, player))
        plates.append(Plate(held, plural(held, "tile"), facts))
    return Panels(heading, tuple(plates), (CYCLE_STRIP,), LEGEND)


def _facts(levels: list[int], player: int) -> list[Fact]:
    own = [abs(level) for level in levels if level * (1 - 2 * player) > 0]
    facts = []
    if own.count(3):
        facts.append(Fact(f"{own.count(3)} about to erupt", "on level 3: the next level makes them erupt"))
    if own.count(4):
        facts.append(Fact(f"{own.count(4)} asleep", "on level 4: they grow no more, but still count"))
    return facts


def _joins(chain: Chain | None) -> Fact:
    if chain is None:
        return Fact("no way open", "the other side's volcanoes are in the way of every chain")
    way = "the way: " + " ".join(NAMES[tile] for tile in chain.tiles)
    if not chain.missing:
        return Fact(f"joins {chain.ends}", way)
    lacking = ", ".join(NAMES[tile] for tile in chain.missing)
    return Fact(f"lacks {quantity(len(chain.missing), 'tile')}", f"to join {chain.ends}: {lacking}; {way}")


def played(step: Step | None) -> int | None:
    """Returns the number of the tile that was played in a step; None without a step, in growth, or after a fault."""
    if step is None or step.report.faults:
        return None
    tiles = [INDEX[text] for text in step.report.actions.values() if text in INDEX]
    return tiles[0] if tiles else None


def tell(step: Step, player: int) -> str:
    """Describes a player's move: "raises N11 to level 3", "raises N11: 2 eruptions, 1 destroyed".

    If the reply was illegal, returns it as the bot wrote it. Implements `Game.tell`.
    """
    reply, tile = step.report.actions.get(player, ""), played(step)
    if tile is None or not reply:
        return reply
    before = cast(VolcanoesState, step.before).levels()
    if before[tile] == 0:
        return f"founds {NAMES[tile]}"
    after, eruptions = _raised(step, tile)
    if not eruptions:
        return f"raises {NAMES[tile]} to level {abs(after[tile])}"
    return f"raises {NAMES[tile]}: {quantity(eruptions, 'eruption')}" + changes_between(before, after)


def brief(step: Step, player: int) -> str:
    """Describes a player's move in a few signs: "N11" founds a volcano, "N11 ↑3" raises it to level 3, and "N11» ×2"
    makes two erupt.

    Implements `Game.brief`.
    """
    tile = played(step)
    if tile is None or player not in step.report.actions:
        return tell(step, player)
    after, eruptions = _raised(step, tile)
    if eruptions:
        return f"{NAMES[tile]}» ×{eruptions}"
    return NAMES[tile] + (f" ↑{abs(after[tile])}" if cast(VolcanoesState, step.before).level(tile) else "")


def _raised(step: Step, tile: int) -> tuple[list[int], int]:
    """Returns the levels of all tiles after a move on `tile`, and the number of eruptions that the move caused."""
    after, eruptions = cast(VolcanoesState, step.before.clone()), 0
    north, south = rules.begin(after.record, tile)
    while north | south:
        eruptions += north.bit_count() + south.bit_count()
        north, south = rules.erupt(after.record, north, south)
    return after.levels(), eruptions


def changes_between(before: list[int], after: list[int]) -> str:
    """Returns a text about the volcanoes founded and destroyed between two positions: ", 2 founded, 1 destroyed".

    Returns "" if there are none.

    Args:
        before, after: levels of all tiles in the two positions.
    """
    founded = sum(after[tile] != 0 and level == 0 for tile, level in enumerate(before))
    destroyed = sum(after[tile] == 0 and level != 0 for tile, level in enumerate(before))
    return "".join(f", {number} {what}" for number, what in ((founded, "founded"), (destroyed, "destroyed")) if number)
