"""What a game shows that has not said how: its notation, and its terminal lines as a picture."""

from __future__ import annotations

from lapilli.games.protocol import Step
from lapilli.games.scene import Scene, TextLine
from lapilli.games.state import State

_STYLE = ".plain-line { font: 20px monospace; fill: var(--ink); white-space: pre; }"
_LINE, _SIGN, _MARGIN = 28, 12, 24


def notation_lines(state: State, step: Step | None) -> list[TextLine]:
    """The position notation as the one line."""
    return [[(state.position(), "")]]


def lines_drawn(state: State, step: Step | None) -> Scene:
    """The game's terminal lines, one below the other."""
    lines = ["".join(text for text, _ in line) for line in state.game.text(state, step)]
    width = 2 * _MARGIN + _SIGN * max(map(len, lines), default=0)
    scene = Scene(width, 2 * _MARGIN + _LINE * len(lines), state.position(), _STYLE)
    for number, line in enumerate(lines):
        scene.text(f"line-{number}", _MARGIN, _MARGIN + _LINE * (number + 0.75), line, "plain-line")
    return scene
