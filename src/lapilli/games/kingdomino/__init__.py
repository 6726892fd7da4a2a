"""Coders of the Realm: Kingdomino (Bruno Cathala, Cyril Bouquet) as on CodinGame, for 2 to 4 players or as a duel.

The functions `placements`, `score` and `zones` are for bot writers: they take a territory in the format of the bot
input.
"""

from __future__ import annotations

from lapilli.core.game import Game
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.games.kingdomino.board import MAX_LENGTH, MAX_TURNS
from lapilli.games.kingdomino.engine import greedy, hooks
from lapilli.games.kingdomino.engine.levels import LEVELS, SEARCHES
from lapilli.games.kingdomino.picture.look import SIDES
from lapilli.games.kingdomino.picture.moments import moments
from lapilli.games.kingdomino.picture.pointing import choices, prompt
from lapilli.games.kingdomino.picture.scene import scene
from lapilli.games.kingdomino.picture.story import brief, tell
from lapilli.games.kingdomino.picture.teaching.notes import notes
from lapilli.games.kingdomino.picture.teaching.reasons import reason
from lapilli.games.kingdomino.picture.teaching.themes import themes
from lapilli.games.kingdomino.picture.terminal import text
from lapilli.games.kingdomino.protocol.referee import KingdominoProtocol
from lapilli.games.kingdomino.rules import verbs
from lapilli.games.kingdomino.state.grid import placements, score, zones
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.kingdomino.symmetries import symmetries

__all__ = ["GAME", "placements", "score", "zones"]

GAME = Game(
    name="kingdomino",
    title="Kingdomino",
    summary="Pick landscape tiles and lay them into a realm of large zones with many crowns.",
    emblem="M3.5 8l4.7 4L12 5l3.8 7 4.7-4-1.7 9H5.2zM5.5 20h13",
    aliases=("coders-of-the-realm", "coders-of-the-realm-1v1"),
    players=(2, 3, 4),
    sides=SIDES,
    variants=("standard", "duel"),
    players_of_variant={"duel": (2,)},
    leagues=("wood", "bronze"),
    own_keys=("middle_kingdom", "harmony"),
    first_reply_ms=1000,
    reply_ms=50,
    max_turns=MAX_TURNS,
    max_game_length=MAX_LENGTH,
    rules=verbs,
    observation=verbs.OBSERVATION,
    state=KingdominoState,
    protocol=KingdominoProtocol(),
    engines={"greedy": KernelEngine(greedy)},
    searches=SEARCHES,
    levels=LEVELS,
    search_hooks=hooks,
    scene=scene,
    text=text,
    moments=moments,
    choices=choices,
    prompt=prompt,
    notes=notes,
    reason=reason,
    themes=themes,
    tell=tell,
    brief=brief,
    symmetry_maps=symmetries,
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
