"""Every legal command can be pointed at, in positions of the original's games, with commands lined up and without."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import cast

from games.tryangle.games import TWO_TRIANGLES
from games.tryangle.recorded import positions
from lapilli.core.picture.choices import WORD, unclear
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.state.state import TryAngleState


def check(state: TryAngleState, player: int) -> dict[tuple[str, ...], str]:
    """The player's ways, each with its action in words; they are the legal actions."""
    choices = GAME.choices(state, player)
    assert sorted(choice.action for choice in choices) == state.legal_actions(player)
    assert unclear(choices) == []
    keys = {shape.key for shape in GAME.scene(state, None).shapes}
    assert {step for choice in choices for step in choice.way if not step.startswith(WORD)} <= keys
    return {choice.way: state.action_to_string(choice.action, player) for choice in choices}


def lined_up(state: TryAngleState, player: int) -> None:
    """The same with half of a turn lined up."""
    draft = state.clone()
    for part in (2, 3):
        actions = draft.legal_actions(player)
        if len(actions) > 1:
            joint = [0, 0]
            joint[player] = actions[len(actions) * (part - 1) // part]
            if joint[player]:
                draft.apply_actions(joint)
        if draft.turn != state.turn or draft.is_terminal():
            return
        check(draft, player)


def test_commands_lined_up_in_recorded_positions() -> None:
    for state in islice(positions(), 3, None, 83):
        for player in state.asked():
            check(cast(TryAngleState, state), player)
            lined_up(cast(TryAngleState, state), player)


def test_ways() -> None:
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "3,0_3,0_4,1_0,2_0,1_0,1"})
    ways = check(cast(TryAngleState, state), 0)
    assert ways["=end the turn",] == "WAIT"
    assert ways["house-2", "house-3", "=1 unit"] == "MOVE 2 3 1"
    assert ways["house-2", "house-3", "=4 units"] == "MOVE 2 3 4"
    kinds = Counter(action.split()[0] for action in ways.values())
    assert set(kinds) >= {"WAIT", "MOVE", "SPAWN", "ADD_PATH", "REMOVE_PATH"}
    own = "triangle-0-1-2"
    assert ways[own, "house-2", "house-3"] == "REMOVE_PATH 2 0 1 3"
    assert ways[own, "house-2", "=spawn"] == "SPAWN 2 0 1"
    attacks = {way: action for way, action in ways.items() if action.startswith("ATTACK")}
    assert attacks[own, "house-3"] == "ATTACK 0 1 2 3"
    assert attacks[own, "house-2", "=attack"] == "ATTACK 0 1 2 2", "a corner, where more is possible"
    labels = {choice.way: choice.label for choice in GAME.choices(state, 0)}
    assert labels["house-2", "house-3", "=4 units"] == "send 4 units from 2 to 3"
    assert labels[own, "house-3"] == "attack 3, spending triangle 0 1 2"


def test_the_prompt_names_the_word_that_ends_the_turn() -> None:
    state = GAME.new_initial_state(**TWO_TRIANGLES)
    word = GAME.choices(state, 0)[0].way[0].removeprefix(WORD)
    assert GAME.prompt(state, 0).endswith(f", then {word}")
