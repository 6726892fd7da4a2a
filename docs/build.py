"""Builds the documentation's pages into build/docs: python docs/build.py

Needs the dependency group `docs`, and no network. Some pages are made from the program: the commands with their
options, example programs, and each game's rules with advice, the strength of its opponents, and a match to step
through. Pages of the repository's root, such as CONTRIBUTING.md, are copied. Links to other files of the repository
become their names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from lapilli.cli import app
from lapilli.core.api import Game
from lapilli.core.content.tutorials import read_tutorial
from lapilli.games import load, names
from lapilli.match import load_record
from lapilli.players.engines.searches import level_titles
from lapilli.viewer import page

ROOT = Path(__file__).resolve().parents[1]
SOURCE, BUILT = ROOT / "build" / "docs-source", ROOT / "build" / "docs"
"""Where the pages' sources are put together, and where the pages are built; `zensical.toml` says the same."""
EXAMPLES = {
    "examples/learning": "Programs that train agents. They need `pip install 'lapilli[learning]'`.",
    "examples/volcanoes": "Bots for Volcanoes.",
    "examples/games/connect4": "A whole game in one file: Connect Four, with a board to click on, levels, and reasons.",
    "tests/fifth/tictactoe": "The least that passes all tests of games: Tic-tac-toe, with a starter bot and rules.",
}
"""Folders whose programs the documentation prints, each with what is said about it."""
ROOT_PAGES = ("CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "CHANGELOG")
"""Pages of the repository's root that the documentation has, too, in its folder `contribute`."""
_SEARCH = """var __index = %s;
{
  const address = URL.createObjectURL(new Blob([%s], { type: "text/javascript" }));
  window.Worker = class extends Worker {
    constructor() {
      super(address);
    }
  };
}
"""
"""Script that the pages load from a folder, where browsers let them neither fetch the index of the search nor start its
worker from a file. Its gaps are the index and the source of the worker. (For this, Zensical's plugin `offline` loads a
script from another site.)
"""
_TO_FILE = re.compile(r"\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)([^)]*)\)")
"""A link to a file in Markdown: its text, the file, and the heading."""
_LINK = re.compile(r'<a\b[^>]*?href="([^"#]+)(#[^"]*)?"[^>]*>(.*?)</a>', re.DOTALL)
_MARKUP = re.compile(r"\[/?[a-z ]+\]")
"""Marks of Rich in a help text."""


def commands() -> str:
    """Returns the page of all commands."""
    parts = [
        "# Commands",
        "Made from the program. `lapilli COMMAND --help` says the same.",
        *_of(typer.main.get_command(app), "lapilli"),
    ]
    return "\n\n".join(parts) + "\n"


def _of(command: Any, path: str) -> Iterator[str]:
    """Yields the paragraphs on a command of Typer's, then those on its subcommands."""
    if path != "lapilli":
        yield f"## {path}"
        yield _plain(command.help or "")
    if rows := [_row(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]:
        yield "\n".join(["| | |", "|---|---|", *rows])
    if command.epilog:
        title, *lines = command.epilog.splitlines()
        yield "\n".join([title, "", "```sh", *lines, "```"])
    if isinstance(command, TyperGroup):
        context: Any = None  # these commands do not depend on one
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            if subcommand is not None and not subcommand.hidden:
                yield from _of(subcommand, f"{path} {name}")


def _row(parameter: Any) -> str:
    """Returns a row of a table: an option or argument, and its help."""
    words = parameter.opts + parameter.secondary_opts
    named = ", ".join(f"`{word if word.startswith('-') else word.upper()}`" for word in words)
    return f"| {named} | {_plain(getattr(parameter, 'help', None) or '').replace('|', chr(92) + '|')} |"


def _plain(text: str) -> str:
    return _MARKUP.sub("", text).replace("<", "&lt;").strip()


def write_games(folder: Path) -> None:
    """Writes a page for each game into a folder, and its match beside the page."""
    folder.mkdir()
    for name in names():
        game = load(name)
        match = folder / f"{name}-match.html"
        match.write_text(page(load_record(game.content / "match.json")), encoding="utf-8")
        (folder / f"{name}.md").write_text(game_page(game, match.name), encoding="utf-8")


def game_page(game: Game, match: str) -> str:
    """Returns the page of a game: its rules, advice, how strong its opponents are, and a match to step through.

    Args:
        game: the game.
        match: name of the file with the page of the match.
    """
    titles = level_titles(game)
    rows = [
        f"| `{one.player}` | {titles.get(one.player, '')} | {one.elo:+} | {one.low:+} to {one.high:+} | {one.matches} |"
        for one in game.strengths
    ]
    parts = [
        game.rules_page.rstrip(),
        "## Advice",
        "\n".join(f"* {note}" for note in read_tutorial(game.content).notes),
        "## How strong the opponents are",
        "Measured in matches from the usual start, on a scale where `random` has 0. "
        "[Engines](../engines.md#how-strong-they-are) says how.",
        "\n".join(["| opponent | called | Elo | 95 % | matches |", "|---|---|---|---|---|", *rows]),
        "## A match",
        f'<iframe class="match" src="{match}" title="A match of {game.title}" loading="lazy"></iframe>',
    ]
    return "\n\n".join(parts) + "\n"


def examples() -> str:
    """Returns the page with the programs of `EXAMPLES`."""
    parts = [
        "# Example programs",
        "The programs to which other pages lead, to copy. The button at the top right of a program copies it.",
    ]
    for folder, text in EXAMPLES.items():
        parts.append(text)
        for file in _shown(folder):
            language = {".py": "python", ".md": "markdown"}[file.suffix]
            parts.append(f"## `{_title(file)}`\n\n````{language}\n{file.read_text(encoding='utf-8').rstrip()}\n````")
    return "\n\n".join(parts) + "\n"


def write_root_pages(source: Path) -> None:
    """Copies `ROOT_PAGES` into the pages' sources, and makes links from other pages lead to the copies."""
    copies = {ROOT / f"{name}.md": source / "contribute" / f"{name}.md" for name in ROOT_PAGES}
    for file in source.rglob("*.md"):
        original = ROOT / "docs" / file.relative_to(source)
        file.write_text(_moved(file, original, source, copies), encoding="utf-8")
    (source / "contribute").mkdir()
    for original, copy in copies.items():
        copy.write_text(_moved(copy, original, source, copies), encoding="utf-8")


def _moved(place: Path, original: Path, source: Path, copies: Mapping[Path, Path]) -> str:
    """Returns the text of a page, with links that lead from its new place to where the same files are now.

    Args:
        place: where the page will be.
        original: where its text was written; if there is no such file, the text is the one at `place`.
        source: folder of the pages' sources.
        copies: places of the pages of the root, by their files.
    """

    def link(found: re.Match[str]) -> str:
        text, file, heading = found.groups()
        target, docs = Path(os.path.normpath(original.parent / file)), ROOT / "docs"
        if target in copies:
            new = copies[target]
        elif original not in copies:  # the page has not moved
            return found[0]
        elif target.is_relative_to(docs):
            new = source / target.relative_to(docs)
        else:
            return text
        return f"[{text}]({os.path.relpath(new, place.parent)}{heading})"

    written = original if original.exists() else place
    return _TO_FILE.sub(link, written.read_text(encoding="utf-8"))


def _shown(folder: str) -> list[Path]:
    """Returns the files of a folder that the page of examples shows."""
    return [file for file in sorted((ROOT / folder).rglob("*")) if file.suffix in {".py", ".md"}]


def _title(file: Path) -> str:
    """Returns the heading of a file on the page of examples."""
    return f"{file.parent.name}/{file.name}"


def _example_address(path: str) -> str | None:
    """Returns where a file of the repository stands on the page of examples; None if it is not there."""
    file = ROOT / path
    if file.is_dir():
        file = next(iter(_shown(path)), file)
    if any(path.startswith(folder) for folder in EXAMPLES) and file.suffix in {".py", ".md"}:
        return f"reference/examples.html#{re.sub(r'[^a-z0-9_-]', '', _title(file).lower())}"
    return None


def drop_links_outside(built: Path) -> None:
    """Makes links to example programs lead to the page of examples; replaces other links that lead out of the pages by
    their text. Raises SystemExit if a link leads nowhere."""
    lost: set[str] = set()
    for file in built.rglob("*.html"):
        if not file.name.endswith("-match.html"):
            text = file.read_text(encoding="utf-8")
            file.write_text(_LINK.sub(partial(_kept, built, file, lost), text), encoding="utf-8")
    if lost:
        sys.exit("links that lead nowhere:\n" + "\n".join(sorted(lost)))


def _kept(built: Path, file: Path, lost: set[str], found: re.Match[str]) -> str:
    """Returns what stands in a page in place of a link; adds the link to `lost` if it leads nowhere."""
    link = found[1]
    target = (file.parent / link).resolve()
    if re.match(r"[a-z]+:|//", link) or target.exists():
        return found[0]
    if not target.is_relative_to(built):
        place = _example_address(str(target.relative_to(built.parent))) if target.is_relative_to(built.parent) else None
        if place is None:
            return found[3]
        upward = "../" * len(file.relative_to(built).parent.parts)
        return found[0].replace(f'href="{link}{found[2] or ""}"', f'href="{upward}{place}"')
    lost.add(f"{file.relative_to(built)}: {link}")
    return found[0]


def write_search(built: Path) -> None:
    """Writes the script with which the search works in pages that are opened from a folder."""
    (worker,) = built.glob("assets/javascripts/workers/search.*.js")
    index = (built / "search.json").read_text(encoding="utf-8")
    script = _SEARCH % (index, json.dumps(worker.read_text(encoding="utf-8")))
    (built / "search.js").write_text(script, encoding="utf-8")


def main() -> None:
    """Builds all pages."""
    for folder in (SOURCE, BUILT):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (SOURCE / "reference" / "commands.md").write_text(commands(), encoding="utf-8")
    (SOURCE / "reference" / "examples.md").write_text(examples(), encoding="utf-8")
    write_games(SOURCE / "games")
    write_root_pages(SOURCE)
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=ROOT, check=True)
    drop_links_outside(BUILT)
    write_search(BUILT)
    print(f"The pages are in {BUILT.relative_to(ROOT)}; begin at {(BUILT / 'index.html').relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
