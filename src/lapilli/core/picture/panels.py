"""The words beside a board: whose turn it is, how each player stands, how to read the picture. Data that a viewer lays
out; real names are the viewer's to add."""

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
    """Something about a player, to be read at a glance.

    Attributes:
        text: a few words: "2 tiles missing", "+4 a turn".
        title: the same at length, for who asks; "" where there is no more to say.
        kind: what a viewer should make stand out: whose move it is, who has won (told at the end alone), who is out.
    """

    text: str
    title: str = ""
    kind: Kind = ""


@dataclass(frozen=True, slots=True)
class Plate:
    """A player.

    Attributes:
        score: the points, in the game's own.
        unit: of what: "tiles", "points".
        facts: how it stands, the most important first.
        supplies: the names of the scene's strips that are this player's.
    """

    score: int
    unit: str = "points"
    facts: tuple[Fact, ...] = ()
    supplies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """A line of the legend.

    Attributes:
        text: what it means.
        shapes: a picture of it in a square of 40 scene units a side; may be empty.
    """

    text: str
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Panels:
    """All that is said beside a board.

    Attributes:
        headline: one sentence: what is going on, or how it ended.
        plates: one for each player.
        supplies: the names of the scene's strips that belong to nobody, in their order.
        legend: how to read the picture; the same for all positions of a game.
    """

    headline: str
    plates: tuple[Plate, ...]
    supplies: tuple[str, ...] = ()
    legend: tuple[Sample, ...] = ()


def plain_panels(state: State) -> Panels:
    """What can be said of any game's position."""
    plates = [Plate(score, facts=standing(state, player)) for player, score in enumerate(state.scores())]
    outcome = state.outcome()
    return Panels(outcome.reason if outcome else _asked(state), tuple(plates))


def standing(state: State, player: int) -> tuple[Fact, ...]:
    """What is true of a player in any game: to move, out, or among the winners."""
    outcome = state.outcome()
    if outcome is not None:
        alone = outcome.ranks.count(1) == 1
        return (Fact("wins" if alone else "first, with others", kind="won"),) if outcome.ranks[player] == 1 else ()
    if state.is_out(player):
        return (Fact("out", kind="out"),)
    return (Fact("to move", kind="to-move"),) if player in state.asked() else ()


def in_a_line(game: Game, panels: Panels) -> str:
    """All that is said beside a board in one line, for a picture's label."""
    sides = (
        f"{side}: {', '.join([f'{plate.score} {plate.unit}', *(fact.text for fact in plate.facts)])}"
        for side, plate in zip(game.sides, panels.plates, strict=False)
    )
    return ". ".join([game.title, panels.headline, *sides])


def _asked(state: State) -> str:
    """Without the turn's number: a picture shows what a turn led to, and players name it after that one."""
    sides = [state.game.sides[player] for player in state.asked()]
    return f"{' and '.join(sides)} to move" if sides else "Nobody is asked"
