"""The naive twin of TryAngle: a second implementation of the referee, which follows the rules literally and is slow.

It parses replies with regular expressions and shares no code with the fast rules. Tests compare the results of both
implementations, and `lapilli bench` compares their speeds.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

KINDS = ("ATTACK", "MOVE", "SPAWN", "ADD_PATH", "REMOVE_PATH")
BLANK = "[ \t\n\x0b\x0c\r]"
INT_MIN, INT_MAX = -(2**31), 2**31 - 1


def pattern(*words: str) -> re.Pattern[str]:
    """Returns the regular expression of a command: these words, with blanks between them and optional blanks around
    them."""
    return re.compile(f"{BLANK}*" + f"{BLANK}+".join(words) + f"{BLANK}*", re.ASCII | re.IGNORECASE)


ID, NUMBER = "([0-9]+)", "(-?[0-9]+)"
COMMANDS = {
    "ATTACK": pattern("ATTACK", ID, ID, ID, ID),
    "MOVE": pattern("MOVE", ID, ID, NUMBER),
    "SPAWN": pattern("SPAWN", ID, ID, ID),
    "ADD_PATH": pattern("ADD_PATH", ID, ID, ID, ID),
    "REMOVE_PATH": pattern("REMOVE_PATH", ID, ID, ID, ID),
}
DRAWINGS = (
    pattern("LINE", *[NUMBER] * 4),
    pattern("RECT", *[NUMBER] * 4),
    pattern("CIRCLE", *[NUMBER] * 3),
    pattern("TEXT", NUMBER, NUMBER, "([^\n\r\x85\u2028\u2029]+)"),
)
LEAGUE = {"MOVE": 1, "SPAWN": 1, "ATTACK": 2, "ADD_PATH": 3, "REMOVE_PATH": 3}


@dataclass
class House:
    """A house.

    `units` has the number of units on it by player; `remaining` the number of units not used yet in this turn.
    """

    id: int
    x: int
    y: int
    units: list[int] = field(default_factory=lambda: [0, 0])
    remaining: list[int] = field(default_factory=lambda: [0, 0])
    neighbours: set[int] = field(default_factory=set)

    def majority(self) -> int:
        return (self.units[0] > self.units[1]) - (self.units[1] > self.units[0])


@dataclass
class Triangle:
    """A triangle of three paths, with the player who owns it (`owner`; -1 for nobody).

    `may_capture`: for each player, whether the player may capture the triangle.
    """

    corners: tuple[int, int, int]
    owner: int = -1
    owner_at_start: int = -1
    may_capture: list[bool] = field(default_factory=lambda: [True, True])


@dataclass
class Command:
    """A player's command with its numbers (`words`), and the triangle that it uses up (None for a move)."""

    kind: str
    player: int
    words: list[int]
    triangle: Triangle | None


def turn_of(a: House, b: House, c: House) -> int:
    """Returns a number whose sign says in which direction the line a-b-c turns at b; 0 if the houses are in line."""
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)


def on_segment(a: House, b: House, c: House) -> bool:
    """Returns whether c, which must be on the line through a and b, is between a and b."""
    return min(a.x, b.x) <= c.x <= max(a.x, b.x) and min(a.y, b.y) <= c.y <= max(a.y, b.y)


def touch(a: House, b: House, c: House, d: House) -> bool:
    """Returns whether the paths a-b and c-d have a common point other than a common end."""
    if a.id == b.id or c.id == d.id:
        return False
    shared = {a.id, b.id} & {c.id, d.id}
    if len(shared) == 2:
        return False
    if len(shared) == 1:
        hub = next(h for h in (a, b) if h.id in shared)
        p = next(h for h in (a, b) if h.id not in shared)
        q = next(h for h in (c, d) if h.id not in shared)
        same_way = (p.x - hub.x) * (q.x - hub.x) + (p.y - hub.y) * (q.y - hub.y) > 0
        return turn_of(hub, p, q) == 0 and same_way
    t1, t2, t3, t4 = turn_of(a, b, c), turn_of(a, b, d), turn_of(c, d, a), turn_of(c, d, b)
    if ((t1 > 0 > t2) or (t1 < 0 < t2)) and ((t3 > 0 > t4) or (t3 < 0 < t4)):
        return True
    pairs = ((t1, a, b, c), (t2, a, b, d), (t3, c, d, a), (t4, c, d, b))
    return any(t == 0 and on_segment(p, q, r) for t, p, q, r in pairs)


def in_the_way(a: House, b: House, c: House) -> bool:
    """Returns whether c, a house other than a and b, lies between a and b on a straight line."""
    return len({a.id, b.id, c.id}) == 3 and turn_of(a, b, c) == 0 and on_segment(a, b, c)


class NaiveMap:
    """A position of a game, with the commands that are not carried out yet, and the events since the players' last
    replies."""

    def __init__(self, nodes: str, edges: str, units: str, league: int) -> None:
        self.league = league
        places = [tuple(map(int, item.split(","))) for item in nodes.split("_")]
        self.houses = [House(i, x, y) for i, (x, y) in enumerate(places)]
        for house, item in zip(self.houses, units.split("_"), strict=True):
            house.units = [int(word) for word in item.split(",")]
        self.triangles: list[Triangle] = []
        for item in edges.split("_") if edges else []:
            a, b = map(int, item.split(","))
            self.houses[a].neighbours.add(b)
            self.houses[b].neighbours.add(a)
        self.refresh_triangles()
        self.score = [0, 0]
        self.out: list[str | None] = [None, None]
        self.seen_by = [[0, 0], [0, 0]]
        self.armed = True
        self.queue: list[Command] = []
        self.messages = ["", ""]
        self.events: Counter[tuple[int, str]] = Counter()
        while self.finalize():
            pass

    # -- geometry
    def refresh_triangles(self) -> None:
        old = {t.corners: t for t in self.triangles}
        self.triangles = []
        n = len(self.houses)
        for a in range(n):
            for b in sorted(x for x in self.houses[a].neighbours if x > a):
                for c in sorted(x for x in self.houses[a].neighbours & self.houses[b].neighbours if x > b):
                    if not any(self.inside(k, a, b, c) for k in range(n)):
                        self.triangles.append(old.get((a, b, c)) or Triangle((a, b, c)))

    def inside(self, k: int, a: int, b: int, c: int) -> bool:
        if k in (a, b, c):
            return False
        ha, hb, hc, hk = (self.houses[i] for i in (a, b, c, k))
        turns = [turn_of(ha, hb, hk) > 0, turn_of(hb, hc, hk) > 0, turn_of(hc, ha, hk) > 0]
        return all(turns) or not any(turns)

    def squared(self, a: int, b: int) -> int:
        return (self.houses[a].x - self.houses[b].x) ** 2 + (self.houses[a].y - self.houses[b].y) ** 2

    def edges(self) -> list[tuple[int, int]]:
        return sorted((a.id, b) for a in self.houses for b in a.neighbours if a.id <= b)

    def can_connect(self, a: int, b: int) -> bool:
        if self.squared(a, b) > 160000:
            return False
        h = self.houses
        if any(in_the_way(h[a], h[b], other) for other in h):
            return False
        return not any(touch(h[a], h[b], h[c], h[d]) for c, d in self.edges())

    def linkable(self) -> list[tuple[int, int]]:
        n = len(self.houses)
        pairs = [(a, b) for a in range(n) for b in range(a + 1, n) if b not in self.houses[a].neighbours]
        return [pair for pair in pairs if self.can_connect(*pair)]

    def distances(self, goal: int) -> list[int]:
        distance = [50] * 50
        distance[goal] = 0
        queue = [goal]
        for house in queue:
            for other in self.houses[house].neighbours:
                if distance[other] == 50:
                    distance[other] = distance[house] + 1
                    queue.append(other)
        return distance

    # -- the end of a turn
    def house_owner(self, house: House) -> int:
        around = [self.houses[i].majority() for i in house.neighbours]
        if all(m > 0 for m in around):
            return 0
        if all(m < 0 for m in around):
            return 1
        return {1: 0, -1: 1, 0: -1}[house.majority()]

    def finalize(self) -> bool:
        """Plays one pass of the end of a turn. Returns True if units died or a triangle changed its owner.

        In this case, another pass must follow. Otherwise, the turn is over, and players gain points for their
        triangles.
        """
        for house in self.houses:
            house.remaining = list(house.units)
        for t in self.triangles:
            for p in (0, 1):
                if t.owner >= 0:
                    t.may_capture[p] = t.owner != p
                elif all(self.houses[c].units[p] == 0 for c in t.corners):
                    t.may_capture[p] = True
        if (self.armed and self.surround()) or self.capture():
            return True
        for t in self.triangles:
            t.owner_at_start = t.owner
            if t.owner >= 0:
                self.score[t.owner] += 1
        return False

    def surround(self) -> bool:
        """Kills all surrounded units; returns whether there were any.

        After this, no units die until further commands have taken effect (the next frame).
        """
        self.armed = False
        majority = [house.majority() for house in self.houses]
        done = False
        for house in self.houses:
            if not house.neighbours:
                continue
            for p, sign in ((0, -1), (1, 1)):
                if house.units[p] and all(majority[i] == sign for i in house.neighbours):
                    self.events[1 - p, "surrounded"] += house.units[p]
                    house.units[p] = 0
                    done = True
        return done

    def capture(self) -> bool:
        owners = [self.house_owner(house) for house in self.houses]
        done = False
        for t in self.triangles:
            for p in (0, 1):
                if t.may_capture[p] and t.owner != p and all(owners[c] == p for c in t.corners):
                    t.owner = p
                    self.events[p, "captured"] += 1
                    done = True
        return done

    def put_out_by_rules(self) -> None:
        """Puts players who have lost by the rules out of the game.

        Player 0 is tested, and its input is written, before player 1 is tested. So player 0 never sees that player 1
        has a score of -1.
        """
        for p in (0, 1):
            mine = sum(t.owner == p for t in self.triangles)
            theirs = sum(t.owner == 1 - p for t in self.triangles)
            units = sum(house.units[p] for house in self.houses)
            if units == 0 and mine == 0:
                self.put_out(p, "no units or triangles left")
            elif units == 1 and mine == 0 and self.score[p] < self.score[1 - p]:
                self.put_out(p, "can't score any more points")
            elif theirs >= 0.8 * len(self.triangles):
                self.put_out(p, "is dominated")
            self.seen_by[p] = list(self.score)

    def put_out(self, player: int, reason: str) -> None:
        self.out[player] = reason
        self.score[player] = -1

    # -- commands
    def parse(self, player: int, line: str) -> list[str]:
        """Parses a player's reply, `line`: queues its valid commands, and returns errors about the others.

        An unknown command puts the player out of the game.
        """
        self.messages[player] = ""
        errors: list[tuple[str, str]] = []
        for part in line.split(";"):
            error = self.parse_part(player, part)
            if error:
                errors.append(error)
        unknown = [text for kind, text in errors if kind == "unknown"]
        if unknown:
            self.put_out(player, unknown[0])
        lines: list[str] = []
        for kind in dict.fromkeys(kind for kind, _ in errors):
            texts = [text for k, text in errors if k == kind]
            if kind == "unknown":
                texts = texts[:1]
            elif len(texts) > 3:
                texts = [*texts[:2], f"{len(texts) - 2} more errors of that type"]
            lines += texts
        return lines

    def parse_part(self, player: int, part: str) -> tuple[str, str] | None:
        trimmed = part.strip("".join(map(chr, range(33))))
        if not trimmed or trimmed.upper() == "WAIT":
            return None
        if part.upper().startswith("MSG "):
            self.messages[player] = part[4:].strip("".join(map(chr, range(33))))[:50]
            return None
        unknown = ("unknown", f"Unknown command: {part}")
        for drawing in DRAWINGS:
            match = drawing.fullmatch(part)
            if match:
                numbers = [int(g) for g in match.groups() if re.fullmatch("-?[0-9]+", g)]
                return None if all(INT_MIN <= n <= INT_MAX for n in numbers) else unknown
        for kind, form in COMMANDS.items():
            match = form.fullmatch(part)
            if match:
                words = [int(g) for g in match.groups()]
                if not all(INT_MIN <= n <= INT_MAX for n in words):
                    return unknown
                return self.check(player, kind, words, part)
        return unknown

    def check(self, player: int, kind: str, words: list[int], part: str) -> tuple[str, str] | None:
        ids = words[:2] if kind == "MOVE" else words
        for i in ids:
            if i >= len(self.houses):
                return "node", f"Invalid node: {i}"
        triangle = None
        if kind != "MOVE":
            triangle = next((t for t in self.triangles if set(words[:3]) <= set(t.corners)), None)
            if triangle is None:
                return "triangle", f"Invalid triangle: {words[0]} {words[1]} {words[2]}"
        elif words[2] <= 0:
            return "amount", "Amount of units to move must be positive"
        if kind == "ADD_PATH" and not self.can_connect(words[0], words[3]):
            return "connect", f"Can't connect houses {words[0]} and {words[3]}"
        if kind in ("ATTACK", "REMOVE_PATH") and not self.in_reach(triangle, words[3]):
            if kind == "ATTACK":
                return "reach", f"Can't attack house {words[3]} from given triangle"
            return "reach", f"House {words[3]} isn't connected to given triangle"
        if self.league < LEAGUE[kind]:
            return "league", f"Command not available in your league: {part}"
        command = Command(kind, player, words, triangle)
        if not self.can_apply(command):
            return "apply", f"Task can't be applied: {part}"
        self.queue.append(command)
        return None

    def in_reach(self, triangle: Triangle | None, house: int) -> bool:
        assert triangle
        return any(house == c or house in self.houses[c].neighbours for c in triangle.corners)

    def can_apply(self, command: Command) -> bool:
        p, words, t = command.player, command.words, command.triangle
        if command.kind == "MOVE":
            return words[0] != words[1] and self.houses[words[0]].remaining[p] > 0
        assert t
        if t.owner != p or t.owner_at_start != p:
            return False
        if command.kind == "SPAWN":
            return True
        if any(self.houses[c].remaining[p] < 1 for c in t.corners):
            return False
        linked = words[3] in self.houses[words[0]].neighbours
        if command.kind == "ATTACK":
            return self.in_reach(t, words[3])
        if command.kind == "ADD_PATH":
            return not linked and self.can_connect(words[0], words[3])
        return linked and words[3] not in t.corners

    def frame(self) -> None:
        """Plays one frame: queued commands of one kind that take effect together.

        The kind is the first one in KINDS of which a queued command can be carried out.
        """
        self.armed = True
        self.queue = [c for c in self.queue if self.can_apply(c)]
        if self.queue:
            kind = min((c.kind for c in self.queue), key=KINDS.index)
            now = [c for c in self.queue if c.kind == kind]
            later = [c for c in self.queue if c.kind != kind]
            if kind in ("MOVE", "SPAWN"):
                for command in now:
                    if self.can_apply(command):
                        self.apply(command)
            else:
                if kind == "ADD_PATH":
                    now.sort(key=lambda c: self.squared(c.words[0], c.words[3]))
                taken = [next((c for c in now if c.player == p and self.can_apply(c)), None) for p in (0, 1)]
                chosen = [c for c in now if any(c is x for x in taken)]
                later = [c for c in now if not any(c is x for x in chosen)] + later
                for command in chosen:
                    self.apply(command)
            self.queue = later
        self.queue = [c for c in self.queue if self.can_apply(c)]

    def apply(self, command: Command) -> None:
        p, words, t = command.player, command.words, command.triangle
        if command.kind == "MOVE":
            self.move(p, *words)
            return
        assert t
        if command.kind == "ADD_PATH" and not self.can_connect(words[0], words[3]):
            return
        t.owner = -1
        t.may_capture[p] = False
        if command.kind == "SPAWN":
            self.houses[words[0]].units[p] += 1
            self.events[p, "spawned"] += 1
            return
        for c in t.corners:
            house = self.houses[c]
            house.remaining[p] -= min(1, house.remaining[p])
            house.units[p] -= min(1, house.units[p])
        if command.kind == "ATTACK":
            target = self.houses[words[3]]
            self.events[p, "attacked"] += target.units[1 - p]
            target.units[1 - p] = target.remaining[1 - p] = 0
            return
        a, b = words[0], words[3]
        change = set.add if command.kind == "ADD_PATH" else set.discard
        change(self.houses[a].neighbours, b)
        change(self.houses[b].neighbours, a)
        self.events[p, "added" if command.kind == "ADD_PATH" else "removed"] += 1
        self.refresh_triangles()

    def move(self, player: int, start: int, goal: int, amount: int) -> None:
        distance = self.distances(goal)
        house = self.houses[start]
        nearer = [i for i in sorted(house.neighbours) if distance[i] < distance[start]]
        if not nearer:
            return
        moved = min(amount, house.remaining[player])
        house.units[player] -= moved
        house.remaining[player] -= moved
        self.houses[nearer[0]].units[player] += moved

    # -- text
    def opening(self) -> str:
        return "\n".join([str(len(self.houses)), *(f"{h.id} {h.x} {h.y}" for h in self.houses)]) + "\n"

    def input(self, player: int) -> str:
        other = 1 - player
        view = {-1: -1, player: 0, other: 1}
        edges = [(a, b) for a, b in self.edges() if a != b]
        links = self.linkable() if self.league >= 3 else []
        lines = [f"{self.seen_by[player][player]} {self.seen_by[player][other]}"]
        lines += [f"{h.id} {h.units[player]} {h.units[other]}" for h in self.houses]
        lines += [str(len(edges)), *(f"{a} {b}" for a, b in edges), str(len(self.triangles))]
        for t in self.triangles:
            flags = f"{t.may_capture[player]:d} {t.may_capture[other]:d}"
            lines.append(f"{' '.join(map(str, t.corners))} {view[t.owner]} {flags}")
        lines += [str(len(links)), *(f"{a} {b}" for a, b in links)]
        return "\n".join(lines) + "\n"


class NaiveReferee:
    """The loop that plays a match turn by turn, like the original referee.

    The commands of a turn are carried out in frames, groups of commands that take effect together. As in the original,
    each frame is counted as a referee turn, too.
    """

    def __init__(self, board: NaiveMap) -> None:
        self.board = board
        self.turns = 0
        self.most = 200
        self.over = False
        self.advance()

    def advance(self) -> None:
        """Plays referee turns until the players must reply again; sets `over` if the game ends before that."""
        board = self.board
        while True:
            if self.turns >= self.most or any(board.out):
                self.over = True
                return
            self.turns += 1
            if board.queue:
                self.most += 1
                board.frame()
            elif board.finalize():
                self.most += 1
            else:
                board.put_out_by_rules()
                return

    def play(self, lines: list[str | None]) -> list[tuple[int, str]]:
        """Plays one turn of commands.

        Args:
            lines: the reply of each player; None for a player who is late or already out.

        Returns:
            The errors, as pairs of player and message.
        """
        board = self.board
        board.events.clear()
        errors: list[tuple[int, str]] = []
        for p in (0, 1):
            if board.out[p] is not None:
                continue
            line = lines[p]
            if line is None:
                board.put_out(p, "timeout")
                errors.append((p, "timeout"))
            else:
                errors += [(p, text) for text in board.parse(p, line)]
        board.frame()
        self.advance()
        return errors
