"""Prints what came of every attack in every mode, as a table in Markdown.

PYTHONPATH=tests python -m hostile.sandbox.report
"""

from __future__ import annotations

from hostile.sandbox.attacks import ALLOWED, ATTACKS
from hostile.sandbox.modes import possible, told


def main() -> None:
    modes = possible()
    print("| a bot cannot … |", " | ".join(f"referee is {mode}" for mode in modes), "|")
    print("| --- |" + " --- |" * len(modes))
    held = 0
    for name, attack in (ATTACKS | ALLOWED).items():
        outcomes = [told(mode).outcomes[name] for mode in modes]
        held += sum(outcome.startswith(attack.outcome) for outcome in outcomes)
        print(f"| {attack.promise} | {' | '.join(outcomes)} |")
    print(f"\n{held} of {len(modes) * len(ATTACKS | ALLOWED)} as expected")


if __name__ == "__main__":
    main()
