"""The naive twin of Volcano with pyramids: a second implementation of the rules, which follows their text literally.

It is slow, and shares only the boards with the fast rules. Tests compare the results of both implementations, and
`lapilli bench` compares their speeds.
"""

from __future__ import annotations

from lapilli.games.pyramids.board import BOARDS

TURN_LIMIT = 1000

Step = tuple[str, str]


class NaiveGame:
    """A position of the game that can list and play its legal steps.

    Stacks are lists of pieces such as "RS" (red, small), bottom first. A cap is identified by the name of the cell on
    which it stood at the start of the game.
    """

    def __init__(self, variant: str) -> None:
        board = next(board for board in BOARDS if board.name == variant)
        self.neighbours: dict[str, dict[str, str]] = {
            cell: {heading: board.cells[to] for heading, to in zip(board.headings, near, strict=True) if to >= 0}
            for cell, near in zip(board.cells, board.neighbours, strict=True)
        }
        self.colours = set(board.colours)
        self.stacks: dict[str, list[str]] = {
            cell: [] if colour == "-" else [colour + size for size in "SML"]
            for cell, colour in zip(board.cells, board.start_colours, strict=True)
        }
        self.caps: dict[str, str] = {cell: cell for cell in board.start_caps}
        self.been: dict[str, list[str]] = {}
        self.captures: tuple[list[str], list[str]] = ([], [])
        self.player = 0
        self.turn = 1
        self.over = ""

    def steps(self) -> list[Step]:
        """Returns every legal step of a cap, as sorted pairs: the cell that the cap leaves and the cell that it
        enters."""
        if self.over:
            return []
        taken = set(self.caps.values())
        steps = []
        for cap, cell in self.caps.items():
            for to in self.neighbours[cell].values():
                if to in taken:
                    continue
                if to in self.been.get(cap, []) and not self.would_land((cell, to)):
                    continue
                steps.append((cell, to))
        return sorted(steps)

    def would_land(self, step: Step) -> list[str]:
        """Returns the cells on which pieces would land after a step that uncovers a stack, the nearest first."""
        cell, to = step
        heading = next(name for name, other in self.neighbours[cell].items() if other == to)
        taken = set(self.caps.values()) - {cell} | {to}
        cells: list[str] = []
        at = to
        while len(cells) < len(self.stacks[cell]):
            further = self.neighbours[at].get(heading)
            if further is None or further in taken:
                break
            cells.append(further)
            at = further
        return cells

    def play(self, step: Step) -> tuple[list[tuple[str, str]], list[str]]:
        """Plays a legal step. Returns the landed pieces, as pairs of cell and piece, and the captured pieces."""
        cell, to = step
        cells = self.would_land(step)
        cap = next(cap for cap, place in self.caps.items() if place == cell)
        self.caps[cap] = to
        landed = [(place, self.stacks[cell].pop()) for place in cells]
        for place, piece in landed:
            self.stacks[place].append(piece)
        taken = []
        for place, piece in landed:
            stack = self.stacks[place]
            if len(stack) > 1 and stack[-2][1] == piece[1]:
                stack.pop()
                taken.append(piece)
        self.captures[self.player].extend(taken)
        if landed:
            self._end_turn()
        else:
            self.been.setdefault(cap, [cell]).append(to)
            if not self.steps():
                self.over = "no-move"
        return landed, taken

    def _end_turn(self) -> None:
        self.been = {}
        self.turn += 1
        if {piece[0] for piece in self.captures[self.player]} == self.colours:
            self.over = "decided"
        elif self.turn > TURN_LIMIT:
            self.over = "turn-limit"
        self.player = 1 - self.player

    def position(self) -> str:
        """Returns the position as one line of text, in the format that `state.notation` describes."""
        taken = set(self.caps.values())
        stacks = [("".join(stack) or "-") + ("*" if cell in taken else "") for cell, stack in self.stacks.items()]
        captures = ["".join(pieces) or "-" for pieces in self.captures]
        order = list(self.stacks)
        ways = sorted(self.been.values(), key=lambda way: order.index(way[0]))
        been = ";".join(",".join(way) for way in ways) or "-"
        return " ".join(["/".join(stacks), *captures, str(self.player), been, str(self.turn)])


def points(pieces: list[str]) -> int:
    """Returns the score of captured pieces: solid nests (7 points each), then mixed nests (5), then single pieces
    (1)."""
    left = list(pieces)
    total = 0
    for colour in {piece[0] for piece in pieces}:
        while all(colour + size in left for size in "SML"):
            for size in "SML":
                left.remove(colour + size)
            total += 7
    while {piece[1] for piece in left} == set("SML"):
        for size in "SML":
            left.remove(next(piece for piece in left if piece[1] == size))
        total += 5
    return total + len(left)


def best_points(pieces: tuple[str, ...]) -> int:
    """Returns the best score of a few captured pieces, found by trying every way to group them in nests."""
    best = len(pieces)
    smalls, mediums, larges = ([piece for piece in set(pieces) if piece[1] == size] for size in "SML")
    for small in smalls:
        for medium in mediums:
            for large in larges:
                left = list(pieces)
                for piece in (small, medium, large):
                    left.remove(piece)
                is_solid = small[0] == medium[0] == large[0]
                best = max(best, (7 if is_solid else 5) + best_points(tuple(left)))
    return best


Outcome = tuple[frozenset[str], Step]
Situation = tuple[tuple[str, frozenset[str]], ...]


def turn_outcomes(game: NaiveGame, most: int) -> set[Outcome] | None:
    """Returns every outcome of the current turn, found by trying every legal sequence of steps.

    An outcome consists of the step that erupts and the capped cells after it. A situation within a turn consists, for
    each cap, of its cell and the cells on which it has been in this turn. The search visits each situation once. If
    there are more than `most` situations, the result is None.
    """
    start = tuple((cell, frozenset(game.been.get(cap, [cell]))) for cap, cell in game.caps.items())
    outcomes: set[Outcome] = set()
    known: set[Situation] = {start}
    waiting: list[Situation] = [start]
    while waiting and len(known) <= most:
        situation = waiting.pop()
        taken = {cell for cell, _ in situation}
        for cap, (cell, been) in enumerate(situation):
            for heading, to in game.neighbours[cell].items():
                if to in taken:
                    continue
                beyond = game.neighbours[to].get(heading)
                if game.stacks[cell] and beyond is not None and beyond not in taken:
                    outcomes.add((frozenset(taken - {cell} | {to}), (cell, to)))
                elif to not in been:
                    after = (*situation[:cap], (to, been | {to}), *situation[cap + 1 :])
                    if after not in known:
                        known.add(after)
                        waiting.append(after)
    return None if waiting else outcomes
