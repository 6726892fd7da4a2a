"""java.util.Random, to the bit."""

from __future__ import annotations

import json
from pathlib import Path

from lapilli.kernels.java_random import JavaRandom

CASES = json.loads((Path(__file__).parent / "golden" / "java_random.json").read_text(encoding="utf-8"))


def call(random: JavaRandom, name: str, bound: int) -> float:
    if name == "nextInt":
        return random.next_int(bound)
    calls = {"nextInt32": random.next_int32, "nextLong": random.next_long, "nextDouble": random.next_double}
    return calls[name]()


def test_mixed_calls() -> None:
    for case in CASES:
        random = JavaRandom(case["seed"])
        for name, bound, value in case["calls"]:
            assert call(random, name, bound) == value, (case["seed"], name, bound)


def test_countdown() -> None:
    for case in CASES:
        random = JavaRandom(case["seed"])
        assert [random.next_int(bound) for bound, _ in case["countdown_80_to_61"]] == [
            value for _, value in case["countdown_80_to_61"]
        ]
