"""Fixtures of the tests of matches: like tests of single bots, they must leave no process, descriptor or thread."""

from __future__ import annotations

from players.conftest import first_bot, mark, nothing_is_left_of_others

__all__ = ["first_bot", "mark", "nothing_is_left_of_others"]
