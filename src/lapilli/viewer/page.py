"""Converts a record to one HTML file that needs no other files."""

from __future__ import annotations

from importlib import resources

from lapilli.match.analysis import Analysis
from lapilli.match.record import Record
from lapilli.viewer.film import film
from lapilli.viewer.jinja import templates
from lapilli.viewer.packing import packed, with_references
from lapilli.viewer.theme import rules

_BUILT = resources.files("lapilli.viewer") / "built"
_TEMPLATES = templates("lapilli.viewer")


def page(record: Record, analysis: Analysis | None = None) -> str:
    """Returns the page that replays a record: one file, without network access or scripts of third parties.

    The film and the page's script are compressed. A small script that unpacks them is not.

    Args:
        record: the record.
        analysis: an analysis of the record, which the page then shows.

    Raises:
        RecordError: the record breaks the rules, or the analysis belongs to another match.
    """
    data = film(record, analysis)
    judged = analysis is not None
    return _TEMPLATES.get_template("page.html").render(
        title=data["title"],
        style=rules(marks=judged),
        film=packed(with_references(data)),
        script=packed(_built("analysed.js" if judged else "page.js")),
        start=_built("start.js"),
    )


def _built(name: str) -> str:
    """Returns the script of this file name, which `bundle.js` has built from the modules in `viewer/static`."""
    return (_BUILT / name).read_text(encoding="utf-8")
