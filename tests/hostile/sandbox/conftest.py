"""Attackers leave as little behind as honest bots do."""

from __future__ import annotations

from players.conftest import first_bot, mark, needs_freezer

__all__ = ["first_bot", "mark", "needs_freezer"]
