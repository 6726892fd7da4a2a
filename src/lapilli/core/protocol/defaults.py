"""Defaults for a game that does not define its own: text and picture of a position, and a simple protocol."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from lapilli.core.errors import IllegalAction, PositionError
from lapilli.core.picture.scene import Scene, TextLine
from lapilli.core.protocol.input_lines import InputLines, Reader, read_position, setup_of
from lapilli.core.protocol.protocol import Protocol, Replies, Step, TurnReport, reply_of
from lapilli.core.rules.outcome import Fault, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.kernel import CHANCE, new_random

if TYPE_CHECKING:
    from lapilli.core.game import Game

_STYLE = ".plain-line { font: 20px monospace; fill: var(--ink); white-space: pre; }"
_LINE, _SIGN, _MARGIN = 28, 12, 24


def notation_lines(state: State, step: Step | None) -> list[TextLine]:
    """Formats a position as one line, its notation. The default of `Game.text`."""
    return [[(state.position(), "")]]


def label_or_reply(step: Step, player: int) -> str:
    """Describes a player's turn in words, by the label of its choice (`Choice.label`). The default of `Game.tell`.

    In a game with a protocol of its own, or after an illegal reply, returns the reply from `TurnReport.actions`.
    Without a reply, returns "".
    """
    reply, game = step.report.actions.get(player, ""), step.before.game
    if reply and isinstance(game.protocol, PlainProtocol):
        with suppress(IllegalAction):
            action = step.before.string_to_action(reply, player)
            labels = {choice.action: choice.label for choice in game.choices(step.before, player)}
            return labels.get(action, reply)
    return reply


def no_themes(step: Step, after: State, player: int) -> list[str]:
    """Returns no themes. The default of `Game.themes`."""
    return []


def terminal_scene(state: State, step: Step | None) -> Scene:
    """Draws a position as the lines of text that `Game.text` returns. The default of `Game.scene`."""
    lines = ["".join(text for text, _ in line) for line in state.game.text(state, step)]
    width = 2 * _MARGIN + _SIGN * max(map(len, lines), default=0)
    scene = Scene(width, 2 * _MARGIN + _LINE * len(lines), state.position(), _STYLE)
    for number, line in enumerate(lines):
        scene.text(f"line-{number}", _MARGIN, _MARGIN + _LINE * (number + 0.75), line, "plain-line")
    return scene


class PlainProtocol(Protocol):
    """The default protocol, for games in which one player at a time plays one action per turn.

    A turn's input has two lines. The first line is the position notation, so no information is hidden. The second line
    lists the names of the legal actions, separated by blanks; a name must not contain a blank. A valid reply is one of
    these names, with or without blanks around it. A player with any other reply, or without a reply, leaves the game
    (`State.leave`). In a chance turn, the setup's seed and the turn number determine the outcome.
    """

    def opening_input(self, state: State, player: int) -> str:
        return ""

    def turn_input(self, state: State, player: int) -> str:
        words = (state.action_to_string(action, player) for action in state.legal_actions(player))
        return f"{state.position()}\n{' '.join(words)}\n"

    def reader(self, game: Game, setup: Setup) -> Reader:
        return PlainReader(game, setup)

    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        (action,) = actions
        return state.action_to_string(action, player)

    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        report = TurnReport(state.turn)
        if state.current_player() == CHANCE:
            outcome = _random_outcome(state)
            report.event = state.action_to_string(outcome)
            state.apply_action(outcome)
            return report
        for player in state.asked():
            fault = _play_reply(state, player, reply_of(replies, player), report)
            if fault:
                report.faults.append(fault)
                state.leave(player, fault.termination)
        return report


class PlainReader(Reader):
    """Converts the text that `PlainProtocol` sends to a bot back into positions.

    Variant and league are taken from the setup, because the position notation does not contain them. If the setup does
    not contain the number of players, the reader uses the first number in `Game.players` for which the notation is
    valid.

    Args:
        game: the game.
        setup: facts about the match that the text does not contain; values may be missing.
    """

    def __init__(self, game: Game, setup: Setup) -> None:
        self._game = game
        numbers = game.players if setup.players is None else (setup.players,)
        self._setups = [setup_of(game, replace(setup, players=players)) for players in numbers]

    def opening(self, lines: InputLines) -> None:
        """Reads nothing from `lines`, because `PlainProtocol` sends no opening input."""

    def turn(self, lines: InputLines) -> tuple[State, int]:
        state = self._position(lines.line())
        player = state.current_player()
        if player < 0:
            lines.refuse("a position in which a player is to act")
        lines.check([lines.line()], self._game.protocol.turn_input(state, player).splitlines()[1:])
        return state, player

    def _position(self, text: str) -> State:
        while True:
            try:
                state = read_position(self._game, self._setups[0], text)
            except PositionError:
                if len(self._setups) == 1:
                    raise
                del self._setups[0]
            else:
                del self._setups[1:]
                return state


def _random_outcome(state: State) -> int:
    """Draws a chance outcome at a chance node. The setup's seed and the turn number determine the result."""
    rng = new_random((state.setup.seed or 0) * 1_000_003 + state.turn)
    return int(state.game.verbs.chance(state.record, rng, *state.static))


def _play_reply(state: State, player: int, reply: str | Fault, report: TurnReport) -> Fault | None:
    """Plays a player's reply on `state` and adds the reply to the report. Returns the player's fault, or None."""
    if isinstance(reply, Fault):
        return reply
    report.actions[player] = reply
    try:
        action = state.string_to_action(reply.strip(), player)
    except IllegalAction as refusal:
        return Fault(player, Termination.INVALID, str(refusal))
    report.actions[player] = state.action_to_string(action, player)
    state.apply_action(action)
    return None
