"""PPO on a batch: a small network learns a game by playing itself, and then plays built-in opponents.

    pip install 'lapilli[learning]'
    python ppo.py --minutes 10 --save agent.pt
    python ppo.py --actions 3000000 --seed 1 --log log.csv

With `--actions`, a seed decides the whole training, as long as `--threads` is 1. With `--pool`, the network plays
against its earlier versions. The example is for games of two players. Players may act one after the other or at once,
and the batch may have masks or lists of legal actions.
"""

from __future__ import annotations

import argparse
import copy
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import lapilli
from lapilli.envs.arrays import has_masks

STEPS, EPOCHS, MINIBATCH = 48, 3, 512
CLIP, LAMBDA, ENTROPY, RATE = 0.2, 0.95, 0.01, 1e-3
VERSIONS = 20  # number of versions of the agent that a training adds to the pool


class Agent(nn.Module):
    """A network from an observation of the player to act to the probabilities of its actions and its expected utility.

    Args:
        most: greatest absolute value of each number of an observation, by which the number is divided. Numbers with the
            greatest value 0 are left out.
        actions: number of actions.
        width: number of neurons in each hidden layer.
    """

    def __init__(self, most: Tensor, actions: int, width: int = 128) -> None:
        super().__init__()
        self.register_buffer("most", most)
        self.register_buffer("used", most.nonzero().squeeze(1))
        size = len(self.used)
        self.body = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.logits, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    @classmethod
    def untrained(cls, game: str) -> Agent:
        """Returns an untrained agent. Random games determine the greatest values of its observations."""
        games = lapilli.batch(game, 256)
        if games.rewards.shape[1] != 2:
            raise SystemExit(f"{game}: expected a game of two players")
        most = torch.zeros(games.game.observation.size)
        for _ in range(300):
            games.step(games.sample())
            most = torch.maximum(most, rows_of(games)[0].float().abs().amax(0))
        return cls(most, games.game.num_distinct_actions)

    def forward(self, observations: Tensor, legal: Tensor) -> tuple[Categorical, Tensor]:
        inside = self.body(observations[:, self.used] / self.most[self.used])
        if legal.dtype == torch.bool:
            logits = self.logits(inside).masked_fill(~legal, -1e9)
        else:  # lists of legal actions, filled up with -1: only these logits are computed
            legal = legal[:, : int((legal >= 0).sum(1).max())]
            listed = legal.clamp(min=0)
            weights, biases = self.logits.weight[listed], self.logits.bias[listed]
            logits = ((weights @ inside.unsqueeze(2)).squeeze(2) + biases).masked_fill(legal < 0, -1e9)
        return Categorical(logits=logits, validate_args=False), torch.tanh(self.value(inside)).squeeze(-1)

    @torch.no_grad()
    def sample(self, observations: Any, legal: Any) -> Any:
        """Draws an action for each of many games. `lapilli.PastSelves` accepts this method as a past self."""
        masks_or_lists = torch.from_numpy(legal)
        return actions_at(masks_or_lists, self(torch.from_numpy(observations), masks_or_lists)[0].sample()).numpy()

    @torch.no_grad()
    def best(self, observations: Any, legal: Any) -> Any:
        """Returns the most likely action for each of many games. `lapilli.evaluate` accepts this method as an agent."""
        masks_or_lists = torch.from_numpy(legal)
        policy, _ = self(torch.from_numpy(observations), masks_or_lists)
        return actions_at(masks_or_lists, policy.logits.argmax(-1)).numpy()

    def play(self, state: Any) -> int:
        """Returns the most likely action in one game where players act one after the other. `lapilli.play_match`
        accepts this method as a player.
        """
        legal = np.array([state.legal_actions()], np.int32)
        return int(self.best(state.observation(state.current_player())[None], legal)[0])


def actions_at(legal: Tensor, chosen: Tensor) -> Tensor:
    """Returns the numbers of the chosen actions. In lists of legal actions, an agent chooses a place in the list."""
    return chosen if legal.dtype == torch.bool else legal.gather(1, chosen.unsqueeze(1)).squeeze(1)


def rows_of(games: Any) -> tuple[Tensor, Tensor]:
    """Returns observations and legal actions of a batch, with one row for each player who acts.

    Legal actions are a mask, or lists that are filled up with -1.
    """
    observations = torch.from_numpy(games.observations).flatten(0, -2)
    if has_masks(games.game):
        return observations, torch.from_numpy(games.legal).flatten(0, -2)
    counts = torch.from_numpy(games.legal_counts).flatten().unsqueeze(1)
    lists = torch.from_numpy(games.legal).flatten(0, -2)[:, : int(counts.max())]
    return observations, lists.masked_fill(torch.arange(lists.shape[1]) >= counts, -1)


def stacked(parts: list[Tensor]) -> Tensor:
    """Returns the rows of all steps in one tensor. Lists of legal actions are filled up to the longest one."""
    if parts[0].dtype == torch.int32 and parts[0].ndim == 2:
        longest = max(part.shape[1] for part in parts)
        parts = [nn.functional.pad(part, (0, longest - part.shape[1]), value=-1) for part in parts]
    return torch.cat(parts)


@torch.no_grad()
def play(agent: Agent, games: Any) -> dict[str, Tensor]:
    """Plays STEPS steps of all games, and returns training samples: tensors with one row per action, by name.

    An advantage tells by how much the result after an action was better than expected.
    """
    names = ("observations", "legal", "actions", "log_probs", "values")
    taken: dict[str, list[Tensor]] = {name: [] for name in names}
    rewards, turns, ends = [], [], []
    at_once = games.observations.ndim == 3  # both players act in every step
    symmetries = games.game.symmetries(games.setup) if has_masks(games.game) else ()
    if symmetries:
        places = torch.stack([torch.from_numpy(symmetry.places) for symmetry in symmetries])
        originals = torch.stack([torch.from_numpy(symmetry.actions).argsort() for symmetry in symmetries])
    for _ in range(STEPS):
        observations, legal = rows_of(games)
        if symmetries:  # each position is transformed by a random one, so that the agent learns all symmetric ones
            drawn = torch.randint(len(symmetries), (len(observations),))
            of_actions = originals[drawn]
            observations, legal = observations.gather(1, places[drawn]), legal.gather(1, of_actions)
        player = torch.from_numpy(games.current_player).long()
        policy, values = agent(observations, legal)
        chosen = policy.sample()
        actions = of_actions.gather(1, chosen[:, None]).squeeze(1) if symmetries else actions_at(legal, chosen)
        games.step(actions.numpy().reshape(games.observations.shape[:-1]))
        observed = (observations.clone(), legal.clone(), chosen, policy.log_prob(chosen), values)
        for name, part in zip(names, observed, strict=True):
            taken[name].append(part)
        gained, ended = torch.from_numpy(games.rewards).clone(), torch.from_numpy(games.terminated).clone()
        if at_once:
            rewards.append(gained.flatten())
            turns.append(torch.ones(len(observations)))
            ends.append(ended.repeat_interleave(2))
        else:
            rewards.append(gained.gather(1, player[:, None]).squeeze(1))
            turns.append(torch.where(torch.from_numpy(games.current_player) == player, 1.0, -1.0))
            ends.append(ended)
    next_values = agent(*rows_of(games))[1]
    advantage, advantages = torch.zeros_like(next_values), []
    for step in reversed(range(STEPS)):
        # If the other player acts next, the value of the next position is negated. After the end, it is 0.
        on, values = turns[step] * ~ends[step], taken["values"][step]
        advantage = rewards[step] + on * next_values - values + LAMBDA * on * advantage
        advantages.append(advantage)
        next_values = values
    samples = {name: stacked(parts) for name, parts in taken.items()}
    return samples | {"advantages": torch.cat(advantages[::-1])}


def learn(agent: Agent, optimizer: torch.optim.Optimizer, samples: dict[str, Tensor]) -> float:
    """Trains the agent on all samples, EPOCHS times. Returns the mean entropy of the policy, in nats."""
    returns = samples["advantages"] + samples["values"]
    entropies = []
    for _ in range(EPOCHS):
        for part in torch.randperm(len(returns)).split(MINIBATCH):
            policy, values = agent(samples["observations"][part], samples["legal"][part])
            ratio = torch.exp(policy.log_prob(samples["actions"][part]) - samples["log_probs"][part])
            advantages = samples["advantages"][part]
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            surrogate = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
            entropy = policy.entropy().mean()
            loss = nn.functional.mse_loss(values, returns[part]) - surrogate - ENTROPY * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            entropies.append(entropy.item())
    return sum(entropies) / len(entropies)


def train(
    game: str,
    minutes: float,
    envs: int = 128,
    seed: int = 0,
    total_actions: int | None = None,
    pool: lapilli.PastSelves | None = None,
) -> Iterator[tuple[Agent, int, float, float]]:
    """Trains an agent, for `minutes` or, if `total_actions` is set, for this number of actions.

    With a pool, the agent plays against the pool's past selves, and a copy of the agent is added to the pool from time
    to time. `envs` is the number of games that are played at once.

    Yields:
        After each update: the agent, its number of actions so far, the minutes so far, and the policy's mean entropy in
            nats.
    """
    torch.manual_seed(seed)
    agent = Agent.untrained(game)
    if pool is None:
        games = lapilli.batch(game, envs, seed=seed)
    else:
        pool.add("0", copy.deepcopy(agent).sample)
        games = lapilli.batch(game, envs, seed=seed, others=pool)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    begun, actions, spent, done, added = time.monotonic(), 0, 0.0, 0.0, 0
    while done < 1:
        optimizer.param_groups[0]["lr"] = RATE * max(1 - done, 0.05)
        entropy = learn(agent, optimizer, play(agent, games))
        actions, spent = actions + envs * STEPS, (time.monotonic() - begun) / 60
        done = spent / minutes if total_actions is None else actions / total_actions
        if pool is not None and done * VERSIONS >= added + 1:
            pool.add(f"{actions:,}", copy.deepcopy(agent).sample)
            added += 1
        yield agent, actions, spent, entropy


def score(agent: Agent, game: str, opponent: str, matches: int, seed: int = 1) -> float:
    """Returns the mean score against a built-in opponent: 1 for a win, 0.5 for a draw."""
    return lapilli.evaluate(agent.best, game, [opponent], matches=matches, seed=seed, lost=0).results[opponent].score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="kingdomino", choices=lapilli.names())
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--actions", type=int, help="length and learning rate by actions, not by the clock")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--envs", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1, help="of torch's; more help where cores are idle")
    parser.add_argument("--pool", action="store_true", help="play against past selves, not against itself")
    parser.add_argument("--matches", type=int, default=400, help="against each opponent, at the end")
    parser.add_argument("--log", type=Path, help="file for a table of the progress (CSV)")
    parser.add_argument("--save", type=Path, help="file for the network")
    given = parser.parse_args()
    if min(given.minutes, given.envs, given.threads, given.matches, 1 if given.actions is None else given.actions) <= 0:
        parser.error("--minutes, --actions, --envs, --threads, --matches: expected more than 0")
    for option, path in (("--log", given.log), ("--save", given.save)):
        if path and not path.resolve().parent.is_dir():
            parser.error(f"{option}: there is no folder {path.resolve().parent}")
    torch.set_num_threads(given.threads)
    pool = lapilli.PastSelves() if given.pool else None
    shown, rows = 0.0, [("actions", "minutes", "entropy", "random", "level2")]
    for agent, actions, minutes, entropy in train(
        given.game, given.minutes, given.envs, given.seed, given.actions, pool
    ):
        done = minutes / given.minutes if given.actions is None else actions / given.actions
        if done >= shown:
            scores = [score(agent, given.game, name, 20) for name in ("random", "level2")]
            quick = f"random {scores[0]:.0%} level2 {scores[1]:.0%}"
            print(f"{minutes:5.2f} min {actions:10,} actions, entropy {entropy:.2f}: {quick} (20 matches)", flush=True)
            rows.append((actions, round(minutes, 3), round(entropy, 4), *scores))
            shown += 0.1
            if given.log:
                with given.log.open("w", newline="", encoding="utf-8") as file:
                    csv.writer(file).writerows(rows)
    if pool is not None:
        for rating in pool.ratings():
            print(f"{rating.name:>12} {rating.elo:6.0f} Elo ({rating.low:.0f} to {rating.high:.0f})")
    print(lapilli.evaluate(agent.best, given.game, ["random", "level2"], matches=given.matches, seed=1000, lost=0))
    if given.save:
        torch.save(agent.state_dict(), given.save)
        print(f"saved to {given.save}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
