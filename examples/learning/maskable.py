"""The same with a library: MaskablePPO of sb3-contrib learns against a built-in opponent, by Gymnasium's interface.

pip install 'lapilli[learning]'
python examples/learning/maskable.py --steps 200000 --save agent.zip
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import lapilli


def env(game: str, opponent: str) -> Any:
    """A game of one's own, who sits where its seed says, against a built-in opponent."""
    return gymnasium.make(f"lapilli.envs.gymnasium:lapilli/{game}-v0", opponent=opponent)


def score(model: MaskablePPO, game: str, opponent: str, matches: int) -> float:
    """The mean score of so many matches, a draw being half."""
    games, won = env(game, opponent), 0.0
    for number in range(matches):
        seen, info = games.reset(seed=1000 + number)
        over = False
        while not over:
            action, _ = model.predict(seen, action_masks=info["action_mask"], deterministic=True)
            seen, reward, over, _, info = games.step(int(action))
        won += 0.5 + reward / 2
    return won / matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="kingdomino", choices=lapilli.names())
    parser.add_argument("--opponent", default="level1", help="whom it learns against")
    parser.add_argument("--steps", type=int, default=200_000, help="actions of its own")
    parser.add_argument("--matches", type=int, default=100, help="against each opponent, at the end")
    parser.add_argument("--save", help="file for the model")
    given = parser.parse_args()
    torch.set_num_threads(1)
    model = MaskablePPO(
        "MlpPolicy", env(given.game, given.opponent), n_steps=1024, batch_size=256, gamma=1.0, verbose=1
    )
    model.learn(given.steps)
    for name in ("random", "level2"):
        print(f"against {name}: {score(model, given.game, name, given.matches):.1%} of {given.matches} matches")
    if given.save:
        model.save(given.save)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
