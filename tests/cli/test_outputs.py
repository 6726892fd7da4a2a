"""The documentation shows what commands print, and shows it for the commands of every guide."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import pytest

from warm import Warm

ROOT = Path(__file__).resolve().parents[2]
NO_OUTPUT = {
    "docs/start/bot.md": {
        "cp -r mybot mybot2": "the reader changes the bot; docs/comparing.md shows such an output",
        "lapilli bot volcanoes": "prints nothing until a referee sends a position",
    },
    "docs/tournaments.md": {"lapilli tournament volcanoes 'v2=": "such a table stands above it, with other players"},
    "docs/training.md": {"lapilli connect": "needs a site; docs/api.md shows what it prints"},
    "docs/operating.md": {
        "lapilli site --no-browser": "needs PostgreSQL; the site's address, as on docs/site.md",
        "LAPILLI_SMTP_PASSWORD_FILE": "needs a mail server; the site's address, as on docs/site.md",
    },
    "docs/scale.md": {"pip install 'lapilli[ray]'": "needs a cluster; the same output as without one"},
    "docs/adding-a-game.md": {"LAPILLI_GAMES=~/games lapilli match mygame": "a game that the reader writes"},
}
"""By page, the beginnings of blocks whose output the page does not show, each with the reason."""
PROGRAM = re.compile(r"^(?:\w+=\S+ )*lapilli ", re.MULTILINE)
"""The beginning of a line that runs Lapilli."""
MASKS = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "DATE"),
    (r"(/tmp|~)/\S*lapilli\S*\.html", "PAGE"),
    (r"-?[\d.,]+ (ms|s|minutes?|min)\b", r"TIME \1"),
    (r"\d+ kB", "SIZE"),
    (r" +\d+\.\d( +[\d.,]+){1,2}(?= +none$|$)", " TIMES"),
    (r"[ \t]+", " "),
    (r" $", ""),
)
"""What differs from run to run, and what stands for it. Columns are as wide as the times in them."""


def loaded() -> Any:
    """The script that writes the outputs."""
    spec = spec_from_file_location("docs_outputs", ROOT / "docs" / "outputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OUTPUTS = loaded()
QUICK = [str(page.relative_to(ROOT)) for page in OUTPUTS.PAGES if any(map(OUTPUTS.is_quick, OUTPUTS.blocks(page)))]


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """A process with the variables of the script's commands, that need not load anything."""
    started = Warm(environment=OUTPUTS.variables(tmp_path_factory.mktemp("home")))
    yield started
    started.close()


def masked(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


@pytest.mark.parametrize("page", QUICK)
def test_commands_print_what_the_page_shows(page: str, warm: Warm, tmp_path: Path) -> None:
    def call(command: str, folder: Path, environment: Mapping[str, str], file: IO[bytes]) -> int:
        words = shlex.split(command)
        if words[0] != "lapilli" or set("|&;$<>*~") & set(command):
            return int(OUTPUTS.in_shell(command, folder, environment, file))
        with open("/dev/null") as nothing:
            streams = (nothing.fileno(), file.fileno(), file.fileno())
            return warm.start(words[1:], streams, environment, folder).wait(120)

    place = OUTPUTS.Place(tmp_path, call)
    for block in filter(OUTPUTS.is_quick, OUTPUTS.blocks(ROOT / page)):
        assert masked(OUTPUTS.output(place, block)) == masked(block["output"]), f"python docs/outputs.py --quick {page}"


def guides() -> list[Path]:
    """The pages of the menu's parts that people read to do something, and the README."""
    menu = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    files = [
        file
        for part in menu
        for name in ("Start", "Guides")
        if name in part
        for page in part[name]
        for file in page.values()
    ]
    return [ROOT / "README.md", *(ROOT / "docs" / file for file in files)]


def silent_commands(page: Path) -> list[str]:
    """The blocks of a page with commands of Lapilli that no output follows."""
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [
        block
        for (language, block), (after, _) in pairwise([*fences, ("", "")])
        if language == "sh" and PROGRAM.search(block) and after not in ("text", "json")
    ]


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.name)
def test_every_command_of_a_guide_is_shown_with_its_output(page: Path) -> None:
    known = NO_OUTPUT.get(str(page.relative_to(ROOT)), {})
    silent = silent_commands(page)
    unknown = [block for block in silent if not any(map(block.startswith, known))]
    assert unknown == []
    assert [start for start in known if not any(block.startswith(start) for block in silent)] == []
