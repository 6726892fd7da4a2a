"""A slow, literal twin of the maps' drawing, with a java.util.Random of its own."""

from __future__ import annotations

from math import acos, degrees, sqrt

from lapilli.games.tryangle.naive import House, NaiveMap, touch

Point = tuple[int, int]
Path = tuple[int, int]


class Draws:
    """java.util.Random, as its documentation specifies it."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def bits(self, number: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 11) % 2**48
        return self.state >> (48 - number)

    def below(self, bound: int) -> int:
        if bound & (bound - 1) == 0:
            return bound * self.bits(31) >> 31
        while True:
            drawn = self.bits(31)
            if drawn - drawn % bound + bound <= 2**31:
                return drawn % bound

    def share(self) -> float:
        high = self.bits(26)
        return ((high << 27) + self.bits(27)) / 2**53


def squared(p: Point, q: Point) -> int:
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2


def is_flat(p: Point, q: Point, r: Point) -> bool:
    a, b, c = sorted((squared(p, q), squared(q, r), squared(p, r)))
    return c <= 160000 and degrees(acos(max(-1.0, (a + b - c) / (2 * sqrt(a * b))))) >= 160


def draw_houses(draws: Draws) -> list[Point]:
    places: list[Point] = []
    known: set[int] = set()
    for _ in range(10_000):
        x = 80 + draws.below(1760)
        y = 70 + draws.below(820)
        new, others = (x, y), [*places, (1919 - x, 959 - y)]
        lengths = [squared(new, other) for other in others]
        if min(lengths) < 140**2 or known & set(lengths):
            continue
        near = [other for other, length in zip(others, lengths, strict=True) if length <= 160000]
        if any(is_flat(new, q, r) for i, q in enumerate(near) for r in near[:i]):
            continue
        known |= set(lengths)
        places = [*places, new, (1919 - x, 959 - y)]
        if len(places) == 50:
            break
    return places


def image(path: Path) -> Path:
    a, b = sorted((path[0] ^ 1, path[1] ^ 1))
    return a, b


def holds_together(number: int, paths: list[Path]) -> bool:
    for without in range(number):
        rest = set(range(number)) - {without}
        seen, todo = set[int](), [min(rest)]
        while todo:
            house = todo.pop()
            if house in rest and house not in seen:
                seen.add(house)
                todo += [a + b - house for a, b in paths if house in (a, b)]
        if seen != rest:
            return False
    return True


def triangles(places: list[Point], paths: list[Path]) -> int:
    return len(NaiveMap(nodes_text(places), nodes_text(paths), "_".join(["0,0"] * len(places)), 3).triangles)


def nodes_text(pairs: list[Point]) -> str:
    return "_".join(f"{a},{b}" for a, b in pairs)


def draw_map(seed: int) -> tuple[str, str]:
    """Nodes and edges of the map for a seed."""
    draws = Draws(seed)
    places = draw_houses(draws)
    houses = [House(i, x, y) for i, (x, y) in enumerate(places)]
    number = len(places)
    pairs = [(a, b) for a in range(number) for b in range(a + 1, number) if squared(places[a], places[b]) <= 160000]
    paths: list[Path] = []
    for a, b in sorted(pairs, key=lambda pair: squared(places[pair[0]], places[pair[1]])):
        if not any(touch(houses[a], houses[b], houses[c], houses[d]) for c, d in paths):
            paths.append((a, b))
    tested: set[Path] = set()
    left = int((0.1 + 0.4 * draws.share()) * len(paths))
    while left > 0:
        left -= 2
        path = paths[draws.below(len(paths))]
        if path in tested:
            continue
        tested |= {path, image(path)}
        kept = [other for other in paths if other not in (path, image(path))]
        if triangles(places, kept) >= 20 and holds_together(number, kept):
            paths = kept
    return nodes_text(places), nodes_text(sorted(paths))
