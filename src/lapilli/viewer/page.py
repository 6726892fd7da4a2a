"""Converts a record to one HTML file that needs no other files."""

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
    """Returns the page that replays a record: one file, without network access or scripts of third parties.

    Film and script are compressed; only the script that unpacks them is not.

    Args:
        record: the record.
        analysis: an analysis of the record, which the page then shows.

    Raises:
        RecordError: the record breaks the rules, or the analysis belongs to another match.
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
