"""Drafts: the actions that a player has chosen for a turn that is not played yet. Only that player sees them."""

from __future__ import annotations

from lapilli.core.api import SIMULTANEOUS, State
from lapilli.core.errors import IllegalAction
from lapilli.core.picture.choices import Choice


class Draft:
    """The actions that a player has chosen for the current turn.

    In a simultaneous turn, the draft assumes that each other player takes its lowest legal action, which does nothing
    and ends that player's turn.

    Args:
        state: the position at the start of the turn.
        player: the player, who must be one of the players to act in this position.

    Attributes:
        player: the player.
        state: the position after the chosen actions.
        actions: the chosen actions.
        labels: the chosen actions in words.
        way: clicks by which the last action is chosen, as in `Choice.way`.
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
        """Whether the turn is complete, so that no further action can be chosen."""
        return self.state.turn != self._start.turn or self.state.current_player() not in (self.player, SIMULTANEOUS)

    @property
    def is_settled(self) -> bool:
        """Whether the turn is complete and can be played without confirmation.

        This applies to a turn of a single action, and to a simultaneous turn, in which a separate action ends the turn.
        """
        return self.complete and (len(self.actions) == 1 or self._start.current_player() == SIMULTANEOUS)

    def choices(self) -> list[Choice]:
        """Returns the actions that may be chosen next."""
        if self._choices is None:
            self._choices = [] if self.complete else self.state.game.choices(self.state, self.player)
        return self._choices

    def pick(self, action: int) -> None:
        """Adds an action to the draft. Raises IllegalAction, and changes nothing, if the action is not possible now."""
        chosen = next((choice for choice in self.choices() if choice.action == action), None)
        if chosen is None:
            raise IllegalAction("that move is not possible now")
        self._before = self.state
        self.state, self._choices = self._after(self.state, action), None
        self.actions.append(action)
        self.labels.append(chosen.label)
        self.way = chosen.way

    def undo(self, step: int | None = None) -> None:
        """Removes a chosen action, and later ones that are impossible without it.

        Args:
            step: number of the action in `actions`; None for the last action.

        Raises:
            IllegalAction: no such action is chosen.
        """
        step = len(self.actions) - 1 if step is None else step
        if not 0 <= step < len(self.actions):
            raise IllegalAction("there is nothing to undo")
        earlier, later = self.actions[:step], self.labels[step + 1 :]
        self.state = self._before = self._start.clone()
        self.actions, self.labels, self.way, self._choices = [], [], (), None
        for action in earlier:
            self.pick(action)
        # The same action may have another number in another position.
        for label in later:
            same = next((choice.action for choice in self.choices() if choice.label == label), None)
            if same is not None:
                self.pick(same)

    def reply(self) -> str:
        """Returns the turn as a bot would write it. Raises IllegalAction if the turn is not complete."""
        if not self.complete:
            raise IllegalAction("the turn is not complete: finish it or undo")
        return self._start.game.protocol.format_reply(self._start, self.player, self.actions)

    def shown(self) -> State:
        """Returns the position to draw.

        Usually, this is the position after the chosen actions. If the turn is complete, it is the position before any
        random draws that follow the turn. So the player must decide whether to play the turn without seeing what is
        drawn.
        """
        return self._after(self._before.opened(), self.actions[-1]) if self.complete else self.state

    def _after(self, state: State, action: int) -> State:
        after = state.clone()
        if after.current_player() == SIMULTANEOUS:
            joint = [after.legal_actions(other)[0] for other in range(after.num_players)]
            joint[self.player] = action
            after.apply_actions(joint)
        else:
            after.apply_action(action)
        return after
