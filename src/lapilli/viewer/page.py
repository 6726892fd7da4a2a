"""Record -> one self-contained HTML file."""

from __future__ import annotations

import base64
import gzip
import html
import json
from importlib import resources

from lapilli.match.record import Record
from lapilli.viewer.film import film
from lapilli.viewer.theme import rules

_STATIC = resources.files("lapilli.viewer") / "static"


def page(record: Record) -> str:
    """The page that plays a record: one file, no network, no third party's script.

    The film is packed and in base64, so nothing in it, whatever a bot wrote, can be taken for markup.

    Raises:
        RecordError: the rules refute the record.
    """
    data = film(record)
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0)
    parts = {
        "title": html.escape(data["title"]),
        "style": rules() + _read("player.css"),
        "film": base64.b64encode(packed).decode(),
        "script": _read("player.js"),
    }
    text = _read("page.html")
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part, 1)
    return text


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")
