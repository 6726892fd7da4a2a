"""The protocol of Kingdomino: bot input and replies as in the statement of the original game on CodinGame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from lapilli.core.errors import SetupError
from lapilli.core.game import Game
from lapilli.core.protocol.protocol import Protocol, Replies, TurnReport, reply_of
from lapilli.core.reading.numbers import int32
from lapilli.core.reading.text import message_of, quoted
from lapilli.core.rules.outcome import Fault, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.kingdomino.board import DISCARD, MAX_SIDE, NUM_ACTIONS, put_action, put_parts
from lapilli.games.kingdomino.protocol.reading import KingdominoReader
from lapilli.games.kingdomino.protocol.writing import GRID_BYTES, TURN_BYTES, write_grid, write_turn_input
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.kernels.ascii import written

_BLANKS = " \t\r"
_BETWEEN = re.compile(f"[{_BLANKS}]+")


class _BadReply(Exception):
    """Raised for an invalid reply. The player then leaves the game, and the message of the exception is the reason."""


class KingdominoProtocol(Protocol):
    """The protocol of Kingdomino. In each referee turn, one player is asked for one PUT and one PICK."""

    def opening_input(self, state: State, player: int) -> str:
        """Returns the number of players and the number of tiles per round.

        In the duel, returns "", as in the original's statement.
        """
        if state.setup.variant == "duel":
            return ""
        return f"{state.num_players}\n{_of(state).kind.lot}\n"

    def turn_input(self, state: State, player: int) -> str:
        """Returns all grids, the tiles in play and the tiles to pick, in the format of `writing.write_turn_input`."""
        return written(TURN_BYTES, write_turn_input, state.array, player)

    def reader(self, game: Game, setup: Setup) -> KingdominoReader:
        return KingdominoReader(game, setup)

    def reply_lines(self, state: State, player: int) -> int:
        return 2

    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        """Returns the actions of a turn as a reply of two lines, PUT and PICK.

        A discard is written as a PUT on the castle, which is never legal. The numbers of a missing PUT or PICK are
        zeros.
        """
        centre = _of(state).kind.extent - 1
        put, pick = (0, 0, 0), 0
        for action in actions:
            if action > DISCARD:
                pick = action - DISCARD
            else:
                put = (centre, centre, 0) if action == DISCARD else put_parts(action)
        return _canonical(put, pick)

    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        """Plays one referee turn: the reply of the player to move, or its fault.

        Raises:
            SetupError: a tile must be drawn first. This happens if the setup has no seed and the caller has not drawn
                the tile.
        """
        own = _of(state)
        report = TurnReport(own.turn)
        if own.record["phase"] == rules.DRAW:
            raise SetupError("tiles are to be drawn: set up the game with a seed, or apply a draw first")
        for player in own.asked():
            reply = reply_of(replies, player)
            if isinstance(reply, Fault):
                report.faults.append(reply)
                own.leave(player, reply.termination)
                continue
            try:
                report.actions[player] = _play(own, player, reply, report)
            except _BadReply as error:
                report.actions[player] = reply
                report.faults.append(Fault(player, Termination.INVALID, str(error)))
                own.leave(player, Termination.INVALID)
        return report


def grid_rows(state: KingdominoState, player: int) -> list[str]:
    """Returns the lines of a player's grid as in the bot input, with two characters per square."""
    return written(GRID_BYTES, write_grid, state.array, player).splitlines()


def _of(state: State) -> KingdominoState:
    return cast(KingdominoState, state)


def _canonical(put: tuple[int, int, int], pick: int) -> str:
    return "PUT {} {} {}\nPICK {}".format(*put, pick)


# ------------------------------------------------------------------------------------------- replies


def _play(state: KingdominoState, player: int, reply: str, report: TurnReport) -> str:
    """Plays a reply, and returns it in canonical form: two lines without unnecessary blanks and without a message.

    Both lines are parsed first. Then the PUT is played, and then the PICK. Remarks and the bot's message are added to
    `report`.

    Raises:
        _BadReply: the reply is invalid. The PUT may have been played.
    """
    put, pick, message = _parse(reply)
    record = state.record
    if record["phase"] == rules.PUT:
        last = record["this_round"] == record["rounds"]
        _put(state, player, put, report)
        if last:
            return _reported(put, pick, message, player, report)
    action = DISCARD + pick
    if not (DISCARD < action < NUM_ACTIONS and state.game.facade.try_play(state.array, action, ())):
        raise _BadReply(_pick_refusal(state, pick))
    return _reported(put, pick, message, player, report)


def _reported(put: tuple[int, int, int], pick: int, message: str, player: int, report: TurnReport) -> str:
    if message:
        report.messages[player] = message
    return _canonical(put, pick)


def _put(state: KingdominoState, player: int, put: tuple[int, int, int], report: TurnReport) -> None:
    """Plays the PUT if it is legal; otherwise discards the tile, and adds a remark to `report`.

    `put` has the three numbers of the reply: column and row of the tile's first square, and rotation.

    Raises:
        _BadReply: the PUT is illegal, and the tile may not be discarded.
    """
    x, y, rotation = put
    is_action = 0 <= x < MAX_SIDE and 0 <= y < MAX_SIDE and 0 <= rotation < 4
    if is_action and state.game.facade.try_play(state.array, put_action(*put), ()):
        return
    if not state.accepts(DISCARD):
        raise _BadReply(f"PUT {x} {y} {rotation}: {state.put_refusal(*put)}, and there is a valid place")
    if rules.has_placement(state.record, player):
        why = state.put_refusal(*put)
        report.notes.append((player, f"PUT {x} {y} {rotation}: {why}; the tile is discarded"))
    state.apply_action(DISCARD)


def _pick_refusal(state: KingdominoState, pick: int) -> str:
    row = state.row_to_pick()
    free = ", ".join(str(tile) for tile, taker in row if taker == rules.NOBODY)
    taken = any(tile == pick and taker != rules.NOBODY for tile, taker in row)
    return f"PICK {pick}: {'the tile is taken' if taken else 'no such tile'}; free are {free}"


def _parse(reply: str) -> tuple[tuple[int, int, int], int, str]:
    """Parses a reply. Returns the three numbers after PUT, the number after PICK, and the message.

    Raises:
        _BadReply: the reply is malformed.
    """
    lines = reply.split("\n")
    if len(lines) != 2:
        raise _BadReply(f"two lines are expected, PUT x y rotation and PICK tile, not {len(lines)}: {quoted(reply)}")
    put = _BETWEEN.split(lines[0].strip(_BLANKS), maxsplit=4)
    pick = _BETWEEN.split(lines[1].strip(_BLANKS), maxsplit=2)
    if len(put) != 4 or put[0] != "PUT":
        raise _BadReply(f"the first line must be PUT x y rotation, not {quoted(lines[0])}")
    if len(pick) < 2 or pick[0] != "PICK":
        raise _BadReply(f"the second line must be PICK tile and an optional message, not {quoted(lines[1])}")
    x, y, rotation = (_number(text, lines[0]) for text in put[1:])
    return (x, y, rotation), _number(pick[1], lines[1]), message_of("".join(pick[2:]))


def _number(text: str, line: str) -> int:
    number = int32(text)
    if number is None:
        raise _BadReply(f"{quoted(text, 20)} is no whole number of 32 bits in {quoted(line)}")
    return number
