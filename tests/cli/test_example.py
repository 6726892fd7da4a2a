"""`lapilli example`: the list of examples, and copies of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import refused, run
from lapilli.cli.games.example import examples, summary_of

HOME = Path(__file__).resolve().parents[2] / "examples"


def test_all_examples_are_listed_with_what_they_are() -> None:
    files = [path for path in HOME.rglob("*") if path.suffix in (".py", ".ipynb")]
    found = examples()
    assert len(found) == len(files), "each has a name of its own"
    lines = run("example").stdout.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [*found]
    assert all(len(summary_of(path)) > 8 for path in found.values())


@pytest.mark.parametrize("name", ["ppo", "first_steps"])
def test_a_file_is_copied_and_none_is_replaced(tmp_path: Path, name: str) -> None:
    source = examples()[name]
    assert run("example", name, cwd=tmp_path).stdout == f"Wrote {source.name}.\n"
    assert (tmp_path / source.name).read_bytes() == source.read_bytes()
    assert "exists already" in refused("example", name, tmp_path)
    assert "did you mean 'ppo'" in refused("example", "poo")


def test_a_game_is_copied_with_its_folder_and_can_be_played(tmp_path: Path) -> None:
    run("example", "connect4", tmp_path / "games")
    assert [file.name for file in (tmp_path / "games" / "connect4").iterdir()] == ["__init__.py"]
    assert "connect4" in run("games", env={"LAPILLI_GAMES": str(tmp_path / "games")}).stdout
