"""Writes and reads the position notation: one line of ten fields, which RULES.md describes. An example, shortened:

`9/9/9/9/4*c+3/… 12:0,17:1,30:0,44:1 3:-,9:0,21:-,40:- 1-2,4-8,22-29 3 2 put 10 -,- open`
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any, NoReturn

from lapilli.core.errors import PositionError, SetupError
from lapilli.core.reading.numbers import bounded
from lapilli.core.reading.text import quoted
from lapilli.core.rules.fault_codes import code_of
from lapilli.core.rules.outcome import Termination
from lapilli.games.kingdomino.board import MAX_CROWNS, MAX_TURNS, TERRAINS, TILES
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.grid import Squares, fill, squares_of

PHASES = ("draw", "put", "pick", "over")
FIELDS = ("territories", "row in play", "row to pick", "pile", "round", "slot", "phase", "turn", "faults", "lots")
_FAULTS = {"-": 0} | {termination.value: code_of(termination) for termination in Termination}
_FAULT_NAMES = {code: name for name, code in _FAULTS.items()}
_TOKEN = re.compile(rf"([0-9]{{1,2}})|(\*)|([{TERRAINS}])(\+{{0,{MAX_CROWNS}}})")
_SLOT = re.compile(r"([0-9]{1,2}|-):([0-3]|-)")
_RANGE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")
_MAX_GENERATOR = (1 << 48) - 1


# ------------------------------------------------------------------------------------------- writing


def write(record: Any) -> str:
    """Returns the position notation of a KINGDOMINO record."""
    number, lot = int(record["players"]), int(record["lot"])
    grids = "|".join(_grid(record, player) for player in range(number))
    in_play = _row(record["play_tile"][:lot], record["play_owner"][:lot])
    drawn = sum(tile != 0 for tile in record["pick_tile"][:lot].tolist())
    to_pick = _row(record["pick_tile"][:drawn], record["pick_owner"][:drawn])
    pile = _pile(tile for tile in range(1, TILES + 1) if int(record["pile"]) >> tile & 1)
    faults = ",".join(_FAULT_NAMES[fault] for fault in record["left"][:number].tolist())
    lots = "open" if record["lots"] == rules.OPEN else str(record["lots"])
    phase, turn = PHASES[record["phase"]], int(record["turns"]) + 1
    return (
        f"{grids} {in_play} {to_pick} {pile} {record['this_round']} {record['slot'] + 1} {phase} {turn} {faults} {lots}"
    )


def _grid(record: Any, player: int) -> str:
    side = 2 * int(record["extent"]) - 1
    squares = squares_of(record, player)
    marks = {place: TERRAINS[terrain] + "+" * crowns for place, (terrain, crowns) in squares.items()}
    marks[side // 2, side // 2] = "*"
    rows = []
    for y in range(side):
        row = [marks.get((x, y)) for x in range(side)]
        runs = [(mark, len(list(same))) for mark, same in groupby(row)]
        rows.append("".join(str(count) if mark is None else mark * count for mark, count in runs))
    return "/".join(rows)


def _row(tiles: Any, owners: Any) -> str:
    slots = [
        f"{tile or '-'}:{'-' if owner == rules.NOBODY else owner}"
        for tile, owner in zip(tiles.tolist(), owners.tolist(), strict=True)
    ]
    return ",".join(slots) or "-"


def _pile(tiles: Iterable[int]) -> str:
    runs: list[list[int]] = []
    for tile in tiles:
        if runs and runs[-1][-1] == tile - 1:
            runs[-1].append(tile)
        else:
            runs.append([tile])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) or "-"


# ------------------------------------------------------------------------------------------- reading


def read(text: str, record: Any) -> None:
    """Parses a position notation and fills a record with the position.

    The record's fields `players`, `extent`, `lot` and `rounds` must be set before.

    Raises:
        PositionError: the notation is malformed or describes no possible position.
    """
    fields = text.split()
    if len(fields) != len(FIELDS):
        _refuse(f"{len(FIELDS)} fields separated by blanks ({', '.join(FIELDS)}) are expected, not {len(fields)}")
    grids, in_play, to_pick, pile, round_, slot, phase, turn, faults, lots = fields
    _read_grids(grids, record)
    record["this_round"] = _whole(round_, "round", 1, int(record["rounds"]))
    record["slot"] = _whole(slot, "slot", 1, int(record["lot"]) + 1) - 1
    record["turns"] = _whole(turn, "turn", 1, MAX_TURNS + 1) - 1
    record["lots"] = rules.OPEN if lots == "open" else _whole(lots, "lots (or open)", 0, _MAX_GENERATOR)
    if phase not in PHASES:
        _refuse(f"the phase is one of {', '.join(PHASES)}, not {quoted(phase, 20)}")
    record["phase"] = PHASES.index(phase)
    _read_faults(faults, record)
    _read_row(in_play, record, "row in play", "play_tile", "play_owner")
    _read_row(to_pick, record, "row to pick", "pick_tile", "pick_owner")
    _read_pile(pile, record)
    _check_phase(record)
    _check_rows(record)


def _refuse(reason: str) -> NoReturn:
    raise PositionError(f"position of Kingdomino: {reason}")


def _whole(text: str, what: str, low: int, high: int) -> int:
    number = bounded(text, low, high)
    if number is None:
        _refuse(f"{what} is a whole number from {low} to {high}, not {quoted(text, 20)}")
    return number


def _read_grids(text: str, record: Any) -> None:
    grids = text.split("|")
    number, side = int(record["players"]), 2 * int(record["extent"]) - 1
    rows = len(grids[0].split("/"))
    if rows != side and rows in (9, 13):
        other = "duel" if rows == 13 else "standard"
        _refuse(f"its territories have {rows} rows: it needs the variant {other!r} (--variant {other})")
    if len(grids) != number and len(grids) in (2, 3, 4):
        wanted = f"players={len(grids)} in Python, {len(grids)} PLAYER arguments on the command line"
        _refuse(f"it has {len(grids)} territories, so it needs {len(grids)} players: {wanted}")
    if len(grids) != number:
        _refuse(f"{number} territories separated by | are expected, not {len(grids)}")
    for player, grid in enumerate(grids):
        try:
            fill(record, player, _read_grid(grid, side, f"territory {player}"))
        except PositionError:
            raise
        except SetupError as error:
            _refuse(f"territory {player}: {error}")


def _read_grid(text: str, side: int, name: str) -> Squares:
    rows = text.split("/")
    if len(rows) != side:
        _refuse(f"{name} has {len(rows)} rows separated by /, not {side}")
    squares: Squares = {}
    castles = []
    for y, row in enumerate(rows):
        x = end = 0
        for token in _TOKEN.finditer(row):
            if token.start() != end:
                break
            end = token.end()
            run, castle, terrain, crowns = token.groups()
            if castle:
                castles.append((x, y))
            if terrain:
                squares[x, y] = TERRAINS.index(terrain), len(crowns)
            x += int(run) if run else 1
        if end != len(row) or x != side:
            _refuse(f"{name}, row {y}: {quoted(row, 60)} should describe {side} squares by letters, +, * and numbers")
    if castles != [(side // 2, side // 2)]:
        _refuse(f"{name}: the castle * belongs in the centre, and nowhere else")
    return squares


def _read_faults(text: str, record: Any) -> None:
    faults = text.split(",")
    if len(faults) != record["players"]:
        _refuse(f"faults are one word for each of {record['players']} players, not {quoted(text, 60)}")
    for player, fault in enumerate(faults):
        if fault not in _FAULTS:
            _refuse(f"the fault {quoted(fault, 20)} is none of {' '.join(_FAULTS)}")
        record["left"][player] = _FAULTS[fault]


def _read_row(text: str, record: Any, name: str, tiles: str, owners: str) -> None:
    record[tiles], record[owners] = 0, rules.NOBODY
    slots = [] if text == "-" else text.split(",")
    if len(slots) > record["lot"]:
        _refuse(f"the {name} has {len(slots)} slots; there are {record['lot']}")
    for index, slot in enumerate(slots):
        match = _SLOT.fullmatch(slot)
        if not match:
            _refuse(f"{name}: {quoted(slot, 20)} should be a tile, a colon and its player, as 17:0 or 17:-")
        tile, owner = match.groups()
        record[tiles][index] = 0 if tile == "-" else _whole(tile, f"a tile of the {name}", 1, TILES)
        if owner != "-":
            record[owners][index] = _whole(owner, f"a player of the {name}", 0, int(record["players"]) - 1)


def _read_pile(text: str, record: Any) -> None:
    pile = 0
    for part in [] if text == "-" else text.split(","):
        match = _RANGE.fullmatch(part)
        if not match:
            _refuse(f"pile: {quoted(part, 20)} should be a tile or a range of tiles, as 7 or 9-12")
        first = _whole(match[1], "a tile of the pile", 1, TILES)
        last = _whole(match[2], "a tile of the pile", first, TILES) if match[2] else first
        pile |= (1 << (last + 1)) - (1 << first)
    record["pile"] = pile


# ------------------------------------------------------------------------------------------- checking


def _check_phase(record: Any) -> None:
    """Raises PositionError unless round, slot and phase fit each other and the player to act is in the game."""
    phase, first, last = PHASES[record["phase"]], record["this_round"] == 1, record["this_round"] == record["rounds"]
    deserted = bool(record["left"][: record["players"]].all())
    through = record["slot"] == record["lot"]
    owner = rules.NOBODY if through else rules.slot_owner(record)
    if phase == "over":
        if not deserted and not (last and through):
            _refuse(f"it is over in round {record['this_round']} of {record['rounds']}, though somebody is in the game")
        if deserted and owner == rules.NOBODY:
            _refuse("all players are out: the slot must be that of the player who left last")
        return
    if deserted:
        _refuse("all players are out, so the phase must be over")
    if (phase == "put" and first) or (phase in ("pick", "draw") and last):
        _refuse(f"there is no {phase} in round {record['this_round']} of {record['rounds']}")
    if phase == "draw":
        if record["slot"]:
            _refuse("tiles are drawn before the first slot: with the phase draw the slot is 1")
        return
    if owner == rules.NOBODY or record["left"][owner]:
        _refuse(f"the {phase} of slot {record['slot'] + 1} is nobody's: its player is out or there is none")


def _check_rows(record: Any) -> None:
    """Raises PositionError unless both rows fit the round and the phase, and no tile is in two places."""
    lot, first, last = int(record["lot"]), record["this_round"] == 1, record["this_round"] == record["rounds"]
    number = int(record["players"])
    in_play = [tile for tile in record["play_tile"].tolist() if tile]
    to_pick = [tile for tile in record["pick_tile"].tolist() if tile]
    if first and record["play_owner"][:lot].tolist() != [slot % number for slot in range(lot)]:
        _refuse(f"in round 1 the row in play is {','.join(f'-:{slot % number}' for slot in range(lot))}")
    if len(in_play) != (0 if first else lot):
        _refuse(
            f"the row in play has {len(in_play)} tiles; in round {record['this_round']} there are {0 if first else lot}"
        )
    wanted = 0 if last else lot
    drawing = PHASES[record["phase"]] == "draw"
    if (len(to_pick) >= wanted) if drawing else (len(to_pick) != wanted):
        should = f"fewer than {wanted} while they are drawn" if drawing else str(wanted)
        _refuse(f"the row to pick has {len(to_pick)} tiles; in round {record['this_round']} there are {should}")
    if in_play != sorted(in_play) or to_pick != sorted(to_pick):
        _refuse("the tiles of a row are in ascending order")
    tiles = in_play + to_pick + [tile for tile in range(1, TILES + 1) if int(record["pile"]) >> tile & 1]
    if len(set(tiles)) != len(tiles):
        _refuse("the same tile is in two places of rows and pile")
    draws = wanted - len(to_pick) + lot * max(0, int(record["rounds"]) - 1 - int(record["this_round"]))
    if int(record["pile"]).bit_count() < draws:
        _refuse(f"the pile has {int(record['pile']).bit_count()} tiles, but {draws} are still to be drawn")
    _check_takers(record)


def _check_takers(record: Any) -> None:
    """Raises PositionError if a player has picked more tiles in this round than the player had turns.

    The check ensures that a tile is left for every remaining turn. It also rejects picks from a row that is not
    completely drawn.
    """
    slot = int(record["slot"])
    turns = record["play_owner"][:slot].tolist()
    takers = [owner for owner in record["pick_owner"].tolist() if owner != rules.NOBODY]
    if PHASES[record["phase"]] == "draw" and takers:
        _refuse("tiles are picked only when the whole row is drawn")
    for player in set(takers):
        if takers.count(player) > turns.count(player):
            _refuse(
                f"player {player} has picked {takers.count(player)} tiles in {turns.count(player)} turns of this round"
            )
