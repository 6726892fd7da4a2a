"""Cost of the referee compared with a bare pipe: whole matches, and the same lines written to the same bots directly.

    python benchmarks/referee.py [volcanoes]

The bots are the game's C++ starter (g++ needed) and its Python starter. Their stderr is discarded on both sides, since
a bare pipe would not read it. Both sides start from running bots and count wall time per reply; matches include the
rules, both players' input text, clocks and the record. First everything runs on one core, the strictest measure,
because a reply costs least there. Then it runs freely, as in a real match, where a reply crosses from core to core.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from lapilli.core.api import Game, Setup
from lapilli.games import load
from lapilli.match import Clock, Match, Record
from lapilli.match.inputs import inputs
from lapilli.players.bots.starters import write_starter

SEEDS = range(12)


def match_seconds(game: Game, bot: str, seed: int) -> tuple[float, Record]:
    """Plays a match of a bot against itself. Returns the seconds from the fourth turn to the last, and the record."""
    with Match(game, [bot] * game.players[0], Setup(seed=seed), Clock(unlimited=True), "off") as match:
        turns = match.turns()
        for _ in range(4):  # by then all bots run and have read their opening input
            next(turns)
        start = end = perf_counter()
        for _ in turns:
            end = perf_counter()
        return end - start, match.record


def pipe_seconds(game: Game, bot: Sequence[str], record: Record) -> float:
    """Sends the same input texts to the bots over bare pipes, and reads their replies. Returns the seconds that this
    took.

    Only the turns that `match_seconds` measures are counted.

    Args:
        game: the game.
        bot: words of the bot's command; each player is such a bot.
        record: record of the match, from which the input texts are taken.
    """
    number = game.players[0]
    texts = [iter(inputs(record, player)) for player in range(number)]
    bots = [
        subprocess.Popen(bot, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in texts
    ]
    spent = 0.0
    for entry in record.turns:
        data = next(texts[entry.player]).encode()
        process = bots[entry.player]
        assert process.stdin
        assert process.stdout
        start = perf_counter()
        process.stdin.write(data)
        process.stdin.flush()
        for _ in range((entry.action or "").count("\n") + 1):
            process.stdout.readline()
        spent += (perf_counter() - start) * (entry.turn > 4)
    for process in bots:
        process.kill()
        process.communicate()
    return spent


def compare(game: Game, bot: str) -> str:
    """Plays a match for each seed, and repeats it over bare pipes.

    Returns a line for the output: the median times of a reply on both sides, and the median and range of their ratio.
    """
    ours, bare = [], []
    for seed in SEEDS:
        seconds, record = match_seconds(game, bot, seed)
        replies = sum(entry.turn > 4 for entry in record.turns)
        ours.append(1e6 * seconds / replies)
        bare.append(1e6 * pipe_seconds(game, shlex.split(bot), record) / replies)
    ratios = [a / b for a, b in zip(ours, bare, strict=True)]
    return (
        f"match {median(ours):6.1f} us a reply, bare pipe {median(bare):6.1f}, "
        f"ratio {median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})"
    )


def main() -> None:
    game = load(sys.argv[1] if len(sys.argv) > 1 else "volcanoes")
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as folder:
        for language in ("cpp", "python"):
            starter = write_starter(game, language, Path(folder))
            if starter.build:
                subprocess.run(starter.build, shell=True, check=True)
            bot = shlex.join(["sh", "-c", f"exec {starter.run} 2>/dev/null"])
            for where, chosen in (("one core", {min(cores)}), ("free", cores)):
                os.sched_setaffinity(0, chosen)
                print(f"{game.name}, {language:7} bot, {where:8}: {compare(game, bot)}")


if __name__ == "__main__":
    main()
