"""The package as it is published: what is in it, that it is the same each time, and that it works where no checkout is.

The libraries that it needs are those of this environment; the package itself is the wheel's.
"""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections import Counter
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
LARGEST = 5 << 20
"""Bytes of a wheel or a source distribution, at most."""
SUFFIXES = {
    "": {"LICENSE", "METADATA", "OFL.txt", "RECORD", "WHEEL", "entry_points.txt", "py.typed"},
    "code": {".py", ".js", ".ts", ".css", ".html"},
    "starters": {".py", ".cpp", ".js", ".java", ".rs"},
    "data": {
        ".md",
        ".json",
        ".jsonl",
        ".csv",
        ".npz",
        ".pt",
        ".svg",
        ".ttf",
        ".woff2",
        ".txt",
        ".png",
        ".webmanifest",
        ".ipynb",
    },
}
"""What may be in a wheel: names of files, or ends of names."""
FOREIGN = {".ttf", ".woff2", ".pt", ".npz"}
"""Ends of names of fonts and of trained weights, which may have a licence of their own."""
EXTRAS = {
    "pictures": "lapilli.viewer.drawing.pictures, PIL, resvg_py",
    "postgres": "psycopg",
    "site": "lapilli.site.app, lapilli.cli.web.site",
    "pettingzoo": "lapilli.envs.pettingzoo",
    "gymnasium": "lapilli.envs.gymnasium",
    "openspiel": "lapilli.envs.openspiel",
    "ray": "lapilli.workers.ray_mapper, lapilli.workers.ray_pool, ray",
    "tune": "lapilli.arena.tuning.optuna_method",
    "learning": "torch, sb3_contrib",
    "cuda": "lapilli.envs.cuda",
}
"""What is imported with an extra."""
FIRST_STEPS = """
import lapilli
assert "site-packages" in lapilli.__file__, lapilli.__file__
batch = lapilli.batch("volcanoes", 64, seed=1)
batch.play_random(100)
record = lapilli.play_match("volcanoes", ["greedy", "random"], seed=7)
print(len(batch.states), len(record.turns) > 10)
import lapilli.site.app, lapilli.arena, lapilli.envs, lapilli.viewer.drawing.pictures
"""


def build(folder: Path, repository: str = "") -> dict[str, Path]:
    """Builds both distributions, at a forge's address or without one; their files by the end of their names."""
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    environment = dict(os.environ) | {"LAPILLI_REPOSITORY": repository}
    subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True)
    return {"whl": next(folder.glob("*.whl")), "gz": next(folder.glob("*.tar.gz"))}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def installed(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    words = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*words, str(built["whl"])], check=True)
    own = next(folder.glob("lib/python*/site-packages"))
    (own / "libraries.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return folder / "bin"


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which nothing leads to the checkout; kernels are compiled once for all tests."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LAPILLI_GAMES")}
    return kept | {"HOME": str(tmp_path_factory.mktemp("home"))}


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as opened:
        return [name for name in opened.namelist() if not name.endswith("/")]


def kind_of(name: str) -> str:
    """Which of `SUFFIXES` allows this file; its name where none does."""
    path = Path(name)
    allowed = (kind for kind, ends in SUFFIXES.items() if path.name in ends or path.suffix in ends)
    return next(allowed, name)


def test_only_what_belongs_there_is_in_it(built: dict[str, Path]) -> None:
    names = names_in(built["whl"])
    assert {Path(name).parts[0] for name in names} == {"lapilli", f"{built['whl'].name.split('-py3')[0]}.dist-info"}
    assert set(map(kind_of, names)) <= set(SUFFIXES)
    listing = ["git", "ls-files", "src", "examples"]
    tracked = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    shipped = {f"src/{name}" for name in names if name.startswith("lapilli/")}
    shipped = {name.removeprefix("src/lapilli/") if "/examples/" in name else name for name in shipped}
    assert shipped == set(tracked.splitlines())


def metadata_in(wheel: Path) -> list[str]:
    """The lines of the wheel's metadata, without the README."""
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        return opened.read(name).decode().partition("\n\n")[0].splitlines()


def test_its_links_are_those_of_the_forge_that_builds_it(built: dict[str, Path], tmp_path: Path) -> None:
    """Anybody else's wheel has none: it would name a place at which nothing is."""
    address = "https://forge.example/somebody/lapilli"
    links = [line for line in metadata_in(build(tmp_path, address)["whl"]) if line.startswith("Project-URL: ")]
    assert f"Project-URL: Source, {address}" in links
    assert {line.split()[1] for line in links} == {"Source,", "Documentation,", "Changelog,", "Issues,"}
    assert all((ROOT / line.split("/blob/")[1].partition("/")[2]).is_file() for line in links if "/blob/" in line)
    assert not [line for line in metadata_in(built["whl"]) if line.startswith("Project-URL: ")]


def test_it_says_whose_it_is_and_under_which_licences(built: dict[str, Path]) -> None:
    head = metadata_in(built["whl"])
    for line in ("License-Expression: MIT AND OFL-1.1", "Author: The Lapilli developers"):
        assert line in head
    assert any(line.startswith("Classifier: Development Status ::") for line in head)
    texts = {line.split("/")[-1] for line in head if line.startswith("License-File: ")}
    assert {"License-File: LICENSE", "OFL.txt", "codemirror.licences.txt"} <= texts


def test_the_page_of_licences_names_every_folder_of_fonts_weights_and_others_programs(built: dict[str, Path]) -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    files = [Path(name).relative_to("lapilli") for name in names_in(built["whl"]) if name.startswith("lapilli/")]
    found = {file.parent for file in files if file.suffix in FOREIGN or "vendor" in file.parts}
    assert len(found) >= 4
    assert {str(folder) for folder in found if f"`{folder}`" not in page and folder.name != "content"} == set()


def test_sizes(built: dict[str, Path]) -> None:
    assert {name: path.stat().st_size <= LARGEST for name, path in built.items()} == {"whl": True, "gz": True}


def test_it_is_the_same_each_time(built: dict[str, Path], tmp_path: Path) -> None:
    again = build(tmp_path)
    assert {name: path.read_bytes() == built[name].read_bytes() for name, path in again.items()} == {
        "whl": True,
        "gz": True,
    }


def test_the_source_has_what_builds_and_tests_it(built: dict[str, Path]) -> None:
    with tarfile.open(built["gz"]) as opened:
        folders = Counter(Path(name).parts[1] for name in opened.getnames() if len(Path(name).parts) > 1)
    needed = {"src", "tests", "docs", "benchmarks", "README.md", "LICENSE", "pyproject.toml", "hatch_build.py"}
    assert needed <= set(folders)
    assert not {"node_modules", ".venv"} & set(folders)


def test_first_steps_where_no_checkout_is(installed: Path, elsewhere: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [installed / "python", "-c", FIRST_STEPS],
        cwd=tmp_path, env=elsewhere, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["64", "True"]


def test_commands_where_no_checkout_is(installed: Path, elsewhere: dict[str, str], tmp_path: Path) -> None:
    def lapilli(*words: str, code: int = 0) -> str:
        command = [str(installed / "lapilli"), *words]
        done = subprocess.run(command, cwd=tmp_path, env=elsewhere, check=False, capture_output=True, text=True)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
        return done.stdout

    python = [str(installed / "python"), "-c", "import lapilli; print('lapilli', lapilli.__version__)"]
    version = subprocess.run(python, cwd=tmp_path, env=elsewhere, check=True, capture_output=True, text=True).stdout
    assert re.search(r"\d+\.\d+\.\d+", version)
    assert lapilli("--version") == version
    lapilli("match", "volcanoes", "greedy", "random", "--seed", "7", "--record", "match.json", "--quiet")
    lapilli("verify", "match.json")
    lapilli("view", "match.json", "--html", "match.html")
    assert "<lapilli-player" in (tmp_path / "match.html").read_text(encoding="utf-8")
    lapilli("compare", "volcanoes", "random", "greedy", "--matches", "4", "--store", "arena.db", code=4)


def test_without_a_network(installed: Path, elsewhere: dict[str, str], tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root may take the network away")
    words = [
        "unshare",
        "--net",
        str(installed / "lapilli"),
        "match",
        "volcanoes",
        "greedy",
        "random",
        "--seed",
        "7",
        "--quiet",
    ]
    done = subprocess.run(words, cwd=tmp_path, env=elsewhere, check=True, capture_output=True, text=True)
    assert "wins against" in done.stdout


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_imported(extra: str, installed: Path, elsewhere: dict[str, str], tmp_path: Path) -> None:
    words = [str(installed / "python"), "-c", f"import {EXTRAS[extra]}"]
    done = subprocess.run(words, cwd=tmp_path, env=elsewhere, check=False, capture_output=True, text=True)
    missing = re.search(r"No module named '(?!lapilli)(\w+)", done.stderr)
    if missing and not os.environ.get("CI"):
        pytest.skip(f"{missing[1]} is not installed")
    assert done.returncode == 0, done.stderr


def test_these_are_all_extras() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["optional-dependencies"].keys() == EXTRAS.keys()


def test_a_site_where_no_checkout_is(installed: Path, elsewhere: dict[str, str], tmp_path: Path) -> None:
    words = [str(installed / "lapilli"), "site", "--no-browser", "--port", "0", "--store", "site.db"]
    with subprocess.Popen(words, cwd=tmp_path, env=elsewhere, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+?(?=/?\s|/?$)", process.stdout.readline())
            assert found is not None
            with httpx.Client(base_url=found[0], headers={"Origin": found[0]}, timeout=60, trust_env=False) as http:
                assert http.get("/").status_code == 200
                form = {"game": "volcanoes", "seat": "1", "opponent1": "random", "name": "Ada"}
                table = http.post("/play", data=form).headers["location"]
                assert http.get(table).status_code == 200
                last = match_of_a_bot(http, [str(installed / "lapilli")], tmp_path, elsewhere)
                assert last.startswith("volcanoes: "), last
        finally:
            process.terminate()


def match_of_a_bot(http: httpx.Client, program: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Lets a starter bot play a match on a site, from a process of its own; returns what it prints at the end."""
    subprocess.run([*program, "new", "volcanoes", "bot"], cwd=folder, env=environment, check=True, capture_output=True)
    made = http.post("/account/tokens", data={"name": "bot", "play": "yes", "read": "yes"})
    found = re.search(r'value="(lapilli_[\w-]+)"', made.text)
    assert found is not None
    words = [*program, "connect", str(http.base_url), "--bot", f"{sys.executable} bot/bot.py"]
    variables = environment | {"LAPILLI_TOKEN": found[1], "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        try:
            assert "waiting for challenges" in bot.stdout.readline()
            headers = {"Authorization": f"Bearer {found[1]}"}
            challenge = {"game": "volcanoes", "opponents": ["random"]}
            assert http.post("/api/v1/challenges", json=challenge, headers=headers).is_success
            # A line of three parts, game, players and reason, ends the match. Others may say that it waits.
            ends = (line for line in bot.stdout if line.count(": ") == 2 or "abandoned" in line or "fault" in line)
            return next(ends)
        finally:
            bot.terminate()
