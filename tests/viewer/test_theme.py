"""Contrast by WCAG 2 AA: 4.5 for text, 3 for shapes that carry meaning."""

from __future__ import annotations

import pytest

from lapilli.viewer.theme import DARK, DARK_MARKS, LIGHT, LIGHT_MARKS


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_can_be_read(theme: dict[str, str]) -> None:
    for name in ("ink", "muted", "highlight"):
        assert contrast(theme[name], theme["paper"]) >= 4.5, name
    for player in range(4):
        assert contrast(theme[f"on-player-{player}"], theme[f"player-{player}"]) >= 4.5, player


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_players_stand_out(theme: dict[str, str]) -> None:
    for player in range(4):
        assert contrast(theme[f"player-{player}"], theme["paper"]) >= 2, (
            "colour is never alone: letters stand beside it"
        )
    for name in ("highlight", "line", "player-0", "player-1-line"):
        assert contrast(theme[name], theme["paper"]) >= 3, name


@pytest.mark.parametrize(("theme", "marks"), [(LIGHT, LIGHT_MARKS), (DARK, DARK_MARKS)], ids=["light", "dark"])
def test_marks_can_be_read(theme: dict[str, str], marks: dict[str, str]) -> None:
    for name, colour in marks.items():
        assert contrast(colour, theme["paper"]) >= 4.5, name
