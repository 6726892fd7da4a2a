"""Each short activity of the soak goes well once, and afterwards nobody is left on the site."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from web.client import PublicSite
from web.soak_activities import (
    Crowd,
    account,
    analysis,
    bot,
    browse,
    lessons,
    lobby,
    misuse,
    moderate,
    program,
    study,
)

USUAL = ("Invalid HTTP request received.", "lapilli: compiling code")
"""Beginnings of lines that the site may write: one visit sends such requests, and kernels may have to be compiled."""
VISITS = (account, analysis, bot, browse, lessons, lobby, misuse, moderate, program, study)


async def visited(site: PublicSite) -> Crowd:
    crowd = Crowd(site, rate=1.0)
    await crowd.arrive()
    try:
        await asyncio.gather(*(visit(crowd) for visit in VISITS))
    finally:
        await crowd.leave()
    return crowd


def test_each_short_activity_goes_well(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    site = PublicSite(folder / "site.db", "--registration", "open", "--analysis-threads", "1")
    site.start()
    try:
        crowd = asyncio.run(visited(site))
        metrics = httpx.get(f"{site.url}/metrics", trust_env=False).text
    finally:
        code, errors = site.stop()
    assert crowd.tally.requests > 100
    assert "\nlapilli_watchers 0.0\n" in metrics
    wrong = [line for line in errors.splitlines() if not line.startswith(USUAL)]
    assert (code, wrong) == (0, [])
