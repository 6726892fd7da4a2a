"""Figures of each game for learners, measured in random play: the sheets docs/environments/GAME.md.

    python benchmarks/environments.py [GAME ...] --games 2000

Measures speed on two threads; use an idle machine. The last two sections of a sheet are not changed: `statespace.py`
writes the section about positions, and `baselines.py` writes the section about baselines.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import numpy as np

import lapilli
from lapilli.core.game import Game
from lapilli.envs.arrays import has_masks, takes_all
from lapilli.envs.batch import Batch
from lapilli.games import load
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "environments"
QUANTILES = (0, 5, 25, 50, 75, 95, 100)
ENVS = 256
SPEED_ENVS, SPEED_STEPS, STRETCHES, STRETCH_S = (1024, 4096), 50, 7, 0.5


class Measured:
    """Figures of random games: length, number of legal actions, results."""

    def __init__(self, game: Game, wanted: int) -> None:
        games = lapilli.batch(game, ENVS, seed=1)
        left = np.full(
            ENVS, -(-wanted // ENVS)
        )  # the same number from each environment, or short games would count more
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


def chance(game: Game) -> str:
    """Describes the chance events of a random game, and when they occur."""
    state, random, lots = game.new_initial_state(), Random(1), []
    while not state.is_terminal():
        current_player = state.current_player()
        if current_player == SIMULTANEOUS:
            state.apply_actions([random.choice(state.legal_actions(player)) for player in range(state.num_players)])
            continue
        if current_player == CHANCE and len(outcomes := state.chance_outcomes()) > 1:
            assert len({round(likely, 9) for _, likely in outcomes}) == 1
            lots.append(len(outcomes))
        state.apply_action(random.choice(state.legal_actions()))
    if lots:
        return f"{len(lots)} random draws in a game, each among equally likely outcomes, at most {max(lots)}"
    starts = {game.new_initial_state(seed=seed).position() for seed in range(1, 5)}
    return "the start, drawn by the seed; none after it" if len(starts) > 1 else "none"


def speed(game: Game) -> str:
    """Describes the speed: actions per second for several sizes of the batch, with and without observations."""
    told = []
    for number in SPEED_ENVS:
        games = lapilli.batch(game, number, seed=1, threads=2)
        games.play_random(200)  # then the games are in different phases
        shown, alone = rate(partial(step, games)), rate(games.play_random)
        told.append(f"{number:,} environments: {millions(shown * number)}, {millions(alone * number)} without")
    unit = "joint steps" if takes_all(game) else "actions"
    return f"million {unit} a second on two cores, with observations and legal actions, and without; {'; '.join(told)}"


def step(games: Batch, steps: int) -> None:
    for _ in range(steps):
        games.step(games.sample())


def rate(play: Callable[[int], object]) -> float:
    """Returns the number of steps per second: the median over several periods.

    `play`: function that plays the given number of steps.
    """
    measured = []
    for _ in range(STRETCHES):
        done, begun = 0, time.perf_counter()
        while (spent := time.perf_counter() - begun) < STRETCH_S:
            play(SPEED_STEPS)
            done += SPEED_STEPS
        measured.append(done / spent)
    return median(measured)


def millions(number: float) -> str:
    return f"{number / 1e6:.3g}"


def sheet(game: Game, wanted: int) -> str:
    measured, start = Measured(game, wanted), game.new_initial_state()
    seen = game.observation
    together = takes_all(game)
    lines = [
        f"# {game.title}",
        "",
        f"This sheet describes {game.title} as a learning task. `python benchmarks/environments.py {game.name} "
        f"--games {wanted}`",
        f"measured it in {len(measured.lengths)} random games with default settings (the first number of players, "
        "variant and league).",
        "",
        "| | |",
        "|---|---|",
        f"| players | {', '.join(map(str, game.players))} |",
        f"| turns | {'all at once' if start.current_player() == SIMULTANEOUS else 'one after the other'} |",
        f"| actions | {game.num_distinct_actions}, {'masked' if has_masks(game) else 'listed'}"
        f"; at most {game.verbs.MAX_LEGAL} legal |",
        f"| observation | {seen.size} numbers of {np.dtype(seen.dtype).name} |",
        f"| information hidden | {'what the others choose in the same turn' if together else 'none'} |",
        f"| chance | {chance(game)} |",
        "| rewards | only at the end of a game: from +1 for the best rank to -1 for the worst; equal ranks get the "
        "same |",
        f"| longest game | {game.max_game_length} atomic actions |",
        f"| a position | {game.state.DTYPE.itemsize} bytes |",
        f"| speed | {speed(game)} |",
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
        "How many different games are there? For an estimate, multiply the numbers of legal actions along a random "
        "game. The median of these products is",
        f"10^{np.median(measured.tree):.0f}; chance is not counted.",
        "",
        "## Random play",
        "",
        "| player | wins | draws | loses | mean utility |",
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
