"""Contrast by WCAG 2 AA, 4.5 for text, 3 for shapes that carry meaning; and colours that are told apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from lapilli.viewer.theme import DARK, DARK_MARKS, LIGHT, LIGHT_MARKS

GROUNDS = ("paper", "raised", "sunken")
Matrix = tuple[tuple[float, float, float], ...]
SIGHTS: dict[str, Matrix] = {
    "common": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    # Machado, Oliveira and Fernandes 2009, the whole deficiency, in linear RGB.
    "without red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "without green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "without blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def times(matrix: Matrix, values: list[float]) -> list[float]:
    return [sum(one * value for one, value in zip(row, values, strict=True)) for row in matrix]


def contrast(one: str, other: str) -> float:
    luminances = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(linear, (one, other))]
    return (max(luminances) + 0.05) / (min(luminances) + 0.05)


def seen(colour: str, sight: str) -> list[float]:
    """The colour in Oklab, as somebody with that sight sees it."""
    to_cones = (
        (0.41222147, 0.53633254, 0.05144599),
        (0.2119035, 0.68069955, 0.10739696),
        (0.08830246, 0.28171884, 0.6299787),
    )
    to_lab = (
        (0.21045426, 0.79361778, -0.00407205),
        (1.9779985, -2.42859221, 0.45059371),
        (0.02590404, 0.78277177, -0.80867577),
    )
    shown = [min(1.0, max(0.0, part)) for part in times(SIGHTS[sight], linear(colour))]
    return times(to_lab, [cone ** (1 / 3) for cone in times(to_cones, shown)])


def apart(one: str, other: str, sight: str) -> float:
    pairs = zip(seen(one, sight), seen(other, sight), strict=True)
    return float(sum((first - second) ** 2 for first, second in pairs) ** 0.5)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_can_be_read(theme: dict[str, str]) -> None:
    for ground in GROUNDS:
        for name in ("ink", "muted", "highlight", "accent", *(f"player-{player}-line" for player in range(4))):
            assert contrast(theme[name], theme[ground]) >= 4.5, (name, ground)
    for player in range(4):
        assert contrast(theme[f"on-player-{player}"], theme[f"player-{player}"]) >= 4.5, player


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_players_stand_out(theme: dict[str, str]) -> None:
    """By their colour, and where that is too light by their edge."""
    for ground in GROUNDS:
        for player in range(4):
            best = max(contrast(theme[name], theme[ground]) for name in (f"player-{player}", f"player-{player}-line"))
            assert best >= 4.5, (player, ground)
        assert contrast(theme["line"], theme[ground]) >= 3, ground
    for player in (0, 2, 3):
        assert contrast(theme[f"player-{player}"], theme["paper"]) >= 3, player


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_are_told_apart(theme: dict[str, str], sight: str) -> None:
    """Whatever the sight; 0.02 in Oklab is what one just sees. Shapes tell players apart, too."""
    players = [theme[f"player-{player}"] for player in range(4)]
    for one, other in combinations(players, 2):
        assert apart(one, other, sight) >= 0.07, (one, other)
    for player in players:
        assert apart(theme["accent"], player, sight) >= 0.1, player


@pytest.mark.parametrize(("theme", "marks"), [(LIGHT, LIGHT_MARKS), (DARK, DARK_MARKS)], ids=["light", "dark"])
def test_marks_can_be_read(theme: dict[str, str], marks: dict[str, str]) -> None:
    for name, colour in marks.items():
        for ground in GROUNDS:
            assert contrast(colour, theme[ground]) >= 4.5, (name, ground)


def test_both_designs_have_the_same_names() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert LIGHT_MARKS.keys() == DARK_MARKS.keys()
