"""The State class of Kingdomino: notation of actions, messages and outcomes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from lapilli.core.errors import IllegalAction, SetupError
from lapilli.core.reading.numbers import action_number
from lapilli.core.reading.text import quoted
from lapilli.core.rules.fault_codes import termination_of
from lapilli.core.rules.outcome import Outcome, Termination
from lapilli.core.setup import SEED_MAX, Setup
from lapilli.core.state import State
from lapilli.games.kingdomino.board import (
    DISCARD,
    MAX_PLAYERS,
    NUM_ACTIONS,
    ROTATIONS,
    SQUARES,
    TILES,
    VARIANTS,
    Variant,
    put_action,
    put_parts,
)
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state import notation
from lapilli.games.kingdomino.state.grid import Squares, squares_of
from lapilli.kernels.java_random import scramble

_OPTIONS = {"middle_kingdom": rules.MIDDLE_KINGDOM, "harmony": rules.HARMONY}
_PUT = re.compile(r"PUT ([0-9]{1,2}) ([0-9]{1,2}) ([0-3])")
_TILE = re.compile(r"(?:PICK|DRAW) ([0-9]{1,2})")


class KingdominoState(State):
    """A position of Kingdomino. An atomic action is a PUT, a discard, a PICK or, at a chance node, the draw of a tile.

    There are chance nodes only if the draws are *open*: without a seed in the setup, the caller draws the tiles.
    """

    DTYPE = rules.KINGDOMINO
    __slots__ = ()

    @property
    def turn(self) -> int:
        """Number of the next referee turn, from 1.

        In each round, a player has two turns in a game of two players, and one turn in a game of three or four.
        """
        return int(rules.turn_number(self.record))

    @classmethod
    def initial(cls, setup: Setup) -> Self:
        state = cls(setup, np.zeros(1, cls.DTYPE))
        record = state.record
        _set_up(record, setup)
        if setup.position is not None:
            notation.read(setup.position, record)
        if setup.seed is not None and record["lots"] == rules.OPEN:
            record["lots"] = scramble(setup.seed)
        rules.settle(record)
        return state

    def position(self) -> str:
        return notation.write(self.record)

    # -- actions ---------------------------------------------------------------------------------------
    def action_to_string(self, action: int, player: int | None = None) -> str:
        """Returns `PUT x y rotation`, `DISCARD` or `PICK tile`; at a chance node, `DRAW tile`."""
        action = action_number(action)
        if not 0 <= action < NUM_ACTIONS:
            raise IllegalAction(f"no action {action}: actions are 0 to {NUM_ACTIONS - 1}")
        if action < DISCARD:
            return "PUT {} {} {}".format(*put_parts(action))
        if action == DISCARD:
            return "DISCARD"
        return f"{'DRAW' if self.record['phase'] == rules.DRAW else 'PICK'} {action - DISCARD}"

    def string_to_action(self, text: str, player: int | None = None) -> int:
        if player is not None and player != self.current_player():
            raise IllegalAction(f"player {player} is not to move")
        if put := _PUT.fullmatch(text):
            action = put_action(*map(int, put.groups()))
        elif tile := _TILE.fullmatch(text):
            action = DISCARD + int(tile[1])
        elif text == "DISCARD":
            action = DISCARD
        else:
            raise IllegalAction(f"{quoted(text)} is no action: expected PUT x y rotation, DISCARD or PICK tile")
        if action >= NUM_ACTIONS or self.action_to_string(action) != text:
            raise IllegalAction(f"no {text!r} now")
        if action not in self.legal_actions():
            raise IllegalAction(self.refusal(action))
        return action

    def refusal(self, action: int) -> str:
        text, phase = self.action_to_string(action), self.record["phase"]
        if phase == rules.OVER:
            return f"{text}: the game is over"
        if phase == rules.DRAW:
            return f"{text}: a tile is drawn now, one of those not drawn yet"
        if phase == rules.PICK:
            row = ", ".join(str(tile) for tile, owner in self.row_to_pick() if owner == rules.NOBODY)
            return f"{text}: the tiles to pick from are {row}"
        if action == DISCARD:
            return "DISCARD: the tile can be placed, so it must be"
        if action > DISCARD:
            return f"{text}: a tile must be put down first"
        return f"{text}: {self.put_refusal(*put_parts(action))}"

    def put_refusal(self, x: int, y: int, rotation: int) -> str:
        """Returns the reason why this PUT of the tile of this turn is illegal, as a message for people.

        (`x`, `y`) is the square of the grid for the tile's first square. `rotation` (0 to 3) is the direction from the
        first square to the second.
        """
        if not 0 <= rotation < 4:
            return "a rotation is 0 to 3"
        side = self.kind.side
        ends = (x, y), (x + ROTATIONS[rotation][0], y + ROTATIONS[rotation][1])
        if not all(0 <= column < side and 0 <= row < side for column, row in ends):
            return f"off the grid, which has columns and rows 0 to {side - 1}"
        squares = self.squares(self.current_player())
        centre = (side // 2, side // 2)
        if centre in ends:
            return "the castle is there"
        if any(end in squares for end in ends):
            return "the square is taken"
        for axis in range(2):
            line = [place[axis] for place in (*squares, centre, *ends)]
            if max(line) - min(line) >= self.kind.extent:
                return f"the territory would stretch over more than {self.kind.extent} squares"
        return f"neither {' nor '.join(SQUARES[self.tile_in_play()])} would touch its terrain or the castle"

    # -- results ---------------------------------------------------------------------------------------
    def scores(self) -> tuple[int, ...]:
        """Returns each player's sum of zone values; at the end, the points of house options and tie-breaks are
        added."""
        return self._standings()[0]

    def outcome(self) -> Outcome | None:
        if self.record["phase"] != rules.OVER:
            return None
        points, ranks = self._standings()
        out = {player: self.fault(player) for player in range(self.num_players)}
        ended = [f"{self.game.sides[player]}, {fault}" for player, fault in out.items() if fault is not None]
        remark = f" (out early: {'; '.join(ended)})" if ended else ""
        is_deserted = len(ended) == self.num_players
        reason = f"{'no player was left' if is_deserted else 'the last tile was placed'}{remark}"
        culprit = rules.slot_owner(self.record) if is_deserted else None
        cause = out[culprit] if culprit is not None else None
        return Outcome(points, ranks, cause or Termination.DECIDED, reason, culprit)

    def _standings(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        points, ranks = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS, np.int64)
        rules.standings(self.record, points, ranks)
        number = self.num_players
        return tuple(points[:number].tolist()), tuple(ranks[:number].tolist())

    # -- copies ----------------------------------------------------------------------------------------
    def determinised(self, seed: int) -> Self:
        """Returns a copy whose further draws depend on `seed` alone. If the draws are open, they stay open in the copy.

        The copy's setup contains neither the true seed nor a position that would reveal it.
        """
        record = self.record.copy()
        if record["lots"] == rules.OPEN:
            return self.of_record(replace(self.setup, seed=None, position=None), record)
        seed &= SEED_MAX
        record["lots"] = scramble(seed)
        return self.of_record(replace(self.setup, seed=seed, position=None), record)

    def opened(self) -> Self:
        record = self.record.copy()
        record["lots"] = rules.OPEN
        return self.of_record(replace(self.setup, seed=None, position=None), record)

    # -- used by other modules of this game --------------------------------------------------------------------
    @property
    def kind(self) -> Variant:
        """Sizes of this variant of the game: extent of territories, tiles per round, number of rounds."""
        return VARIANTS[cast(str, self.setup.variant), self.num_players]

    def squares(self, player: int) -> Squares:
        """Returns a player's territory, castle excluded: (column, row) -> (terrain, crowns)."""
        return squares_of(self.record, player)

    def tile_in_play(self) -> int:
        """Returns the number of the tile that the player to move places in this turn, even if the tile is placed
        already."""
        return int(self.record["play_tile"][self.record["slot"]])

    def row_in_play(self) -> list[tuple[int, int]]:
        """Returns (tile, owner) for each turn of this round. In the first round the tiles are 0.

        The owner -1 means nobody.
        """
        return self._row("play_tile", "play_owner")

    def row_to_pick(self) -> list[tuple[int, int]]:
        """Returns (tile, owner) of each tile to pick, ascending.

        Tile 0 means no tile; the owner of a free tile is -1.
        """
        return self._row("pick_tile", "pick_owner")

    def _row(self, tiles: str, owners: str) -> list[tuple[int, int]]:
        lot = int(self.record["lot"])
        return list(zip(self.record[tiles][:lot].tolist(), self.record[owners][:lot].tolist(), strict=True))

    def fault(self, player: int) -> Termination | None:
        """Returns the fault for which a player has left the game; None if the player is still in the game."""
        number = int(self.record["left"][player])
        return termination_of(number) if number else None


def _set_up(record: Any, setup: Setup) -> None:
    """Writes the position at the beginning of a match, before any tile is drawn, into an empty record."""
    players = cast(int, setup.players)
    variant = VARIANTS[cast(str, setup.variant), players]
    record["players"], record["extent"], record["lot"], record["rounds"] = players, *variant
    options = rules.WOOD if setup.league == "wood" else 0
    for key, bit in _OPTIONS.items():
        wanted = setup.own.get(key, False)
        if not isinstance(wanted, bool):
            raise SetupError(f"setup: {key} must be true or false, not {quoted(wanted)}")
        options |= bit if wanted else 0
    record["options"] = options
    record["pile"] = (1 << (TILES + 1)) - 2
    record["lots"] = rules.OPEN
    record["this_round"] = 1
    record["phase"] = rules.DRAW
    record["pick_owner"] = rules.NOBODY
    record["play_owner"] = rules.NOBODY
    record["play_owner"][: variant.lot] = [slot % players for slot in range(variant.lot)]
