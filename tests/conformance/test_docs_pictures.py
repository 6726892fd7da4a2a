"""The pictures of boards in the docs are what the program draws: they change only with the docs."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("game", sorted(file.stem for file in (DOCS / "pictures").glob("*.svg")))
def test_the_docs_show_what_is_drawn(game: str) -> None:
    spec = spec_from_file_location("docs_pictures", DOCS / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    docs = module_from_spec(spec)
    spec.loader.exec_module(docs)
    new, _ = docs.still(docs.greedy_match(game))
    old = (DOCS / "pictures" / f"{game}.svg").read_text(encoding="utf-8")
    changed = [part for part in new.split("<") if part not in old]
    assert not changed, f"{changed[:5]}: python docs/pictures.py draws them anew"
    assert new == old
