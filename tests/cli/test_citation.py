"""How Lapilli is cited: CITATION.cff."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_it_tells_the_version_and_licence_that_the_project_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    told = dict(re.findall(r"^([a-z-]+): (.+)$", text, re.MULTILINE))
    assert told["cff-version"] == "1.2.0"
    assert told["version"] == project["version"]
    assert f"{told['license']} AND OFL-1.1" == project["license"]  # the font that pictures are drawn with
    assert {"message", "title"} <= set(told)
    assert re.search(r"^authors:\n  - name: The Lapilli developers$", text, re.MULTILINE)
