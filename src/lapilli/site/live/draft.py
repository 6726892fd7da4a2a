"""A turn that is not played yet: the atomic actions that a player has chosen. Only that player sees them."""

from __future__ import annotations

from lapilli.core.api import SIMULTANEOUS, State
from lapilli.core.errors import IllegalAction
from lapilli.core.picture.choices import Choice


class Draft:
    """The actions that one player has chosen in this turn.

    In a simultaneous turn, each other player is assumed to take its lowest legal action, which means doing nothing and
    ends the turn.

    Args:
        state: the position at the start of the turn.
        player: the player, one of those asked.

    Attributes:
        state: the position after the chosen actions.
        actions: the chosen actions.
        labels: the chosen actions in words.
        way: clicks that mean the last chosen action, as in `Choice.way`.
    """

    def __init__(self, state: State, player: int) -> None:
        self.player = player
        self._start = state.clone()
        self.state = state.clone()
        self._before = self.state
        self.actions: list[int] = []
        self.labels: list[str] = []
        self.way: tuple[str, ...] = ()
        self._choices: list[Choice] | None = None

    @property
    def complete(self) -> bool:
        """Whether no further action is possible in this turn."""
        return self.state.turn != self._start.turn or self.state.current_player() not in (self.player, SIMULTANEOUS)

    @property
    def is_settled(self) -> bool:
        """Whether the turn can be played without confirmation: it is complete after a single action, or it is a
        simultaneous turn, which the player has ended explicitly.
        """
        return self.complete and (len(self.actions) == 1 or self._start.current_player() == SIMULTANEOUS)

    def choices(self) -> list[Choice]:
        """Returns the actions that may be chosen next."""
        if self._choices is None:
            self._choices = [] if self.complete else self.state.game.choices(self.state, self.player)
        return self._choices

    def pick(self, action: int) -> None:
        """Adds an action. Raises IllegalAction, and then changes nothing."""
        chosen = next((choice for choice in self.choices() if choice.action == action), None)
        if chosen is None:
            raise IllegalAction("that cannot be played now")
        self._before = self.state
        self.state, self._choices = self._after(self.state, action), None
        self.actions.append(action)
        self.labels.append(chosen.label)
        self.way = chosen.way

    def undo(self) -> None:
        """Takes back the last action. Raises IllegalAction if there is none."""
        if not self.actions:
            raise IllegalAction("there is nothing to take back")
        del self.actions[-1], self.labels[-1]
        self.way, self._choices = (), None
        self.state = self._start.clone()
        self._before = self.state
        for action in self.actions:
            self._before, self.state = self.state, self._after(self.state, action)

    def reply(self) -> str:
        """Returns the whole turn in the format of the game's protocol. Raises IllegalAction if the turn is not
        complete.
        """
        if not self.complete:
            raise IllegalAction("the turn is not complete: go on, or take back")
        return self._start.game.protocol.format_reply(self._start, self.player, self.actions)

    def shown(self) -> State:
        """Returns the position to draw.

        If the turn is complete and its result depends on random draws, this is the position before its last action.
        Otherwise a player could look at the drawn result and then take the turn back.
        """
        return self._before if self.complete and self._hides() else self.state

    def _hides(self) -> bool:
        ends = []
        for seed in (1, 2):
            state = self._start.determinised(seed)
            for action in self.actions:
                state = self._after(state, action)
            ends.append(state)
        return ends[0] != ends[1]

    def _after(self, state: State, action: int) -> State:
        after = state.clone()
        if after.current_player() == SIMULTANEOUS:
            joint = [after.legal_actions(other)[0] for other in range(after.num_players)]
            joint[self.player] = action
            after.apply_actions(joint)
        else:
            after.apply_action(action)
        return after
