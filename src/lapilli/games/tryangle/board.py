"""What is fixed: sizes, leagues, the kinds of command, and how single commands are numbered for search."""

from __future__ import annotations

MAX_HOUSES = 50
MAX_TRIANGLES = 96
"""Paths never touch, so triangles are faces of a planar map: at most 2 * 50 - 5."""
MAX_QUEUE = 50
"""Commands a player can line up for one turn by atomic actions. (A line of text may hold any number.)"""
MAX_TURNS = 200
MAX_LENGTH = 400
"""The longest path that can be."""
WIDTH, HEIGHT = 1920, 1080

LEAGUES = ("wood2", "wood1", "bronze")
"""League 1, 2 and 3; nothing new comes after bronze."""

ATTACK, MOVE, SPAWN, ADD_PATH, REMOVE_PATH = range(5)
"""Kinds of command, in the order in which a turn carries them out."""
KEYWORDS = ("ATTACK", "MOVE", "SPAWN", "ADD_PATH", "REMOVE_PATH")

ACTIVE, NO_UNITS, HOPELESS, DOMINATED = range(4)
"""Why the rules put a player out; a fault counts on from `FAULT`."""
FAULT = 4
OUT_REASONS = {
    NO_UNITS: "no units or triangles left",
    HOPELESS: "can't score any more points",
    DOMINATED: "is dominated",
}

# Atomic actions: 0 ends the turn. Triangles go by their place in the position's list, amounts by buckets
# (one unit, half of the house's units rounded up, all of them).
DONE = 0
BUCKETS = 3
MOVES = 1
SPAWNS = MOVES + MAX_HOUSES * MAX_HOUSES * BUCKETS
ATTACKS = SPAWNS + MAX_TRIANGLES * 3
ADDS = ATTACKS + MAX_TRIANGLES * MAX_HOUSES
REMOVES = ADDS + MAX_TRIANGLES * 3 * MAX_HOUSES
NUM_ACTIONS = REMOVES + MAX_TRIANGLES * 3 * MAX_HOUSES
