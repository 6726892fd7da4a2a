"""Volcanoes (Simon Dorfman; CodinGame): grow volcanoes on a sphere and join a tile to its antipode."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search
from lapilli.core.game import Game
from lapilli.core.turn_kernel import KernelEngine
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import MAX_TURNS
from lapilli.games.volcanoes.engine import greedy, playing
from lapilli.games.volcanoes.engine.policy import POLICY
from lapilli.games.volcanoes.picture.moments import moments
from lapilli.games.volcanoes.picture.pointing import choices, prompt
from lapilli.games.volcanoes.picture.scene import scene
from lapilli.games.volcanoes.picture.terminal import text
from lapilli.games.volcanoes.picture.words import gauge, tell
from lapilli.games.volcanoes.protocol.referee import VolcanoesProtocol
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.games.volcanoes.symmetries import symmetries

_CARELESS = ((30, 0.7), (60, 0.5), (80, 0.38), (130, 0.22), (250, 0.07))
"""Settings of the lower levels: limit of nodes, and probability of a beginner's turn."""
_FORGETFUL = {"keep": 0}
"""Setting of all levels: each turn depends only on the position and the seed, so that levels can play in batches."""
_AS_MEASURED = {**_FORGETFUL, "prior": 0.3, "expansion": 1}
"""Settings of the higher levels, with which their strengths were measured."""

GAME = Game(
    name="volcanoes",
    title="Volcanoes",
    summary="Grow volcanoes on an 80-tile sphere; a chain from a tile to its antipode wins.",
    aliases=("codingame-volcanoes",),
    players=(2,),
    sides=("Blue", "Orange"),
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
                "alike": 0.003,
                "first": 0.1,
                "style": 1,
                "expansion": 3,
                "sharpness": 1.7,  # without it, the search expected 0.75 and scored 0.89: benchmarks/calibration.py
            },
        ),
    },
    levels=(
        *(Level(search="uct", nodes=nodes, blunder=blunder, settings=_FORGETFUL) for nodes, blunder in _CARELESS),
        *(Level(search="rave", nodes=nodes, settings=_AS_MEASURED) for nodes in (62, 165, 600, 4_000)),
    ),
    grades=("level1", "level3", "level6", "level9", "best"),
    search_hooks=playing,
    policy=POLICY,
    scene=scene,
    text=text,
    moments=moments,
    choices=choices,
    prompt=prompt,
    tell=tell,
    gauge=gauge,
    gauge_title="tiles held",
    counts_points=False,
    symmetry_maps=symmetries,
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
