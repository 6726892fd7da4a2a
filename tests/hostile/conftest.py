"""Attacks leave nothing behind."""

from __future__ import annotations

from players.conftest import needs_sandbox

__all__ = ["needs_sandbox"]
