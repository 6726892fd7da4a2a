"""The mutants themselves: each changes one thing, and what is left is a program."""

from __future__ import annotations

import ast
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mutation.callers import Callers
from mutation.floors import FLOORS, ROOT, floor_mutants, game_names, kernel_mutants
from mutation.scripts import script_mutants_of
from mutation.sites import Mutant, is_the_same_code, known_equivalent, mutants_of, plain_mutants_of

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

PLAIN = '''
from typing import TYPE_CHECKING
MOST: int = 1
KINDS = {"a": 1 + 1}
if TYPE_CHECKING:
    LEAST = 0 < 1

@cache(1)
def first(a: int = 1, b: "2 < 3" = None) -> "4 > 5":
    """Not -1 or 2."""
    assert a > 0
    if a and b is not None:
        return f"{a + 1:0.2f}"
    if a.is_good("a" * a / "b"): # – is
        return a not in (2, 300, 0.5)
    return "1" if a else not b

@kernel
def second(a):
    return a + 1

class Third(Base, frozen=True):
    count = 0
    def fourth(self):
        def fifth():
            return 1
'''

SCRIPT = """
import { a } from "./b.js";
const MOST = 2, STEPS = [0];
let held = 0;
/** 1 < 2 */
export function first(a, b = true) {
    held += a ? 1 : 300;
    if (a < b && !held) return "€ 1" + (a - 1);
    return `${Math.max(a, 3)} 1`;
}
class Second {
    third() {
        if (this.isOpen) return [1, 2].map((one) => one === 2);
    }
}
"""


def changed(source: str, listed: Callable[[Path, bytes], list[Mutant]] = mutants_of) -> list[str]:
    data = source.encode()
    found = listed(Path("file.py"), data)
    for mutant in found:
        after = mutant.applied(data)
        if listed is not listed_in_script:
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


def test_plain_code_is_changed_where_it_decides_something() -> None:
    """Not in what has a name, is asserted, written for people, or read by type checkers."""
    assert changed(PLAIN, plain_mutants_of) == [
        *("9: 1 0", "9: 1 2", "12: and or", "12: is not is"),
        *('14: a.is_good("a" * a / "b") not a.is_good("a" * a / "b")', "15: not in in", "15: 2 1", "15: 2 3"),
        *("16: a not a", "16: not", "26: 1 0", "26: 1 2"),
    ]


def test_a_mutant_knows_its_function_and_where_that_begins() -> None:
    found = {(m.line, m.function, m.begins) for m in plain_mutants_of(Path("f.py"), PLAIN.encode())}
    assert found >= {(9, "first", 8), (16, "first", 8), (26, "Third.fourth.fifth", 25)}


needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "node_modules" / "espree").is_dir(),
    reason="the parser of scripts is not here (Node.js, npm ci)",
)


def listed_in_script(_file: Path, source: bytes) -> list[Mutant]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.js").write_bytes(source)
        return script_mutants_of(Path(folder), [Path("a.js")])


@needs_node
def test_scripts_are_changed_as_plain_code_is() -> None:
    assert changed(SCRIPT, listed_in_script) == [
        *("4: 0 (-1)", "4: 0 1", "6: true false", "7: += -=", "7: a !a", "7: 1 0", "7: 1 2"),
        *("8: < <=", "8: < >", "8: && ||", "8: !", "8: - +", "8: 1 0", "8: 1 2", "9: max min"),
        *(
            "13: this.isOpen !this.isOpen",
            "13: 1 0",
            "13: 1 2",
            "13: 2 1",
            "13: 2 3",
            "13: === !==",
            "13: 2 1",
            "13: 2 3",
        ),
    ]


@needs_node
def test_a_change_of_a_script_is_named_after_the_function_that_the_browser_reports() -> None:
    found = {(mutant.line, mutant.function) for mutant in listed_in_script(Path(), SCRIPT.encode())}
    assert {function for _, function in found} == {"", "first", "third"}


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
    found = kernel_mutants(game)[::20]
    for mutant in found:
        ast.parse(mutant.applied((ROOT / mutant.file).read_bytes()))
    assert len(found) > 10


@pytest.mark.parametrize("floor", [pytest.param(name, marks=needs_node) for name in FLOORS])
def test_every_floor_has_mutants_and_tests(floor: str) -> None:
    found = floor_mutants(floor)
    for mutant in found[::40]:
        if mutant.file.suffix == ".py":
            ast.parse(mutant.applied((ROOT / mutant.file).read_bytes()))
    assert len(found) > 300
    assert len(set(found)) == len(found)
    assert ({mutant.file.suffix for mutant in found} == {".py", ".js"}) == (floor in ("viewer", "site"))
    assert sum(1 for _ in FLOORS[floor].files(ROOT)) > 2


def test_callers_of_a_function_are_run_first() -> None:
    """Those that take little time for little else; then the others of their files; of those that fail none."""
    names = ["a.py::wide", "a.py::near[1]", "a.py::near[2]", "a.py::far", "b.py::far", "c.py::fails", "d.py::site"]
    alike = {name: name.replace("[2]", "[1]") for name in names}
    times = {name: 1.0 for name in names if "2" not in name} | {"c.py::fails": -1.0}
    one, *_, other = plain_mutants_of(Path("x.py"), b"def f(a):\n    return a + 1")
    calls = [("a.py::wide", "f"), ("a.py::wide", "g"), ("a.py::near[1]", "f"), ("c.py::fails", "f"), ("d.py", "f")]
    notes = "".join(f"{caller}\tx.py\t{function}\n" for caller, function in calls)
    callers = Callers.from_run(json.dumps({"times": times, "alike": alike}), notes, 1.0)
    assert callers.tests_for(one) == [*names[1:3], names[0], names[3], names[6]]
    assert callers.tests_for(replace(one, function="")) == callers.tests_for(other)
    assert {*callers.tests_for(replace(one, file=Path("y.py")))} == {*names} - {"c.py::fails"}


def test_what_is_known_to_be_equivalent_is_still_there() -> None:
    """A changed line is a new question."""
    there = {
        (file.relative_to(ROOT).as_posix(), mutant.function, mutant.was, mutant.becomes)
        for file in {ROOT / key[0] for key in known_equivalent() if key[0].endswith(".py")}
        for listed in (mutants_of, plain_mutants_of)
        for mutant in listed(file.relative_to(ROOT), file.read_bytes())
    }
    assert {key for key in known_equivalent() if key[0].endswith(".py")} <= there
    assert all(known_equivalent().values())


@needs_node
def test_what_is_known_to_be_equivalent_in_scripts_is_still_there() -> None:
    known = {key for key in known_equivalent() if key[0].endswith(".js")}
    found = script_mutants_of(ROOT, [Path(name) for name in sorted({key[0] for key in known})])
    assert known <= {(mutant.file.as_posix(), mutant.function, mutant.was, mutant.becomes) for mutant in found}
