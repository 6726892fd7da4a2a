"""What the first pages of the documentation tell people to type works, in the order in which it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "start").glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def block(language: str, holding: str) -> str:
    """The code block of that language with this text in it."""
    (found,) = (text for text in re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL) if holding in text)
    assert isinstance(found, str)
    return found


def output(holding: str) -> str:
    """What a page says that the code block with this text prints."""
    (found,) = re.findall(rf"```\w+\n(?:(?!```).)*{re.escape(holding)}.*?```.*?```text\n(.*?)```", TEXT, re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with the repository's examples, as a reader would have."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def test_from_i_have_a_bot_to_i_see_it_play(here: Path) -> None:
    bin_folder = here / "bin"
    bin_folder.mkdir()
    program = bin_folder / "lapilli"
    program.write_text(f"#!{sys.executable}\nfrom lapilli.cli import main\nmain()\n")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "BROWSER": "true"}
    commands = block("sh", "lapilli new").splitlines()
    assert len(commands) >= 7
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=here, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        if "--record" in command:
            assert without_times(done.stdout).endswith(without_times(output("lapilli new")))
    assert (here / "lost.json").is_file()


def without_times(text: str) -> str:
    """The lines without the times of players' turns, which differ from machine to machine."""
    return re.sub(r" +[\d.]+ +[\d.]+$", "", text, flags=re.MULTILINE)


def test_from_python(here: Path) -> None:
    code = block("python", "lapilli.play_match")
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(output("lapilli.play_match"))
    assert (here / "match.json").is_file()


def test_the_readmes_code() -> None:
    code = block("python", "nodes=2000")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(f"{line}\n" for line in re.findall(r"  # prints (.*)", code))


def test_train_on_them() -> None:
    code = block("python", "1,024 games")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output("1,024 games")


def test_train_against_built_in_opponents() -> None:
    code = block("python", "def agent")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output("def agent")


def test_the_page_about_installing_names_every_extra() -> None:
    page = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(re.findall(r"\w+", " ".join(rows))) == set(project["optional-dependencies"])


def test_on_windows_it_says_where_it_runs() -> None:
    """Instead of the first module of POSIX that is missing."""
    code = "import os; os.name = 'nt'; import lapilli"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("Lapilli runs on Linux and macOS; on Windows, install it inside WSL\n")
