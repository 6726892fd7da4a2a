"""How the commands print."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from lapilli.games.scene import TextLine

console = Console(highlight=False, soft_wrap=True)
_errors = Console(stderr=True, highlight=False, soft_wrap=True)


def error(message: str) -> None:
    """One line on stderr."""
    _errors.print(Text("lapilli: ", style="bold red") + Text(" ".join(message.split("\n"))))


def draw(lines: Iterable[TextLine]) -> None:
    """A game's terminal picture."""
    for line in lines:
        console.print(Text.assemble(*line))
