"""Pictures and pages from scenes and records. Contains no rules and no game's name."""

from __future__ import annotations

from lapilli.viewer.page import page
from lapilli.viewer.pictures import gif, png
from lapilli.viewer.svg import svg

__all__ = ["gif", "page", "png", "svg"]
