"""Who answers: bot processes, built-in engines, Python functions, and whoever else is a Player."""

from __future__ import annotations

from lapilli.players.asking import ask_players
from lapilli.players.builtin import builtin_names
from lapilli.players.dialogue import Answer
from lapilli.players.inside import InsidePlayer
from lapilli.players.player import Identity, Player, Question
from lapilli.players.process import BotProcess
from lapilli.players.roster import PlayerSpec, check_startable, make_player

__all__ = [
    "Answer",
    "BotProcess",
    "Identity",
    "InsidePlayer",
    "Player",
    "PlayerSpec",
    "Question",
    "ask_players",
    "builtin_names",
    "check_startable",
    "make_player",
]
