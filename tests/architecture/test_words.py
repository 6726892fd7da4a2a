"""One word has one meaning: no class name occurs twice, and words that were struck do not come back."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import lapilli

PACKAGE = Path(lapilli.__file__).parent
ROOT = PACKAGE.parents[1]
STRUCK = {
    "Course": "LiveTable",
    "Hall": "Tables",
    "Keeper": "BatchWriter",
    "Living": "Showcase",
    "Lodgings": "BotPool",
    "Lots": "Draws",
    "Mind": "NetworkArrays",
    "Patience": "Timeouts",
    "Room": "Scratch",
    "SKETCH": "FAST_STATE",
    "Shown": "StepMarks",
    "Sitter": "BotSeat",
    "Think": "SearchFunction",
    "Thought": "SearchResult",
    "World": "Static",
    "foretell": "action_probabilities",
    "hall_of": "CurrentSite",
    "heard_compiling": "compile_callback",
    "lodgers": "offered_bots",
    "mover": "current_player",
    "new_room": "new_scratch",
    "sketch": "fast_state",
    "world": "static",
}
"""Names that this project once used, and those that stand for them now."""
MOST_OWN_WORDS = 30


@cache
def sources() -> list[tuple[Path, str]]:
    files = (file for file in sorted(PACKAGE.rglob("*.py")) if "starters" not in file.parts)  # bots of their own
    return [(file, file.read_text(encoding="utf-8")) for file in files]


def test_no_class_name_occurs_twice() -> None:
    found = defaultdict(list)
    for file, text in sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(file.relative_to(PACKAGE)))
    assert len(found) > 400
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_struck_words_do_not_come_back() -> None:
    any_struck = re.compile(rf"\b({'|'.join(STRUCK)})\b")
    for file, text in sources():
        if any_struck.search(text):  # perhaps in a string or a comment, where it is allowed
            nodes = list(ast.walk(ast.parse(text)))
            names = {node.id for node in nodes if isinstance(node, ast.Name)}
            names |= {node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
            for name in names & STRUCK.keys():
                raise AssertionError(f"{file}: {name}; say {STRUCK[name]}")


def test_the_glossary_is_short_and_in_order() -> None:
    words = re.findall(
        r"^\| \*\*(.+)\*\* \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert words == sorted(words)
    assert 20 < len(words) < MOST_OWN_WORDS
