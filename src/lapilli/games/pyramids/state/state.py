"""The State of Volcano with pyramids: names of cells and pieces, notation, error messages and outcomes."""

from __future__ import annotations

from typing import Any, Self

from lapilli.core.errors import IllegalAction
from lapilli.core.reading.numbers import action_number
from lapilli.core.rules.fault_codes import termination_of
from lapilli.core.rules.outcome import Outcome, Termination, ranks_of
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.pyramids.board import ALL_COLOURS, BOARDS, CELLS, TURN_LIMIT, Board, board_of
from lapilli.games.pyramids.rules import verbs as rules
from lapilli.games.pyramids.rules.points import score
from lapilli.games.pyramids.state.layout import climb, pile, start_record
from lapilli.games.pyramids.state.notation import paths_of, quote, read_position, write_position

SIDES = ("First", "Second")


class PyramidsState(State):
    """A position of the game. An atomic action is one cap step; the player to move continues until a stack erupts.

    An action's number is `cell * number of headings + heading` (see `board`); its notation is like "B2-A3".
    """

    DTYPE = rules.PYRAMIDS
    __slots__ = ()

    @classmethod
    def initial(cls, setup: Setup) -> Self:
        board = board_of(setup.variant)
        if setup.position is not None:
            return cls.of_record(setup, read_position(board, setup.position))
        is_drawn = setup.variant is not None and setup.variant.endswith("-random")
        return cls.of_record(setup, start_record(board, (setup.seed or 0) if is_drawn else None))

    # -- the position ----------------------------------------------------------------------------------
    @property
    def board(self) -> Board:
        """The board (square or hex) of this position."""
        return BOARDS[self.array["board"].item()]

    def position(self) -> str:
        return write_position(self.board, self.record)

    def stack(self, cell: str) -> list[str]:
        """Returns the pieces on a cell, bottom to top, such as ["RS", "RM", "RL"]."""
        names = self.board.piece_names
        return [names[piece] for piece in pile(self.record, self.board.number[cell])]

    def stacks(self) -> list[list[str]]:
        """Returns the pieces on every cell, in the order of the cells."""
        board, below = self.board, self.record["below"].tolist()
        tops = self.record["top"].tolist()[: len(board.cells)]
        return [[board.piece_names[piece] for piece in climb(top, below)] for top in tops]

    def captures(self, player: int) -> list[str]:
        """Returns the pieces that a player has captured, in the order of their capture."""
        names = self.board.piece_names
        return [names[piece] for piece in pile(self.record, CELLS + player)]

    def caps(self) -> list[str]:
        """Returns the names of the capped cells, in the order of the cells."""
        return [name for cell, name in enumerate(self.board.cells) if self.record["cap_on"][cell] >= 0]

    def paths(self) -> list[list[str]]:
        """Returns, for every cap that has moved in this turn, the names of the cells on which the cap stood, in order.

        The last name is the cap's present cell.
        """
        return [[self.board.cells[cell] for cell in path] for path in paths_of(self.record)]

    # -- actions --------------------------------------------------------------------------------------
    def refusal(self, action: int) -> str:
        if self.is_terminal():
            return "the game is over"
        board = self.board
        cell, heading = divmod(action, len(board.headings))
        if not 0 <= cell < len(board.cells):
            last = len(board.cells) * len(board.headings) - 1
            return f"action {action}: actions of the {board.name} board are 0 to {last}"
        to = board.neighbours[cell][heading]
        if to < 0:
            return f"{board.headings[heading]} of {board.cells[cell]} the board ends"
        return self._refusal_of_step(cell, to)

    def _refusal_of_step(self, cell: int, to: int) -> str:
        record, names = self.record, self.board.cells
        if record["cap_on"][cell] < 0:
            return f"there is no cap on {names[cell]}"
        if record["cap_on"][to] >= 0:
            return f"there is a cap on {names[to]} already"
        return f"that cap has been on {names[to]} in this turn, and only an eruption may take it back there"

    def preview(self, action: int) -> tuple[int, int]:
        """Returns the number of pieces that would land after a legal action, and the number that would be captured."""
        landed, captured = rules.foresee(self.record, self.record["caps"], action)
        return int(landed), int(captured)

    def action_to_string(self, action: int, player: int | None = None) -> str:
        board, action = self.board, action_number(action)
        cell, heading = divmod(action, len(board.headings))
        if not 0 <= cell < len(board.cells) or board.neighbours[cell][heading] < 0:
            raise IllegalAction(f"action {action} is no step on the {board.name} board")
        return board.step_name(action)

    def string_to_action(self, text: str, player: int | None = None) -> int:
        if player is not None and player != self.current_player():
            raise IllegalAction(f"player {player} is not to move")
        action = self.read_step(text)
        if not self.accepts(action):
            raise IllegalAction(f"{quote(text)}: {self.refusal(action)}")
        return action

    def read_step(self, text: str) -> int:
        """Returns the action with a notation such as "B2-A3", legal or not.

        Raises:
            IllegalAction: the board has no such step.
        """
        board = self.board
        names = text.upper().split("-")
        if len(names) != 2:
            raise IllegalAction(f"{quote(text)} is no move: write FROM-TO, like B2-A3")
        for name in names:
            if name not in board.number:
                raise IllegalAction(f"{quote(text)}: {quote(name)} is no cell of the {board.name} board")
        cell, to = board.number[names[0]], board.number[names[1]]
        if to not in board.neighbours[cell]:
            raise IllegalAction(f"{quote(text)}: {names[1]} is no neighbour of {names[0]}")
        return cell * len(board.headings) + board.neighbours[cell].index(to)

    # -- results --------------------------------------------------------------------------------------
    def scores(self) -> tuple[int, ...]:
        return int(score(self.record, 0)), int(score(self.record, 1))

    def outcome(self) -> Outcome | None:
        result = int(self.record["result"])
        if result == rules.RUNNING:
            return None
        scores = self.scores()
        if result == rules.TURNS_UP:
            reason = f"all {TURN_LIMIT} turns were played"
            return Outcome(scores, ranks_of(scores), Termination.TURN_LIMIT, reason)
        if result == rules.DECIDED:
            collector = 0 if self.record["colours"][0] == ALL_COLOURS[self.board.index] else 1
            reason = f"{SIDES[collector]} captured every colour"
            return Outcome(scores, ranks_of(scores), Termination.DECIDED, reason)
        loser = 1 - rules.winner(self.record)
        ranks = (2, 1) if loser == 0 else (1, 2)
        if result == rules.NO_MOVE:
            return Outcome(scores, ranks, Termination.NO_MOVE, f"{SIDES[loser]} had no legal move")
        why = termination_of(int(self.record["left"][loser]))
        return Outcome(scores, ranks, why, f"{SIDES[loser]} lost at once ({why})", loser)


def record_of(state: State) -> Any:
    """Returns the NumPy record of a position. The argument is typed as any State, but it must be a PyramidsState."""
    assert isinstance(state, PyramidsState), f"a {state.game.title} position is none of Volcano with pyramids"
    return state.record
