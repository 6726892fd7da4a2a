"""PPO on a batch: a small network learns a game by playing itself, and then plays built-in opponents.

    pip install '.[learning]'
    python examples/learning/ppo.py --minutes 10 --save agent.pt

It is for games of two players who act one after the other, with masks of legal actions.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import lapilli
from lapilli.envs.arrays import has_masks

STEPS, EPOCHS, MINIBATCH = 48, 3, 512
CLIP, LAMBDA, ENTROPY, RATE = 0.2, 0.95, 0.01, 1e-3


class Agent(nn.Module):
    """A network from an observation of the player to act to the probabilities of its actions and its expected utility.

    Args:
        most: the largest size of each number of an observation; the network does not see those that are always 0.
    """

    def __init__(self, most: Tensor, actions: int, width: int = 128) -> None:
        super().__init__()
        self.register_buffer("most", most)
        self.register_buffer("used", most.nonzero().squeeze(1))
        size = len(self.used)
        self.body = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.choice, self.worth = nn.Linear(width, actions), nn.Linear(width, 1)

    @classmethod
    def untrained(cls, game: str) -> Agent:
        """Returns an untrained agent, which knows the sizes of observations from random play."""
        start = lapilli.load(game).new_initial_state(seed=1)
        if start.num_players != 2 or start.current_player() < -1 or not has_masks(start.game):
            raise SystemExit(f"{game}: expected two players who act one after the other, and a mask of actions")
        games = lapilli.batch(game, 256)
        most = torch.zeros(games.game.observation.size)
        for _ in range(300):
            games.step(games.sample())
            most = torch.maximum(most, torch.from_numpy(games.observations).float().abs().amax(0))
        return cls(most, games.game.num_distinct_actions)

    def forward(self, seen: Tensor, legal: Tensor) -> tuple[Categorical, Tensor]:
        inside = self.body(seen[:, self.used] / self.most[self.used])
        logits = self.choice(inside).masked_fill(~legal, -1e9)
        return Categorical(logits=logits, validate_args=False), torch.tanh(self.worth(inside)).squeeze(-1)

    @torch.no_grad()
    def best(self, state: Any) -> int:
        """Returns the most likely action; this method is a player for `lapilli.play_match`."""
        legal = torch.zeros(1, state.game.num_distinct_actions, dtype=torch.bool)
        legal[0, state.legal_actions()] = True
        seen = torch.from_numpy(state.observation(state.current_player()))
        return int(self(seen[None], legal)[0].logits.argmax())


@torch.no_grad()
def play(agent: Agent, games: Any) -> dict[str, Tensor]:
    """Plays STEPS steps of all games; returns observations, actions and advantages, environment after environment.

    An advantage is how much better the result was than expected.
    """
    taken: dict[str, list[Tensor]] = {name: [] for name in ("seen", "legal", "action", "likely", "worth")}
    rewards, turns, ends = [], [], []
    symmetries = games.game.symmetries(games.setup)
    places = torch.stack([torch.from_numpy(symmetry.places) for symmetry in symmetries])
    originals = torch.stack([torch.from_numpy(symmetry.actions).argsort() for symmetry in symmetries])
    for _ in range(STEPS):
        # Each game is seen in a random one of its symmetries, so that the agent learns all of them at once.
        drawn = torch.randint(len(symmetries), (games.num_envs,))
        seen = torch.from_numpy(games.observations).gather(1, places[drawn])
        legal = torch.from_numpy(games.legal).gather(1, originals[drawn])
        player = torch.from_numpy(games.current_player).long()
        choice, worth = agent(seen, legal)
        action = choice.sample()
        games.step(originals[drawn].gather(1, action[:, None]).squeeze(1).numpy())
        for name, value in zip(taken, (seen, legal, action, choice.log_prob(action), worth), strict=True):
            taken[name].append(value)
        rewards.append(torch.from_numpy(games.rewards).gather(1, player[:, None]).squeeze(1))
        turns.append(torch.where(torch.from_numpy(games.current_player) == player, 1.0, -1.0))
        ends.append(torch.from_numpy(games.terminated).clone())
    after = agent(torch.from_numpy(games.observations), torch.from_numpy(games.legal))[1]
    gain, gains = torch.zeros_like(after), []
    for step in reversed(range(STEPS)):
        # The value of the next position is the negative of the other player's; after the end it is 0.
        on, worth = turns[step] * ~ends[step], taken["worth"][step]
        gain = rewards[step] + on * after - worth + LAMBDA * on * gain
        gains.append(gain)
        after = worth
    lesson = {name: torch.stack(values).flatten(0, 1) for name, values in taken.items()}
    return lesson | {"gain": torch.stack(gains[::-1]).flatten()}


def learn(agent: Agent, optimizer: torch.optim.Optimizer, lesson: dict[str, Tensor]) -> float:
    """Learns EPOCHS times from the samples. Returns the mean entropy of the choices."""
    aim = lesson["gain"] + lesson["worth"]
    entropies = []
    for _ in range(EPOCHS):
        for part in torch.randperm(len(aim)).split(MINIBATCH):
            choice, worth = agent(lesson["seen"][part], lesson["legal"][part])
            ratio = torch.exp(choice.log_prob(lesson["action"][part]) - lesson["likely"][part])
            gain = lesson["gain"][part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            better = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            entropy = choice.entropy().mean()
            loss = nn.functional.mse_loss(worth, aim[part]) - better - ENTROPY * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            entropies.append(entropy.item())
    return sum(entropies) / len(entropies)


def train(game: str, minutes: float, envs: int = 128, seed: int = 0) -> Iterator[tuple[Agent, int, float, float]]:
    """Trains an agent for that time; after each round yields the agent, actions played, minutes, entropy."""
    torch.manual_seed(seed)
    agent, games = Agent.untrained(game), lapilli.batch(game, envs, seed=seed)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    begun, actions, spent = time.monotonic(), 0, 0.0
    while spent < minutes:
        optimizer.param_groups[0]["lr"] = RATE * max(1 - spent / minutes, 0.05)
        entropy = learn(agent, optimizer, play(agent, games))
        actions, spent = actions + envs * STEPS, (time.monotonic() - begun) / 60
        yield agent, actions, spent, entropy


def score(agent: Agent, game: str, opponent: str, matches: int, seed: int = 1) -> float:
    """Returns the mean score against a built-in opponent, in pairs on one seed with seats exchanged; a draw is half."""
    won = 0.0
    for number in range(matches):
        seats: list[Callable[..., int] | str] = [agent.best, opponent]
        turned = 1 if number % 2 == 0 else -1
        own, other = lapilli.play_match(game, seats[::turned], seed=seed + number // 2).outcome.ranks[::turned]
        won += 0.5 * ((own <= other) + (own < other))
    return won / matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="kingdomino", choices=lapilli.names())
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--envs", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1, help="of torch's; more help where cores are idle")
    parser.add_argument("--matches", type=int, default=400, help="against each opponent, at the end")
    parser.add_argument("--save", help="file for the network")
    given = parser.parse_args()
    if min(given.minutes, given.envs, given.threads, given.matches) <= 0:
        parser.error("--minutes, --envs, --threads, --matches: expected more than 0")
    if given.save and not Path(given.save).resolve().parent.is_dir():
        parser.error(f"--save: there is no folder {Path(given.save).resolve().parent}")
    torch.set_num_threads(given.threads)
    shown = 0.0
    for agent, actions, minutes, entropy in train(given.game, given.minutes, given.envs):
        if minutes >= shown:
            quick = " ".join(f"{name} {score(agent, given.game, name, 20):.0%}" for name in ("random", "level2"))
            print(f"{minutes:5.2f} min {actions:10,} actions, entropy {entropy:.2f}: {quick}", flush=True)
            shown += given.minutes / 10
    for name in ("random", "level2"):
        print(f"against {name}: {score(agent, given.game, name, given.matches, 1000):.1%} of {given.matches} matches")
    if given.save:
        torch.save(agent.state_dict(), given.save)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
