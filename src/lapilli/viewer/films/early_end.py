"""The pictures of a match that its players ended early, for example by a resignation.

The rules do not know of such an end, so a game's own panels still say who is to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lapilli.core.api import Game, State, Step
from lapilli.core.picture.panels import one_line, result_facts
from lapilli.core.picture.scene import Moment, Scene
from lapilli.match.record import Record, RecordedOutcome
from lapilli.match.replay import replay
from lapilli.match.results.endings import early_outcome
from lapilli.match.results.result_words import result_in_words


def replay_to_end(record: Record) -> Iterator[tuple[State, Step | None, RecordedOutcome | None]]:
    """Yields triples for the positions of a match: the position, the step that led to it, and the outcome of the match.

    The step is None for the first position, as in `replay`. The outcome is None for all positions but the last, and if
    the record has none.
    """
    before: tuple[State, Step | None] | None = None
    for position in replay(record):
        if before is not None:
            yield *before, None
        before = position
    if before is not None:
        yield *before, record.outcome


def pictures(game: Game, state: State, step: Step | None, outcome: RecordedOutcome | None) -> list[Moment]:
    """Returns the pictures of a step as `Game.pictures` does; if the match ended early, the last one shows the result.

    `outcome`: outcome of the match if `state` is its last position; otherwise None.
    """
    *moments, last = game.pictures(state, step)
    return [*moments, replace(last, scene=with_result(game, last.scene, outcome))]


def with_result(game: Game, scene: Scene, outcome: RecordedOutcome | None) -> Scene:
    """Returns the picture of a match's last position with panels that show the result, if the match ended early.

    Args:
        game: the game.
        scene: the picture, with its panels.
        outcome: the outcome of the match. If it is None, or not early, the picture is returned unchanged.
    """
    panels = scene.panels
    if panels is None or outcome is None or not outcome.is_early:
        return scene
    result = early_outcome(outcome, len(panels.plates))
    plates = []
    for player, plate in enumerate(panels.plates):
        facts = [fact for fact in plate.facts if fact.kind != "to-move"]
        plates.append(replace(plate, facts=(*result_facts(result.ranks, player), *facts)))
    panels = replace(panels, headline=result_in_words(game, result, game.sides), plates=tuple(plates))
    return replace(scene, panels=panels, label=one_line(game, panels))
