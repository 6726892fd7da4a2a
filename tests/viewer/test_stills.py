"""Pictures that are files: who plays stands on them, bold is bold, and an animation is as long as one wants it."""

from __future__ import annotations

import io
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageSequence

from lapilli.cli.records.view import _scene
from lapilli.core.api import Fault, Termination
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Record, Referee, replay
from lapilli.players import Answer, Identity
from lapilli.viewer import gif, png, svg
from lapilli.viewer.drawing.pictures import _moments
from viewer.pages import is_drawn, played

NAMES = ["A <name> & more", "B" * 200, "C", "D"]


def last(record: Record) -> tuple[str, bytes]:
    *_, (state, step) = replay(record)
    scene = state.game.picture(state, step)
    return svg(scene, NAMES), png(scene, NAMES, 600)


def test_files_show_the_players_names_and_how_they_stand(record: Record) -> None:
    *_, (state, step) = replay(record)
    panels = state.game.picture(state, step).panels
    assert panels is not None
    text, _ = last(record)
    assert "A &lt;name&gt; &amp; more" in text
    assert "BBBB" in text
    assert NAMES[1] not in text
    assert panels.headline[:20] in text
    for plate in panels.plates:
        assert f"{plate.score} {plate.unit}" in text


def test_what_no_document_has_a_place_for_is_left_out() -> None:
    state = played("volcanoes").load_game().new_initial_state()
    scene = state.game.picture(state, None)
    names = ["bell \x07", "half \ud83d", "no character \uffff", "nought \x00"]
    ElementTree.fromstring(svg(scene, names))
    assert "half" in svg(scene, names)


def test_bold_text_is_bold_in_pixels() -> None:
    """The headline's strokes are as wide as those of a bold font, not of the usual one."""
    state = played("volcanoes").load_game().new_initial_state()
    scene = state.game.picture(state, None)
    heavy = png(scene, NAMES, 900)
    text = svg(scene, NAMES)
    assert "font-weight: 600" in text
    light = _drawn(text.replace("font-weight: 600", "font-weight: 400"))
    assert _ink(heavy) > 1.03 * _ink(light)


def _drawn(text: str) -> bytes:
    import resvg_py

    from lapilli.viewer.drawing.pictures import _FONTS, _VARIABLE
    from lapilli.viewer.theme import LIGHT

    plain = _VARIABLE.sub(lambda name: LIGHT[name[1]], text)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=plain,
            width=900,
            sans_serif_family="Source Sans Pro",
            font_files=_FONTS,
            skip_system_fonts=True,
        )
    )


def _ink(data: bytes) -> int:
    """How dark the strip is in which the headline stands."""
    image = Image.open(io.BytesIO(data)).convert("L").crop((0, 0, 500, 30))
    return sum(255 - level for level in image.tobytes())


def test_the_dark_theme_is_dark(record: Record) -> None:
    *_, (state, step) = replay(record)
    scene = state.game.picture(state, step)
    pictures = [Image.open(io.BytesIO(png(scene, NAMES, 300, dark))).convert("L") for dark in (False, True)]
    light, dark = (picture.tobytes()[0] for picture in pictures)
    assert light > 200
    assert dark < 60


def test_an_animation_of_some_turns(record: Record) -> None:
    done: list[tuple[int, int]] = []
    data = gif(record, width=200, milliseconds=100, turns=(2, 4), progress=lambda *told: done.append(told))
    frames = [frame.copy() for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data)))]
    steps = [step for _, step in replay(record) if step and 2 <= step.report.turn <= 4]
    assert len(frames) >= len(steps) or not is_drawn(record)
    assert done[-1][0] == done[-1][1] == len(done)
    assert all(later[0] == earlier[0] + 1 for earlier, later in pairwise(done))
    assert {frame.width for frame in frames} == {200}


def test_the_last_picture_of_a_match_that_ended_early_says_who_won() -> None:
    referee = Referee(load("volcanoes"), [Identity("A"), Identity("B")])
    referee.play({0: Answer("N07")})
    referee.concede(0, Fault(1, Termination.RESIGNED, "resigned"))
    positions = list(replay(referee.record))
    first, last = (_scene(referee.record, positions, turn) for turn in (0, None))
    assert ["Blue wins: Orange resigned" in svg(scene, NAMES) for scene in (first, last)] == [False, True]
    drawn = [moment.scene for moment, _ in _moments(referee.record, None)]
    assert [scene.label for scene in drawn[-1:]] == [last.label]


def test_turns_that_are_not_there(record: Record) -> None:
    with pytest.raises(LapilliError, match="none of these turns"):
        gif(record, turns=(5000, 6000))


def test_letters_on_the_ground_are_drawn_for_those_who_want_them(record: Record) -> None:
    *_, (state, step) = replay(record)
    scene = state.game.picture(state, step)
    has_some = any("lapilli-letter" in shape.classes for shape in scene.shapes)
    pictures = {letters: png(scene, NAMES, 300, letters=letters) for letters in (False, True)}
    assert (pictures[False] != pictures[True]) == has_some
