"""MaskablePPO, an algorithm of sb3-contrib, learns a game by self-play through PettingZoo's interface.

    pip install 'lapilli[learning]'
    python maskable.py --minutes 10 --save agent.zip

Afterwards the agent plays built-in opponents through Gymnasium's interface. `ppo.py` does the same without sb3-contrib.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import lapilli
from lapilli.envs import pettingzoo
from lapilli.envs.arrays import has_masks

ENVS, STEPS, EPOCHS, MINIBATCH = 8, 512, 3, 512
ENTROPY, RATE, WIDTH = 0.01, 1e-3, 128


class Seat(gymnasium.Env[Any, int]):
    """A PettingZoo game as a Gymnasium environment for one of its agents.

    In each game, this agent is drawn at random. The learner's current model plays for all other agents.
    """

    learner: MaskablePPO

    def __init__(self, game: str) -> None:
        self.game = pettingzoo.env(game)
        agent = self.game.possible_agents[0]
        self.observation_space = self.game.observation_space(agent)["observation"]
        self.action_space = self.game.action_space(agent)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.game.reset(seed=int(self.np_random.integers(1 << 31)))
        self.agent = self.np_random.choice(self.game.possible_agents)
        self._let_others_play()
        return self.game.observe(self.agent)["observation"], {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.game.step(action)
        self._let_others_play()
        paid, over = self.game.rewards[self.agent], self.game.terminations[self.agent]
        return self.game.observe(self.agent)["observation"], paid, over, False, {}

    def action_masks(self) -> Any:
        """Returns the mask of the agent's legal actions. MaskablePPO calls this method."""
        return self.game.observe(self.agent)["action_mask"].astype(bool)

    def _let_others_play(self) -> None:
        """Plays the other agents' actions until it is this agent's turn, or the game is over."""
        while (agent := self.game.agent_selection) != self.agent and not self.game.terminations[agent]:
            seen = self.game.observe(agent)
            action, _ = self.learner.predict(seen["observation"], action_masks=seen["action_mask"])
            self.game.step(int(action))


def train(game: str, minutes: float, seed: int = 0, actions: int | None = None, log: Path | None = None) -> MaskablePPO:
    """Trains a model for `minutes` or, if `actions` is set, for this number of actions. Prints its scores ten times."""
    if not has_masks(lapilli.load(game)):  # all samples are stored in memory, with their masks
        raise SystemExit(f"{game}: expected a game that a batch has masks of, not one of so many actions")
    begun, shown, played = time.monotonic(), 0, 0
    rows: list[tuple[Any, ...]] = [("actions", "minutes", "random", "level2")]

    def spent() -> float:
        """Returns the share of the training that is finished, from 0 to 1."""
        if actions is not None:
            return played / actions
        return (time.monotonic() - begun) / (60 * minutes)

    def goes_on(*_: Any) -> bool:
        nonlocal shown, played
        played = model.num_timesteps
        if shown <= 10 * spent() < 10:
            scores, so_far = [score(model, game, name, 20) for name in ("random", "level2")], time.monotonic() - begun
            quick = f"random {scores[0]:.0%} level2 {scores[1]:.0%}"
            print(f"{so_far / 60:5.2f} min {played:10,} actions: {quick}", flush=True)
            rows.append((played, round(so_far / 60, 3), *scores))
            shown = int(10 * spent()) + 1
            if log is not None:
                with log.open("w", newline="", encoding="utf-8") as file:
                    csv.writer(file).writerows(rows)
        return spent() < 1 or played <= ENVS * STEPS  # so that at least one update is made

    seats = DummyVecEnv([lambda: Seat(game)] * ENVS)
    model = MaskablePPO(
        "MlpPolicy",
        seats,
        learning_rate=lambda _: RATE * max(1 - spent(), 0.05),
        n_steps=STEPS,
        batch_size=MINIBATCH,
        n_epochs=EPOCHS,
        gamma=1.0,
        ent_coef=ENTROPY,
        policy_kwargs={"net_arch": [WIDTH, WIDTH]},
        seed=seed,
    )
    for seat in seats.envs:
        seat.learner = model
    return model.learn(1 << 40, callback=goes_on)


def score(model: MaskablePPO, game: str, opponent: str, matches: int) -> float:
    """Returns the mean score in matches against a built-in opponent: 1 for a win, 0.5 for a draw.

    The seed of a match determines the model's seat.
    """
    games = gymnasium.make(f"lapilli.envs.gymnasium:lapilli/{game}-v0", opponent=opponent)
    won = 0.0
    for number in range(matches):
        seen, info = games.reset(seed=1000 + number)
        over = False
        while not over:
            action, _ = model.predict(seen, action_masks=info["action_mask"], deterministic=True)
            seen, reward, over, _, info = games.step(int(action))
        won += 0.5 + float(reward) / 2
    return won / matches


def main() -> None:
    games = [name for name in lapilli.names() if has_masks(lapilli.load(name))]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="kingdomino", choices=games)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--actions", type=int, help="length and learning rate by actions, not by the clock")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--matches", type=int, default=400, help="against each opponent, at the end")
    parser.add_argument("--log", type=Path, help="file for a table of the progress (CSV)")
    parser.add_argument("--save", type=Path, help="file for the model")
    given = parser.parse_args()
    if min(given.minutes, given.matches, 1 if given.actions is None else given.actions) <= 0:
        parser.error("--minutes, --actions, --matches: expected more than 0")
    for option, path in (("--log", given.log), ("--save", given.save)):
        if path and not path.resolve().parent.is_dir():
            parser.error(f"{option}: there is no folder {path.resolve().parent}")
    torch.set_num_threads(1)
    model = train(given.game, given.minutes, given.seed, given.actions, given.log)
    print(f"{model.num_timesteps:,} actions of its own")
    for name in ("random", "level2"):
        print(f"against {name}: {score(model, given.game, name, given.matches):.1%} of {given.matches} matches")
    if given.save:
        model.save(given.save)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
