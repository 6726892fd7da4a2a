"""Volcanoes (Simon Dorfman; CodinGame): grow volcanoes on a sphere and join a tile to its antipode."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search
from lapilli.core.game import Game
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import MAX_TURNS, SIDES
from lapilli.games.volcanoes.engine import greedy, playing
from lapilli.games.volcanoes.engine.policy import POLICY
from lapilli.games.volcanoes.picture.moments import moments
from lapilli.games.volcanoes.picture.pointing import choices, prompt
from lapilli.games.volcanoes.picture.scene import scene
from lapilli.games.volcanoes.picture.teaching.notes import notes
from lapilli.games.volcanoes.picture.teaching.reasons import reason
from lapilli.games.volcanoes.picture.teaching.themes import themes
from lapilli.games.volcanoes.picture.terminal import text
from lapilli.games.volcanoes.picture.words import gauge, tell
from lapilli.games.volcanoes.protocol.referee import VolcanoesProtocol
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.games.volcanoes.symmetries import symmetries

_WEAKER = ((1, 1.0, 4.0), (1, 1.0, 12.0), (1, 1.0, 22.0), (12, 0.7, 22.0), (28, 0.32, 22.0))
_STRONGER = tuple((nodes, 0.0, 22.0) for nodes in (62, 165, 480, 1_300, 4_000))
"""For each level: limit of nodes, probability of a beginner's turn, number of tiles that a beginner sees."""
_AS_MEASURED = {"keep": 0, "prior": 0.3, "expansion": 1}
"""Settings of all levels. With keep = 0, no search tree is reused from turn to turn. So a turn depends only on position
and seed, and levels can play in batches. The levels' strengths were measured with these settings."""

GAME = Game(
    name="volcanoes",
    title="Volcanoes",
    summary="Grow volcanoes on an 80-tile sphere; a chain from a tile to its antipode wins.",
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
    searches={
        "uct": Search(method="mcts"),
        "rave": Search(
            method="mcts",
            settings={
                "exploration": 0,
                "prior": 0.8,
                "amaf": 0.003,
                "fpu": 0.1,
                "style": 1,
                "expansion": 3,
                "sharpness": 1.7,  # with 1.0, it expected 0.75 and scored 0.89: benchmarks/calibration.py
            },
        ),
    },
    levels=tuple(
        Level(search="rave", nodes=nodes, blunder=blunder, settings={**_AS_MEASURED, "sees": sees})
        for nodes, blunder, sees in (*_WEAKER, *_STRONGER)
    ),
    search_hooks=playing,
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
    gauge=gauge,
    gauge_title="tiles held",
    counts_points=False,
    symmetry_maps=symmetries,
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
