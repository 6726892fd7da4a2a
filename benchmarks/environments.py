"""What a learner wants to know of each game, measured in random play: the sheets docs/environments/GAME.md.

python benchmarks/environments.py [GAME ...] --games 2000

The last sections are left as they are: `statespace.py` writes the positions', `baselines.py` the baselines'.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import lapilli
from lapilli.envs.arrays import takes_all
from lapilli.games import load
from lapilli.games.game import Game
from lapilli.games.kernel import SIMULTANEOUS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "environments"
QUANTILES = (0, 5, 25, 50, 75, 95, 100)
ENVS = 256


class Measured:
    """Random games: how long they are, how many actions are legal, how they end."""

    def __init__(self, game: Game, wanted: int) -> None:
        games = lapilli.batch(game, ENVS, seed=1)
        left = np.full(ENVS, -(-wanted // ENVS))  # as many from each environment, or short games would count for more
        lengths, branching, tree, rewards = [], [], [], []
        steps, logs = np.zeros(ENVS, np.int64), np.zeros(ENVS)
        while left.any():
            counts = games.legal_counts.reshape(ENVS, -1)
            branching.append(np.bincount(counts[left > 0].ravel(), minlength=game.verbs.MAX_LEGAL + 1))
            logs += np.log10(np.maximum(counts, 1)).sum(axis=1)
            steps += 1
            games.step(games.sample())
            for number in np.flatnonzero(games.terminated & (left > 0)):
                lengths.append(int(steps[number]))
                tree.append(float(logs[number]))
                rewards.append(games.rewards[number].tolist())
            left -= games.terminated & (left > 0)
            logs[games.terminated] = steps[games.terminated] = 0
        self.lengths, self.tree, self.rewards = np.array(lengths), np.array(tree), np.array(rewards)
        self.branching = np.sum(branching, axis=0)

    def legal_quantiles(self) -> list[int]:
        share = np.cumsum(self.branching) / self.branching.sum()
        lowest = int(np.flatnonzero(self.branching)[0])
        return [max(lowest, int(np.searchsorted(share, part / 100 - 1e-12))) for part in QUANTILES]


def sheet(game: Game, wanted: int) -> str:
    measured, start = Measured(game, wanted), game.new_initial_state()
    seen = game.observation
    together = takes_all(game)
    lines = [
        f"# {game.title}",
        "",
        f"Written by `python benchmarks/environments.py {game.name} --games {wanted}`, {len(measured.lengths)} random "
        "games of the usual form.",
        "",
        "| | |",
        "|---|---|",
        f"| players | {', '.join(map(str, game.players))} |",
        f"| turns | {'all at once' if start.current_player() == SIMULTANEOUS else 'one after the other'} |",
        f"| actions | {game.num_distinct_actions}, {'listed' if game.num_distinct_actions > 4096 else 'masked'}"
        f"; at most {game.verbs.MAX_LEGAL} legal |",
        f"| observation | {seen.size} numbers of {np.dtype(seen.dtype).name} |",
        "| rewards | at the end alone: +1 for the best rank to -1 for the worst, ties share |",
        f"| longest game | {game.max_game_length} atomic actions |",
        f"| a position | {game.state.DTYPE.itemsize} bytes |",
        "",
        f"## {'Joint steps' if together else 'Actions'} and choices",
        "",
        f"| quantile | {' | '.join(f'{part} %' for part in QUANTILES)} | mean |",
        f"|---|{'---|' * (len(QUANTILES) + 1)}",
        f"| {'joint steps' if together else 'actions'} a game | "
        f"{row(np.percentile(measured.lengths, QUANTILES).astype(int))} | {measured.lengths.mean():.1f} |",
        f"| legal actions{' a player' if together else ''} | {row(measured.legal_quantiles())} | "
        f"{np.average(np.arange(len(measured.branching)), weights=measured.branching):.1f} |",
        "",
        "The product of the numbers of legal actions along a random game, an estimate of how many games there are "
        f"between random players (lots not counted): 10^{np.median(measured.tree):.0f} in the median.",
        "",
        "## Random play",
        "",
        "| player | wins | shares | loses | mean utility |",
        "|---|---|---|---|---|",
    ]
    for player in range(measured.rewards.shape[1]):
        own = measured.rewards[:, player]
        error = own.std() / len(own) ** 0.5
        shares = [f"{100 * np.mean(part):.1f} %" for part in (own > 0, own == 0, own < 0)]
        lines.append(f"| {player} | {' | '.join(shares)} | {own.mean():+.3f} ± {1.96 * error:.3f} |")
    lines += ["", "## Observation", "", "| part | shape | meaning |", "|---|---|---|"]
    lines += [f"| {part.name} | {' × '.join(map(str, part.shape))} | {part.meaning} |" for part in seen.parts]
    return "\n".join([*lines, ""])


def row(numbers: Any) -> str:
    return " | ".join(str(int(number)) for number in numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(lapilli.names()))
    parser.add_argument("--games", type=int, default=2000, dest="number")
    given = parser.parse_args()
    for name in given.names:
        file = FOLDER / f"{load(name).name}.md"
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        others = "".join(before.partition("\n## Positions")[1:])
        file.write_text(sheet(load(name), given.number) + others, encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main()
