"""Base class of batches with a single learner: the learner's arrays, and how they are saved."""

from __future__ import annotations

from typing import Any

from lapilli.envs.batches.environments import Batch
from lapilli.envs.batches.validation import MOST_STEPS, count_of

_PREFIX = "others_"


class OneLearnerBatch(Batch):
    """Environments in which the caller acts for one player, the *learner*, and the batch plays for all other players.

    All arrays have one row per environment, in every game, with the learner's observation and legal actions.
    """

    _others: Any
    """The arrays for the other players, a NamedTuple. Two of its fields are `learners` and `rewards`."""
    _saved_others: tuple[str, ...]
    """Names of the arrays in `_others` that `save` copies."""

    @property
    def learners(self) -> Any:
        """The learner's player number in the current game of each environment, shape (n,) (int8)."""
        return self._others.learners

    @property
    def learner_rewards(self) -> Any:
        """The learner's utility, in [-1, 1], in games that the last step ended, else 0; shape (n,), float32."""
        return self._others.rewards

    def play_random(self, steps: int) -> None:
        """Plays `steps` steps of random actions of the learners, as `sample` draws them.

        `rewards`, `learner_rewards` and `terminated` describe the last step.

        Raises:
            LapilliError: the number of steps is not valid.
        """
        for _ in range(count_of("steps", steps, MOST_STEPS)):
            self.step(self.sample())

    @property
    def _has_seats(self) -> bool:
        return False

    def _saved(self) -> dict[str, Any]:
        return super()._saved() | {f"{_PREFIX}{name}": getattr(self._others, name) for name in self._saved_others}

    def _write(self, name: str, values: Any) -> None:
        if name.startswith(_PREFIX):
            getattr(self._others, name.removeprefix(_PREFIX))[:] = values
        else:
            super()._write(name, values)
