"""Who answers: bot processes, built-in engines, Python functions, and whoever else is a Player."""

from __future__ import annotations

from lapilli.players.asking import ask_players
from lapilli.players.builtin import builtin_names
from lapilli.players.dialogue import Answer
from lapilli.players.inside import InsidePlayer
from lapilli.players.interpreters import check_quoted
from lapilli.players.player import Identity, Player, Question
from lapilli.players.process import BotProcess
from lapilli.players.roster import PlayerLike, check_startable, is_builtin, make_player
from lapilli.players.spec import Limits, PlayerSpec, Sandbox
from lapilli.players.thinkers import thinker_names

__all__ = [
    "Answer",
    "BotProcess",
    "Identity",
    "InsidePlayer",
    "Limits",
    "Player",
    "PlayerLike",
    "PlayerSpec",
    "Question",
    "Sandbox",
    "ask_players",
    "builtin_names",
    "check_quoted",
    "check_startable",
    "is_builtin",
    "make_player",
    "thinker_names",
]
