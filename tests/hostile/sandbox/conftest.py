"""Attackers leave as little behind as honest bots do."""

from __future__ import annotations

from players.conftest import first_bot, mark, needs_freezer, nothing_is_left_of_others

__all__ = ["first_bot", "mark", "needs_freezer", "nothing_is_left_of_others"]
