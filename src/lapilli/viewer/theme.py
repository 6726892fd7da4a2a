"""The colours that scenes name by variables, light and dark.

Players' colours are from Okabe and Ito's palette, which people with any common colour blindness tell apart.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1c2126",
    "muted": "#5c6670",
    "line": "#87919a",
    "highlight": "#c2185b",
    "player-0": "#0072b2",
    "on-player-0": "#ffffff",
    "player-1": "#e69f00",
    "player-1-line": "#b35900",
    "on-player-1": "#1c2126",
    "player-2": "#009e73",
    "on-player-2": "#10181f",
    "player-3": "#cc79a7",
    "on-player-3": "#10181f",
}

DARK = LIGHT | {
    "paper": "#15191d",
    "ink": "#eef1f4",
    "muted": "#a3adb7",
    "line": "#69747f",
    "highlight": "#ff6fa5",
    "player-0": "#56b4e9",
    "on-player-0": "#10181f",
    "player-1-line": "#e69f00",
}

LIGHT_MARKS = {"inaccuracy": "#8a6d00", "mistake": "#b84a00", "blunder": "#b3001b"}
DARK_MARKS = {"inaccuracy": "#e6c84a", "mistake": "#ff9d5c", "blunder": "#ff7078"}
"""Of what an analysis marks."""


def variables(theme: dict[str, str]) -> str:
    """A theme as CSS declarations."""
    return " ".join(f"--{name}: {value};" for name, value in theme.items())


def rules(marks: bool = False) -> str:
    """Both themes as CSS: what the system wants, unless the page's root says `data-theme`.

    Args:
        marks: whether the colours of an analysis's marks are among them.
    """
    light, dark = (LIGHT | LIGHT_MARKS, DARK | DARK_MARKS) if marks else (LIGHT, DARK)
    return (
        f":root {{ {variables(light)} }}\n"
        f":root[data-theme=dark] {{ {variables(dark)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {variables(dark)} }} }}\n"
    )
