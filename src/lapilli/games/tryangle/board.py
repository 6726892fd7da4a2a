"""Constants of TryAngle: sizes, leagues, kinds of command, and the numbers of atomic actions."""

from __future__ import annotations

MAX_HOUSES = 50
MAX_TRIANGLES = 96
"""Upper bound of the number of triangles on a map. Paths never cross, so triangles are faces of a planar graph, and
there are at most 2 * 50 - 5 of them."""
MAX_QUEUE = 50
"""Greatest number of commands that a player can choose for one turn by atomic actions. (A bot's reply may contain any
number of commands.)"""
MAX_TURNS = 200
MAX_LENGTH = 400
"""Greatest length of a path, in map units."""
WIDTH, HEIGHT = 1920, 1080

LEAGUES = ("wood2", "wood1", "bronze")
"""Names of leagues 1, 2 and 3. Higher leagues of the original have the same rules as bronze."""
ATTACK_LEAGUE, PATH_LEAGUE = 2, 3
"""The first league with attacks, and the first one in which paths are added and removed."""

ATTACK, MOVE, SPAWN, ADD_PATH, REMOVE_PATH = range(5)
"""Kinds of command, in the order in which they are carried out in a turn."""
KEYWORDS = ("ATTACK", "MOVE", "SPAWN", "ADD_PATH", "REMOVE_PATH")

ACTIVE, NO_UNITS, HOPELESS, DOMINATED = range(4)
"""Values of the field `left` of a position, by player. ACTIVE: the player is in the game. The others are the reasons
for which the rules put a player out of the game. Values from FAULT on are faults of a bot."""
FAULT = 4
OUT_REASONS = {
    NO_UNITS: "no units or triangles left",
    HOPELESS: "can't score any more points",
    DOMINATED: "is dominated",
}

# Atomic actions: 0 ends the player's turn; each other number is a command. The number contains the index of the
# command's triangle in the position's list. A number of units is given as a bucket: bucket 0 is one unit, bucket 1 is
# half of the house's units (rounded up), bucket 2 is all of them.
DONE = 0
BUCKETS = 3
MOVES = 1
SPAWNS = MOVES + MAX_HOUSES * MAX_HOUSES * BUCKETS
ATTACKS = SPAWNS + MAX_TRIANGLES * 3
ADDS = ATTACKS + MAX_TRIANGLES * MAX_HOUSES
REMOVES = ADDS + MAX_TRIANGLES * 3 * MAX_HOUSES
NUM_ACTIONS = REMOVES + MAX_TRIANGLES * 3 * MAX_HOUSES
