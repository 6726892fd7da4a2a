"""Pictures as differences: each leads from the picture before to the next one, and moves no more than has moved."""

from __future__ import annotations

from random import Random
from typing import Any

import lapilli
from lapilli.core.picture.scene import Moment, Scene
from lapilli.games import load, names
from lapilli.match import replay
from lapilli.site.live.table.draft import Draft
from lapilli.viewer.films.frames import Frames, contents_of, difference, shapes_of


def applied(keys: list[str], frame: dict[str, Any]) -> list[str]:
    """The keys of the next picture in their order, as a page finds them."""
    keys = [key for key in keys if key not in frame.get("gone", [])]
    listed = ""
    assert all(shape[0] in keys for shape in frame.get("changed", []))
    for before, (key, *_) in frame.get("placed", []):
        keys = [other for other in keys if other != key]
        next_key = listed if before is None else before
        keys.insert(keys.index(next_key) if next_key else len(keys), key)
        listed = key
    return keys


def drawn(keys: list[str]) -> Scene:
    scene = Scene(100, 100, "", "")
    for key in keys:
        scene.circle(key, 0, 0, 1, "")
    return scene


def test_a_difference_leads_to_the_next_picture_and_moves_as_little_as_can_be() -> None:
    random = Random(3)
    keys = [f"k{number}" for number in range(12)]
    for _ in range(300):
        before, after = (random.sample(keys, random.randint(0, 12)) for _ in range(2))
        frame = difference(shapes_of(drawn(before)), shapes_of(drawn(after)))
        assert applied(before, frame) == after
    moved = [*keys[1:], keys[0]]
    frame = difference(shapes_of(drawn(keys)), shapes_of(drawn(moved)))
    assert [shape[0] for _, shape in frame["placed"]] == [keys[0]]
    assert len(frame) == 1


def test_the_pictures_of_matches_follow_from_their_differences() -> None:
    for game in ("pyramids", "volcanoes"):
        frames = Frames()
        keys: list[str] = []
        for state, step in replay(lapilli.play_match(game, ["greedy", "random"], seed=4)):
            for moment in state.game.pictures(state, step):
                frames.add(0, moment)
                keys = applied(keys, frames.drawn[-1])
                assert keys == [shape.key for shape in moment.scene.in_order()]


def test_the_last_picture_of_a_step_is_that_of_the_position() -> None:
    """A match that is loaded from the store draws the position alone."""
    for game in map(load, names()):
        for players in game.players:
            for state, step in replay(lapilli.play_match(game, ["random"] * players, seed=3)):
                last, alone = game.pictures(state, step)[-1].scene, game.picture(state, step)
                assert (shapes_of(last), contents_of(last)) == (shapes_of(alone), contents_of(alone))
                assert last.label == alone.label


def test_a_picture_that_follows_without_being_added_is_the_same_difference() -> None:
    """A draft's picture is sent as its difference from the match's last one."""
    for game in names():
        random, frames = Random(7), Frames()
        state = load(game).new_initial_state(seed=2)
        for turn in range(4):
            if turn and not state.asked():  # a turn that nobody plays follows
                break
            frames.add(0, Moment(state.game.picture(state, None)))
            last = frames.scene
            assert last is not None
            keys = [shape.key for shape in last.in_order()]
            draft = Draft(state, state.asked()[0])
            while not draft.complete:
                draft.pick(random.choice(draft.choices()).action)
                picture = state.game.picture(draft.shown(), None)
                frame = frames.following(picture)
                assert applied(keys, frame) == [shape.key for shape in picture.in_order()]
                assert frames.scene is last
                again = Frames()
                again.add(0, Moment(last))
                again.add(0, Moment(picture))
                assert again.drawn[-1] == frame
            state = draft.state
