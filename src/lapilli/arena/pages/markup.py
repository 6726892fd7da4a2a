"""HTML elements of a page. All texts are escaped, so that a player's name cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

Element = ElementTree.Element
Child = str | Element | None
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


def el(tag: str, *children: Child, **attributes: object) -> Element:
    """Makes an element.

    Args:
        children: texts and elements; None is skipped.
        attributes: attributes by name. `_` in a name becomes `-`, and `_` at its end is removed. None is skipped.
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), clean(str(value)))
    for child in children:
        if isinstance(child, str):
            _add_text(made, clean(child))
        elif child is not None:
            made.append(child)
    return made


def _add_text(made: Element, text: str) -> None:
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text


def clean(text: str) -> str:
    """Replaces control characters, which are not allowed in a page, with U+FFFD."""
    return _CONTROL.sub("\ufffd", text)


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[Child]], kind: str = "") -> Element:
    """Makes a table inside a region that can be scrolled, also by keyboard, if the table is wider than the window.

    Args:
        headings: texts of the column headings.
        rows: cells by row; the first cell of each row is its heading.
        kind: CSS class of the table.
    """
    head = el("tr", *(el("th", heading, scope="col") for heading in headings))
    body = [el("tr", el("th", row[0], scope="row"), *(el("td", cell) for cell in row[1:])) for row in rows]
    made = el("table", el("caption", caption), el("thead", head), el("tbody", *body), class_=kind or None)
    return el("div", made, class_="scroll", tabindex=0, role="region", aria_label=caption)


def document(title: str, style: str, *contents: Element) -> str:
    """Returns a complete HTML page, without scripts and without external resources.

    Args:
        style: CSS of the page.
        contents: elements of the body.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("title", title),
        el("style", style),
    )
    page = el("html", head, el("body", *contents), lang="en")
    return "<!doctype html>\n" + ElementTree.tostring(page, encoding="unicode", method="html") + "\n"
