"""A position that somebody looks at: a setup and the turns that led on from it, played anew by the rules each time.

Nothing of it is kept but what saves work: a page says where it stands, and is told what is there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import msgspec

from lapilli.games import load
from lapilli.games.api import Game, Setup, State, Step, Termination
from lapilli.games.errors import IllegalAction, LapilliError
from lapilli.games.wording import quoted, shortened
from lapilli.match import Record, verify
from lapilli.match.replay import replay
from lapilli.viewer.frames import Frames, drawn_parts
from lapilli.web.play.drafts import Draft

Data = dict[str, Any]
MAX_PLACE = 256 * 1024
"""Bytes of where a page says that it stands."""
MAX_TURNS = 2000
_LINES, _PLAYERS = " / ", " | "
"""What stands between the lines of a reply, and between the replies of those who act at once."""
_KEPT = 400
"""Positions that are kept, so that the next one is one turn away."""


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A position as a page names it.

    Attributes:
        game: its slug. setup: as `Setup.to_dict`.
        moves: the turns that followed, each as `turn_text` writes it; automatic ones are not among them.
    """

    game: str
    setup: dict[str, Any] = {}
    moves: list[str] = []

    def load(self) -> tuple[Game, Setup]:
        """The game and its complete setup. Raises LapilliError where it cannot be played so."""
        game = load(self.game)
        seed = self.setup.get("seed")
        return game, game.complete(Setup.from_dict(self.setup | {"seed": 0 if seed is None else seed}))


class Asking(Place, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a page asks of a position.

    Attributes:
        given: what those asked before the one who chooses have answered. actions: what that one has chosen so far.
        whole: whether the look and the words of all turns are wanted, too.
        only: the one player who chooses; None where the page plays for all.
    """

    given: list[str] = []
    actions: list[int] = []
    whole: bool = False
    only: int | None = None


def place_data(place: Place) -> Data:
    """A place as pages have it, nothing left out."""
    return {"game": place.game, "setup": place.setup, "moves": place.moves}


def turn_text(replies: Sequence[str]) -> str:
    """The answers of one turn as one line, in the order of the players."""
    return _PLAYERS.join(_LINES.join(reply.split("\n")) for reply in replies)


def replies_of(state: State, text: str) -> dict[int, str]:
    """What each of those asked answers in such a line. Raises IllegalAction for other than one each."""
    asked = state.asked()
    said = text.split(_PLAYERS) if len(asked) > 1 else [text]
    if len(said) != len(asked):
        raise IllegalAction(
            f"{len(asked)} players act, so there are {len(asked)} answers, with {_PLAYERS.strip()!r} between them"
        )
    return {player: one.replace(_LINES, "\n") for player, one in zip(asked, said, strict=True)}


def place_of(record: Record) -> tuple[Place, str]:
    """Where a match went, up to its end or the first turn that is not one of the rules; and why it goes no further,
    empty where it does.

    Raises:
        RecordError: the rules refute the record.
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


class Kept:
    """Positions that were looked at last, each with the one before it and what happened between."""

    def __init__(self) -> None:
        self._held: OrderedDict[bytes, tuple[State, list[Step]]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> tuple[State, list[Step]] | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: bytes, state: State, steps: list[Step]) -> None:
        with self._lock:
            self._held[key] = state, steps
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)


_POSITIONS = Kept()


def position(place: Place) -> tuple[State, list[Step]]:
    """The position, and the steps that led to it from the one before, automatic ones included. Nobody changes them.

    Raises:
        LapilliError: the game cannot start so; there are too many turns; the rules refuse one.
    """
    if len(place.moves) > MAX_TURNS:
        raise LapilliError(f"at most {MAX_TURNS} turns can be looked at, not {len(place.moves)}")
    game, setup = place.load()
    base = msgspec.json.encode([game.name, sorted(setup.to_dict().items())])
    keys = [base]
    for move in place.moves:
        keys.append(keys[-1] + b"\n" + move.encode("utf-8", "replace"))
    done, held = _last_known(keys)
    if held is None:
        state = game.new_initial_state(setup)
        held = state, _automatic(state)
        _POSITIONS.keep(base, *held)
    for number in range(done, len(place.moves)):
        held = _after(held[0], place.moves[number], number + 1)
        _POSITIONS.keep(keys[number + 1], *held)
    return held


def _last_known(keys: Sequence[bytes]) -> tuple[int, tuple[State, list[Step]] | None]:
    for number in range(len(keys) - 1, -1, -1):
        held = _POSITIONS.get(keys[number])
        if held is not None:
            return number, held
    return 0, None


def _after(before: State, move: str, number: int) -> tuple[State, list[Step]]:
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
    """Plays the turns on which nobody is asked."""
    steps: list[Step] = []
    while not state.asked() and not state.is_terminal():
        before = state.clone()
        steps.append(Step(before, state.game.protocol.play_turn(state, {})))
    return steps


# -- as data


def shown(asking: Asking) -> Data:
    """All that a page shows of a position: pictures of how it came about, what can be chosen, how it is written."""
    state, steps = position(asking)
    game = state.game
    told: Data = {
        "frames": _frames(state, steps),
        "told": _told(steps),
        "turn": state.turn,
        "asked": list(state.asked()) if not state.is_terminal() else [],
        "outcome": _outcome(state),
        "position": state.position(),
        "setup": state.setup.to_dict(),
        "notation": [_canonical(step) for step in steps if step.before.asked()],
    }
    if asking.whole:
        told["look"] = look_of(game, state)
        told["words"] = [_told(position(_cut(asking, number))[1]) for number in range(1, len(asking.moves) + 1)]
    if told["asked"]:
        told["draft"] = _draft(state, asking)
    return told


def _cut(place: Place, moves: int) -> Place:
    return Place(game=place.game, setup=place.setup, moves=place.moves[:moves])


def look_of(game: Game, state: State) -> Data:
    """What does not change from one picture to the next, as a film has it."""
    scene = game.picture(state, None)
    panels = scene.panels
    sides = game.sides[: state.num_players]
    return {
        "title": game.title,
        "players": [{"name": side, "side": side} for side in sides],
        "legend": [[sample.text, drawn_parts(sample.shapes)] for sample in panels.legend] if panels else [],
        "style": scene.style,
        "defs": scene.defs,
        "links": {key: list(keys) for key, keys in scene.links.items()},
        "globe": {key: [[round(x, 4) for x in point] for point in points] for key, points in scene.globe.items()},
    }


def _frames(state: State, steps: Sequence[Step]) -> list[Data]:
    """The position before, whole, and the pictures that follow it, each as its difference."""
    frames, game = Frames(), state.game
    for moment in game.pictures(steps[0].before if steps else state, None):
        frames.add(0, moment)
    positions = [*(one.before for one in steps[1:]), state]
    for step, following in zip(steps, positions, strict=False):  # without steps there is the one position
        for moment in game.pictures(following, step):
            frames.add(0, moment)
    return frames.drawn


def _told(steps: Sequence[Step]) -> list[tuple[int, str]]:
    """What happened, in words: who did what, -1 for nobody."""
    words: list[tuple[int, str]] = []
    for step in steps:
        words += [(player, shortened(step.before.game.tell(step, player), 300)) for player in step.before.asked()]
        if step.report.event:
            words.append((-1, step.report.event))
    return words


def _canonical(step: Step) -> str:
    """The turn as the rules read it."""
    return turn_text([step.report.actions.get(player, "") for player in step.before.asked()])


def _outcome(state: State) -> Data | None:
    outcome = state.outcome()
    return None if outcome is None else {"reason": outcome.reason, "ranks": outcome.ranks, "scores": outcome.scores}


def _draft(state: State, asking: Asking) -> Data:
    """What who chooses has chosen, and what else it can choose; and the whole turn once it is complete."""
    asked = state.asked()
    if len(asking.given) > len(asked) - 1:
        raise IllegalAction("all have answered")
    player = asked[len(asking.given)] if asking.only is None else asking.only
    draft = Draft(state, player) if player in asked else None
    if draft is None:
        return {"player": -1, "choices": [], "labels": [], "undoable": False, "frame": None, "reply": None}
    for action in asking.actions:
        draft.pick(action)
    return {
        "player": player,
        "choices": [choice.told() for choice in draft.choices()],
        "labels": draft.labels,
        "undoable": bool(draft.actions),
        "frame": _whole(draft.shown()) if draft.actions else None,
        "reply": turn_text([draft.reply()]) if draft.complete else None,
    }


def _whole(state: State) -> Data:
    frames = Frames()
    for moment in state.game.pictures(state, None):
        frames.add(0, moment)
    return frames.drawn[-1]
