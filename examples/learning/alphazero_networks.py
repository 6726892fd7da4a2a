"""The networks of `alphazero.py`: a plain one, and one that has the symmetries of its game built in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

WIDTH, BLOCKS = 256, 2  # of the plain network
CHANNELS, SYMMETRIC_BLOCKS = 32, 4  # of the symmetric one


class Network(nn.Module):
    """A network from an observation of the player to act to logits of the actions and an expected utility.

    Args:
        most: greatest absolute value of each number of an observation, by which the number is divided. Numbers with the
            greatest value 0 are left out.
        actions: number of actions.
    """

    def __init__(self, most: Tensor, actions: int) -> None:
        super().__init__()
        self.register_buffer("most", most)
        self.register_buffer("used", most.nonzero().squeeze(1))
        self.first = nn.Linear(len(self.used), WIDTH)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
            for _ in range(BLOCKS)
        )
        self.logits = nn.Sequential(nn.LayerNorm(WIDTH), nn.ReLU(), nn.Linear(WIDTH, actions))
        self.value = nn.Sequential(
            nn.LayerNorm(WIDTH), nn.ReLU(), nn.Linear(WIDTH, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh()
        )

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        inside = self.first(observations[:, self.used] / self.most[self.used])
        for block in self.blocks:
            inside = inside + block(inside)
        return self.logits(inside), self.value(inside).squeeze(1)


def orbits(rows: Any, columns: Any) -> Any:
    """Returns numbers for all pairs of a row and a column: symmetric pairs have the same number, others do not.

    Args:
        rows: where each symmetry moves each row, shape (symmetries, number of rows).
        columns: the same for columns.
    """
    numbers, count = np.full((rows.shape[1], columns.shape[1]), -1), 0
    for row, column in np.ndindex(*numbers.shape):
        if numbers[row, column] < 0:
            numbers[rows[:, row], columns[:, column]] = count
            count += 1
    return numbers


class SharedLinear(nn.Module):
    """A linear layer from some channels of each column to some channels of each row. Symmetric pairs share weights.

    Args:
        numbers: the result of `orbits`.
        inputs: channels of a column.
        outputs: channels of a row.
    """

    def __init__(self, numbers: Any, inputs: int, outputs: int) -> None:
        super().__init__()
        self.register_buffer("numbers", torch.from_numpy(numbers), persistent=False)
        scale = (numbers.shape[1] * inputs) ** -0.5
        self.weights = nn.Parameter(torch.randn(int(numbers.max()) + 1, outputs, inputs) * scale)
        self.bias = nn.Parameter(torch.zeros(outputs, 1))
        self.matrix: Tensor | None = None  # outside of training it is made only once

    def forward(self, inputs: Tensor) -> Tensor:
        _, outputs, channels = self.weights.shape
        rows, columns = self.numbers.shape
        if self.training or self.matrix is None:
            weights = nn.functional.embedding(self.numbers, self.weights.flatten(1)).unflatten(2, (outputs, channels))
            self.matrix = weights.permute(2, 0, 3, 1).reshape(outputs * rows, channels * columns)
        found = nn.functional.linear(inputs.flatten(1), self.matrix)
        return found.view(len(inputs), outputs, rows) + self.bias

    def train(self, mode: bool = True) -> SharedLinear:
        self.matrix = None
        return super().train(mode)


class Block(nn.Module):
    """A residual block: what is seen at all other places is added to each place."""

    def __init__(self, numbers: Any) -> None:
        super().__init__()
        self.before, self.between = nn.GroupNorm(1, CHANNELS), nn.GroupNorm(1, CHANNELS)
        self.places = SharedLinear(numbers, CHANNELS, CHANNELS)
        self.channels = nn.Conv1d(CHANNELS, CHANNELS, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        inside = self.places(torch.relu(self.before(inputs)))
        return inputs + self.channels(torch.relu(self.between(inside)))


class SymmetricNetwork(nn.Module):
    """A network that treats symmetric positions alike: the same value, and logits that are moved as the actions are.

    Symmetric pairs of places share one weight, as pairs of pixels of an image do in a convolution. So what the network
    learns at one place of the board, it knows at all symmetric places. This needs a game with many symmetries: without
    symmetries each pair would have a weight of its own, far too many. Inside, the network has some channels for each
    action.

    Args:
        most: greatest absolute value of each number of an observation.
        symmetries: the game's symmetries.
    """

    def __init__(self, most: Tensor, symmetries: Sequence[Any]) -> None:
        super().__init__()
        self.register_buffer("most", most.clamp(min=1))
        places = np.stack([symmetry.places for symmetry in symmetries])
        actions = np.stack([symmetry.actions for symmetry in symmetries]).argsort(1)  # moved as the places are
        self.first = SharedLinear(orbits(actions, places), 1, CHANNELS)
        numbers = orbits(actions, actions)
        self.blocks = nn.Sequential(*(Block(numbers) for _ in range(SYMMETRIC_BLOCKS)))
        self.norm, self.logits = nn.GroupNorm(1, CHANNELS), nn.Conv1d(CHANNELS, 1, 1)
        self.value = nn.Sequential(nn.Linear(CHANNELS, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        inside = self.first((observations / self.most).unsqueeze(1))
        inside = torch.relu(self.norm(self.blocks(inside)))
        return self.logits(inside).squeeze(1), self.value(inside.mean(2)).squeeze(1)
