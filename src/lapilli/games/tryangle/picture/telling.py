"""Describes a player's turn in words, for the log beside the board."""

from __future__ import annotations

from collections.abc import Sequence

from lapilli.core.picture.words import quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.rules.outcome import Fault
from lapilli.games.tryangle.picture.story import Story, effects_of

_MOST_LISTED = 4
"""Greatest number of events of one kind that the text lists one by one. If there are more, it gives only their
number."""


def tell(step: Step, player: int) -> str:
    """Describes a player's turn: "sends 3 units from 2 to 5, spawns 1 unit at 7".

    Commands that could not be carried out are left out. If a reply has a fault and no effect, returns the reply as the
    bot wrote it. Implements `Game.tell`.
    """
    described = ", ".join(_descriptions(_LATEST.events_of(step), player))
    has_fault = any(fault.player == player for fault in step.report.faults)
    return described or (step.report.actions.get(player, "") if has_fault else "waits")


def brief(step: Step, player: int) -> str:
    """Describes a player's turn in a few signs: "»5 ×2 2›5 ×3 7+1", an attack that kills two units, three units that
    move, and a spawned one. "2–5" is a path that is built, "2|5" a path that is removed.

    Implements `Game.brief`.
    """
    events = _LATEST.events_of(step)
    moves, spawns = _moves(events, player), _spawns(events, player)
    signs = [
        *(f"»{one.target}" + _times(one.killed) for one in events.attacks if one.player == player),
        *(f"{start}›{end}" + _times(number) for number, start, end in moves),
        *(f"{house}+{number}" for house, number in spawns),
        *("{1}{0}{2}".format("|–"[one.built], *one.path) for one in events.changes if one.player == player),
    ]
    return " ".join(signs) or tell(step, player)


def _times(number: int) -> str:
    return f" ×{number}" if number > 1 else ""


def _moves(events: Story, player: int) -> list[tuple[int, int, int]]:
    """Returns a player's moves in the order of the commands, each as number of units, first house, second house."""
    return [(number, start, end) for (owner, start, end), number in events.moves.items() if owner == player]


def _spawns(events: Story, player: int) -> list[tuple[int, int]]:
    """Returns the houses at which a player spawned units, in the order of the commands, with the numbers of units."""
    return [(house, number) for (owner, house), number in events.spawns.items() if owner == player]


class _Latest:
    """A cache of the events of one turn: the turn that was described last. A turn is described once for each player."""

    _found: tuple[Step, Story] | None = None  # one value, so that threads cannot mix up two turns

    def events_of(self, step: Step) -> Story:
        found = self._found
        if found is None or found[0] is not step:
            found = self._found = step, _events_of(step)
        return found[1]


_LATEST = _Latest()


def _events_of(step: Step) -> Story:
    after = step.before.clone()
    faults: dict[int, str | Fault] = {fault.player: fault for fault in step.report.faults}
    after.game.protocol.play_turn(after, faults | step.report.actions)
    return effects_of(after, step)


def _descriptions(events: Story, player: int) -> list[str]:
    """Returns descriptions of what a player did in a turn: attacks, moves, spawns, and changes of paths.

    `events` are the events of the turn, with those of the other player.
    """
    killed = [f"{one.target}: {quantity(one.killed, 'unit')} killed" for one in events.attacks if one.player == player]
    moves, spawns = _moves(events, player), _spawns(events, player)
    changes = [change for change in events.changes if change.player == player]
    sent = sum(number for number, _, _ in moves)
    born = sum(number for _, number in spawns)
    return [
        *_some([f"attacks {what}" for what in killed], f"attacks {len(killed)} houses"),
        *_some(
            [f"sends {quantity(number, 'unit')} from {start} to {end}" for number, start, end in moves],
            f"sends {sent} units from {len({start for _, start, _ in moves})} houses",
        ),
        *_some(
            [f"spawns {quantity(number, 'unit')} at {house}" for house, number in spawns],
            f"spawns {born} units at {len(spawns)} houses",
        ),
        *_some(
            ["{} the path {}–{}".format("builds" if change.built else "removes", *change.path) for change in changes],
            f"builds {sum(change.built for change in changes)} and removes "
            f"{sum(not change.built for change in changes)} paths",
        ),
    ]


def _some(one_by_one: Sequence[str], together: str) -> Sequence[str]:
    """Returns the texts `one_by_one` if there are at most _MOST_LISTED of them, otherwise the summary `together`."""
    return one_by_one if len(one_by_one) <= _MOST_LISTED else [together]
