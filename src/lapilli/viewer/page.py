"""Converts a record to a page that replays the match: one HTML file that needs no other files."""

from __future__ import annotations

from importlib import resources

from lapilli.match.analysis import Analysis
from lapilli.match.record import Record
from lapilli.viewer.films.film import film
from lapilli.viewer.films.packing import packed, with_references
from lapilli.viewer.jinja import templates
from lapilli.viewer.theme import rules

_BUILT = resources.files("lapilli.viewer") / "built"
_TEMPLATES = templates("lapilli.viewer")


def page(record: Record, analysis: Analysis | None = None) -> str:
    """Returns the HTML of a page that replays the match of a record. The page needs no network and no other files.

    The page contains the film and the script of the page, both compressed, and a small script that unpacks them.

    Args:
        record: the record.
        analysis: an analysis of the record, to be shown on the page; None for none.

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
    """Returns the text of a script. `name`: name of a file that `bundle.js` has built from the modules in
    `viewer/static`.
    """
    return (_BUILT / name).read_text(encoding="utf-8")
