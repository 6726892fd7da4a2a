"""TryAngle Catch (eulerscheZahl; CodinGame): players capture triangles on a map that changes; both act at once."""

from __future__ import annotations

from lapilli.core.game import Game
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.games.tryangle.board import LEAGUES, MAX_QUEUE, MAX_TURNS
from lapilli.games.tryangle.engine import greedy, hooks
from lapilli.games.tryangle.engine.levels import LEVELS, SEARCHES
from lapilli.games.tryangle.picture.look import SIDES
from lapilli.games.tryangle.picture.moments import moments
from lapilli.games.tryangle.picture.pointing import choices, prompt
from lapilli.games.tryangle.picture.scene import scene
from lapilli.games.tryangle.picture.teaching.notes import notes
from lapilli.games.tryangle.picture.teaching.reasons import reason
from lapilli.games.tryangle.picture.teaching.themes import themes
from lapilli.games.tryangle.picture.telling import brief, tell
from lapilli.games.tryangle.picture.terminal import text
from lapilli.games.tryangle.protocol.parsing import Drawing, drawings
from lapilli.games.tryangle.protocol.referee import TryAngleProtocol
from lapilli.games.tryangle.rules import verbs
from lapilli.games.tryangle.state.state import TryAngleState

__all__ = ["GAME", "Drawing", "drawings"]

GAME = Game(
    name="tryangle",
    title="TryAngle Catch",
    summary="Hold the corners of triangles, spend them to spawn, attack and build; both players act at once.",
    emblem="M12 5L4.5 18.5M12 5l7.5 13.5M4.5 18.5h15M12 3l2 2-2 2-2-2zM4.5 16.5l2 2-2 2-2-2zM19.5 16.5l2 2-2 2-2-2z",
    aliases=("tryangle-catch", "try-angle-catch", "tryanglecatch"),
    sides=SIDES,
    leagues=LEAGUES,
    own_keys=("nodes", "edges", "units"),
    position_keys=("nodes", "edges", "units"),
    reply_ms=50,
    max_turns=MAX_TURNS,
    max_game_length=MAX_TURNS * (MAX_QUEUE + 1),
    rules=verbs,
    observation=verbs.OBSERVATION,
    state=TryAngleState,
    protocol=TryAngleProtocol(),
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
    languages=("python", "cpp", "javascript", "java", "rust"),
    goldens=True,
    twin=True,
)
