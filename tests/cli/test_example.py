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
    assert sum(not path.stem.startswith("alphazero_") for path in files) == len(found), "each has a name of its own"
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


def test_files_that_belong_to_an_example_are_copied_with_it(tmp_path: Path) -> None:
    """All or none: where one of them exists, nothing is written."""
    wanted = ["alphazero.py", "alphazero_networks.py", "alphazero_volcanoes.md", "alphazero_volcanoes.pt"]
    (tmp_path / "alphazero_networks.py").write_text("mine")
    assert "alphazero_networks.py exists already" in refused("example", "alphazero", tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    copies = ", ".join(str(tmp_path / "new" / name) for name in wanted)
    assert run("example", "alphazero", tmp_path / "new").stdout == f"Wrote {copies}.\n"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == wanted


def test_a_game_is_copied_with_its_folder_and_can_be_played(tmp_path: Path) -> None:
    run("example", "connect4", tmp_path / "games")
    assert [file.name for file in (tmp_path / "games" / "connect4").iterdir()] == ["__init__.py"]
    assert "connect4" in run("games", env={"LAPILLI_GAMES": str(tmp_path / "games")}).stdout
