"""Measurements are on one page: sections that `benchmarks/all.py` writes, and after them those that people write."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_to_write_the_page_again_keeps_every_section() -> None:
    script = runpy.run_path(str(ROOT / "benchmarks" / "all.py"))
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    sections = script["sections_of"](page)
    assert script["joined"](sections) == page
    assert len(sections.keys() - {benchmark.title for benchmark in script["BENCHMARKS"]}) >= 7
