"""The mutants themselves: each changes one thing, and what is left is a program."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mutation.sites import is_the_same_code, known_equivalent, mutants_of
from mutation.trial import GAMES, ROOT, game_names

SOURCE = '''
"""1 + 1"""
LIMIT = 3 < 4

@kernel
def first(a: int = 1 + 1, b: "2 < 3" = None) -> "4 > 5":
    """Not -1 or 2."""
    number: Literal[1] = (a)  +  (  # – not this + one
        b)
    if not a and b <= 2 < LIMIT or True:
        number <<= min(~a, "1 + 1")
    return [-a % 2.5 for a in range(b)]

def second(a):
    return a + 1
'''


def changed(source: str) -> list[str]:
    data = source.encode()
    found = mutants_of(Path("file.py"), data)
    for mutant in found:
        after = mutant.applied(data)
        ast.parse(after)
        assert after.count(b"\n") == data.count(b"\n")
        assert data[mutant.start : mutant.end].decode() == mutant.before
        line = after.decode().splitlines()[mutant.line - 1]
        assert line.strip() == mutant.becomes
        assert data.decode().splitlines()[mutant.line - 1].strip() == mutant.was
    return [f"{mutant.line}: {mutant.before} {mutant.after.strip()}".rstrip() for mutant in found]


def test_every_operator_and_number_of_a_kernel_is_changed_and_nothing_else() -> None:
    assert changed(SOURCE) == [
        *("6: 1 0", "6: 1 2", "6: + -", "6: 1 0", "6: 1 2"),
        "8: + -",
        *("10: not", "10: and or", "10: <= <", "10: <= >=", "10: 2 1", "10: 2 3", "10: < <=", "10: < >"),
        *("10: or and", "10: True False"),
        *("11: <<= >>=", "11: min max", "11: ~"),
        *("12: -", "12: % //", "12: 2.5 1.5", "12: 2.5 3.5"),
    ]


def test_the_same_code_is_known() -> None:
    source = b"@kernel\ndef f(a):\n    return a * (2 + 2)\n"
    (product, *_, total) = [mutant for mutant in mutants_of(Path("f.py"), source) if mutant.before in "*+"]
    assert not is_the_same_code(source, product)
    assert not is_the_same_code(source, total)
    folded = b"@kernel\ndef f(a):\n    return a * (0 & 1)\n"
    (zero,) = [mutant for mutant in mutants_of(Path("f.py"), folded) if mutant.before == "1" and mutant.after == "2"]
    assert is_the_same_code(folded, zero)


@pytest.mark.parametrize("game", game_names())
def test_mutants_of_every_game_are_programs(game: str) -> None:
    number = 0
    for file in (ROOT / GAMES / game).rglob("*.py"):
        source = file.read_bytes()
        for mutant in mutants_of(file.relative_to(ROOT), source)[::20]:
            ast.parse(mutant.applied(source))
            number += 1
    assert number > 10


def test_what_is_known_to_be_equivalent_is_still_there() -> None:
    """A changed line is a new question."""
    there = {
        (file.relative_to(ROOT).as_posix(), mutant.function, mutant.was, mutant.becomes)
        for file in {ROOT / key[0] for key in known_equivalent()}
        for mutant in mutants_of(file.relative_to(ROOT), file.read_bytes())
    }
    assert set(known_equivalent()) <= there
    assert all(known_equivalent().values())
