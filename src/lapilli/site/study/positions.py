"""Positions on study pages.

A page sends its position as a `Place`: a setup and the turns played from it. The site replays these turns for each
request, with a cache, and stores nothing.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from lapilli.core.api import Game, Setup, State, Step, Termination
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.text import quoted, shortened
from lapilli.games import load
from lapilli.match import Record, verify
from lapilli.match.record import FORMAT, Entry
from lapilli.match.replay import replay
from lapilli.site.study.setups import for_pages, from_pages

Data = dict[str, Any]
Words = tuple[int, str, str]
"""A player's turn in words: the player, the words, and the turn in the game's short notation (`Game.in_brief`). The
player is -1 for what happened without a player, such as a draw of tiles."""
MAX_PLACE = 256 * 1024
"""Length limit of a request that contains a place, in bytes."""
MAX_TURNS = 2000
"""Largest number of turns of a place."""
MAX_VALUES = 2 * MAX_TURNS
"""Largest number of JSON values in a request that contains a place: turns, chosen actions and values of the setup."""
MAX_MOVE = 2 * MAX_REPLY
"""Length limit of one turn of a place, in characters: two replies of the greatest length that a referee accepts."""
_LINES, _PLAYERS = " / ", " | "
"""Separators between the lines of a reply, and between the replies of players who act at once."""
_KEPT = 400
"""Largest number of positions in the cache. Only the turns after a cached position must be replayed."""
_KEPT_BYTES = 4 << 20
"""Size limit of the cache in bytes, as estimated by `_weight`."""


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A position, in the form in which pages send it.

    Attributes:
        game: the game's name.
        setup: the setup, in the format of `Setup.to_dict`; the seed may be a text.
        moves: the turns played, each in the format of `turn_text`, without turns in which no player is asked.
    """

    game: str
    setup: dict[str, Any] = {}
    moves: list[str] = []

    def load(self) -> tuple[Game, Setup]:
        """Returns the game and its complete setup. Raises LapilliError if the setup is not valid."""
        game = load(self.game)
        return game, game.complete(Setup.from_dict(from_pages(self.setup)))


class Asking(Place, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A page's request for the data of a position. On the page, a person may be choosing a turn for one player.

    Attributes:
        given: if several players act at once, the replies that the person has chosen already for the players before
            this player.
        actions: actions that the person has chosen so far for this player.
        whole: whether the response also contains the data that all pictures have in common, and all turns in words.
        only: the only player for whom the person chooses turns; None if the person chooses for all players.
    """

    given: list[str] = []
    actions: list[int] = []
    whole: bool = False
    only: int | None = None


def place_data(place: Place) -> Data:
    """Converts a position in the form of a `Place` (setup and turns) to JSON data for pages, with all fields."""
    return {"game": place.game, "setup": for_pages(place.setup), "moves": place.moves}


def turn_text(replies: Sequence[str]) -> str:
    """Formats the replies of one turn, given in the order of the players, as one line."""
    return _PLAYERS.join(_LINES.join(reply.split("\n")) for reply in replies)


def words_of(step: Step, player: int) -> Words:
    """Describes a player's turn in words and in the game's short notation."""
    game = step.before.game
    return player, shortened(game.tell(step, player), 300), shortened(game.in_brief(step, player), 300)


def replies_of(state: State, text: str) -> dict[int, str]:
    """Splits a line in the format of `turn_text` into replies by player.

    Raises:
        IllegalAction: the line does not contain one reply for each player who must reply.
    """
    asked = state.asked()
    replies = text.split(_PLAYERS) if len(asked) > 1 else [text]
    if len(replies) != len(asked):
        raise IllegalAction(
            f"expected {len(asked)} answers, one for each player who acts, separated by {_PLAYERS.strip()!r}"
        )
    return {player: reply.replace(_LINES, "\n") for player, reply in zip(asked, replies, strict=True)}


def place_of(record: Record) -> tuple[Place, str]:
    """Returns the position at the end of a match, or the one before its first turn with a fault or a missing reply.

    Returns:
        The position as a `Place`, and the reason why it is not the end of the match; "" if it is the end.

    Raises:
        RecordError: the record contradicts the rules.
    """
    verify(record)
    moves: list[str] = []
    stopped = ""
    for _, step in replay(record):
        if step is None or not step.before.asked():
            continue
        if step.report.faults or set(step.before.asked()) != set(step.report.actions):
            fault = step.report.faults[0] if step.report.faults else None
            stopped = shortened(fault.reason, 200) if fault else "nobody answered"
            break
        moves.append(turn_text([step.report.actions[player] for player in step.before.asked()]))
    return Place(game=record.game, setup=record.load_setup().to_dict(), moves=moves), stopped


def record_of(place: Place) -> Record:
    """Returns a record of the turns that lead to a position.

    Raises:
        LapilliError: the setup is not valid, there are too many turns, or a turn is not legal.
    """
    entries = [
        Entry(turn=step.report.turn, player=player, action=Entry.action_of(step.report.actions.get(player)))
        for _, steps in positions(place)
        for step in steps
        for player in step.before.asked()
    ]
    return Record(format=FORMAT, game=place.game, setup=place.load()[1].to_dict(), turns=entries)


Reached = tuple[State, list[Step]]
"""A position, and the steps from the previous position to this one."""


class Kept:
    """A cache of the most recently used positions. Several threads may use it.

    Args:
        most: largest number of positions.
        most_bytes: largest total size, in bytes.

    Attributes:
        bytes: present total size of the positions, in bytes, as estimated by `_weight`.
    """

    def __init__(self, most: int = _KEPT, most_bytes: int = _KEPT_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._held: OrderedDict[bytes, tuple[Reached, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: bytes) -> Reached | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def keep(self, key: bytes, reached: Reached) -> None:
        """Adds a position to the cache. Drops the least recently used positions if the cache is full.

        `key`: key of the position, see `_keys`. `reached`: the position, and the steps since the previous position.
        """
        weight = _weight(*reached)
        with self._lock:
            self._drop(key)
            self._held[key] = reached, weight
            self.bytes += weight
            while len(self._held) > self._most or self.bytes > self._most_bytes:
                self._drop(next(iter(self._held)))

    def _drop(self, key: bytes) -> None:
        _, weight = self._held.pop(key, (None, 0))
        self.bytes -= weight


_OBJECTS = 1024
"""Estimated size of a state, and of a step, without the position's array and without texts, in bytes. With this value,
the estimate of `_weight` is 1.05 to 1.35 times the size that tracemalloc measures, depending on the game.
"""


def _weight(state: State, steps: Sequence[Step]) -> int:
    """Estimates the size of a cached position, in bytes."""
    setup = len(state.setup.position or "") + len(str(dict(state.setup.own)))
    weight = _OBJECTS + state.array.nbytes + setup
    for step in steps:
        report = step.report
        texts = (*report.actions.values(), *report.messages.values(), *(text for _, text in report.notes))
        weight += _OBJECTS + step.before.array.nbytes + 4 * sum(map(len, texts))
    return weight


_POSITIONS = Kept()


def position(place: Place) -> Reached:
    """Returns the position after the setup and turns of `place`, and the steps since the previous position.

    A step is a turn that was played. There are several steps if turns in which no player is asked come after the last
    turn. The caller must change neither the position nor the steps.

    Raises:
        LapilliError: the setup is not valid, there are too many turns, or a turn is not legal.
    """
    keys = _keys(place)
    number, reached = _last_cached(keys)
    if reached is None:
        reached = _start(place, keys[0])
    for at in range(number, len(place.moves)):
        reached = _next(reached, place, keys, at)
    return reached


def positions(place: Place) -> Iterator[Reached]:
    """Yields the start position and the position after each turn of `place`, each with the steps that lead to it.

    A step is a turn that was played, also one in which no player was asked.

    Raises:
        LapilliError: the setup is not valid, there are too many turns, or a turn is not legal. If a turn is not legal,
            the positions before this turn are yielded first.
    """
    keys = _keys(place)
    reached = _POSITIONS.get(keys[0]) or _start(place, keys[0])
    yield reached
    for at in range(len(place.moves)):
        reached = _POSITIONS.get(keys[at + 1]) or _next(reached, place, keys, at)
        yield reached


def _keys(place: Place) -> list[bytes]:
    """Returns the cache keys of the start position and of the position after each turn.

    Each key is a hash of the previous key and the turn, so that time and memory are linear in the number of turns.

    Raises:
        LapilliError: the setup is not valid, there are too many turns, or a turn is too long.
    """
    if len(place.moves) > MAX_TURNS:
        raise LapilliError(f"at most {MAX_TURNS} turns can be looked at, not {len(place.moves)}")
    for number, move in enumerate(place.moves, 1):
        if len(move) > MAX_MOVE:
            raise LapilliError(f"turn {number} is longer than {MAX_MOVE:,} characters, the most that a turn may have")
    game, setup = place.load()
    keys = [_hashed(msgspec.json.encode([game.name, sorted(setup.to_dict().items())]))]
    for move in place.moves:
        keys.append(_hashed(keys[-1] + move.encode("utf-8", "surrogatepass")))
    return keys


def _hashed(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()


def _last_cached(keys: Sequence[bytes]) -> tuple[int, Reached | None]:
    """Returns the number of turns up to the last cached position, and that position; (0, None) if there is none."""
    for number in range(len(keys) - 1, -1, -1):
        if (reached := _POSITIONS.get(keys[number])) is not None:
            return number, reached
    return 0, None


def _start(place: Place, key: bytes) -> Reached:
    game, setup = place.load()
    state = game.new_initial_state(setup)
    reached = state, _automatic(state)
    _POSITIONS.keep(key, reached)
    return reached


def _next(reached: Reached, place: Place, keys: Sequence[bytes], at: int) -> Reached:
    """Plays turn `at`, counted from 0, adds the position after it to the cache, and returns that position.

    `reached`: the position before the turn. `keys`: the cache keys of `place`, see `_keys`. Raises LapilliError if the
    turn is not legal.
    """
    reached = _after(reached[0], place.moves[at], at + 1)
    _POSITIONS.keep(keys[at + 1], reached)
    return reached


def _after(before: State, move: str, number: int) -> Reached:
    state = before.clone()
    if not state.asked() or state.is_terminal():
        raise LapilliError(f"turn {number}: the game is over")
    try:
        replies = replies_of(state, move)
    except IllegalAction as problem:
        raise LapilliError(f"turn {number}: {problem}") from None
    report = state.game.protocol.play_turn(state, replies)
    for fault in report.faults:
        if fault.termination is not Termination.DECIDED:
            raise LapilliError(f"turn {number}, {quoted(shortened(move, 60))}: {shortened(fault.reason, 200)}")
    return state, [Step(before, report), *_automatic(state)]


def _automatic(state: State) -> list[Step]:
    """Plays turns in which no player is asked, until a player is asked or the game is over. Returns these turns."""
    steps: list[Step] = []
    while not state.asked() and not state.is_terminal():
        before = state.clone()
        steps.append(Step(before, state.game.protocol.play_turn(state, {})))
    return steps
