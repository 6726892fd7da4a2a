"""Panels: the texts beside a board. They show who is to move, facts about each player, and a legend of the picture.

Panels are data. A viewer decides where they are shown, and adds the players' real names.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        title: a longer explanation, shown when somebody clicks the text; "" if there is none.
        kind: reason for a viewer to highlight the fact: the player is to move ("to-move"), has won ("won"), or is out
            of the game ("out"); "" for none.
    """

    text: str
    title: str = ""
    kind: Kind = ""


@dataclass(frozen=True, slots=True)
class Plate:
    """The panel of one player, beside the board.

    Attributes:
        score: points, as the game counts them; None if nothing is counted.
        unit: unit of the score: "tiles", "points".
        facts: short facts about the player, the most important first.
        supplies: names of this player's supplies (strips of pieces beside the board) in the scene.
    """

    score: int | None
    unit: str = "points"
    facts: tuple[Fact, ...] = ()
    supplies: tuple[str, ...] = ()

    @property
    def counted(self) -> str:
        """The score with its unit; "" if nothing is counted."""
        return "" if self.score is None else f"{self.score} {self.unit}"


@dataclass(frozen=True, slots=True)
class Sample:
    """An entry of the legend: some shapes as an example, and their meaning in words.

    Attributes:
        text: meaning of the shapes.
        shapes: the example, drawn in a square with sides of 40 scene units; may be empty.
        brief: the meaning in a word or two, if the example also belongs to the few that always stand below the board;
            "" if not.
    """

    text: str
    shapes: tuple[Shape, ...] = ()
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Panels:
    """All texts beside a board.

    Attributes:
        headline: one sentence about who is to move or how the game ended.
        plates: one for each player.
        supplies: names of the supplies (strips of pieces) in the scene that belong to no player, in the order to show
            them.
        legend: explanations of the picture's shapes; the same for all positions of a game.
    """

    headline: str
    plates: tuple[Plate, ...]
    supplies: tuple[str, ...] = ()
    legend: tuple[Sample, ...] = ()


def plain_panels(state: State) -> Panels:
    """Returns the panels of a game that defines none: a headline, each player's score, and the facts of `standing`.

    The plates have no scores if the game's scores are not points (`Game.counts_points`).
    """
    scores = state.scores() if state.game.counts_points else (None,) * state.num_players
    plates = [Plate(score, facts=standing(state, player)) for player, score in enumerate(scores)]
    outcome = state.outcome()
    return Panels(outcome.reason if outcome else _headline(state), tuple(plates))


def standing(state: State, player: int) -> tuple[Fact, ...]:
    """Returns the facts that exist in any game: the player is to move, is out, or has won. The result may be empty."""
    outcome = state.outcome()
    if outcome is not None:
        return result_facts(outcome.ranks, player)
    if state.is_out(player):
        return (Fact("out", kind="out"),)
    return (Fact("to move", kind="to-move"),) if player in state.asked() else ()


def result_facts(ranks: Sequence[int], player: int) -> tuple[Fact, ...]:
    """Returns the fact that the player has won, or is first with others. Empty for any other player.

    `ranks`: rank of each player at the end; 1 is best, and ties share a rank.
    """
    if ranks[player] != 1:
        return ()
    return (Fact("wins" if ranks.count(1) == 1 else "first, with others", kind="won"),)


def one_line(game: Game, panels: Panels) -> str:
    """Returns the texts of the panels in one line, for `Scene.label`."""
    sides = (
        (side, ", ".join(filter(None, [plate.counted, *(fact.text for fact in plate.facts)])))
        for side, plate in zip(game.sides, panels.plates, strict=False)
    )
    return ". ".join([game.title, panels.headline, *(f"{side}: {text}" for side, text in sides if text)])


def _headline(state: State) -> str:
    """Returns a sentence about who is to move.

    The sentence does not contain the turn number. A picture is shown under the number of the turn that led to it, and
    the number of the next turn would confuse people.
    """
    sides = [state.game.sides[player] for player in state.asked()]
    return f"{' and '.join(sides)} to move" if sides else "Nobody is asked"
