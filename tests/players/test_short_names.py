"""Names of players for narrow columns: what distinguishes two bots stays."""

from __future__ import annotations

import pytest

from lapilli.players.processes.interpreters import short_names


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["python3 bots/v2/bot.py", "greedy"], ["v2/bot.py", "greedy"]),
        (["python3 -u bots/v2/bot.py --fast", "python3 bots/v2/bot.py"], ["v2/bot.py --fast", "v2/bot.py"]),
        (["node a/b/bot.js", "./bot"], ["b/bot.js", "./bot"]),
        (["python3 a/b/bot.py", "python3 x/b/bot.py"], ["python3 a/b/bot.py", "python3 x/b/bot.py"]),
        (["python3 -m mybot", "python3"], ["python3 -m mybot", "python3"]),
        ([""], [""]),
    ],
)
def test_names_are_shortened_unless_two_become_one(names: list[str], short: list[str]) -> None:
    assert short_names(names) == short
