"""Trains the networks that predict the final points of a Kingdomino territory, on matches of the engine against itself.

    python benchmarks/learn_kingdomino.py weights.npz

The program improves the networks that come with the game. In each generation, the networks of the generation before
play matches, with some random picks and placements. Each territory at the end of a round is a sample. Its target is
what the networks of the generation before expect *one round later*, on average over two draws of the next row. So a
target contains little luck, and each generation looks one round further ahead. After the last round the points are
known. That is why networks can also be made from nothing: `--from-nothing` begins with networks that predict 0 points,
and needs as many generations as a match has rounds.

On the same machine, and from the same networks, the same command gives the same networks again; on another machine,
sums may be rounded differently. `--games 200` tests in a minute whether the program works. Put the resulting file into
`src/lapilli/games/kingdomino/content`.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.engine.draft import put_known_tiles, tiles_after
from lapilli.games.kingdomino.engine.hooks import redraw
from lapilli.games.kingdomino.engine.network.features import OF_ALL, OF_TERRAIN, survey_pile, write_features
from lapilli.games.kingdomino.engine.network.weights import BEYOND, HIDDEN, Weights, read_weights
from lapilli.games.kingdomino.engine.plan import extend
from lapilli.games.kingdomino.engine.rounds import copy_territory, draft_round, write_next_round
from lapilli.games.kingdomino.engine.scratch import WIDEST, new_draft_scratch
from lapilli.games.kingdomino.rules.position import KINGDOMINO, OPEN
from lapilli.kernels.kernel import Batch, Position, Rng, kernel, new_random, random_below

FORMS: dict[str, dict[str, Any]] = {
    "2": {"players": 2},
    "3": {"players": 3},
    "4": {"players": 4},
    "duel": {"variant": "duel"},
}
"""Setups by name, in the order of the networks in the file."""
AT_RANDOM = 100
"""In so many of 1,000 rounds, all picks are random. In twice as many, a player's tiles are placed at random."""
PLACES, WIDTH = 8, 3
POINTS = 8.0
Floats = np.ndarray[Any, np.dtype[np.float32]]


@kernel
def play(q: Batch, rng: Rng, scratch: Any, count: int, out: Any) -> int:
    """Plays a match from the position in `q[0]`, and adds its samples to `out`. Returns the new number of samples.

    Args:
        q: two positions; `q[1]` is scratch.
        rng: state of a random generator.
        scratch: scratch arrays of the engine.
        count: number of samples in `out` so far.
        out: arrays with one row per sample: features of each terrain, features of the whole territory, targets of shape
            (samples, 2), number of tiles to come.
    """
    targets = out[2]
    scratch.places[0] = PLACES
    while True:
        first = count
        if q[0].this_round > 1:
            count = describe_all(q[0], scratch, count, out)
        for draw in range(2):
            q[1] = q[0]
            redraw(q[1], rng)
            draft_round(q[1], scratch)
            for sample in range(first, count):
                player = sample - first
                targets[sample, draw] += scratch.table[player, scratch.best[player]]
        if tiles_after(q[1]) == 0:
            return count
        if random_below(rng, 1000) < AT_RANDOM:
            pick_at_random(q[1], rng, scratch.best)
        write_next_round(q[1], q[0], scratch.best, scratch)
        for player in range(int(q[1].players)):
            if random_below(rng, 1000) < 2 * AT_RANDOM:
                place_at_random(q[1], q[0], player, rng, scratch)


@kernel
def describe_all(p: Position, scratch: Any, count: int, out: Any) -> int:
    """Adds each player's territory to the samples, with all known tiles at their best places.

    Returns the new number of samples. `p`: the position at the end of a round. The other arguments are those of `play`.
    """
    terrains, whole, targets, coming = out
    survey_pile(p.pile, scratch.network.stock)
    later = int(p.rounds - p.this_round) * int(p.lot) // int(p.players)
    for player in range(int(p.players)):
        order, picks = 0, later - tiles_after(p)
        for slot in range(int(p.lot)):
            order |= (p.play_owner[slot] == player) << slot
        scratch.nodes[0] = p
        put_known_tiles(p, player, -1, picks, WIDTH, scratch)
        write_features(scratch.nodes[0], player, later, order, scratch.network.stock, terrains[count], whole[count])
        targets[count, 0] = targets[count, 1] = -scratch.nodes[0].score[player]
        coming[count] = later
        count += 1
    return count


@kernel
def pick_at_random(p: Position, rng: Rng, best: Any) -> None:
    """Replaces the players' picks by random ones. `best`: for each player, the set of picked slots, as a bit mask."""
    lot = int(p.lot)
    for player in range(int(p.players)):
        best[player] = 0
    taken = 0
    for turn in range(lot):
        left, slot = random_below(rng, lot - turn), 0
        while left or taken >> slot & 1:
            left -= not taken >> slot & 1
            slot += 1
        taken |= 1 << slot
        best[p.play_owner[turn]] |= 1 << slot


@kernel
def place_at_random(p: Position, out: Position, player: int, rng: Rng, scratch: Any) -> None:
    """Places a player's tiles of the row in play again, and writes the resulting territory into `out`.

    Each tile goes to its best place or, in half of the cases, to a random one of the six best.

    Args:
        p: the position before these tiles were placed.
        out: the position at the beginning of the next round.
        player: number of the player.
        rng: state of a random generator.
        scratch: scratch arrays of the engine.
    """
    nodes = scratch.nodes
    nodes[0] = p
    for slot in range(int(p.lot)):
        if p.play_owner[slot] == player and p.play_tile[slot]:
            found = extend(scratch, 0, 1, WIDEST, 6, player, int(p.play_tile[slot]), tiles_after(p) + 1, 0)
            nodes[0] = nodes[WIDEST + (random_below(rng, found) if random_below(rng, 2) else 0)]
    copy_territory(nodes[0], out, player)


def samples(form: dict[str, Any], games: int, weights: Weights, seed: int) -> tuple[Any, ...]:
    """Plays `games` matches, and returns their samples: the arrays that `play` describes as `out`.

    Args:
        form: arguments of `Game.new_initial_state` that select the form of the game, such as the number of players.
        games: number of matches.
        weights: weights of the networks that play.
        seed: seed of all random draws.
    """
    start = GAME.new_initial_state(**form).array
    start["lots"] = OPEN
    most = games * int(start["players"][0]) * int(start["rounds"][0])
    out = (
        np.zeros((most, 6, OF_TERRAIN), np.float32),
        np.zeros((most, OF_ALL), np.float32),
        np.zeros((most, 2), np.float32),
        np.zeros(most, np.int64),
    )
    scratch, rng, positions = new_draft_scratch(weights), new_random(seed), np.zeros(2, KINGDOMINO)
    count = 0
    for _ in range(games):
        positions[0] = start[0]
        count = play(positions, rng, scratch, count, out)
    return tuple(column[:count] for column in out)


def no_weights() -> Weights:
    """Returns networks that predict 0."""
    shapes = (4, OF_TERRAIN + 1, HIDDEN), (4, HIDDEN + OF_ALL + 1, BEYOND), (4, BEYOND + 1), (4, 25)
    return Weights(*(np.zeros(shape, np.float32) for shape in shapes))


class Network:
    """The network of one form in training. The optimizer is Adam. Parameters are float32, with separate biases."""

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
        """Returns the outputs of all layers. The last one is the prediction: the points to come, in units of POINTS.

        `terrains`, `whole`: features of each terrain, and of the whole territory, one row per sample.
        """
        first, first_bias, second, second_bias, third, third_bias = self.parameters
        units = (terrains.reshape(-1, OF_TERRAIN) @ first + first_bias).reshape(len(terrains), 6, HIDDEN)
        joined = np.concatenate([np.maximum(units, 0).sum(1), whole], 1)
        beyond = joined @ second + second_bias
        return units, joined, beyond, (np.maximum(beyond, 0) @ third + third_bias)[:, 0]

    def learn(self, terrains: Floats, whole: Floats, wanted: Floats, rate: float) -> None:
        """Makes one gradient step that reduces the mean square error between the predictions and `wanted`.

        Args:
            terrains, whole: features, as for `forward`.
            wanted: right result for each sample, in units of POINTS.
            rate: learning rate.
        """
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


def fit(data: tuple[Any, ...], players: int, epochs: int, seed: int) -> tuple[Network, dict[int, float]]:
    """Trains a network on samples, as `play` describes them.

    Returns the network, and a dict of variances. For each number of tiles to come, it contains the variance of the
    change of a player's expected lead in one round. The variance is measured on a twentieth of the matches, which are
    not used for training.

    Args:
        data: the samples.
        players: number of players of a match.
        epochs: how often each sample is used.
        seed: seed of all random draws.
    """
    terrains, whole, targets, coming = data
    wanted = targets.mean(1) / np.float32(POINTS)
    block = np.arange(len(wanted)) // (60 * players) % 20
    held, kept = np.flatnonzero(block == 0), np.flatnonzero(block)
    network, random = Network(seed), np.random.default_rng(seed)
    batch = 512
    steps, step = epochs * (len(kept) // batch), 0
    for _ in range(epochs):
        random.shuffle(kept)
        for start in range(0, len(kept) - batch + 1, batch):
            chosen = kept[start : start + batch]
            network.learn(terrains[chosen], whole[chosen], wanted[chosen], 2e-3 * (1 - step / steps) + 1e-5)
            step += 1
    errors = targets[held] - POINTS * network.forward(terrains[held], whole[held])[-1][:, None]
    bias = (errors[:, 0] * errors[:, 1]).mean()  # the two draws are independent, so their luck cancels out
    print(f"  {len(kept)} samples, error without luck {max(bias, 0.0) ** 0.5:.2f} points", flush=True)
    leads = (errors[1:, 0] - errors[:-1, 0])[::players]
    tiles = coming[held][::players][: len(leads)]
    return network, {int(number): float(leads[tiles == number].var()) for number in np.unique(tiles)}


def put_in(weights: Weights, form: int, network: Network, variances: dict[int, float]) -> None:
    """Writes the parameters of a form's network, and the variances that `fit` has returned, into the weights.

    `form`: index of the form in the weights.
    """
    first, first_bias, second, second_bias, third, third_bias = network.parameters
    weights.first[form, :-1], weights.first[form, -1] = first, first_bias
    weights.second[form, :-1], weights.second[form, -1] = second, second_bias
    weights.third[form, :-1], weights.third[form, -1] = third[:, 0], third_bias[0]
    for tiles in range(1, 25):
        before = weights.spread[form, tiles - 1] if tiles > 1 else 0.0
        weights.spread[form, tiles] = (before**2 + variances.get(tiles, 0.0)) ** 0.5
    weights.spread[form, 1] = weights.spread[form, 1] or 0.5 * weights.spread[form, 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="where to write the weights")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS), help="which networks to train")
    parser.add_argument("--games", type=int, default=25_000, help="matches in each generation")
    parser.add_argument("--generations", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--from-nothing", action="store_true", help="begin with networks that predict 0")
    chosen = parser.parse_args()
    weights = no_weights() if chosen.from_nothing else Weights(*(array.copy() for array in read_weights()))
    for form, (name, keys) in enumerate(FORMS.items()):
        for generation in range(chosen.generations if name in chosen.forms else 0):
            print(keys, "generation", generation, f"{chosen.games} matches", flush=True)
            data = samples(keys, chosen.games, weights, 1000 * form + generation)
            put_in(weights, form, *fit(data, keys.get("players", 2), chosen.epochs, generation))
            np.savez(chosen.file, **weights._asdict())


if __name__ == "__main__":
    main()
