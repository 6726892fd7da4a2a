"""Trains the networks that predict the final points of a Kingdomino territory, on matches of the engine with itself.

    python benchmarks/learn_kingdomino.py weights.npz

In the first generation the turns are greedy's, later those of the network before, without sampling. Up to a random
round, each player sometimes plays at random. From then on, each territory at the end of a round is a sample, with all
known tiles put where they are best, and its final points are the target. The file belongs in
`src/lapilli/games/kingdomino/content`.

That command made the weights that lie there. On the same machine it makes the same ones again; elsewhere sums may be
rounded differently. `--games 200 --generations 2` shows in half a minute that it works.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.board import MAX_LEGAL
from lapilli.games.kingdomino.engine.draft import add_tile
from lapilli.games.kingdomino.engine.features import OF_ALL, OF_TERRAIN, survey_pile, write_features
from lapilli.games.kingdomino.engine.greedy import best_turn
from lapilli.games.kingdomino.engine.scratch import new_draft_scratch
from lapilli.games.kingdomino.engine.turns import propose_turns
from lapilli.games.kingdomino.engine.weights import BEYOND, HIDDEN, Weights
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.position import DRAW, KINGDOMINO, OPEN, OVER, PICK, PUT
from lapilli.kernels.kernel import Batch, Position, Rng, kernel, new_random, random_below

FORMS: tuple[dict[str, Any], ...] = ({"players": 2}, {"players": 3}, {"players": 4}, {"variant": "duel"})
AT_RANDOM = 250
"""Number of random turns in 1,000, before the round at which samples begin."""
WAYS = 8
POINTS = 8.0
Floats = np.ndarray[Any, np.dtype[np.float32]]


@kernel
def play(
    p: Position, greedy: bool, since: int, rng: Rng, scratch: Any, turns: Any, priors: Any, starts: Batch, out: Any
) -> int:
    """Plays a match; fills `out` = (terrains, whole, points to come, player, tiles to come) from that round on."""
    points, whose = out[2], out[3]
    count = 0
    for _ in range(p.lot):
        rules.play(p, rules.chance(p, rng))
    while p.phase != OVER:
        player, this_round, putting = rules.current_player(p), p.this_round, p.phase == PUT
        if this_round < since and random_below(rng, 1000) < AT_RANDOM:
            rules.play(p, rules.random_action(p, player, rng, scratch.actions))
            if putting and p.phase == PICK and p.this_round == this_round:
                rules.play(p, rules.random_action(p, player, rng, scratch.actions))
        else:
            if greedy:
                best_turn(p, player, starts, turns[2:], rng, turns[0])
            else:
                propose_turns(p, player, 1, WAYS, 1, turns, priors, starts, scratch)
            for index in range(2):
                if turns[0, index] >= 0:
                    rules.play(p, turns[0, index])
        if p.phase == DRAW:
            if p.this_round > since:
                count = describe_all(p, scratch, count, out)
            for _ in range(p.lot):
                rules.play(p, rules.chance(p, rng))
    for index in range(count):
        points[index] += p.score[whose[index]]
    return count


@kernel
def describe_all(p: Position, scratch: Any, count: int, out: Any) -> int:
    """Adds every player's territory at the end of a round; returns the number of samples then."""
    terrains, whole, points, whose, coming = out
    survey_pile(p.pile, scratch.network.stock)
    for player in range(p.players):
        scratch.nodes[0] = p
        later = int((p.rounds - p.this_round) * p.lot // p.players)
        known, found = 0, 1
        for slot in range(p.lot):
            known += p.play_owner[slot] == player
        for slot in range(p.lot):
            if p.play_owner[slot] == player:
                known -= 1
                found = add_tile(scratch, found, 2, player, int(p.play_tile[slot]), later + known)
        write_features(scratch.nodes[0], player, later, scratch.network.stock, terrains[count], whole[count])
        points[count] = -scratch.nodes[0].score[player]
        whose[count], coming[count] = player, later
        count += 1
    return count


def samples(form: dict[str, Any], games: int, weights: Weights | None, seed: int) -> list[Any]:
    """Returns (terrains, whole, points to come, tiles to come, number of the match) of that many matches."""
    state = GAME.new_initial_state(**form)
    rounds = int(state.record["rounds"])
    most = 4 * rounds
    out = (
        np.zeros((most, 6, OF_TERRAIN)),
        np.zeros((most, OF_ALL)),
        np.zeros(most),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
    )
    scratch, rng = new_draft_scratch(weights or no_weights()), new_random(seed)
    turns, priors, starts = np.zeros((4, MAX_LEGAL), np.int64), np.zeros(1), np.zeros(2, KINGDOMINO)
    taken: list[list[Any]] = []
    for number in range(games):
        start = state.clone()
        start.record["lots"] = OPEN
        since = max(1, random_below(rng, rounds + 3) - 4)
        count = play(start.record, weights is None, since, rng, scratch, turns, priors, starts, out)
        terrains, whole, points, _whose, coming = (column[:count] for column in out)
        taken.append(
            [terrains.astype("f4"), whole.astype("f4"), points.astype("f4"), coming.copy(), np.full(count, number)]
        )
        for column in out:
            column[:count] = 0
    return [np.concatenate(column) for column in zip(*taken, strict=True)]


def no_weights() -> Weights:
    """Returns networks that predict 0."""
    shapes = (4, OF_TERRAIN + 1, HIDDEN), (4, HIDDEN + OF_ALL + 1, BEYOND), (4, BEYOND + 1), (4, 25)
    return Weights(*map(np.zeros, shapes))


class Network:
    """One form's network in training, by Adam; parameters are float32, biases separate."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        sizes = (OF_TERRAIN, HIDDEN), (HIDDEN + OF_ALL, BEYOND), (BEYOND, 1)
        self.parameters: list[Floats] = []
        for entering, leaving in sizes:
            scale = np.sqrt(1 / entering)
            self.parameters.append((random.normal(size=(entering, leaving)) * scale).astype("f4"))
            self.parameters.append(np.zeros(leaving, "f4"))
        self._means = [np.zeros_like(parameter) for parameter in self.parameters]
        self._squares = [np.zeros_like(parameter) for parameter in self.parameters]
        self._steps = 0

    def forward(self, terrains: Floats, whole: Floats) -> tuple[Floats, ...]:
        """Returns the values of each layer; the last one is the points to come, in units of POINTS."""
        first, first_bias, second, second_bias, third, third_bias = self.parameters
        units = (terrains.reshape(-1, OF_TERRAIN) @ first + first_bias).reshape(len(terrains), 6, HIDDEN)
        joined = np.concatenate([np.maximum(units, 0).sum(1), whole], 1)
        beyond = joined @ second + second_bias
        return units, joined, beyond, (np.maximum(beyond, 0) @ third + third_bias)[:, 0]

    def learn(self, terrains: Floats, whole: Floats, wanted: Floats, rate: float) -> None:
        """Takes one step towards the wanted results, by the mean square error."""
        _first, _, second, _, third, _ = self.parameters
        units, joined, beyond, result = self.forward(terrains, whole)
        error = ((result - wanted) / len(wanted))[:, None]
        back = (error @ third.T) * (beyond > 0)
        down = (np.repeat((back @ second[:HIDDEN].T)[:, None], 6, 1) * (units > 0)).reshape(-1, HIDDEN)
        slopes = (
            terrains.reshape(-1, OF_TERRAIN).T @ down,
            down.sum(0),
            joined.T @ back,
            back.sum(0),
            np.maximum(beyond, 0).T @ error,
            error.sum(0),
        )
        self._steps += 1
        for index, slope in enumerate(slopes):
            self._means[index] = 0.9 * self._means[index] + 0.1 * slope
            self._squares[index] = 0.999 * self._squares[index] + 0.001 * slope * slope
            mean = self._means[index] / (1 - 0.9**self._steps)
            square = self._squares[index] / (1 - 0.999**self._steps)
            self.parameters[index] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype("f4")


def fit(data: Sequence[Any], epochs: int, seed: int) -> tuple[Network, dict[int, float]]:
    """Trains a network on these samples; returns it, and its error's standard deviation by tiles to come, on every 20th
    match."""
    terrains, whole, points, coming, match = data
    wanted = points / np.float32(POINTS)
    held, kept = np.flatnonzero(match % 20 == 0), np.flatnonzero(match % 20)
    network, random = Network(seed), np.random.default_rng(seed)
    batch = 512
    steps, step = epochs * (len(kept) // batch), 0
    for _ in range(epochs):
        random.shuffle(kept)
        for start in range(0, len(kept) - batch + 1, batch):
            chosen = kept[start : start + batch]
            network.learn(terrains[chosen], whole[chosen], wanted[chosen], 2e-3 * (1 - step / steps) + 1e-5)
            step += 1
    errors = POINTS * (network.forward(terrains[held], whole[held])[-1] - wanted[held])
    print(f"  {len(kept)} samples, error {errors.std():.2f} points, of {points.std():.2f}", flush=True)
    return network, {int(tiles): float(errors[coming[held] == tiles].std()) for tiles in np.unique(coming[held])}


def put_in(weights: Weights, form: int, network: Network, errors: dict[int, float]) -> None:
    """Writes a form's network into the weights."""
    first, first_bias, second, second_bias, third, third_bias = network.parameters
    weights.first[form, :-1], weights.first[form, -1] = first, first_bias
    weights.second[form, :-1], weights.second[form, -1] = second, second_bias
    weights.third[form, :-1], weights.third[form, -1] = third[:, 0], third_bias[0]
    for tiles in range(1, 25):
        weights.spread[form, tiles] = 2**0.5 * errors.get(tiles, 0) or max(weights.spread[form, tiles - 1], 3.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="where to write the weights")
    parser.add_argument("--games", type=int, default=12_000, help="in each generation; twice as many in the last")
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=30)
    chosen = parser.parse_args()
    weights = no_weights()
    for form, keys in enumerate(FORMS):
        before: list[Any] = []
        for generation in range(chosen.generations):
            last = generation == chosen.generations - 1
            known = weights if generation else None
            games = chosen.games * (2 if last else 1)
            print(keys, "generation", generation, f"{games} matches", flush=True)
            new = samples(keys, games, known, 1000 * form + generation)
            data = [np.concatenate(columns) for columns in zip(before, new, strict=True)] if generation > 1 else new
            network, errors = fit(data, chosen.epochs if last else 12, generation)
            put_in(weights, form, network, errors)
            before = new
        np.savez(chosen.file, **weights._asdict())


if __name__ == "__main__":
    main()
