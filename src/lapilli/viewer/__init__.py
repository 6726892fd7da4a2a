"""Pictures and pages from scenes and records. Contains no rules and no game's name."""

from __future__ import annotations

from lapilli.viewer.drawing.pictures import gif, png
from lapilli.viewer.drawing.svg import svg
from lapilli.viewer.page import page

__all__ = ["gif", "page", "png", "svg"]
