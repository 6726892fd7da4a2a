"""Names at the repository's root. A file that a test or a command has left there by mistake is noticed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"}
FOLDERS = {".ci", ".github", "benchmarks", "changes", "docs", "examples", "hosting", "src", "tests"}
PYTHON = {"hatch_build.py", "noxfile.py", "pyproject.toml", "uv.lock"}
SCRIPTS = {"bundle.js", "eslint.config.js", "package-lock.json", "package.json", "tsconfig.json", ".prettierignore"}
CONTAINERS = {".dockerignore", "Containerfile", "compose.yaml"}
SETTINGS = {".editorconfig", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", "zensical.toml"}


def test_root() -> None:
    """Files that git ignores may lie there, too."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    names = {file.partition("/")[0] for file in files if (ROOT / file).exists()} - {""}
    assert names == PAGES | FOLDERS | PYTHON | SCRIPTS | CONTAINERS | SETTINGS
