"""java.util.Random, to the bit."""

from __future__ import annotations

import json
from pathlib import Path

from lapilli.games.javarandom import JavaRandom

CASES = json.loads((Path(__file__).parent / "golden" / "java_random.json").read_text(encoding="utf-8"))


def test_mixed_calls() -> None:
    for case in CASES:
        random = JavaRandom(case["seed"])
        calls = {
            "nextInt32": lambda _, random=random: random.next_int32(),
            "nextLong": lambda _, random=random: random.next_long(),
            "nextDouble": lambda _, random=random: random.next_double(),
            "nextInt": lambda bound, random=random: random.next_int(bound),
        }
        for name, bound, value in case["calls"]:
            assert calls[name](bound) == value, (case["seed"], name, bound)


def test_countdown() -> None:
    for case in CASES:
        random = JavaRandom(case["seed"])
        assert [random.next_int(bound) for bound, _ in case["countdown_80_to_61"]] == [
            value for _, value in case["countdown_80_to_61"]
        ]
