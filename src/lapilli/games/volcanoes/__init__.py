"""Volcanoes (Simon Dorfman; CodinGame): grow volcanoes on a sphere and join a tile to its antipode."""

from __future__ import annotations

from lapilli.games.game import Game
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import MAX_TURNS
from lapilli.games.volcanoes.engine import greedy
from lapilli.games.volcanoes.picture import gauge, moments, scene, text
from lapilli.games.volcanoes.protocol import VolcanoesProtocol
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
    kernel=rules,
    observation=rules.OBSERVATION,
    state=VolcanoesState,
    protocol=VolcanoesProtocol(),
    engines={"greedy": greedy},
    scene=scene,
    text=text,
    moments=moments,
    gauge=gauge,
    gauge_title="tiles held",
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
