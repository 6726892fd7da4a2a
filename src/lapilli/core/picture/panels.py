"""Panels: the texts beside a board. They show who is to move, the players' standing, and a legend of the picture.

Panels are data; a viewer lays them out and adds the players' real names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lapilli.core.game import Game
    from lapilli.core.picture.scene import Shape
    from lapilli.core.state import State

Kind = Literal["", "to-move", "won", "out"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A short fact about a player.

    Attributes:
        text: a few words: "2 tiles missing", "+4 a turn".
        title: a longer explanation, shown on request; "" if there is none.
        kind: reason for a viewer to highlight the fact: the player is to move, has won (only at the end), or is out; ""
            for none.
    """

    text: str
    title: str = ""
    kind: Kind = ""


@dataclass(frozen=True, slots=True)
class Plate:
    """The panel of one player, beside the board.

    Attributes:
        score: points, as the game counts them.
        unit: unit of the score: "tiles", "points".
        facts: the player's standing, the most important fact first.
        supplies: names of the scene's supplies (strips of pieces) that belong to this player.
    """

    score: int
    unit: str = "points"
    facts: tuple[Fact, ...] = ()
    supplies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """An entry of the legend, which explains the shapes of a picture.

    Attributes:
        text: meaning of the shapes.
        shapes: the explained part of the picture, in a square with sides of 40 scene units; may be empty.
    """

    text: str
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Panels:
    """All texts beside a board.

    Attributes:
        headline: one sentence about who is to move or how the game ended.
        plates: one for each player.
        supplies: names of the scene's supplies that belong to no player, in the order to show them.
        legend: explanations of the picture's shapes; the same for all positions of a game.
    """

    headline: str
    plates: tuple[Plate, ...]
    supplies: tuple[str, ...] = ()
    legend: tuple[Sample, ...] = ()


def plain_panels(state: State) -> Panels:
    """Returns the panels for a game that defines none: a headline, the scores, and the facts of `standing`."""
    plates = [Plate(score, facts=standing(state, player)) for player, score in enumerate(state.scores())]
    outcome = state.outcome()
    return Panels(outcome.reason if outcome else _headline(state), tuple(plates))


def standing(state: State, player: int) -> tuple[Fact, ...]:
    """Returns the facts about a player that any game has: to move, out, or among the winners. May be empty."""
    outcome = state.outcome()
    if outcome is not None:
        alone = outcome.ranks.count(1) == 1
        return (Fact("wins" if alone else "first, with others", kind="won"),) if outcome.ranks[player] == 1 else ()
    if state.is_out(player):
        return (Fact("out", kind="out"),)
    return (Fact("to move", kind="to-move"),) if player in state.asked() else ()


def one_line(game: Game, panels: Panels) -> str:
    """Returns the texts of the panels in one line, for `Scene.label`."""
    sides = (
        f"{side}: {', '.join([f'{plate.score} {plate.unit}', *(fact.text for fact in plate.facts)])}"
        for side, plate in zip(game.sides, panels.plates, strict=False)
    )
    return ". ".join([game.title, panels.headline, *sides])


def _headline(state: State) -> str:
    """Returns a sentence about who is to move.

    It does not contain the turn number. A picture is shown under the number of the turn that led to it, and the number
    of the next turn would confuse people.
    """
    sides = [state.game.sides[player] for player in state.asked()]
    return f"{' and '.join(sides)} to move" if sides else "Nobody is asked"
