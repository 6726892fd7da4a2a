"""Matches leave as little behind as single bots do."""

from __future__ import annotations

from players.conftest import first_bot, mark, nothing_is_left_of_others

__all__ = ["first_bot", "mark", "nothing_is_left_of_others"]
