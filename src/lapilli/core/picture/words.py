"""Numbers with nouns, and lists of names, in texts for people."""

from __future__ import annotations

from collections.abc import Sequence


def quantity(number: int, noun: str) -> str:
    """Returns a number with its noun in the right form: "1 tile", "2 heroes", "2 matches"."""
    return f"{number} {plural(number, noun)}"


def plural(number: int, noun: str) -> str:
    """Returns a noun in the form that follows a number: "tile" for 1; "tiles", "heroes", "matches" for 2."""
    return noun if number == 1 else f"{noun}es" if noun.endswith(("o", "ch")) else f"{noun}s"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Returns names as a sentence lists them: "N12", "N12 and N13", "N12, N13 and N14"; "" without names.

    `word`: the word before the last name.
    """
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
