"""Everything that can answer in a match: bot processes, built-in engines, Python functions and other Players."""

from __future__ import annotations

from lapilli.players.bots.answer import Answer
from lapilli.players.bots.asking import ask_players
from lapilli.players.bots.process import BotProcess
from lapilli.players.engines.builtin import builtin_names
from lapilli.players.engines.catalogue import is_builtin
from lapilli.players.engines.in_process import InProcessPlayer
from lapilli.players.engines.searches import search_names
from lapilli.players.player import Identity, Player, Question
from lapilli.players.processes.interpreters import check_quoted
from lapilli.players.roster import PlayerLike, check_command, check_startable, make_player
from lapilli.players.spec import Limits, PlayerSpec, Sandbox

__all__ = [
    "Answer",
    "BotProcess",
    "Identity",
    "InProcessPlayer",
    "Limits",
    "Player",
    "PlayerLike",
    "PlayerSpec",
    "Question",
    "Sandbox",
    "ask_players",
    "builtin_names",
    "check_command",
    "check_quoted",
    "check_startable",
    "is_builtin",
    "make_player",
    "search_names",
]
