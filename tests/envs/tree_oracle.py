"""A tree search in plain Python, slow and obvious, for one position: the oracle of `lapilli.TreeSearch`."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, exp, log, log2, pi, sqrt
from typing import Any

import numpy as np

from lapilli.core.api import CHANCE, State
from lapilli.kernels.kernel import random_below, random_unit

LEAST = 1e-300


@dataclass
class Edge:
    action: int
    logit: float
    prior: float
    visits: int = 0
    score: float = 0.0
    children: list[Node] = field(default_factory=list)
    draws: int = 0

    @property
    def value(self) -> float:
        return self.score / self.visits


@dataclass
class Node:
    state: State
    value: float
    edges: list[Edge]
    drawn: int = 1

    @property
    def visits(self) -> int:
        return sum(edge.visits for edge in self.edges)


class Oracle:
    """The search from one position. Arguments as for `lapilli.TreeSearch`; `rng`: the same generator as there."""

    def __init__(
        self,
        state: State,
        network: Any,
        rng: Any,
        simulations: int,
        method: str,
        considered: int = 16,
        scale: float = 1.0,
        exploration: float = 1.25,
        noise: float = 1.0,
        outcomes: int | None = None,
    ) -> None:
        self.network, self.rng, self.method, self.outcomes = network, rng, method, outcomes
        self.scale, self.exploration = scale, exploration
        self.root, _ = self.grown(state.opened())
        self.chances = [0.0] * len(self.root.edges)
        if noise:
            self.draw_noise(noise)
        visits = halving(min(considered, len(self.root.edges)), simulations)
        for number in range(simulations):
            self.simulate(visits[number])

    def draw_noise(self, noise: float) -> None:
        if self.method == "gumbel":
            self.chances = [-noise * log(-log(random_unit(self.rng) + LEAST) + LEAST) for _ in self.root.edges]
            return
        drawn = [gamma(10 / len(self.root.edges), self.rng) for _ in self.root.edges]
        for edge, number in zip(self.root.edges, drawn, strict=True):
            edge.prior = (1 - noise / 4) * edge.prior + noise / 4 * number / sum(drawn)

    def grown(self, state: State) -> tuple[Node, list[float]]:
        """A new node, and the players' utilities that the network expects."""
        player, players = state.current_player(), state.num_players
        legal = np.zeros((1, state.game.num_distinct_actions), np.bool_)
        legal[0, state.legal_actions()] = True
        logits, values = self.network(state.observation(player)[None], legal)
        actions = state.legal_actions()
        priors = softmax([float(logits[0, action]) for action in actions])
        edges = [Edge(action, float(logits[0, action]), prior) for action, prior in zip(actions, priors, strict=True)]
        ahead = [float(values[0]), -float(values[0])] if values.ndim == 1 else values[0].tolist()
        utilities = [ahead[(other - player) % players] for other in range(players)]
        return Node(state, ahead[0], edges), utilities

    def simulate(self, visits: int) -> None:
        node, path = self.root, []
        while True:
            edge = self.chosen(node, visits)
            path.append((node, edge))
            child, is_new = self.followed(node, edge)
            if child.state.is_terminal():
                utilities = child.state.returns()
                break
            if is_new:
                grown, utilities = self.grown(child.state)
                child.value, child.edges = grown.value, grown.edges
                break
            node = child
        for passed, edge in path:
            edge.visits += 1
            edge.score += utilities[passed.state.current_player()]

    def followed(self, node: Node, edge: Edge) -> tuple[Node, bool]:
        if edge.children and not edge.draws:
            return edge.children[0], False
        if edge.draws and edge.draws == self.outcomes:
            drawn = [child for child in edge.children for _ in range(child.drawn)]
            return drawn[random_below(self.rng, edge.draws)], False
        state, chance = node.state.clone(), False
        state.apply_action(edge.action)
        while state.current_player() == CHANCE:
            chance |= len(state.legal_actions()) > 1
            state.apply_action(int(state.game.verbs.chance(state.record, self.rng, *state.static)))
        edge.draws += chance
        for child in edge.children:
            if child.state.array.tobytes() == state.array.tobytes():
                child.drawn += 1
                return child, False
        edge.children.append(Node(state, 0.0, []))
        return edge.children[-1], True

    def chosen(self, node: Node, visits: int) -> Edge:
        if self.method == "puct":
            explore = self.exploration * sqrt(1 + node.visits)
            return max(
                node.edges,
                key=lambda edge: (edge.value if edge.visits else node.value) + explore * edge.prior / (1 + edge.visits),
            )
        if node is self.root:
            return self.best_of(visits)
        improved = softmax(self.completed(node)[0])
        return node.edges[
            argmax([p - edge.visits / (1 + node.visits) for p, edge in zip(improved, node.edges, strict=True)])
        ]

    def completed(self, node: Node) -> tuple[list[float], float]:
        """Logits of the improved policy, and the value of actions without visits."""
        seen = [edge for edge in node.edges if edge.visits]
        mixed = node.value
        if seen:
            mean = sum(edge.prior * edge.score / edge.visits for edge in seen) / sum(edge.prior for edge in seen)
            mixed = (node.value + node.visits * mean) / (1 + node.visits)
        factor = self.scale * (50 + max(edge.visits for edge in node.edges)) / 2
        return [edge.logit + factor * (edge.value if edge.visits else mixed) for edge in node.edges], mixed

    def best_of(self, visits: int) -> Edge:
        """The root's best edge of those that were visited this often."""
        places = [place for place, edge in enumerate(self.root.edges) if edge.visits == visits]
        logits, _ = self.completed(self.root)
        return self.root.edges[places[argmax([logits[place] + self.chances[place] for place in places])]]

    def result(self) -> tuple[int, dict[int, float], dict[int, int], float]:
        """Action, policy, visits and value, as in `TreeSearchResult`."""
        edges = self.root.edges
        visits = {edge.action: edge.visits for edge in edges}
        if self.method == "puct":
            policy, other = [edge.visits / self.root.visits for edge in edges], self.root.value
            action = max(edges, key=lambda edge: edge.visits).action
        else:
            logits, other = self.completed(self.root)
            policy, action = softmax(logits), self.best_of(max(visits.values())).action
        value = sum(p * (edge.value if edge.visits else other) for p, edge in zip(policy, edges, strict=True))
        return action, {edge.action: p for p, edge in zip(policy, edges, strict=True)}, visits, value


def halving(actions: int, simulations: int) -> list[int]:
    """How often the next action was visited, by simulation."""
    visits, left, order = [0] * actions, actions, list[int]()
    rounds = max(1, np.ceil(log2(actions)))
    while len(order) < simulations:
        for _ in range(max(1, int(simulations / (rounds * left)))):
            order += visits[:left]
            visits[:left] = [number + 1 for number in visits[:left]]
        left = max(left // 2, min(2, actions))
    return order


def softmax(logits: list[float]) -> list[float]:
    powers = [exp(logit - max(logits)) for logit in logits]
    return [power / sum(powers) for power in powers]


def argmax(numbers: list[float]) -> int:
    return numbers.index(max(numbers))


def gamma(shape: float, rng: Any) -> float:
    if shape < 1:
        power = (random_unit(rng) + LEAST) ** (1 / shape)
        return float(power * gamma(shape + 1, rng))
    d = shape - 1 / 3
    while True:
        x = sqrt(-2 * log(random_unit(rng) + LEAST)) * cos(2 * pi * random_unit(rng))
        v = (1 + x / sqrt(9 * d)) ** 3
        if v > 0 and log(random_unit(rng) + LEAST) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v
