"""The floors of the package as `docs/architecture.md` shows them, read from the import contract in pyproject.toml.

`python tests/architecture/floors.py` writes them into that page.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
_PACKAGE = ROOT / "src" / "lapilli"
_BEGIN, _END = "<!-- floors -->\n", "<!-- /floors -->\n"
_WIDTH = 31


def floors() -> list[list[str]]:
    """Returns the floors from the top down: names below `lapilli` that do not import each other stand beside each
    other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(one["layers"] for one in contracts if one["name"] == "imports point down")
    return [[name.strip().removeprefix("lapilli.") for name in layer.split("|")] for layer in layers]


def purpose(name: str) -> str:
    """Returns the first paragraph of a floor's docstring, in one line."""
    folder = _PACKAGE / name
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def rooms(name: str) -> list[str]:
    """Returns the folders with modules below a floor."""
    return sorted(place.parent.name for place in (_PACKAGE / name).glob("*/__init__.py"))


def drawing() -> str:
    """Returns the part of the page between its two marks."""
    lines = ["", "```text"]
    for beside in floors():
        boxes = [name.center(_WIDTH // len(beside) - 2) for name in beside]
        lines += ["│ " + " │ ".join(boxes) + " │"]
    lines += ["```", "", "| floor | what it holds | rooms |", "|---|---|---|"]
    for name in (name for beside in floors() for name in beside):
        lines.append(f"| `{name}` | {purpose(name)} | {', '.join(f'`{room}`' for room in rooms(name))} |")
    return "\n".join([*lines, "", ""])


def with_drawing(page: str) -> str:
    """Returns the page with its part between the marks drawn anew."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + drawing() + _END + after


if __name__ == "__main__":
    PAGE.write_text(with_drawing(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
