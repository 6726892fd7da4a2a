"""All data that study pages show about a position: pictures, choices, and the last turn in words and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lapilli.core.api import Game, State, Step
from lapilli.core.errors import IllegalAction
from lapilli.site.live.table.draft import Draft
from lapilli.site.study.positions import Asking, Data, Place, Words, position, positions, turn_text, words_of
from lapilli.site.study.setups import for_pages
from lapilli.viewer.films.frames import Frames, common_parts


def shown(asking: Asking) -> Data:
    """Returns all data that a page shows about a position: pictures, choices, the last turn in words and as text.

    `asking`: the page's request: the position, and the actions that a person has chosen there.
    """
    state, steps = position(asking)
    game = state.game
    data: Data = {
        "frames": _frames(state, steps),
        "told": _in_words(steps),
        "turn": state.turn,
        "asked": list(state.asked()) if not state.is_terminal() else [],
        "outcome": _outcome(state),
        "position": state.position(),
        "setup": for_pages(state.setup.to_dict()),
        "here": link_setup(state, begins_here=True),
        "notation": [_canonical(step) for step in steps if step.before.asked()],
    }
    if asking.whole:
        data["look"] = look_of(game, state)
        data["openings"] = game.first_turns(state.setup) is not None
        data["start"] = link_setup(position(Place(game=asking.game, setup=asking.setup))[0])
        data["words"] = [_in_words(steps) for _, steps in positions(asking)][1:]
    if data["asked"]:
        data["draft"] = _draft(state, asking)
    return data


def link_setup(state: State, begins_here: bool = False) -> Data:
    """Returns a setup for the link to a position, short enough for a URL.

    The setup contains the position's notation instead of long values, such as a map, that the notation includes.

    Args:
        state: the position.
        begins_here: True if `state` can be any position: the setup then begins at this position, and has no seed. False
            if `state` is the start of its match: the result is then this match's own setup, with its seed.
    """
    setup, replaced = state.setup, state.game.position_keys
    own = {key: value for key, value in setup.own.items() if key not in replaced}
    if begins_here:
        setup = replace(setup, position=state.position(), seed=None)
    elif len(own) < len(setup.own):
        setup = replace(setup, position=state.position())
    return for_pages(replace(setup, own=own).to_dict())


def look_of(game: Game, state: State) -> Data:
    """Returns the data that all pictures of a match have in common, in the format of a film."""
    scene = game.picture(state, None)
    sides = game.sides[: state.num_players]
    return {
        "title": game.title,
        "players": [{"name": side, "side": side} for side in sides],
        **common_parts(scene),
    }


def _frames(state: State, steps: Sequence[Step]) -> list[Data]:
    """Returns the pictures that lead from the previous position to `state`. `steps`: the turns between the two.

    The first picture is complete. Each other picture is the difference from the picture before it.
    """
    frames, game = Frames(), state.game
    for moment in game.pictures(steps[0].before if steps else state, None):
        frames.add(0, moment)
    positions = [*(step.before for step in steps[1:]), state]
    for step, following in zip(steps, positions, strict=False):  # `steps` may be empty at the start
        for moment in game.pictures(following, step):
            frames.add(0, moment)
    return frames.drawn


def _in_words(steps: Sequence[Step]) -> list[Words]:
    """Describes played turns (`steps`) in words."""
    words: list[Words] = []
    for step in steps:
        words += [words_of(step, player) for player in step.before.asked()]
        if step.report.event:
            words.append((-1, step.report.event, step.report.event))
    return words


def _canonical(step: Step) -> str:
    """Returns a played turn in the format of `turn_text`. Each reply is in the standard form of the game's protocol."""
    return turn_text([step.report.actions.get(player, "") for player in step.before.asked()])


def _outcome(state: State) -> Data | None:
    outcome = state.outcome()
    return None if outcome is None else {"reason": outcome.reason, "ranks": outcome.ranks, "scores": outcome.scores}


def _draft(state: State, asking: Asking) -> Data:
    """Returns the draft of the player for whom the person chooses: actions in words, next choices and picture.

    `asking`: the page's request, with the actions that the person has chosen so far.

    The value of the key `reply` is the turn, or None while the turn is not complete. The value of the key `player` is
    -1 if no choice can be made.
    """
    asked = state.asked()
    if len(asking.given) > len(asked) - 1:
        raise IllegalAction("all have answered")
    player = asked[len(asking.given)] if asking.only is None else asking.only
    draft = Draft(state, player) if player in asked else None
    if draft is None:
        return {"player": -1, "choices": [], "labels": [], "undoable": False, "frame": None, "reply": None}
    for action in asking.actions:
        draft.pick(action)
    return {
        "player": player,
        "choices": [choice.to_json() for choice in draft.choices()],
        "labels": draft.labels,
        "undoable": bool(draft.actions),
        "frame": _whole(draft.shown()) if draft.actions else None,
        "reply": turn_text([draft.reply()]) if draft.complete else None,
    }


def _whole(state: State) -> Data:
    frames = Frames()
    for moment in state.game.pictures(state, None):
        frames.add(0, moment)
    return frames.drawn[-1]
