"""Who answers: bot processes, built-in engines, Python functions."""

from __future__ import annotations

from lapilli.players.builtin import builtin_names
from lapilli.players.inside import InsidePlayer
from lapilli.players.process import Answer, BotProcess, Question, ask
from lapilli.players.roster import PlayerSpec, find_program, make_player, name_of

__all__ = [
    "Answer",
    "BotProcess",
    "InsidePlayer",
    "PlayerSpec",
    "Question",
    "ask",
    "builtin_names",
    "find_program",
    "make_player",
    "name_of",
]
