"""The light and the dark theme of scenes and pages. A theme defines colours, which are CSS variables.

The players' colours are from Okabe and Ito's palette, which people with any common colour blindness can distinguish.
For each player there are two more colours: one for text on the player's colour, and one for outlines. The outline is
visible even where the player's colour itself has little contrast.

The variables are:

    paper: background of a board.
    raised: background of panels on the page.
    sunken: background of the page.
    line: outline of shapes without an owner.
    ink: text.
    muted: less important text.
    highlight: faults, eruptions, errors.
    accent: legal targets, the keyboard focus, and the last move. No player has this colour.
    glow: events that will happen next.
    dark-paper, dark-ink, dark-muted, dark-accent: the dark theme's paper, ink, muted and accent, also when a page has
        the light theme. Boards that are dark in both themes use them.
    player-N: colour of player N.
    player-N-line: colour of outlines around the colour of player N.
    on-player-N: colour of text on the colour of player N.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "raised": "#ffffff",
    "sunken": "#f0f3f5",
    "ink": "#1c2126",
    "muted": "#55606a",
    "line": "#7d8790",
    "highlight": "#c8102e",
    "accent": "#4c1d95",
    "glow": "#ff8f1f",
    "player-0": "#0072b2",
    "player-0-line": "#00507d",
    "on-player-0": "#ffffff",
    "player-1": "#e69f00",
    "player-1-line": "#8f5400",
    "on-player-1": "#1c2126",
    "player-2": "#009e73",
    "player-2-line": "#006147",
    "on-player-2": "#10181f",
    "player-3": "#cc79a7",
    "player-3-line": "#8a3a6b",
    "on-player-3": "#10181f",
}

DARK = {
    "paper": "#15191d",
    "raised": "#1e242a",
    "sunken": "#0d1013",
    "ink": "#eef1f4",
    "muted": "#a6b0ba",
    "line": "#727d88",
    "highlight": "#ff7b6b",
    "accent": "#ffe94a",
    "glow": "#ffb454",
    "player-0": "#56b4e9",
    "player-0-line": "#a5daf8",
    "on-player-0": "#10181f",
    "player-1": "#e69f00",
    "player-1-line": "#ffcb5c",
    "on-player-1": "#10181f",
    "player-2": "#009e73",
    "player-2-line": "#5fdcb4",
    "on-player-2": "#10181f",
    "player-3": "#cc79a7",
    "player-3-line": "#efb6d5",
    "on-player-3": "#10181f",
}

ON_DARK = {f"dark-{name}": DARK[name] for name in ("paper", "ink", "muted", "accent")}
"""Colours for boards that are dark in both themes."""

LIGHT_MARKS = {"inaccuracy": "#806500", "mistake": "#b84a00", "blunder": "#b3001b"}
DARK_MARKS = {"inaccuracy": "#e6c84a", "mistake": "#ff9d5c", "blunder": "#ff7078"}
"""Colours of the marks of an analysis, by mark, in the light theme (LIGHT_MARKS) and in the dark theme (DARK_MARKS)."""


def variables(theme: dict[str, str]) -> str:
    """Formats a theme as CSS declarations of its variables, as in "--paper: #ffffff; --raised: #ffffff;"."""
    return " ".join(f"--{name}: {value};" for name, value in theme.items())


def rules(marks: bool = False) -> str:
    """Returns CSS rules that define the colours of both themes, as CSS variables.

    The attribute `data-theme` of the page's root element selects the theme. If it is missing, the system setting does.

    Args:
        marks: whether to include the colours of the marks of an analysis.
    """
    light, dark = (LIGHT | LIGHT_MARKS, DARK | DARK_MARKS) if marks else (LIGHT, DARK)
    return (
        f":root {{ {variables(light | ON_DARK)} }}\n"
        f":root[data-theme=dark] {{ {variables(dark)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {variables(dark)} }} }}\n"
    )
