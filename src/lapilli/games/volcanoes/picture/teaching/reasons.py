"""Explains why a turn of Volcanoes is worse than a better one. Implements `Game.reason`.

In this module, `after` is the position after the turn that was played, and `instead` the position after the better
turn, which plays the tile `better`. `other` is the opponent. Sentences are "" if their reason does not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lapilli.core.picture.words import listed, quantity
from lapilli.core.search.mistake import Mistake
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, GROWTH, INDEX, NAMES, NEIGHBOURS
from lapilli.games.volcanoes.picture.chains import nearest_chain
from lapilli.games.volcanoes.picture.words import SIDES, tiles_held
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.kernels.kernel import CHANCE

_WINNERS = (rules.BLUE_WINS, rules.ORANGE_WINS)
_NEAR = 4
"""A player's two turns in a row are tried only if the player's nearest chain lacks at most this many tiles."""
_FAR = 6
"""A turn is called worse because of a chain only if the chain lacks at most this many tiles."""
_MANY = 2
"""A turn is called worse because of lost tiles only if it leaves the player at least this many tiles fewer."""
_NEARLY = 2, 3
"""Levels of volcanoes that erupt when they are raised, at once or by the next growth."""
_NAMED = 3
"""Greatest number of tiles that a sentence lists."""


def reason(mistake: Mistake) -> str:
    """Returns a sentence that says why a turn is worse than a better one; "" if the function finds no reason.

    `mistake` contains both turns and the positions after them.

    Reasons about chains come first, then reasons about eruptions, then the number of tiles that the player has, then
    volcanoes that will erupt before a neighbour.
    """
    player, other = mistake.player, 1 - mistake.player
    after, instead = cast(VolcanoesState, mistake.after), cast(VolcanoesState, mistake.instead)
    better = INDEX[mistake.better.report.actions[player]]
    return (
        _missed_win(after, instead, player, better)
        or _growth_wins(after, instead, other)
        or _lets_win(after, instead, other)
        or _missed_two_turns(after, instead, player, better)
        or _eruptions(mistake, after, instead, better)
        or _chains(after, instead, player, better)
        or _tiles_held(after, instead, player, better)
        or _races(after, instead, player, better)
    )


# ---------------------------------------------------------------------------------------------- chains


def _missed_win(after: VolcanoesState, instead: VolcanoesState, player: int, better: int) -> str:
    """Returns a sentence if the better turn wins at once or by growth, and the turn that was played does not.

    `after` is the position after the turn that was played, `instead` the position after the better turn, and `better`
    the tile that the better turn plays.
    """
    if _joined(_grown(after), player):
        return ""
    if ends := _joined(instead, player):
        return f"{SIDES[player]} could win: {NAMES[better]} joins {ends}."
    if ends := _joined(_grown(instead), player):
        return f"{SIDES[player]} could win: {NAMES[better]} and the growth after it join {ends}."
    return ""


def _growth_wins(after: VolcanoesState, instead: VolcanoesState, other: int) -> str:
    """Returns a sentence if the opponent wins by growth after the turn played, but not after the better turn.

    `after` is the position after the turn that was played, `instead` the position after the better turn. `other` is the
    opponent.
    """
    ends = _joined(_grown(after), other)
    return (
        f"The growth after this joins {ends} for {SIDES[other]}."
        if ends and not _joined(_grown(instead), other)
        else ""
    )


def _lets_win(after: VolcanoesState, instead: VolcanoesState, other: int) -> str:
    """Returns a sentence if the opponent moves next and can win in one or two turns, but not after the better turn.

    `after` is the position after the turn that was played, `instead` the position after the better turn. `other` is the
    opponent.
    """
    for turns, words in ((1, "in one turn"), (2, "in two turns")):
        wins = _wins(_grown(after), other, turns)
        if _wins(_grown(instead), other, turns):
            return ""
        if wins:
            return f"This lets {SIDES[other]} join {wins[-1]} {words}."
    return ""


def _missed_two_turns(after: VolcanoesState, instead: VolcanoesState, player: int, better: int) -> str:
    """Returns a sentence if the better turn, but not the turn that was played, lets the player win with the next move.

    This is possible only if the player moves again after growth. `after` is the position after the turn that was
    played, `instead` the position after the better turn. `better` is the tile that the better turn plays.
    """
    wins = _wins(_grown(instead), player, 1)
    if not wins or _wins(_grown(after), player, 1):
        return ""
    tile, ends = wins
    return f"{SIDES[player]} could win in two turns: after {NAMES[better]}, {tile} joins {ends}."


def _wins(state: VolcanoesState, player: int, turns: int) -> tuple[str, str] | None:
    """Returns how a player can win by a number of turns in a row, with the growth between and after them.

    Returns None if the player cannot win like this, or if the opponent moves before these turns are over. Two turns are
    not tried if the player's nearest chain lacks more than _NEAR tiles.

    Returns:
        The first turn, and the ends of the chain in words.
    """
    if state.current_player() != player:
        return None
    if turns > 1:
        chain = nearest_chain(state.levels(), player)
        if chain is None or len(chain.missing) > _NEAR:
            return None
    for action in state.legal_actions():
        child = _grown(_played(state, action))
        if ends := _joined(child, player):
            return NAMES[action], ends
        if turns > 1 and (wins := _wins(child, player, turns - 1)):
            return NAMES[action], wins[1]
    return None


def _joined(state: VolcanoesState, player: int) -> str:
    """Returns the ends of the chain with which a player has won, such as "N01 to S01"; "" without such a chain."""
    if int(state.record["result"]) != _WINNERS[player]:
        return ""
    chain = state.path(player)
    return f"{NAMES[chain[0]]} to {NAMES[chain[-1]]}"


def _chains(after: VolcanoesState, instead: VolcanoesState, player: int, better: int) -> str:
    """Returns a sentence if the better turn leaves the opponent farther from a chain, or the player nearer to one.

    `after` is the position after the turn that was played, `instead` the position after the better turn. `better` is
    the tile that the better turn plays.
    """
    for side, sign in ((1 - player, -1), (player, 1)):
        now, then = (nearest_chain(state.levels(), side) for state in (after, instead))
        if now is None or then is None or sign * len(now.missing) <= sign * len(then.missing):
            continue
        if min(len(now.missing), len(then.missing)) > _FAR:
            continue
        return (
            f"{SIDES[side]} now lacks {quantity(len(now.missing), 'tile')} of a chain from {now.ends}; after "
            f"{NAMES[better]} the nearest chain would lack {len(then.missing) or 'none'}."
        )
    return ""


# ------------------------------------------------------------------------------------------- eruptions


def _eruptions(mistake: Mistake, after: VolcanoesState, instead: VolcanoesState, better: int) -> str:
    """Returns a sentence about destroyed volcanoes, if in this respect the turn is worse than the better turn; else "".

    Both turns are compared by three numbers: the opponent's volcanoes that the turn destroys; the player's volcanoes
    that the next growth destroys; the player's volcanoes that the opponent can destroy next. The sentence is about the
    number with the greatest difference.

    `mistake` contains both turns. `after` is the position after the turn that was played, `instead` the position after
    the better turn, which plays the tile `better`.
    """
    player, other = mistake.player, 1 - mistake.player
    before = cast(VolcanoesState, mistake.played.before)
    grown, raised, missed = _lost(after, _grown(after), player), _worst(after, player), _lost(before, instead, other)
    spared = _lost(instead, _grown(instead), player), _worst(instead, player)[0], _lost(before, after, other)
    found = (
        (missed, spared[2], f"{NAMES[better]} would destroy {_of(missed, other)}."),
        (grown, spared[0], f"The growth after this destroys {_of(grown, player)}."),
        (raised[0], spared[1], f"This lets {SIDES[other]} destroy {_of(raised[0], player)} {raised[1]}."),
    )
    lost, fewer, sentence = max(found, key=lambda one: len(one[0]) - len(one[1]))
    return sentence if len(lost) > len(fewer) else ""


def _worst(state: VolcanoesState, player: int) -> tuple[list[int], str]:
    """Finds the volcano that the opponent of `player` can raise to destroy the most of `player`'s volcanoes.

    It is tried after the growth that comes next, if any, and only if the opponent is then to move.

    Returns:
        The tiles of the destroyed volcanoes, and how the opponent destroys them; an empty list and "" if there are
        none.
    """
    worst: tuple[list[int], str] = [], ""
    state = _grown(state)
    if state.current_player() != 1 - player:
        return worst
    for tile, level in enumerate(state.levels()):
        height = level * (2 * player - 1)
        if height not in _NEARLY:
            continue
        raised = _played(state, tile)
        if height == _NEARLY[-1]:
            lost, words = _lost(state, raised, player), f"by an eruption of {NAMES[tile]}"
        else:
            lost, words = _lost(raised, _grown(raised), player), f"by raising {NAMES[tile]} before growth"
        worst = (lost, words) if len(lost) > len(worst[0]) else worst
    return worst


def _tiles_held(after: VolcanoesState, instead: VolcanoesState, player: int, better: int) -> str:
    """Returns a sentence if the better turn, with the growth after it, leaves the player with many more tiles.

    `after` is the position after the turn that was played, `instead` the position after the better turn. `better` is
    the tile that the better turn plays.
    """
    now, then = (_held(_grown(state), player) for state in (after, instead))
    if then - now < _MANY:
        return ""
    grown = " and the growth after it" if instead.current_player() == CHANCE else ""
    return f"{NAMES[better]}{grown} would leave {SIDES[player]} with {then} tiles; this leaves {now}."


def _races(after: VolcanoesState, instead: VolcanoesState, player: int, better: int) -> str:
    """Returns a sentence about two neighbouring volcanoes of different players, of which one will erupt first.

    The volcano that erupts first destroys the other one. The sentence says that the turn makes the player lose such a
    race that the better turn would not lose, or that the better turn would win one. It is "" if neither is the case.
    `after` is the position after the turn that was played, `instead` the position after the better turn, which plays
    the tile `better`.
    """
    other, both = 1 - player, "if both are raised in every turn"
    lost, spared = (_outrun(state, player) for state in (after, instead))
    if len(lost) > len(spared):
        tile, near = next((tile, near) for tile, near in lost.items() if tile not in spared)
        return f"{NAMES[near]} of {SIDES[other]} now erupts before {NAMES[tile]} and destroys it, {both}."
    found, missed = (_outrun(state, other) for state in (instead, after))
    if len(found) > len(missed):
        tile, near = next((tile, near) for tile, near in found.items() if tile not in missed)
        pair = f"{NAMES[near]} would erupt before {NAMES[tile]} of {SIDES[other]}"
        first = "" if near == better else f"After {NAMES[better]}, "
        return f"{first}{pair} and destroy it, {both}."
    return ""


def _outrun(state: VolcanoesState, player: int) -> dict[int, int]:
    """Returns which of the player's volcanoes a neighbouring volcano of the opponent will destroy by erupting first.

    It is assumed that both players raise only these two volcanoes. The result is a dict: by the player's volcano, the
    neighbour that erupts first.
    """
    sign, state = 1 - 2 * player, _grown(state)
    heights = [level * sign for level in state.levels()]
    awake = range(1, _NEARLY[-1] + 1)
    pairs = [(tile, near) for tile, height in enumerate(heights) if height in awake for near in NEIGHBOURS[tile]]
    return {tile: near for tile, near in pairs if -heights[near] in awake and _is_outrun(state, player, tile, near)}


def _is_outrun(state: VolcanoesState, player: int, tile: int, near: int) -> bool:
    """Returns whether a volcano of the opponent, `near`, will erupt first and destroy the player's volcano `tile`.

    It is assumed that both players raise only these two volcanoes.
    """
    sign = 1 - 2 * player
    for _ in CYCLE:
        if state.is_terminal():
            return False
        if state.current_player() == CHANCE:
            state = _grown(state)
        else:
            side = state.current_player()
            raised = tile if side == player else near
            if not 0 < state.levels()[raised] * (1 - 2 * side) <= _NEARLY[-1]:
                return False
            state = _played(state, raised)
        levels = state.levels()
        if levels[tile] * sign <= 0:
            return abs(levels[near]) > _NEARLY[-1]
    return False


def _held(state: VolcanoesState, player: int) -> int:
    return tiles_held(state.levels())[player]


def _lost(before: VolcanoesState, after: VolcanoesState, player: int) -> list[int]:
    """Returns the tiles that hold a volcano of the player in the position `before`, but not in `after`."""
    sign = 1 - 2 * player
    pairs = zip(before.levels(), after.levels(), strict=True)
    return [tile for tile, (was, now) in enumerate(pairs) if was * sign > 0 >= now * sign]


def _of(tiles: Sequence[int], player: int) -> str:
    """Returns a player's volcanoes on `tiles` in words: "N12 of Orange", "N12 and N13 of Orange", "5 volcanoes of
    Orange".
    """
    few = len(tiles) <= _NAMED
    return f"{listed([NAMES[tile] for tile in tiles]) if few else quantity(len(tiles), 'volcano')} of {SIDES[player]}"


def _grown(state: VolcanoesState) -> VolcanoesState:
    """Returns the position after growth, if growth is next; otherwise the position itself."""
    return _played(state, GROWTH) if state.current_player() == CHANCE else state


def _played(state: VolcanoesState, action: int) -> VolcanoesState:
    child = state.clone()
    child.apply_action(action)
    return child
