"""AlphaZero on a batch: a network learns a game from nothing, by playing itself with a tree search.

    pip install 'lapilli[learning]'
    python alphazero.py --minutes 60 --save agent.pt --log log.csv
    python alphazero.py --minutes 10 --device cuda --envs 1024 --threads 8

The search is that of Gumbel MuZero, which improves the network's policy even with few simulations. Afterwards the
network plays built-in opponents, with a longer search. The example is for games of two players who act one after the
other, with masks of legal actions. Games and search run on the CPU, the network of `alphazero_networks.py` on --device.
"""

from __future__ import annotations

import argparse
import copy
import csv
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from alphazero_networks import Network, SymmetricNetwork
from torch import Tensor, nn, optim

import lapilli
from lapilli.envs.arrays import has_masks
from lapilli.envs.starts import of_openings

STEPS, REUSE = 8, 4
POSITIONS, SAMPLES = 256, 2  # in the replay and in a minibatch, for each environment
RATE, DECAY, AVERAGE = 1e-3, 1e-4, 0.98
MANY = 16  # a game with so many symmetries gets a SymmetricNetwork
OUTCOME_SHARE = 0.5  # share of the game's outcome in the target of a value; the rest is the value from the search


def new_network(game: str, path: str | Path | None = None, device: str = "cpu") -> nn.Module:
    """Returns a network with the weights of a file, or an untrained one.

    For an untrained network, random games determine the greatest values of its observations.
    """
    start = lapilli.load(game).new_initial_state(seed=1)
    if start.num_players != 2 or start.current_player() < -1 or not has_masks(start.game):
        raise SystemExit(f"{game}: expected two players who act one after the other, and a mask of actions")
    weights = None if path is None else torch.load(path, weights_only=True, map_location=device)
    games = lapilli.batch(game, 256)
    most = torch.zeros(games.game.observation.size) if weights is None else weights["most"].float()
    for _ in range(300 if weights is None else 0):
        games.step(games.sample())
        most = torch.maximum(most, torch.from_numpy(games.observations).float().abs().amax(0))
    symmetries = games.game.symmetries(games.setup)
    symmetric = len(symmetries) >= MANY
    network = SymmetricNetwork(most, symmetries) if symmetric else Network(most, games.game.num_distinct_actions)
    if weights is not None:
        network.load_state_dict(weights)
    return network.to(device)


@torch.no_grad()
def evaluate(network: nn.Module, observations: Any, legal: Any) -> tuple[Any, Any]:
    """Evaluates positions with the network, for `lapilli.TreeSearch`.

    Args:
        network: the network.
        observations: observation of each position, one per row.
        legal: mask of the legal actions of each position.

    Returns:
        Logits of the actions, shape (positions, actions); and the expected utility of the player to act in each
            position.
    """
    logits, values = network(torch.from_numpy(observations).to(network.most.device))
    return logits.cpu().numpy(), values.cpu().numpy()


class Player:
    """An agent for `lapilli.evaluate`: a tree search with the network chooses its actions."""

    def __init__(self, network: nn.Module, simulations: int) -> None:
        self.network, self.simulations = partial(evaluate, network.eval()), simulations

    def act(self, games: Any) -> Any:
        """Returns the action that the search chooses in each game."""
        return lapilli.TreeSearch(games, self.simulations, noise=0).run(self.network).actions


class Turn(NamedTuple):
    """A turn of self-play with the results of the search. It waits here until its game is over."""

    observation: Any
    legal: Any
    policy: Any
    value: float
    player: int


class Replay:
    """A buffer of the latest positions of self-play, with the network's targets: policies and values."""

    def __init__(self, size: int, observation: Any, actions: int) -> None:
        self.observations = np.zeros((size, *observation.shape), observation.dtype)
        self.legal = np.zeros((size, actions), np.bool_)
        self.policies = np.zeros((size, actions), np.float32)
        self.values = np.zeros(size, np.float32)
        self.size, self.added = size, 0

    def add(self, turn: Turn, outcome: float) -> None:
        place = self.added % self.size
        self.observations[place], self.legal[place], self.policies[place] = turn.observation, turn.legal, turn.policy
        self.values[place] = OUTCOME_SHARE * outcome + (1 - OUTCOME_SHARE) * turn.value
        self.added += 1


class SelfPlay:
    """Games that the network plays against itself."""

    def __init__(self, game: str, envs: int, simulations: int, threads: int, seed: int) -> None:
        openings = of_openings(game)  # if there are any, half of the matches begin at one of them
        starts = {"starts": openings, "usual": 0.5} if openings else {}
        self.games = lapilli.batch(game, envs, seed=seed, threads=threads, **starts)
        self.search = lapilli.TreeSearch(self.games, simulations, seed=seed)
        self.running: list[list[Turn]] = [[] for _ in range(envs)]
        self.finished = 0

    def step(self, network: nn.Module, replay: Replay) -> None:
        """Plays one action in each game. Adds the turns of games that have just ended to the replay."""
        games = self.games
        found = self.search.run(partial(evaluate, network))
        seen, legal, players = games.observations.copy(), games.legal.copy(), games.current_player.tolist()
        for env, turns in enumerate(self.running):
            turns.append(Turn(seen[env], legal[env], found.policies[env], float(found.values[env]), players[env]))
        games.step(found.actions)
        for env in np.flatnonzero(games.terminated).tolist():
            for turn in self.running[env]:
                replay.add(turn, float(games.rewards[env, turn.player]))
            self.running[env], self.finished = [], self.finished + 1


class Symmetries:
    """The symmetries of a game, as tables. Each training sample is transformed by a random symmetry."""

    def __init__(self, games: Any, device: str) -> None:
        found = games.game.symmetries(games.setup)
        self.places = torch.stack([torch.from_numpy(symmetry.places) for symmetry in found]).to(device)
        self.originals = torch.stack([torch.from_numpy(symmetry.actions).argsort() for symmetry in found]).to(device)

    def draw(self, observations: Tensor, legal: Tensor, policies: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        drawn = torch.randint(len(self.places), (len(observations),), device=observations.device)
        originals = self.originals[drawn]
        return observations.gather(1, self.places[drawn]), legal.gather(1, originals), policies.gather(1, originals)


def learn(
    network: nn.Module, optimizer: optim.Optimizer, replay: Replay, symmetries: Symmetries, updates: int, minibatch: int
) -> tuple[float, float]:
    """Makes `updates` updates of the network. Returns the mean losses of policy and value.

    Args:
        network: the network.
        optimizer: optimizer of its parameters.
        replay: the samples, from which each update draws some at random.
        symmetries: the game's symmetries, by which the drawn samples are transformed.
        updates: number of updates.
        minibatch: number of samples in an update.
    """
    network.train()
    losses = torch.zeros(updates, 2)
    for update in range(updates):
        part = torch.randint(min(replay.added, replay.size), (minibatch,)).numpy()
        arrays = replay.observations, replay.legal, replay.policies, replay.values
        *inputs, targets = (torch.from_numpy(array[part]).to(network.most.device) for array in arrays)
        observations, legal, policies = symmetries.draw(*inputs)
        logits, values = network(observations)
        likely = logits.masked_fill(~legal, -1e9).log_softmax(1)
        policy_loss = -(policies * likely).sum(1).mean()
        value_loss = nn.functional.mse_loss(values, targets)
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        losses[update] = torch.stack((policy_loss, value_loss)).detach()
    return tuple(losses.mean(0).tolist())


class Progress(NamedTuple):
    """The progress of a training so far.

    Attributes:
        done: finished share of the training, from 0 to 1.
        minutes: wall time, in minutes.
        seconds: processor time of this process, in seconds.
        actions: number of actions of self-play.
        games: number of finished games of self-play.
        policy_loss, value_loss: mean losses of the last round.
    """

    done: float
    minutes: float
    seconds: float
    actions: int
    games: int
    policy_loss: float
    value_loss: float


def train(
    game: str,
    minutes: float = 10.0,
    actions: int | None = None,
    envs: int = 256,
    simulations: int = 32,
    threads: int = 1,
    seed: int = 0,
    begin_with: Path | None = None,
    device: str = "cpu",
) -> Iterator[tuple[nn.Module, Progress]]:
    """Trains a network for `minutes` or, if `actions` is set, for this number of actions. Yields it after each round.

    The yielded network's parameters are a moving average over the training, which plays better than the latest ones.
    """
    torch.manual_seed(seed)
    network = new_network(game, begin_with, device)
    average = copy.deepcopy(network)
    play = SelfPlay(game, envs, simulations, threads, seed)
    replay = Replay(envs * POSITIONS, play.games.observations[0], play.games.game.num_distinct_actions)
    symmetries, minibatch = Symmetries(play.games, device), envs * SAMPLES
    optimizer = optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    begun, played, learned, losses, done = time.monotonic(), 0, 0, (float("nan"), float("nan")), 0.0
    while done < 1:
        average.eval()
        for _ in range(STEPS):
            play.step(average, replay)
        played += envs * STEPS
        optimizer.param_groups[0]["lr"] = RATE * min(1, max(2 * (1 - done), 0.05))
        updates = (replay.added - learned) * REUSE // minibatch
        if updates and replay.added >= minibatch:
            losses = learn(network, optimizer, replay, symmetries, updates, minibatch)
            learned += updates * minibatch // REUSE
            for mean, latest in zip(average.parameters(), network.parameters(), strict=True):
                mean.data.lerp_(latest.data, 1 - AVERAGE**updates)
        spent = (time.monotonic() - begun) / 60
        done = spent / minutes if actions is None else played / actions
        yield average, Progress(done, spent, time.process_time(), played, play.finished, *losses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game", default="volcanoes", choices=[name for name in lapilli.names() if has_masks(lapilli.load(name))]
    )
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--actions", type=int, help="length of the training by actions of self-play, not by the clock")
    parser.add_argument("--envs", type=int, default=256, help="games at once")
    parser.add_argument("--simulations", type=int, default=32, help="for an action of self-play")
    parser.add_argument("--search", type=int, default=128, help="simulations for an action against opponents")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="of the network")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--against", nargs="+", default=["level2", "level4"])
    parser.add_argument("--matches", type=int, default=200, help="against each opponent, at the end")
    parser.add_argument("--log", help="file for a table of the progress (CSV)")
    parser.add_argument("--load", type=Path, help="file of a network to begin with")
    parser.add_argument("--save", help="file for the network, written ten times")
    given = parser.parse_args()
    counts = given.minutes, given.envs, given.simulations, given.search, given.threads, given.matches
    if min(*counts, 1 if given.actions is None else given.actions) <= 0:
        parser.error(
            "--minutes, --actions, --envs, --simulations, --search, --threads, --matches: expected more than 0"
        )
    if given.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device: this machine has no usable CUDA GPU: omit --device, or pass cpu")
    for option, path in (("--save", given.save), ("--log", given.log)):
        if path and not Path(path).resolve().parent.is_dir():
            parser.error(f"{option}: there is no folder {Path(path).resolve().parent}")
    if given.load:
        if not given.load.is_file():
            parser.error(f"--load: there is no file {given.load}")
        try:
            new_network(given.game, given.load)
        except Exception:  # torch raises errors of many types
            parser.error(f"--load: {given.load} is no network of this program for {given.game}")
    torch.set_num_threads(given.threads)
    rows, shown = list[dict[str, Any]](), 0.0
    options = given.envs, given.simulations, given.threads, given.seed, given.load, given.device
    for network, progress in train(given.game, given.minutes, given.actions, *options):
        if progress.done < shown:
            continue
        shown += 0.1
        quick = lapilli.evaluate(Player(network, given.search), given.game, given.against, matches=20, lost=0)
        scores = {name: round(pairs.score, 3) for name, pairs in quick.results.items()}
        rows.append(progress._asdict() | scores)
        print(
            f"{progress.minutes:6.2f} min {progress.actions:10,} actions {progress.games:8,} games, losses "
            f"{progress.policy_loss:.3f} {progress.value_loss:.3f}:",
            *(f"{name} {score:.0%}" for name, score in scores.items()),
            flush=True,
        )
        if given.log:
            with Path(given.log).open("w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, rows[0])
                table.writeheader()
                table.writerows(rows)
        if given.save:
            torch.save(network.state_dict(), given.save)
    if given.save:
        torch.save(network.state_dict(), given.save)
    print(lapilli.evaluate(Player(network, given.search), given.game, given.against, matches=given.matches, seed=1000))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
