"""What those who run a site see of it: health, figures, logs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from lapilli.games import names
from store.conftest import Server, own_server
from web.client import WAIT, Site, Visitor


def figure(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found is not None, f"no {name} in {text}"
    return float(found[1])


def test_figures_tell_what_was_done(own_site: Site) -> None:
    with Visitor(own_site) as ada:
        for _ in range(3):
            assert ada.http.get("/healthz").text == "ok\n"
        ada.http.get("/nothing/of/the/sort")
        table = ada.lay(names()[0], opponent1="level1")
        with ada.live(table) as live:
            assert live.wait_for_turn()
            text = ada.http.get("/metrics").text
            assert figure(text, "lapilli_watchers") == 1
            assert figure(text, "lapilli_tables_live") == 1
            assert figure(text, 'lapilli_requests_total{method="GET",route="/healthz",status="200"}') == 3
            assert figure(text, 'lapilli_requests_total{method="GET",route="none",status="404"}') == 1
            assert figure(text, 'lapilli_requests_total{method="POST",route="/play",status="303"}') == 1
            assert "lapilli_engine_queue 0" in text
            assert table.removeprefix("/t/") not in text


def test_figures_want_their_token_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAPILLI_METRICS_TOKEN", "much too simple")
    site = Site(tmp_path / "site.db")
    site.start()
    try:
        url = f"{site.url}/metrics"
        assert httpx.get(url, trust_env=False).status_code == 403
        for said, status in (("Bearer wrong", 403), ("Bearer much too simple", 200)):
            assert httpx.get(url, headers={"Authorization": said}, trust_env=False).status_code == status
    finally:
        site.stop()


def test_logs_are_a_json_object_a_line_without_secrets(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lapilli", "site", "--no-browser", "--log-json", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--store", str(tmp_path / "site.db")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
    assert found is not None
    site = Site(tmp_path)
    site.port = int(found[0].rpartition(":")[2])
    with Visitor(site) as ada:
        table = ada.lay(names()[0], opponent1="person")
        with ada.live(table) as live:
            key = live.now["links"]["1"]
        ada.http.get(f"{table}/seat/{key}")
        request = ada.http.get("/healthz").headers["x-request-id"]
        cookie = ada.http.cookies["lapilli_visitor"]
    process.send_signal(2)
    _, errors = process.communicate(timeout=WAIT)
    lines = [json.loads(line) for line in errors.splitlines()]
    assert next(line for line in lines if line.get("request") == request)["route"] == "/healthz"
    assert {line["route"] for line in lines if "route" in line} >= {"/play", "/t/{table_id}/seat/{key}"}
    for secret in (key, cookie, table.removeprefix("/t/")):
        assert secret not in errors


def test_health_says_that_the_store_is_gone(own_server: Server) -> None:
    site = Site(own_server.new_place())
    site.start()
    try:
        assert httpx.get(f"{site.url}/healthz", trust_env=False).status_code == 200
        own_server.stop()
        wait_for_health(site, 503)
        own_server.start()
        wait_for_health(site, 200)
    finally:
        site.stop()


def wait_for_health(site: Site, status: int) -> None:
    """Asks until the answer has this status: one that is a second old is given again."""
    give_up = time.monotonic() + WAIT
    while httpx.get(f"{site.url}/healthz", trust_env=False, timeout=WAIT).status_code != status:
        assert time.monotonic() < give_up
        time.sleep(0.1)


__all__ = ["own_server"]  # pytest finds it here
