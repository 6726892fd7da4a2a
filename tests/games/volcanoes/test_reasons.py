"""Reasons of mistakes say what is so."""

from __future__ import annotations

import re
from typing import cast

from games.mistaken import Told, settled, told_reason, told_reasons
from lapilli.core.api import Setup, State
from lapilli.games import load
from lapilli.games.volcanoes.board import CYCLE, INDEX, NAMES, NEIGHBOURS
from lapilli.games.volcanoes.picture.chains import nearest_chain
from lapilli.games.volcanoes.state import VolcanoesState

GAME = load("volcanoes")


def position(turn: int, levels: dict[str, str]) -> VolcanoesState:
    tiles = ["."] * 80
    for name, symbol in levels.items():
        tiles[INDEX[name]] = symbol
    return cast(VolcanoesState, GAME.new_initial_state(Setup(seed=1, position=f"{''.join(tiles)} {turn}")))


def a_chain() -> list[str]:
    """Returns the tiles of a shortest chain from N01 to S01."""
    came, queue = {0: 0}, [0]
    for tile in queue:
        for near in NEIGHBOURS[tile]:
            if near not in came:
                came[near] = tile
                queue.append(near)
    chain = [40]
    while chain[-1]:
        chain.append(came[chain[-1]])
    return [NAMES[tile] for tile in reversed(chain)]


def said(state: VolcanoesState, played: str, better: str) -> str:
    (player,) = state.asked()
    told = told_reason(state, player, {player: played}, better)
    return told.sentence if told else ""


def test_chains_that_a_turn_misses_or_allows() -> None:
    first, *middle, last = a_chain()
    gap, other_gap = middle[4], middle[7]
    far = next(name for name in NAMES if name not in {first, last, *middle} and near_none(name, middle))
    blue = dict.fromkeys([first, *middle, last], "1")
    lacks_one = {name: level for name, level in blue.items() if name != gap}
    orange = dict.fromkeys(lacks_one, "a")
    # Turn 1 is Blue's, then Orange moves; turn 4 is Orange's and turn 5 Blue's, with no growth between.
    assert said(position(1, lacks_one), far, gap) == f"Blue could win: {gap} joins N01 to S01."
    assert said(position(1, orange), far, gap) == "This lets Orange join N01 to S01 in one turn."
    assert said(position(1, orange), gap, far) == ""
    lacks_two = {name: level for name, level in lacks_one.items() if name != other_gap}
    # Turn 5 is Blue's, turn 6 growth, turn 7 Blue's again.
    assert re.fullmatch(
        rf"Blue could win in two turns: after {gap}, \w+ joins \w+ to \w+\.", said(position(5, lacks_two), far, gap)
    )
    # Turn 1 is Blue's, turn 2 Orange's, turn 3 growth, turn 4 Orange's.
    lets = said(position(1, dict.fromkeys(lacks_two, "a")), far, gap)
    assert re.fullmatch(r"This lets Orange join \w+ to \w+ in two turns\.", lets)


def near_none(name: str, middle: list[str]) -> bool:
    return not {NAMES[near] for near in NEIGHBOURS[INDEX[name]]} & set(middle)


def test_eruptions_that_a_turn_misses_or_allows() -> None:
    assert said(position(1, {"N22": "3", "N23": "b"}), "N01", "N22") == "N22 would destroy N23 of Orange."
    beside = said(position(1, {"N22": "c"}), "N23", "N01")
    assert beside == "This lets Orange destroy N23 of Blue by an eruption of N22."
    assert said(position(5, {"N22": "c"}), "N23", "N01") == "The growth after this destroys N23 of Blue."


def test_volcanoes_that_erupt_before_a_neighbour() -> None:
    near = NAMES[NEIGHBOURS[INDEX["N22"]][0]]
    assert said(position(4, {"N22": "1"}), near, "N01") == (
        f"N22 of Blue now erupts before {near} and destroys it, if both are raised in every turn."
    )
    assert said(position(5, {"N22": "a", near: "1"}), "N01", near) == (
        f"{near} would erupt before N22 of Orange and destroy it, if both are raised in every turn."
    )
    assert said(position(1, {"N22": "a"}), "N01", near) == "", "a growth raises both to level 4: both erupt"


def test_every_sentence_about_random_turns_is_true() -> None:
    kinds = set()
    for told in told_reasons(GAME, range(4), turns=90):
        kinds.add(check(told))
    assert kinds >= {"could win", "in one turn", "destroys", "would destroy", "lacks", "erupts first"}, kinds


def check(told: Told) -> str:
    """Recomputes what a sentence says; returns what kind of sentence it is."""
    sentence, (player, played, after, better, instead) = told
    before, after, instead = (cast(VolcanoesState, state) for state in (played.before, after, instead))
    side, other = GAME.sides[player], GAME.sides[1 - player]
    tile = better.report.actions[player]
    if found := re.fullmatch(rf"{side} could win: {tile} joins (.+)\.", sentence):
        assert reason_of_end(instead) == f"{side} joined {found[1]}"
        return "could win"
    if found := re.fullmatch(rf"{side} could win: {tile} and the growth after it join (.+)\.", sentence):
        assert reason_of_end(settled(instead)) == f"{side} joined {found[1]}"
        return "with growth"
    if found := re.fullmatch(rf"The growth after this joins (.+) for {other}\.", sentence):
        assert reason_of_end(settled(after)) == f"{other} joined {found[1]}"
        return "growth wins"
    if found := re.fullmatch(rf"This lets {other} join (.+) in (one turn|two turns)\.", sentence):
        assert f"{other} joined {found[1]}" in ends(settled(after), 1 - player, 1 + (found[2] == "two turns"))
        assert f"{other} joined" not in " ".join(ends(settled(instead), 1 - player, 1))
        return f"in {found[2]}"
    if found := re.fullmatch(rf"{side} could win in two turns: after {tile}, (\w+) joins (.+)\.", sentence):
        later = settled(instead)
        later.apply_action(INDEX[found[1]])
        assert reason_of_end(settled(later)) == f"{side} joined {found[2]}"
        assert not ends(settled(after), player, 1)
        return "two turns"
    if found := re.fullmatch(rf"The growth after this destroys (.+) of {side}\.", sentence):
        assert named(found[1], lost(after, settled(after), player))
        return "destroys"
    if found := re.fullmatch(
        rf"This lets {other} destroy (.+) of {side} by (an eruption of|raising) (\w+)( before growth)?\.", sentence
    ):
        later = settled(after)
        assert later.asked() == (1 - player,)
        raised = later.clone()
        raised.apply_action(INDEX[found[3]])
        assert (found[2] == "raising") == bool(found[4])
        assert named(found[1], lost(raised, settled(raised), player) if found[4] else lost(later, raised, player))
        return "lets destroy"
    if found := re.fullmatch(rf"{tile} would destroy (.+) of {other}\.", sentence):
        assert named(found[1], lost(before, instead, 1 - player))
        return "would destroy"
    if found := re.fullmatch(
        rf"{tile}( and the growth after it)? would leave {side} with (\d+) tiles; this leaves (\d+)\.", sentence
    ):
        assert (settled(instead) != instead) == bool(found[1])
        tiles = [GAME.gauge(settled(one))[player] for one in (instead, after)] if GAME.gauge else []
        assert tiles == [int(found[2]), int(found[3])]
        return "tiles"
    if found := re.fullmatch(
        rf"(\w+) of {other} now erupts before (\w+) and destroys it, if both are raised in every turn\.", sentence
    ):
        assert erupts_first(settled(after), INDEX[found[1]], INDEX[found[2]])
        assert not erupts_first(settled(instead), INDEX[found[1]], INDEX[found[2]])
        return "erupts first"
    if found := re.fullmatch(
        rf"(?:After {tile}, )?(\w+) would erupt before (\w+) of {other} and destroy it, "
        r"if both are raised in every turn\.",
        sentence,
    ):
        assert erupts_first(settled(instead), INDEX[found[1]], INDEX[found[2]])
        assert not erupts_first(settled(after), INDEX[found[1]], INDEX[found[2]])
        return "would erupt first"
    found = re.fullmatch(
        rf"(\w+) now lacks (\w+) tiles? of a chain from (\w+) to (\w+); "
        rf"after {tile} the nearest chain would lack (\w+)\.",
        sentence,
    )
    assert found, sentence
    now, then = (nearest_chain(one.levels(), GAME.sides.index(found[1])) for one in (after, instead))
    assert now is not None
    assert then is not None
    assert (found[2], found[5]) == (str(len(now.missing)), str(len(then.missing) or "none"))
    assert (found[3], found[4]) == (NAMES[now.tiles[0]], NAMES[now.tiles[-1]])
    return "lacks"


def erupts_first(state: State, first: int, second: int) -> bool:
    """Returns whether a volcano erupts before its neighbour of the other player and destroys it, if the players raise
    these two volcanoes alone.
    """
    levels = cast(VolcanoesState, state).levels()
    if levels[first] * levels[second] >= 0:
        return False
    own = [first if levels[first] > 0 else second, second if levels[first] > 0 else first]
    later = state.clone()
    while not later.is_terminal() and max(abs(levels[first]), abs(levels[second])) < 4:
        side = CYCLE[(later.turn - 1) % 6]
        if side >= 0:
            later.apply_action(own[side])
        else:
            later = settled(later)
        now = cast(VolcanoesState, later).levels()
        if now[first] * levels[first] <= 0 or now[second] * levels[second] <= 0:
            return abs(now[first]) == 4 and now[second] * levels[second] <= 0
        levels = now
    return False


def reason_of_end(state: State) -> str:
    outcome = state.outcome()
    return outcome.reason if outcome else ""


def ends(state: State, player: int, turns: int) -> set[str]:
    """Returns the reasons for which the match can end with so many turns of a player, with growth between them."""
    found = set()
    for action in state.legal_actions() if state.current_player() == player else ():
        later = state.clone()
        later.apply_action(action)
        later = settled(later)
        found |= {reason_of_end(later)} if turns == 1 else ends(later, player, turns - 1)
    return found - {""}


def lost(before: State, after: State, player: int) -> list[str]:
    sign = 1 - 2 * player
    own, then = (cast(VolcanoesState, state).levels() for state in (before, after))
    return [NAMES[tile] for tile in range(80) if own[tile] * sign > 0 and then[tile] * sign <= 0]


def named(words: str, tiles: list[str]) -> bool:
    return words == f"{len(tiles)} volcanoes" or re.split(", | and ", words) == tiles
