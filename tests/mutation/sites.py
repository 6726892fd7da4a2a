"""Where a program can be changed by a single operator or number, and into what.

In kernels every number counts. In plain code only 0, 1 and 2 are changed, which say where something begins or ends, and
no number that has a name: larger ones are sizes, times and colours, and a test could only repeat them.
"""

from __future__ import annotations

import ast
import csv
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from types import CodeType
from typing import Any

KNOWN_EQUIVALENT = Path(__file__).with_name("equivalent.csv")
"""Mutants of which somebody has shown that they behave alike, and why: nothing could kill them."""

# Each way that operators are written, and what else is tried in its place.
_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<", ">=")),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.In: ("in", ("not in",)),
}
_MEMBERSHIPS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.NotIn: ("not in", ("in",)),
}
"""Comparisons that are changed in plain code only."""
_OPERATORS: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("+",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*",)),
    ast.Mod: ("%", ("//",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("|", "&")),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
}
_UNARY: dict[type[ast.unaryop], str] = {ast.Not: "not", ast.USub: "-", ast.Invert: "~"}
_EXTREMES = {"min": "max", "max": "min"}


@dataclass(frozen=True)
class Mutant:
    """One change of one operator or number.

    Attributes:
        file: the source file, from the checkout's root.
        function: the function's name, in plain code with those that it stands in; "" outside of all.
        start, end: the bytes that are replaced.
        before, after: what they are and what they become.
        line: the line's number.
        column: where in the line, from 1.
        was, becomes: the whole line, stripped.
        begins: the line in which the function begins, with its decorators; 0 in scripts, and outside of all functions.
    """

    file: Path
    function: str
    start: int
    end: int
    before: str
    after: str
    line: int
    column: int
    was: str
    becomes: str
    begins: int = 0

    def __str__(self) -> str:
        change = f"{self.before} → {self.after.strip() or 'nothing'}"
        return f"{self.file}:{self.line}:{self.column} {self.function}: {change}: {self.was}"

    def applied(self, source: bytes) -> bytes:
        """The file with this change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


Change = tuple[int, int, str]
"""The first byte, the byte after the last, and what stands there instead."""


class Lines:
    """The bytes of a source, by line and by syntax."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = list(accumulate(map(len, self._lines), initial=0))

    def mutant(self, file: Path, function: str, begins: int, change: Change) -> Mutant:
        start, end, after = change
        row = bisect_right(self._starts, start) - 1
        text, column = self._lines[row], start - self._starts[row]
        becomes = text[:column] + after.encode() + text[end - self._starts[row] :]
        return Mutant(
            file=file,
            function=function,
            start=start,
            end=end,
            before=self._source[start:end].decode(),
            after=after,
            line=row + 1,
            column=column + 1,
            was=text.decode().strip(),
            becomes=becomes.decode().strip(),
            begins=begins,
        )

    def place(self, node: Any) -> tuple[int, int]:
        """The first byte, and the byte after the last; nothing for what has no place, such as an operator."""
        if not hasattr(node, "lineno"):
            return 0, 0
        start, end = self._starts[node.lineno - 1], self._starts[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset

    def between(self, left: ast.AST, right: ast.AST, written: str) -> tuple[int, int]:
        """An operator, which stands among blanks, brackets and comments."""
        (_, begin), (end, _) = self.place(left), self.place(right)
        gap = re.sub(rb"#[^\n]*", lambda comment: b" " * len(comment[0]), self._source[begin:end])
        start = begin + gap.index(written.encode())
        return start, start + len(written)

    def written(self, node: ast.AST) -> str:
        start, end = self.place(node)
        return self._source[start:end].decode()


def mutants_of(file: Path, source: bytes) -> list[Mutant]:
    """All mutants of the kernels in a Python file, in the order of their places."""
    lines = Lines(source)
    return [
        lines.mutant(file, function.name, _first_line(function), change)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef) and _is_kernel(function)
        for change in sorted(set(_changes(function, lines)))
    ]


def plain_mutants_of(file: Path, source: bytes) -> list[Mutant]:
    """All mutants of a Python file outside its kernels, in the order of their places."""
    lines = Lines(source)
    found = {
        change: lines.mutant(file, owner, begins, change)
        for owner, begins, node in _plain(ast.parse(source))
        for change in _plain_changes(node, lines)
    }
    return [found[change] for change in sorted(found)]


def is_the_same_code(source: bytes, mutant: Mutant) -> bool:
    """Whether the compiler makes the same of both."""
    return _essence(compile(source, "", "exec")) == _essence(compile(mutant.applied(source), "", "exec"))


@cache
def known_equivalent() -> dict[tuple[str, str, str, str], str]:
    """Why the mutants that are known to be equivalent are; by file, function, line and changed line."""
    with KNOWN_EQUIVALENT.open(encoding="utf-8", newline="") as file:
        return {(row["file"], row["function"], row["line"], row["becomes"]): row["why"] for row in csv.DictReader(file)}


def is_known_equivalent(mutant: Mutant) -> bool:
    return (mutant.file.as_posix(), mutant.function, mutant.was, mutant.becomes) in known_equivalent()


# ------------------------------------------------------------------------------------- the syntax


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "kernel" for mark in function.decorator_list)


def _first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min(function.lineno, *(mark.lineno for mark in function.decorator_list), function.lineno)


def _changes(function: ast.AST, lines: Lines) -> Iterator[Change]:
    for node in _expressions(function):
        yield from _changes_at(node, lines)


def _changes_at(node: ast.AST, lines: Lines) -> Iterator[Change]:
    """The changes of one expression, without those of its parts."""
    for left, right, written, instead in _operators(node):
        start, end = lines.between(left, right, written)
        for text in instead:
            yield start, end, text
    start, end = lines.place(node)
    match node:
        case ast.UnaryOp(operator, _) if type(operator) in _UNARY:
            yield start, start + len(_UNARY[type(operator)]), " "
        case ast.Constant(bool(value)):
            yield start, end, str(not value)
        case ast.Constant(int(value) | float(value)):
            for changed in (value - 1, value + 1):
                yield start, end, str(changed) if changed >= 0 else f"({changed})"
        case ast.Call(ast.Name(name)) if name in _EXTREMES:
            yield start, start + len(name), _EXTREMES[name]


def _plain_changes(node: ast.AST, lines: Lines) -> Iterator[Change]:
    """The changes of one expression or statement of plain code, without those of its parts."""
    match node:
        case ast.Constant(value) if not isinstance(value, bool) and value not in (0, 1, 2):
            return
        case ast.BinOp(left, _, right) if _is_text(left) or _is_text(right):  # joins texts, or parts of paths
            return
        case ast.Compare(left, operators, others):
            for one, operator, other in zip([left, *others], operators, others, strict=False):
                if type(operator) in _MEMBERSHIPS:
                    written, (text,) = _MEMBERSHIPS[type(operator)]
                    yield *lines.between(one, other, written), text
        case ast.If(test) | ast.IfExp(test) if isinstance(test, ast.Name | ast.Attribute | ast.Call):
            yield *lines.place(test), f"not {lines.written(test)}"
    yield from _changes_at(node, lines)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _plain(tree: ast.AST, owner: str = "", begins: int = 0) -> Iterator[tuple[str, int, ast.AST]]:
    """What is computed outside kernels, each with its function and the line in which that begins: not annotations,
    texts, assertions, named numbers and what only type checkers read."""
    for node in _parts(tree):
        within, first = owner, begins
        match node:
            case ast.FunctionDef() if _is_kernel(node):
                continue
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                within, first = f"{owner}.{node.name}".lstrip("."), _first_line(node)
            case ast.ClassDef():
                within, first = f"{owner}.{node.name}".lstrip("."), 0
            case ast.Assert() | ast.JoinedStr():
                continue
            case ast.If(ast.Name("TYPE_CHECKING")):
                continue
            case ast.Assign() | ast.AnnAssign() if not begins and not isinstance(node.value, ast.Call):
                continue
        yield within, first, node
        yield from _plain(node, within, first)


def _operators(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, str, tuple[str, ...]]]:
    """The operators of an expression: what stands left and right, how it is written, and what is tried instead."""
    match node:
        case ast.Compare(left, operators, others):
            for one, operator, other in zip([left, *others], operators, others, strict=False):
                if type(operator) in _COMPARISONS:
                    yield one, other, *_COMPARISONS[type(operator)]
        case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
            yield left, right, *_OPERATORS[type(operator)]
        case ast.AugAssign(target, operator, value) if type(operator) in _OPERATORS:
            written, instead = _OPERATORS[type(operator)]
            yield target, value, f"{written}=", tuple(f"{text}=" for text in instead)
        case ast.BoolOp(operator, values):
            written, text = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
            for one, other in pairwise(values):
                yield one, other, written, (text,)


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """All that is computed: not annotations, texts, and what is said of functions and classes."""
    for child in _parts(node):
        yield child
        yield from _expressions(child)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list") and (type(node), name) != (ast.ClassDef, "keywords"):
            yield from (
                child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
            )


def _essence(code: CodeType) -> tuple[object, ...]:
    """What a code object does, without where it stands."""
    constants = tuple(
        _essence(value) if isinstance(value, CodeType) else (type(value).__name__, repr(value))
        for value in code.co_consts
    )
    return code.co_name, code.co_code, code.co_names, code.co_varnames, constants
