"""Groups of options, and the table of commands."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from cli.running import run
from lapilli.cli import COMMANDS, app
from lapilli.cli.arena.progress import _time_left
from lapilli.cli.options.commands import add_command, flattened, new_app


@dataclass(frozen=True, kw_only=True)
class Size:
    """A group of two options."""

    width: Annotated[int, typer.Option("--width", "-w")] = 3
    names: Annotated[list[str] | None, typer.Option("--name")] = None


RECEIVED: list[Any] = []


def draw(file: Annotated[str, typer.Argument()], *, size: Size, dark: bool = False) -> None:
    """Draws a picture."""
    RECEIVED.append((file, size, dark))


def draw_wide(file: Annotated[str, typer.Argument()], size: Size = Size(width=8)) -> None:
    """Draws a wide picture."""
    RECEIVED.append((file, size))


def test_a_former_name_of_an_option_still_works_and_says_so(tmp_path: Path) -> None:
    words = ("tournament", "tictactoe", "random", "b=random", "-q", "--fresh", "--store", tmp_path / "arena.db")
    told = "lapilli: --games is now called --matches; use the new name\n"
    assert run(*words, "--games", 2).stderr == told
    assert run(*words, "--games=2").stderr == told
    assert run(*words, "--matches", 2).stderr == ""
    assert "--games" not in run("tournament", "--help").stdout


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (None, ""),
        ((40, 40), "about 40 s left"),
        ((12, 80), "12 to 80 s left"),
        ((40, 240), "1 to 4 min left"),
        ((600, 620), "about 10 min left"),
        ((3000, 9000), "0.8 to 2.5 h left"),
    ],
)
def test_the_time_that_is_left_is_told_in_one_unit(seconds: tuple[float, float] | None, told: str) -> None:
    assert _time_left(seconds) == told


def test_a_command_receives_a_group_as_one_object() -> None:
    program = new_app()
    add_command(program, "draw", draw, examples=("lapilli draw x",))
    add_command(program, "wide", draw_wide, examples=("lapilli wide x",))
    RECEIVED.clear()
    program(["draw", "x", "-w", "5", "--name", "a", "--name", "b", "--dark"], standalone_mode=False)
    program(["draw", "x"], standalone_mode=False)
    program(["wide", "x", "--name", "c"], standalone_mode=False)
    assert [
        ("x", Size(width=5, names=["a", "b"]), True),
        ("x", Size(), False),
        ("x", Size(width=8, names=["c"])),
    ] == RECEIVED


def test_the_options_of_a_group_stand_in_its_place() -> None:
    parameters = inspect.signature(flattened(draw)).parameters
    assert list(parameters) == ["file", "width", "names", "dark"]
    assert inspect.signature(flattened(draw_wide)).parameters["width"].default == 8


def test_every_command_is_found_under_its_name() -> None:
    group: Any = typer.main.get_command(app)
    listed = [name for commands in COMMANDS.values() for name in commands]
    assert group.list_commands(None) == listed
    assert all(group.get_command(None, name).name == name for name in listed)
    assert group.get_command(None, "nosuch") is None
    assert "Did you mean 'match'?" in run("macth", code=2).stderr


LOADED = """\
import atexit, sys
from lapilli.__main__ import main
atexit.register(lambda: print([name for name in ("sqlalchemy", "lapilli.arena") if name in sys.modules]))
main()
"""


def test_a_match_loads_neither_arena_nor_database() -> None:
    command = [sys.executable, "-c", LOADED, "match", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_names_of_the_store_load_no_database() -> None:
    program = "import sys, lapilli.store; assert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)
