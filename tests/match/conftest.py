"""Matches leave as little behind as single bots do."""

from __future__ import annotations

from players.conftest import mark

__all__ = ["mark"]
