"""Constants: sizes, leagues, the kinds of command, and the numbers of atomic actions."""

from __future__ import annotations

MAX_HOUSES = 50
MAX_TRIANGLES = 96
"""Paths never touch, so triangles are faces of a planar map: at most 2 * 50 - 5."""
MAX_QUEUE = 50
"""Maximum number of commands that a player can line up for one turn by atomic actions. (A reply may contain any
number.)
"""
MAX_TURNS = 200
MAX_LENGTH = 400
"""Maximum length of a path."""
WIDTH, HEIGHT = 1920, 1080

LEAGUES = ("wood2", "wood1", "bronze")
"""Names of leagues 1, 2 and 3; the leagues after bronze add nothing."""

ATTACK, MOVE, SPAWN, ADD_PATH, REMOVE_PATH = range(5)
"""Kinds of command, in the order in which a turn carries them out."""
KEYWORDS = ("ATTACK", "MOVE", "SPAWN", "ADD_PATH", "REMOVE_PATH")

ACTIVE, NO_UNITS, HOPELESS, DOMINATED = range(4)
"""Reasons why the rules put a player out; faults are numbered from `FAULT` on."""
FAULT = 4
OUT_REASONS = {
    NO_UNITS: "no units or triangles left",
    HOPELESS: "can't score any more points",
    DOMINATED: "is dominated",
}

# Atomic actions: 0 ends the turn. A triangle is given by its index in the position's list, an amount by a bucket
# (one unit, half of the house's units rounded up, all of them).
DONE = 0
BUCKETS = 3
MOVES = 1
SPAWNS = MOVES + MAX_HOUSES * MAX_HOUSES * BUCKETS
ATTACKS = SPAWNS + MAX_TRIANGLES * 3
ADDS = ATTACKS + MAX_TRIANGLES * MAX_HOUSES
REMOVES = ADDS + MAX_TRIANGLES * 3 * MAX_HOUSES
NUM_ACTIONS = REMOVES + MAX_TRIANGLES * 3 * MAX_HOUSES
