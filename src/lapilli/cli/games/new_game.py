"""The command `lapilli new-game`, which writes the source of a new game."""

from __future__ import annotations

import keyword
import re
import shlex
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.output import path_of
from lapilli.cli.shared.console import console, visible
from lapilli.core.errors import LapilliError
from lapilli.games import names
from lapilli.kernels.source_folders import VARIABLE

_NAME = re.compile("[a-z][a-z0-9_]{0,39}")


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli new-game` to the app."""
    add_command(app, "new-game", new_game, examples=("lapilli new-game nim", "lapilli new-game nim ~/games"))


def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new game: lower-case letters and digits.")],
    folder: Annotated[
        Path | None,
        typer.Argument(
            parser=path_of, metavar="DIR", help="Folder in which the game's folder is made.", show_default="this folder"
        ),
    ] = None,
) -> None:
    """Writes a small game that can be played at once, as a start for a game of your own.

    The game is a race to 21 in one file of about 45 lines. The page "Adding a game" of the documentation explains it,
    and what comes next.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise LapilliError(f"{visible(name)!r} cannot name a game: use lower-case letters, digits and _, such as 'nim'")
    if name in names():
        raise LapilliError(f"there is a game {name!r} already: choose another name")
    home = (folder or Path()).absolute()
    file = home / name / "__init__.py"
    _write(file, game_text(name))
    lines = (
        f"Wrote {file}.",
        f"Play it:   {VARIABLE}={home} lapilli match {name} random random",
        f"Check it:  lapilli check-game {shlex.quote(str(file.parent))}",
    )
    for line in (
        *lines,
        'Change it: the page "Adding a game" of the documentation explains each function',
    ):
        console.print(Text(visible(line)), soft_wrap=True)


def game_text(name: str) -> str:
    """Returns the source of a new game: the example of docs/adding-a-game.md under another name."""
    example = resources.files("lapilli.cli.games").joinpath("new_game.txt").read_text(encoding="utf-8")
    title = name.replace("_", " ").capitalize()
    new_names = {
        "class Race(": f"class {title.title().replace(' ', '')}(",
        "state=Race,": f"state={title.title().replace(' ', '')},",
        'name="race"': f'name="{name}"',
        'title="Race to 21"': f'title="{title}"',
        '"""Race to 21: ': f'"""{title}, a race to 21: ',
    }
    for old, new in new_names.items():
        example = example.replace(old, new)
    return example


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise LapilliError(f"{file.parent} exists already: choose another name or folder") from None
    except OSError as error:
        raise LapilliError(f"cannot write {file}: {error.strerror}") from None
