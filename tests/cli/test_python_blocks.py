"""The Python code on the documentation's pages runs as it stands; `test_readme.py` runs that of the first pages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.running import run

DOCS = Path(__file__).resolve().parents[2] / "docs"
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
NOT_RUN = {
    "adding-a-game.md": {"Race to 21": "fifth/test_fifth.py plays it"},
    "adding-a-search.md": {"GAME = Game(...": "a part of a game that the reader writes"},
    "arena-page.md": {"import pandas": "needs pandas, which is no library of Lapilli's"},
    "environments.md": {
        "import pyspiel": "envs/test_openspiel.py does the same",
        "game.symmetries()": "needs arrays of the reader's",
    },
    "gpu.md": {'device="cuda"': "needs a GPU"},
    "self-play.md": {"def network": "needs a network of the reader's", "PastSelves": "needs an agent of the reader's"},
    "training/alphazero.md": {"import alphazero": "envs/test_examples.py plays with these weights"},
    "training/ppo.md": {"import torch": "needs a trained agent"},
}
"""By page, what occurs in blocks that are not run, each with the reason."""
BEFORE: dict[str, list[tuple[str, ...]]] = {
    "agents.md": [("dataset", "volcanoes", "--player", "best:nodes=10", "--matches", "4", "--out", "data.npz")],
    "arena-page.md": [("compare", "volcanoes", "greedy", "random", "--matches", "4", "-q")],
    "tournaments.md": [("new", "volcanoes", "v2")],
}
"""By page, commands that make what its code takes for granted."""


def blocks() -> dict[str, list[str]]:
    """The blocks of code of each page that has some, but the first pages."""
    pages = {str(page.relative_to(DOCS)): page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
    found = {page: CODE.findall(text) for page, text in pages.items() if not page.startswith("start/")}
    return {page: code for page, code in found.items() if code}


def reasons(page: str, block: str) -> list[str]:
    """Why a block is not run."""
    return [reason for part, reason in NOT_RUN.get(page, {}).items() if part in block]


RUN = {
    page: code
    for page, every in blocks().items()
    if (code := "\n".join(block for block in every if not reasons(page, block)))
}
"""The code of each page that is run, in the order in which it stands there."""


def test_all_that_is_not_run_is_there() -> None:
    listed = [(page, part) for page, parts in NOT_RUN.items() for part in parts]
    assert [(page, part) for page, part in listed if not any(part in block for block in blocks()[page])] == []
    assert BEFORE.keys() <= RUN.keys()


@pytest.mark.parametrize("page", RUN)
def test_code_runs(page: str, tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path)}
    for words in BEFORE.get(page, ()):
        run(*words, code=None, cwd=tmp_path, env=home)
    if (bot := tmp_path / "v2" / "bot.py").exists():
        bot.rename(tmp_path / "bot2.py")
    done = subprocess.run(
        [sys.executable, "-c", RUN[page]],
        cwd=tmp_path,
        env=os.environ | home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
