"""The bundles of scripts that are in the package are those that `npm run build` would make now."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from lapilli.site.http.assets import assets

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "lapilli"
BUNDLES = [*SOURCES.glob("*/built/*.js"), *SOURCES.glob("site/frontend/static/vendor/*.js")]


def name_of(file: Path) -> str:
    return file.relative_to(SOURCES).as_posix()


@pytest.mark.parametrize("bundle", BUNDLES, ids=name_of)
def test_a_bundle_has_the_hash_of_its_modules(bundle: Path) -> None:
    """As `bundle.js` computes it; so nobody needs Node to see that a module was changed and not built."""
    built = re.match(r'// Built by "npm run build" from (.+), whose modules have the hash (\w+)\n', bundle.read_text())
    assert built, "the bundle's first line says what it is built from"
    folders = [ROOT / folder for folder in built[1].split(" and ")]
    paths = sorted(file.relative_to(SOURCES).as_posix() for folder in folders for file in folder.rglob("*.js"))
    modules = sha256(b"".join(f"{path}\n".encode() + (SOURCES / path).read_bytes() for path in paths))
    assert modules.hexdigest().startswith(built[2]), f"a module in {built[1]} was changed: npm ci && npm run build"


def test_pages_load_the_bundles() -> None:
    """Where they are up to date; else the site serves the modules one by one."""
    assert "site/frontend/built/pages.js" in assets().script("table")


def test_building_gives_the_same_bytes() -> None:
    if shutil.which("node") is None or not (ROOT / "node_modules" / "esbuild").is_dir():
        if os.environ.get("CI"):
            pytest.fail("esbuild is missing: npm ci")
        pytest.skip("esbuild is not here (Node.js, npm ci)")
    checked = subprocess.run(["node", "bundle.js", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
