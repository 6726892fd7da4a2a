"""All that the author of a game imports, collected in one module: Game, State, Setup, Protocol, Outcome, Scene, Search.

A game is a folder whose `__init__` defines one `GAME: Game`, written as data. There are two interfaces to the game's
positions:

- `State` is for search and learning. It has OpenSpiel's methods and works with *atomic* actions, which are small
  integers. A turn consists of one or several actions.
- `Protocol` is for referees. It works with text and whole *turns*: it defines the text that is sent to each player to
  move, and how the player's reply, valid or not, changes the position. Records store replies and are replayed through
  this interface.
"""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search
from lapilli.core.game import Engine, Game
from lapilli.core.picture.choices import Choice
from lapilli.core.picture.notes import Note
from lapilli.core.picture.scene import Moment, Scene, Shape, TextLine
from lapilli.core.protocol.protocol import Protocol, Replies, Step, TurnReport
from lapilli.core.rules.observation import Observation, Part
from lapilli.core.rules.outcome import Fault, Outcome, Termination
from lapilli.core.rules.symmetry import Symmetry
from lapilli.core.search.mistake import Mistake
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "Choice",
    "Engine",
    "Fault",
    "Game",
    "Level",
    "Mistake",
    "Moment",
    "Note",
    "Observation",
    "Outcome",
    "Part",
    "Protocol",
    "Replies",
    "Scene",
    "Search",
    "Setup",
    "Shape",
    "State",
    "Step",
    "Symmetry",
    "Termination",
    "TextLine",
    "TurnReport",
]
