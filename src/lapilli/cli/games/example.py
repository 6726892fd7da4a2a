"""The command `lapilli example`, which lists the example programs and copies one."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.output import path_of
from lapilli.cli.shared.console import console, show_table, visible
from lapilli.core.errors import LapilliError, UnknownName

_PACKAGE = Path(__file__).parents[2]
_PLACES = (_PACKAGE / "examples", _PACKAGE.parents[1] / "examples")
"""Folders of the examples: in an installed package, and in a checkout."""
_SUFFIXES = (".py", ".ipynb")


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli example` to the app."""
    add_command(app, "example", example, examples=("lapilli example", "lapilli example ppo"))


def example(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of an example.", show_default="list all examples")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Argument(parser=path_of, metavar="DIR", help="Folder for the copy.", show_default="this folder"),
    ] = None,
) -> None:
    """Lists the example programs, or copies one of them into this folder: bots, learners, notebooks and a game."""
    found = examples()
    if name is None:
        table = Table(box=None, pad_edge=False)
        for heading in ("name", "folder", "what it is"):
            table.add_column(heading)
        for key, path in found.items():
            table.add_row(*(Text(text) for text in (key, path.parent.name, summary_of(path))))
        show_table(table)
        return
    if name not in found:
        raise UnknownName("example", name, found)
    sources = [found[name], *companions(found[name])]
    targets = [(folder or Path()) / source.name for source in sources]
    for target in targets:
        if target.exists():
            raise LapilliError(f"{target} exists already: choose another folder")
    for source, target in zip(sources, targets, strict=True):
        _copy(source, target)
    console.print(Text(visible(f"Wrote {', '.join(map(str, targets))}.")), soft_wrap=True)


def examples() -> dict[str, Path]:
    """Returns the files of all examples, and the folders of example games, by name.

    Files that only belong to another example (see `companions`), such as a module that it imports, are left out.
    """
    home = next((place for place in _PLACES if place.is_dir()), None)
    if home is None:
        raise LapilliError("this installation has no examples: install Lapilli from a wheel, or look into a checkout")
    files = [file for file in home.glob("*/*") if file.suffix in _SUFFIXES or (file / "__init__.py").is_file()]
    left_out = {companion for file in files for companion in companions(file)}
    return {file.stem: file for file in sorted(files) if file not in left_out}


def companions(path: Path) -> list[Path]:
    """Returns the files that belong to an example and are copied with it, such as its weights.

    They are in the same folder, and their names begin with the example's name and `_`.
    """
    return sorted(path.parent.glob(f"{path.stem}_*.*"))


def summary_of(path: Path) -> str:
    """Returns the first line of a program's docstring, or the heading of a notebook."""
    text = (path / "__init__.py" if path.is_dir() else path).read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        told = "".join(json.loads(text)["cells"][0]["source"])
    else:
        told = ast.get_docstring(ast.parse(text)) or path.name
    return told.splitlines()[0].lstrip("# ").rstrip(".")


def _copy(source: Path, target: Path) -> None:
    """Copies a file, or a game's folder. Raises LapilliError if the target cannot be written."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    except OSError as error:
        raise LapilliError(f"cannot write {target}: {error.strerror}") from None
