"""Functions with which all commands print to the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from lapilli.core.picture.scene import TextLine

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that change the direction in which a terminal shows the text after them."""

_UNPRINTABLE = re.compile(f"{_CONTROL.pattern}|[\ud800-\udfff]")
"""As `_CONTROL`; also halves of surrogate pairs (from file names that are not UTF-8), which have no encoding."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raises BrokenPipeError. Rich's own method would exit, but the command may still have work to do."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yields the parts of an output. Control characters in texts are replaced: a name may come from anywhere."""
        for part in super().render(renderable, options):
            yield part if part.control else Segment(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", part.text), part.style)


console = _Console(highlight=False, soft_wrap=True)
errors = _Console(stderr=True, highlight=False, soft_wrap=True)
_WIDEST = 100_000


def error(message: str) -> None:
    """Prints an error message as one line on stderr."""
    errors.print(Text("lapilli: ", style="bold red") + Text(line_of(message)))


def visible(text: str) -> str:
    """Replaces control characters by escapes, so that a text from a bot or file cannot control the terminal."""
    return _CONTROL.sub(lambda control: control[0].encode("unicode_escape").decode(), text)


def line_of(text: str) -> str:
    """Returns a text as one line: control characters are replaced as by `visible`, and line breaks by spaces."""
    return " ".join(visible(text).split("\n"))


def print_json(value: object) -> None:
    """Prints a value as JSON in one line. Characters that could control the terminal are written as JSON escapes.

    Args:
        value: dicts, lists, texts and numbers.
    """
    text = json.dumps(value, ensure_ascii=False)
    print(_UNPRINTABLE.sub(lambda one: f"\\u{ord(one[0]):04x}", text), flush=True)


def draw(lines: Iterable[TextLine]) -> None:
    """Prints a game's picture for the terminal."""
    for line in lines:
        console.print(Text.assemble(*line))


def show_table(table: RenderableType) -> None:
    """Prints a table that fits the terminal. If stdout is not a terminal, each row is one line of any length."""
    if not console.is_terminal:
        console.width = _WIDEST
    console.print(table)


def fits(table: Table) -> bool:
    """Returns whether a table can be printed without cutting or wrapping a cell."""
    return not console.is_terminal or Measurement.get(console, console.options, table).maximum <= console.width
