"""Weights that come with games: small, each with a card beside it that says where they are from."""

from __future__ import annotations

from pathlib import Path

import pytest

from lapilli import games

FOLDER = Path(games.__file__).parent
MOST_BYTES = 1 << 20
"""What the weights of a game may have, all together."""
ROWS = ("what", "read by", "command", "seed", "matches", "time", "strength")


@pytest.mark.parametrize("folder", sorted({file.relative_to(FOLDER).parts[0] for file in FOLDER.rglob("*.npz")}))
def test_the_weights_of_a_game_are_small_and_have_cards(folder: str) -> None:
    files = list((FOLDER / folder).rglob("*.npz"))
    assert sum(file.stat().st_size for file in files) <= MOST_BYTES
    for file in files:
        if file.name.startswith("first_turns"):
            continue  # counts of matches, which say in themselves where they are from
        title, _, *table = file.with_suffix(".md").read_text(encoding="utf-8").splitlines()
        assert title == f"# {file.name}"
        said = [cells[1].strip() for line in table if len(cells := line.split("|")) == 4 and cells[2].strip(" -")]
        assert [row for row in said if row in ROWS] == list(ROWS), file
