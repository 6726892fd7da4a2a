"""Scores of built-in opponents against each other: the baselines in the sheets docs/environments/GAME.md.

    python benchmarks/baselines.py GAME PLAYER… --games 20

Plays a tournament, all against all, one match at a time, and rewrites the section about baselines in the game's sheet,
docs/environments/GAME.md. Limit searches by nodes
(best:nodes=100), never by time, so that the figures are the same on any machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from lapilli.games import load

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "environments"
HEADING = "## Baselines"
_Z = 1.96


def played(game: str, players: list[str], games: int) -> dict[str, Any]:
    """Plays a tournament of these players with `games` matches for every two of them.

    Returns the data that `lapilli tournament --json` prints.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = ["tournament", game, *players, "--matches", str(games), "--seed", "0", "--jobs", "1", "--keep", "none"]
        command = [sys.executable, "-m", "lapilli", *words, "--store", f"{folder}/store.db", "--json"]
        told: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return told


def share(points: float, matches: int) -> str:
    """Formats a score in per cent, with Wilson's interval of 95 %.

    `points`: number of wins, in which a draw counts as half a win. `matches`: number of matches.
    """
    score, weight = points / matches, _Z**2 / matches
    middle = (score + weight / 2) / (1 + weight)
    half = _Z * (score * (1 - score) / matches + weight / (4 * matches)) ** 0.5 / (1 + weight)
    return f"{100 * score:.0f} ({100 * max(0, middle - half):.0f}–{100 * min(1, middle + half):.0f})"


def section(told: dict[str, Any], players: list[str], games: int) -> str:
    ranked = told["players"]
    names = [player["name"] for player in ranked]
    lines = [
        HEADING,
        "",
        f"`python benchmarks/baselines.py {told['game']} {' '.join(players)} --games {games}` played",
        f"{told['matches']} matches with default settings, in pairs with seats exchanged. Elo is relative to the mean "
        "of these players. The columns to its right",
        "show the score in per cent against each player; a draw counts as half a win. All intervals are 95 % "
        "intervals.",
        "",
        f"| player | Elo | {' | '.join(f'against {name}' for name in names)} |",
        f"|---|---|{'---|' * len(names)}",
    ]
    for player in ranked:
        elo = f"{player['elo']:+.0f} ({player['elo_low']:+.0f} to {player['elo_high']:+.0f})"
        against = (player["against"].get(name) for name in names)
        cells = [share(one["points"], one["matches"]) if one else "" for one in against]
        lines.append(f"| `{player['name']}` | {elo} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("players", nargs="+")
    parser.add_argument("--games", type=int, default=20)
    given = parser.parse_args()
    file = FOLDER / f"{load(given.game).name}.md"
    before = file.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    written = section(played(given.game, given.players, given.games), given.players, given.games)
    file.write_text(f"{before}\n\n{written}", encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main()
