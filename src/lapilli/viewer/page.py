"""Record -> one self-contained HTML file."""

from __future__ import annotations

import html
from importlib import resources

from lapilli.match.analysis import Analysis
from lapilli.match.record import Record
from lapilli.viewer.film import film
from lapilli.viewer.packing import packed, referred
from lapilli.viewer.scripts import joined
from lapilli.viewer.theme import rules

_STATIC = resources.files("lapilli.viewer") / "static"


def page(record: Record, analysis: Analysis | None = None) -> str:
    """The page that plays a record: one file, no network, no third party's script.

    Film and script are packed; only what unpacks them is not.

    Args:
        analysis: of the record; the page shows what it says.

    Raises:
        RecordError: the rules refute the record, or the analysis is not of it.
    """
    data = film(record, analysis)
    judged = analysis is not None
    parts = {
        "title": html.escape(data["title"]),
        "style": rules(marks=judged),
        "film": packed(referred(data)),
        "script": packed(joined("analysis/analysed.js" if judged else "player/page.js")),
        "start": joined("player/start.js"),
    }
    text = (_STATIC / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part, 1)
    return text
