"""The words of the site's pages: plain English, and the same words for the same thing everywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

import lapilli
from lapilli.games import load, names

PACKAGE = Path(lapilli.__file__).parent
TEMPLATES = PACKAGE / "site" / "frontend" / "templates"
SCRIPTS = [
    file
    for folder in ("site/frontend/static", "viewer/static")
    for file in sorted((PACKAGE / folder).rglob("*.js"))
    if "vendor" not in file.parts
]
STRUCK = {
    r"going on": "live now, or in progress",
    r"played last": "recently played",
    r"by lot": "random",
    r"make it": "create, or a verb that says what happens",
    r"make (a|an|the) (account|bot|token|link|table)": "create",
    r"told": "say who says what; people read, see and get",
    r"hears?d?": "read, get",
    r"by a link": "a friend (share a link)",
    r"asks you to play": "invites you to play",
    r"asked to play": "invitations",
    r"no draw": "decline the draw",
    r"on end": "in a row",
    r"lacks?": "needs, misses",
    r"(keeps|kept) for somebody": "reserved for",
    r"bring back": "restore",
    r"goes? on from": "restore",
    r"look at it": "open, or show",
    r"is had": "exists",
    r"what there is": "name it",
    r"who has": "name them",
}
"""Patterns of words that the pages once used, and what they say now."""
NAMED = re.compile(r'(?:aria-label|title|placeholder|alt|label)="([^"]*)"')
_STRING = re.compile(r"""(["'`])((?:\\.|(?!\1).)*)\1""")
_MESSAGES = ("HTTPException", "LapilliError", "IllegalAction", "UnknownName", "Refusal", "TooMany", "problem")


def template_texts(file: Path) -> Iterator[str]:
    """The text that people see of a template, in pieces: without tags and expressions, but with the labels."""
    text = re.sub(r"\{#.*?#\}", " ", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"<(style|script)\b.*?</\1>", " ", text, flags=re.DOTALL)
    plain = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "…", text, flags=re.DOTALL)
    yield from NAMED.findall(plain)
    yield from (piece for piece in re.split(r"<[^>]*>", plain) if piece.strip(" …\n"))
    for expression in re.findall(r"\{\{(.*?)\}\}", text, re.DOTALL):
        yield from (found[1] for found in _STRING.findall(expression) if " " in found[1])


def script_texts(file: Path) -> Iterator[str]:
    """Strings of a script that are sentences or labels: with a blank, or a capital letter first."""
    text = re.sub(r"^\s*(//|/?\*).*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for found in _STRING.findall(text):
        words = re.sub(r"\$\{[^}]*\}", "…", found[1])
        if re.search(r"[a-z] [a-z]|^[A-Z][a-z]+", words) and not re.search(r"[{};=]|--|#|\bvar\(", words):
            yield words


def message_texts(file: Path) -> Iterator[str]:
    """Strings in Python that pages show: arguments of errors and refusals."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _MESSAGES:
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
                    yield part.value


def texts() -> Iterator[tuple[str, str]]:
    for file in sorted(TEMPLATES.rglob("*.html")):
        yield from ((file.name, text) for text in template_texts(file))
    for file in SCRIPTS:
        yield from ((file.name, text) for text in script_texts(file))
    for file in sorted((PACKAGE / "site").rglob("*.py")):
        yield from ((file.name, text) for text in message_texts(file))


def test_struck_words_do_not_come_back_to_the_pages() -> None:
    found = list(texts())
    assert len(found) > 600, "the patterns find the texts"
    offenders = [
        f"{file}: {' '.join(text.split())!r}: {better}"
        for file, text in found
        for struck, better in STRUCK.items()
        if re.search(rf"(?<![\w-]){struck}(?![\w-])", text, re.IGNORECASE)
    ]
    assert offenders == []


def test_what_is_looked_through() -> None:
    """Each kind of text is found, and what nobody sees is not."""
    files = {(file, " ".join(text.split())) for file, text in texts()}
    assert ("happening.html", "Recently played") in files
    assert any(file == "table.js" for file, _ in files)
    assert any(file == "table.py" and "reserved" in text for file, text in files)
    assert not any("data-game" in text for _, text in files)


def test_no_two_games_could_be_taken_for_one_another() -> None:
    """Neither where only their titles stand, such as in lists, nor on the page of their rules."""
    titles = {name: load(name).title for name in names()}
    for one, other in combinations(titles.values(), 2):
        assert SequenceMatcher(None, one.lower(), other.lower()).ratio() < 0.7, (one, other)
    for name, title in titles.items():
        assert load(name).rules_page.startswith(f"# {title}")
