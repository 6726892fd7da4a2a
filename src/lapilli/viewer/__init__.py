"""From scenes and records to pictures. Knows no rules and no game's name."""

from __future__ import annotations

from lapilli.games.scene import set_renderer
from lapilli.match.record import set_page_renderer
from lapilli.viewer.page import inline_page, page
from lapilli.viewer.pictures import gif, png
from lapilli.viewer.svg import svg

__all__ = ["gif", "page", "png", "svg"]

set_renderer(svg)
set_page_renderer(inline_page)
