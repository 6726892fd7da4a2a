"""Hashes a Python function that plays a game: its code, and the data and functions that the code uses."""

from __future__ import annotations

import functools
import hashlib
import pickle
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.kernels.cache import ROOT

_MAX_VALUES = 1_000_000
"""Largest number of objects that are hashed for a function. Plain values, tuples and sets are not counted."""
_FOREIGN = tuple(
    dict.fromkeys([ROOT / "lapilli", *(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))])
)
"""Folders of modules that are not part of a player: Lapilli, Python's library and installed packages."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def function_hash(function: Callable[..., object]) -> str:
    """Returns the hash of a function or of another callable object: 64 hexadecimal digits.

    The hash covers the function's code and defaults, the values in its closure, the object of a method, and the globals
    that the code names. If a global is a function or a class, its code and its own globals are covered, too. But
    functions and classes of Lapilli, Python's library and installed packages are covered only by their names. A module
    is covered by the contents of its files. A value that cannot be pickled is covered only by its type.

    Raises:
        LapilliError: the function refers to too many objects.
    """
    return _ValueReader(function).digest.hexdigest()


class _ValueReader:
    """Feeds a value and all objects that it refers to into a hash, each object once.

    Attributes:
        digest: the hash.
    """

    def __init__(self, value: Any) -> None:
        self.digest = hashlib.sha256()
        self._seen: dict[int, tuple[int, object]] = {}
        self._inner: list[Any] = []
        pending = [value]
        while pending:  # no recursion: data may be nested deeper than Python's stack
            self._read_value(pending.pop())
            pending += reversed(self._inner)
            self._inner.clear()

    def _read(self, value: Any) -> None:
        self._inner.append(value)

    def _read_value(self, value: Any) -> None:
        if isinstance(value, _PLAIN):
            self._add(type(value).__name__, repr(value))
        elif isinstance(value, tuple):  # by content: equal tuples may be one object or two, as a module was loaded
            self._add("tuple")
            self._read_all(*value)
        elif id(value) in self._seen:
            self._add("again", str(self._seen[id(value)][0]))
        elif isinstance(value, AbstractSet):
            self._add(type(value).__name__, *sorted(map(repr, value)))
        else:
            if len(self._seen) == _MAX_VALUES:
                raise LapilliError(
                    f"a Python function refers to more than {_MAX_VALUES:,} objects, too many to notice a change in "
                    "them: keep its data in a NumPy array or in a file"
                )
            self._seen[id(value)] = (
                len(self._seen),
                value,
            )  # the reference keeps the object alive, and thus its id
            self._add(type(value).__qualname__)
            self._read_object(value)

    def _add(self, *texts: str) -> None:
        self.digest.update("\0".join(texts).encode("utf-8", "surrogatepass") + b"\1")

    def _read_object(self, value: Any) -> None:
        if isinstance(value, FunctionType):
            self._read_function(value)
        elif isinstance(value, CodeType):
            self._read_code(value)
        elif isinstance(value, MethodType):
            self._read(value.__func__)
            self._read(value.__self__)
        elif isinstance(value, functools.partial):
            self._read_all(value.func, value.args, value.keywords)
        elif isinstance(value, ModuleType):
            self._read_module(value)
        elif isinstance(value, type):
            self._read_class(value)
        elif isinstance(value, Mapping):
            self._read_all(*(part for item in value.items() for part in item))
        elif isinstance(value, list):
            self._read_all(*value)
        elif isinstance(value, np.ndarray) and value.dtype != object:
            self._add(str(value.dtype), str(value.shape))
            self.digest.update(np.ascontiguousarray(value).tobytes())
        else:
            self._read_instance(value)

    def _read_all(self, *values: Any) -> None:
        self._add(str(len(values)))
        for value in values:
            self._read(value)

    def _read_function(self, function: FunctionType) -> None:
        if _is_foreign(function):
            self._add(function.__module__, function.__qualname__)
            return
        self._read_all(function.__code__, function.__defaults__, function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self._read(cell.cell_contents)
            except ValueError:  # the variable has no value yet
                self._add("empty")
        for name in sorted(_names_in(function.__code__)):
            if name in function.__globals__:
                self._add(name)
                self._read(function.__globals__[name])
        if wrapped := getattr(function, "__wrapped__", None):
            self._read(wrapped)

    def _read_code(self, code: CodeType) -> None:
        self._add(code.co_code.hex(), *code.co_names, "|", *code.co_varnames, "|", *code.co_freevars)
        self._read_all(
            code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, *code.co_consts
        )

    def _read_module(self, module: ModuleType) -> None:
        self._add(module.__name__)
        if (file := getattr(module, "__file__", None)) and not _is_installed(Path(file)):
            place = Path(file)
            for source in sorted(place.parent.rglob("*.py")) if place.name == "__init__.py" else [place]:
                self._add(source.name)
                self.digest.update(source.read_bytes())

    def _read_class(self, kind: type) -> None:
        if _is_foreign(kind):
            self._add(kind.__module__, kind.__qualname__)
            return
        self._read_all(*kind.__bases__)
        for name, value in sorted(vars(kind).items()):
            if name not in (
                "__dict__",
                "__weakref__",
                "__module__",
                "__doc__",
                "__firstlineno__",
                "__static_attributes__",
            ):
                self._add(name)
                self._read(getattr(value, "__func__", None) or getattr(value, "fget", None) or value)

    def _read_instance(self, value: Any) -> None:
        """Feeds an object into the hash: its class and its attributes.

        If the class belongs to Lapilli, Python's library or an installed package, the pickled object is used instead.
        If such an object cannot be pickled, only its type is used.
        """
        inner = getattr(value, "__wrapped__", None) or getattr(
            value, "py_func", None
        )  # a wrapper made by functools.cache or numba.njit
        if inner is not None:
            self._read(inner)
        elif not isinstance(value, BuiltinFunctionType) and not _is_foreign(type(value)):
            self._read(type(value))
            slots = (name for base in type(value).__mro__ for name in getattr(base, "__slots__", ()))
            self._read_all(getattr(value, "__dict__", None), *(getattr(value, name, None) for name in sorted(slots)))
        elif type(value).__name__ not in (
            "Random",
            "Generator",
            "RandomState",
        ):  # random generators change with every use
            try:
                self.digest.update(pickle.dumps(value))
            except Exception:  # pickle may raise any exception
                self._add(repr(type(value)))


def _names_in(code: CodeType) -> Iterator[str]:
    """Yields the names of globals and attributes that code uses, also in the functions that are defined inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _is_foreign(thing: Any) -> bool:
    """Returns whether a function or a class belongs to Lapilli, Python's library or an installed package."""
    code = getattr(thing, "__code__", None)
    if code is not None:
        name = code.co_filename
        return name.startswith("<frozen ") or (not name.startswith("<") and _is_installed(Path(name)))
    module = sys.modules.get(getattr(thing, "__module__", ""))
    if module is None or module.__name__ == "__main__":
        return False
    file = getattr(module, "__file__", None)
    return file is None or _is_installed(Path(file))


def _is_installed(file: Path) -> bool:
    return any(file.resolve().is_relative_to(folder) for folder in _FOREIGN)
