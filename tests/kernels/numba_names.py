"""The names of Numba and llvmlite that the fast compiler of kernels uses and that their versions may change.

`numba_names.csv` lists them, with their signatures and the versions of Numba in which they were seen. Run
`python tests/kernels/numba_names.py` with a new version of Numba: it adds that version to every name that is as before,
and prints the others.
"""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".csv")
ATTRIBUTE = "attribute of its objects"
"""Signature of a name that objects have and their class has not."""
NONE = "missing"
"""Signature of a name that does not exist."""


@dataclass
class NumbaName:
    """A row of the file.

    Attributes:
        name: module and path, such as "numba.core.codegen:JITCodeLibrary.finalize".
        signature: parameters of a function or class, or what kind of thing the name stands for.
        seen_in: versions of Numba in which the name had this signature.
    """

    name: str
    signature: str
    seen_in: list[str]

    def now(self) -> str:
        """Returns the signature in the installed version."""
        module, _, path = self.name.partition(":")
        owner, value = None, _imported(module)
        for part in path.split("."):
            owner, value = value, getattr(value, part, None)
        last = path.rpartition(".")[2]
        if value is None:
            return ATTRIBUTE if inspect.isclass(owner) and _sets(owner, last) else NONE
        return _signature(value)


def _imported(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        return None


def _sets(owner: type[Any], name: str) -> bool:
    """Returns whether a method of a class or of its bases sets this attribute."""
    pattern = re.compile(rf"self\.{name}\b[^=\n]*=[^=]")
    return any(pattern.search(inspect.getsource(base)) for base in owner.__mro__ if base.__module__.startswith("numba"))


def _signature(value: Any) -> str:
    if inspect.isfunction(value) or inspect.isclass(value):
        return f"({', '.join(_parameters(value))})"
    return type(value).__name__


def _parameters(value: Any) -> Iterator[str]:
    for parameter in inspect.signature(value).parameters.values():
        before = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        yield before + parameter.name + ("=" if parameter.default is not inspect.Parameter.empty else "")


def rows() -> list[NumbaName]:
    """Returns the rows of the file."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return [NumbaName(row["name"], row["signature"], row["seen_in"].split()) for row in csv.DictReader(file)]


def main() -> None:
    installed = version("numba")
    found = rows()
    for row in found:
        now = row.now()
        row.signature = row.signature or now
        if now != row.signature or now == NONE:
            print(f"{row.name}: {row.signature} is now {now}")
        elif installed not in row.seen_in:
            row.seen_in.append(installed)
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "signature", "seen_in"])
        writer.writerows([row.name, row.signature, " ".join(row.seen_in)] for row in found)


if __name__ == "__main__":
    main()
