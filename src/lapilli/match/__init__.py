"""One match: referee, clock, record, and the driver that asks the players for replies."""

from __future__ import annotations

from lapilli.match.clock import Clock
from lapilli.match.match import Match, play_match
from lapilli.match.record import Entry, Record, load_record, load_records
from lapilli.match.referee import Referee
from lapilli.match.replay import replay, verify

__all__ = [
    "Clock",
    "Entry",
    "Match",
    "Record",
    "Referee",
    "load_record",
    "load_records",
    "play_match",
    "replay",
    "verify",
]
