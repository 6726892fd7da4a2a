"""The documentation's pages are built without a warning, and everything they load is beside them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="([^"#?]+)""")


def test_the_pages_are_built(tmp_path: Path) -> None:
    if importlib.util.find_spec("zensical") is None:
        if os.environ.get("CI"):
            pytest.fail("Zensical is missing: the dependency group docs has it")
        pytest.skip("Zensical is not installed (pip install --group docs)")
    own = tmp_path / "lapilli"
    shutil.copytree(ROOT / "docs", own / "docs")
    shutil.copy(ROOT / "zensical.toml", own)
    (own / "src").symlink_to(ROOT / "src")
    words = [sys.executable, str(own / "docs" / "build.py")]
    environment = {name: value for name, value in os.environ.items() if name != "LAPILLI_GAMES"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    built = own / "build" / "docs"
    missing = []
    for page in set(built.rglob("*.html")) - {built / "404.html"}:  # is shown at any address
        for link in LOADED.findall(page.read_text(encoding="utf-8")):
            outside = re.match(r"[a-z]+:|//", link)
            if (outside and not link.startswith("data:")) or not (outside or (page.parent / link).exists()):
                missing.append((page.name, link))
    assert missing == []
