"""Matches leave as little behind as single bots do."""

from __future__ import annotations

from players.conftest import mark, warden_runs

__all__ = ["mark", "warden_runs"]
