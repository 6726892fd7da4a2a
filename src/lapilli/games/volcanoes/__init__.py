"""Volcanoes (Simon Dorfman; CodinGame): grow volcanoes on a sphere and join a tile to its antipode."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search
from lapilli.core.game import Game
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import MAX_TURNS
from lapilli.games.volcanoes.engine import playing
from lapilli.games.volcanoes.engine.greedy import greedy
from lapilli.games.volcanoes.engine.policy import POLICY
from lapilli.games.volcanoes.picture.moments import moments
from lapilli.games.volcanoes.picture.pointing import choices, prompt
from lapilli.games.volcanoes.picture.scene import scene
from lapilli.games.volcanoes.picture.terminal import text
from lapilli.games.volcanoes.picture.words import gauge, tell
from lapilli.games.volcanoes.protocol.referee import VolcanoesProtocol
from lapilli.games.volcanoes.state import VolcanoesState

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
    engines={"greedy": greedy},
    searches={
        "uct": Search(method="mcts"),
        "rave": Search(
            method="mcts",
            settings={
                "exploration": 0,
                "prior": 0.3,
                "alike": 0.003,
                "first": 0.1,
                "style": 1,
                "sharpness": 1.7,  # without it, the search expected 0.75 and scored 0.89: benchmarks/calibration.py
            },
        ),
    },
    levels=(
        Level(search="uct", nodes=30, blunder=0.7),
        Level(search="uct", nodes=60, blunder=0.5),
        Level(search="uct", nodes=80, blunder=0.38),
        Level(search="uct", nodes=130, blunder=0.22),
        Level(search="uct", nodes=250, blunder=0.07),
        Level(search="rave", nodes=60),
        Level(search="rave", nodes=150),
        Level(search="rave", nodes=500),
        Level(search="rave", nodes=2_500),
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
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
