"""Volcanoes (Simon Dorfman; CodinGame): grow volcanoes on a sphere and join a tile to its antipode."""

from __future__ import annotations

from lapilli.core.game import Game
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import MAX_TURNS, SIDES
from lapilli.games.volcanoes.engine import greedy, hooks
from lapilli.games.volcanoes.engine.levels import LEVELS, SEARCHES
from lapilli.games.volcanoes.engine.policy import POLICY
from lapilli.games.volcanoes.picture.moments import moments
from lapilli.games.volcanoes.picture.pointing import choices, prompt
from lapilli.games.volcanoes.picture.scene import scene
from lapilli.games.volcanoes.picture.teaching.notes import notes
from lapilli.games.volcanoes.picture.teaching.reasons import reason
from lapilli.games.volcanoes.picture.teaching.themes import themes
from lapilli.games.volcanoes.picture.terminal import text
from lapilli.games.volcanoes.picture.words import brief, gauge, tell
from lapilli.games.volcanoes.protocol.referee import VolcanoesProtocol
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.games.volcanoes.symmetries import symmetries

GAME = Game(
    name="volcanoes",
    title="Volcanoes",
    summary="Grow volcanoes on an 80-tile sphere; a chain from a tile to its antipode wins.",
    emblem="M9.5 12h5l5 8.5h-15zM12 8V3.5M7.5 8.5L5 5.5M16.5 8.5l2.5-3",
    aliases=("codingame-volcanoes",),
    players=(2,),
    sides=SIDES,
    first_reply_ms=1000,
    reply_ms=100,
    max_turns=MAX_TURNS,
    max_game_length=MAX_TURNS,
    rules=rules,
    observation=rules.OBSERVATION,
    state=VolcanoesState,
    protocol=VolcanoesProtocol(),
    engines={"greedy": KernelEngine(greedy)},
    searches=SEARCHES,
    levels=LEVELS,
    search_hooks=hooks,
    policy=POLICY,
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
    gauge=gauge,
    gauge_title="tiles held",
    counts_points=False,
    symmetry_maps=symmetries,
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
