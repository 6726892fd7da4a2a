"""The naive twin of Volcanoes: a second implementation of the rules, which follows their text literally and is slow.

It shares no code with the fast implementation in `rules`. Tests check that both implementations give the same results,
and `lapilli bench` compares their speeds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

ROUND = ["blue", "orange", "growth", "orange", "blue", "growth"]


def read_neighbours(opening_input: str) -> tuple[list[str], dict[str, list[str]]]:
    """Parses a bot's opening input.

    Returns the names of all tiles in order, and by tile the names of its neighbours.
    """
    rows = [line.split() for line in opening_input.splitlines()[1:]]
    names = [row[0] for row in rows]
    return names, {row[0]: [names[int(index)] for index in row[1:]] for row in rows}


@dataclass
class NaiveBoard:
    """A position. Tiles are identified by their names.

    `result` is None during the game; at the end it is the winner, "blue" or "orange", or "draw", or "limit" if the turn
    limit ended the game.
    """

    names: list[str]
    neighbours: dict[str, list[str]]
    levels: dict[str, int] = field(default_factory=dict)  # positive: blue, negative: orange; empty tiles are absent
    asleep: set[str] = field(default_factory=set)
    turn: int = 1
    result: str | None = None

    @classmethod
    def from_position(cls, names: list[str], neighbours: dict[str, list[str]], position: str) -> NaiveBoard:
        board, turn = position.split(" ")
        value = {symbol: level for level, symbol in enumerate("dcba.1234", start=-4)}
        levels = {name: value[symbol] for name, symbol in zip(names, board, strict=True) if symbol != "."}
        asleep = {name for name, level in levels.items() if abs(level) == 4}
        return cls(names, neighbours, levels, asleep, int(turn))

    def position(self) -> str:
        return "".join("dcba.1234"[self.levels.get(name, 0) + 4] for name in self.names) + f" {self.turn}"

    def current_player(self) -> str:
        return ROUND[(self.turn - 1) % 6]

    def legal(self) -> list[str]:
        sign = 1 if self.current_player() == "blue" else -1
        return [name for name in self.names if 0 <= sign * self.levels.get(name, 0) < 4]

    def play(self, tile: str) -> None:
        sign = 1 if self.current_player() == "blue" else -1
        self.levels[tile] = self.levels.get(tile, 0) + sign
        self.cascade([tile] if abs(self.levels[tile]) == 4 else [])
        self.finish_turn()

    def grow(self) -> None:
        awake = [name for name in self.levels if name not in self.asleep]
        for name in awake:
            self.levels[name] += 1 if self.levels[name] > 0 else -1
        self.cascade([name for name in awake if abs(self.levels[name]) == 4])
        self.finish_turn()

    def cascade(self, queue: list[str]) -> None:
        phases = 0
        while queue:
            phases += 1
            assert phases <= 81, "the golden README proves that this cannot happen"
            changes: Counter[str] = Counter()
            for name in queue:
                if name in self.asleep:
                    continue
                self.asleep.add(name)
                side = 1 if self.levels[name] > 0 else -1
                for near in self.neighbours[name]:
                    enemy = self.levels.get(near, 0) * side < 0
                    changes[near] += 4 * side if enemy else side
            queue = [name for name, change in changes.items() if self.change(name, change)]

    def change(self, name: str, change: int) -> bool:
        """Adds `change` to a tile's level, within the limits of the rules. Returns whether the tile is on level 4 now.

        `change` is the sum of the effects that all eruptions of one phase have on the tile.
        """
        before = self.levels.get(name, 0)
        after = before + change
        if before * after < 0:
            after = 0  # a tile never changes its owner within one phase
        after = max(-4, min(4, after))
        if after:
            self.levels[name] = after
        else:
            self.levels.pop(name, None)
        if abs(after) < 4:
            self.asleep.discard(name)
        return abs(after) == 4

    def connected(self, sign: int) -> bool:
        for north in self.names[:40]:
            south = "S" + north[1:]
            reached, queue = {north}, [north]
            while queue:
                for near in self.neighbours[queue.pop()]:
                    if near not in reached and self.levels.get(near, 0) * sign > 0:
                        reached.add(near)
                        queue.append(near)
            if self.levels.get(north, 0) * sign > 0 and south in reached:
                return True
        return False

    def finish_turn(self) -> None:
        blue, orange = self.connected(1), self.connected(-1)
        if blue or orange:
            self.result = "draw" if blue and orange else "blue" if blue else "orange"
            if self.turn == 200:
                self.result = "limit"
        else:
            self.turn += 1
            if self.turn > 200:
                self.result = "limit"
