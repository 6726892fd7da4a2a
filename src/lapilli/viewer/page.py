"""Record -> one self-contained HTML file."""

from __future__ import annotations

import base64
import gzip
import html
import json
from importlib import resources

from lapilli.match.analysis import Analysis
from lapilli.match.record import Record
from lapilli.viewer.film import film
from lapilli.viewer.scripts import joined
from lapilli.viewer.theme import rules

_STATIC = resources.files("lapilli.viewer") / "static"


def page(record: Record, analysis: Analysis | None = None) -> str:
    """The page that plays a record: one file, no network, no third party's script.

    The film is packed and in base64, so nothing in it, whatever a bot wrote, can be taken for markup.

    Args:
        analysis: of the record; the page shows what it says.

    Raises:
        RecordError: the rules refute the record, or the analysis is not of it.
    """
    data = film(record, analysis)
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0)
    judged = analysis is not None
    parts = {
        "title": html.escape(data["title"]),
        "style": rules(marks=judged),
        "film": base64.b64encode(packed).decode(),
        "script": joined("analysis/analysed.js" if judged else "player/page.js"),
    }
    text = (_STATIC / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part, 1)
    return text
