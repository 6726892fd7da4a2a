"""Where a kernel can be changed by a single operator or number, and into what."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
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
    """One change of one operator or number in a kernel.

    Attributes:
        file: the source file, from the checkout's root.
        function: the kernel's name.
        start, end: the bytes that are replaced.
        before, after: what they are and what they become.
        line: the line's number.
        column: where in the line, from 1.
        was, becomes: the whole line, stripped.
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

    def __str__(self) -> str:
        change = f"{self.before} → {self.after.strip() or 'nothing'}"
        return f"{self.file}:{self.line}:{self.column} {self.function}: {change}: {self.was}"

    def applied(self, source: bytes) -> bytes:
        """The file with this change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(file: Path, source: bytes) -> list[Mutant]:
    """All mutants of the kernels in a file, in the order of their places."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for text in lines:
        starts.append(starts[-1] + len(text))
    found = []
    for function in ast.walk(ast.parse(source)):
        if not (isinstance(function, ast.FunctionDef) and _is_kernel(function)):
            continue
        for start, end, after in sorted(_changes(function, source, starts)):
            row = next(row for row, first in enumerate(starts) if first > start) - 1
            text, column = lines[row], start - starts[row]
            becomes = text[:column] + after.encode() + text[end - starts[row] :]
            found.append(
                Mutant(
                    file=file,
                    function=function.name,
                    start=start,
                    end=end,
                    before=source[start:end].decode(),
                    after=after,
                    line=row + 1,
                    column=column + 1,
                    was=text.decode().strip(),
                    becomes=becomes.decode().strip(),
                )
            )
    return found


def is_the_same_code(source: bytes, mutant: Mutant) -> bool:
    """Whether the compiler makes the same of both."""
    return _essence(compile(source, "", "exec")) == _essence(compile(mutant.applied(source), "", "exec"))


@cache
def known_equivalent() -> dict[tuple[str, str, str, str], str]:
    """Why the mutants that are known to be equivalent are; by file, kernel, line and changed line."""
    with KNOWN_EQUIVALENT.open(encoding="utf-8", newline="") as file:
        return {(row["file"], row["kernel"], row["line"], row["becomes"]): row["why"] for row in csv.DictReader(file)}


def is_known_equivalent(mutant: Mutant) -> bool:
    return (mutant.file.as_posix(), mutant.function, mutant.was, mutant.becomes) in known_equivalent()


# ------------------------------------------------------------------------------------- the syntax


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "kernel" for mark in function.decorator_list)


Change = tuple[int, int, str]
"""The first byte, the byte after the last, and what stands there instead."""


def _changes(function: ast.FunctionDef, source: bytes, starts: list[int]) -> Iterator[Change]:
    places = _Places(source, starts)
    for node in _expressions(function):
        for left, right, written, instead in _operators(node):
            start, end = places.between(left, right, written)
            for text in instead:
                yield start, end, text
        start, end = places.of(node)
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


class _Places:
    """The bytes of syntax."""

    def __init__(self, source: bytes, starts: list[int]) -> None:
        self._source = source
        self._starts = starts

    def of(self, node: Any) -> tuple[int, int]:
        """The first byte, and the byte after the last; nothing for what has no place, such as an operator."""
        if not hasattr(node, "lineno"):
            return 0, 0
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def between(self, left: ast.AST, right: ast.AST, written: str) -> tuple[int, int]:
        """An operator, which stands among blanks, brackets and comments."""
        (_, begin), (end, _) = self.of(left), self.of(right)
        gap = re.sub(rb"#[^\n]*", lambda comment: b" " * len(comment[0]), self._source[begin:end])
        start = begin + gap.index(written.encode())
        return start, start + len(written)


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """All that is computed: not annotations, decorators and texts."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _expressions(child)


def _essence(code: CodeType) -> tuple[object, ...]:
    """What a code object does, without where it stands."""
    constants = tuple(
        _essence(value) if isinstance(value, CodeType) else (type(value).__name__, repr(value))
        for value in code.co_consts
    )
    return code.co_name, code.co_code, code.co_names, code.co_varnames, constants
