"""From scenes and records to pictures. Knows no rules and no game's name."""

from __future__ import annotations

from lapilli.games.scene import set_renderer
from lapilli.viewer.svg import svg

__all__ = ["svg"]

set_renderer(svg)
