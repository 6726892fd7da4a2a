"""Volcano with pyramids (Kristin Looney; boardspace.net): players move caps on stacks of pyramids until a stack erupts.

The file content/RULES.md explains the rules. An atomic action is a single step of a cap. For searches that need whole
turns, `turn_outcomes` lists the results of all sequences of steps.
"""

from __future__ import annotations

from lapilli.core.game import Game
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.core.state import State
from lapilli.games.pyramids.board import TURN_LIMIT, TURN_STEPS, VARIANTS
from lapilli.games.pyramids.engine import greedy, hooks
from lapilli.games.pyramids.engine.greedy import evaluation
from lapilli.games.pyramids.engine.levels import LEVELS, SEARCHES
from lapilli.games.pyramids.picture.moments import moments
from lapilli.games.pyramids.picture.pointing import choices, prompt
from lapilli.games.pyramids.picture.scene import scene
from lapilli.games.pyramids.picture.teaching.notes import notes
from lapilli.games.pyramids.picture.teaching.reasons import reason
from lapilli.games.pyramids.picture.teaching.themes import themes
from lapilli.games.pyramids.picture.terminal import text
from lapilli.games.pyramids.picture.words import brief, tell
from lapilli.games.pyramids.protocol.referee import PyramidsProtocol
from lapilli.games.pyramids.rules import verbs
from lapilli.games.pyramids.rules.turns import MOST, TurnOutcome, TurnOutcomes
from lapilli.games.pyramids.state.state import SIDES, PyramidsState, record_of

GAME = Game(
    name="pyramids",
    title="Volcano with pyramids",
    summary="Move caps quietly, let one stack of pyramids erupt, capture what lands on its own size.",
    emblem="M12 3l2.5 4.5h-5zM8 11h8l1.7 3H6.3zM4.6 17.5h14.8l1.6 3H3z",
    aliases=("volcano-pyramids", "icehouse-volcano"),
    sides=SIDES,
    variants=VARIANTS,
    max_turns=TURN_LIMIT,
    max_game_length=TURN_LIMIT * TURN_STEPS,
    rules=verbs,
    observation=verbs.OBSERVATION,
    state=PyramidsState,
    protocol=PyramidsProtocol(),
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


def turn_outcomes(state: State, most: int = MOST) -> TurnOutcomes:
    """Returns the distinct outcomes of the current turn, each with a sequence of steps that leads to it.

    An outcome is an eruption together with the capped cells after it. An arrangement of the caps is a set of capped
    cells. The outcomes are found by a breadth-first search over at most `most` arrangements. `TurnOutcomes` describes
    which outcomes may be missing. The game must not be over.
    """
    return TurnOutcomes(record_of(state), most)


__all__ = ["GAME", "PyramidsProtocol", "PyramidsState", "TurnOutcome", "TurnOutcomes", "evaluation", "turn_outcomes"]
