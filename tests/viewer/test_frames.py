"""Pictures as differences: each leads from the picture before to the next one, and moves no more than has moved."""

from __future__ import annotations

from random import Random
from typing import Any

import lapilli
from lapilli.core.picture.scene import Scene
from lapilli.match import replay
from lapilli.viewer.frames import Frames, difference, shapes_of


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
    names = [f"k{number}" for number in range(12)]
    for _ in range(300):
        before, after = (random.sample(names, random.randint(0, 12)) for _ in range(2))
        frame = difference(shapes_of(drawn(before)), shapes_of(drawn(after)))
        assert applied(before, frame) == after
    moved = [*names[1:], names[0]]
    frame = difference(shapes_of(drawn(names)), shapes_of(drawn(moved)))
    assert [shape[0] for _, shape in frame["placed"]] == [names[0]]
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
