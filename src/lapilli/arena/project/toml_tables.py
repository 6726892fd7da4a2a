"""Reads TOML into structs. Every error names the file, the line and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import shortened

Place = tuple[str | int, ...]
"""Place of a value in a TOML file: the keys and indices that lead to it, as in ("tests", 0, "matches")."""
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
_SYNTAX = re.compile(r"(.*) \((?:at line (\d+), column (\d+)|at end of document)\)", re.DOTALL)
_TYPE = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)
_MOST_BYTES = 1 << 20
S = TypeVar("S", bound=msgspec.Struct)


class TomlFile:
    """A TOML file, with the lines of its keys for error messages.

    Args:
        path: the file.

    Attributes:
        path: the file.
        data: contents of the file.

    Raises:
        LapilliError: the file cannot be read, or is no TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LapilliError(f"{path} cannot be read: {error.strerror}") from None
        if len(content) > _MOST_BYTES:
            raise LapilliError(f"{path} is larger than {_MOST_BYTES >> 20} MiB")
        try:
            self._text = content.decode()
            self.data: dict[str, Any] = tomllib.loads(self._text)
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise LapilliError(f"{path}:{line}: this is no UTF-8 text") from None
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(str(error)) from None
        except RecursionError:
            raise LapilliError(f"{path}: its values are nested too deeply") from None
        self._lines: dict[Place, int] | None = None

    def error(self, place: Place, message: str) -> LapilliError:
        """Returns an error about the value at a place, with the text "FILE:LINE: MESSAGE".

        `place`: the keys and indices that lead to the value, the outermost first, as in ("tests", 0, "matches").
        """
        line = self.line_of(place)
        return LapilliError(f"{self.path}{f':{line}' if line else ''}: {message}")

    def line_of(self, place: Place) -> int | None:
        """Returns the line of the key at a place, counted from 1.

        `place`: the keys and indices that lead to the value, the outermost first, as in ("tests", 0, "matches").

        If the line of this key is unknown, returns the line of the nearest table around it; None if this is unknown,
        too.
        """
        if self._lines is None:
            self._lines = dict(_key_lines(self._text))
        return next((self._lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in self._lines), None)

    def read(self, kind: type[S], data: Mapping[str, Any], place: Place = ()) -> S:
        """Converts a table of this file to a struct.

        Args:
            kind: class of the struct.
            data: the table.
            place: keys and indices that lead to the table, the outermost first; empty for the whole file.

        Raises:
            LapilliError: a key is unknown or missing, or a value has the wrong type.
        """
        known = [field.encode_name for field in msgspec.structs.fields(kind)]
        table = f" in {_table_name(place)}" if place else ""
        for key in data:
            if key not in known:
                near = get_close_matches(key, known, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
                raise self.error((*place, key), f"unknown key {shortened(key, 80)!r}{table} ({hint})")
        try:
            return msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            found = _TYPE.fullmatch(str(error))
            message, where = (found[1], found[2]) if found else (str(error), None)
            key = (where or "").partition("[")[0].partition(".")[0]
            what = f"{key}: " if key else ""
            whole = f"{what}{message[:1].lower()}{message[1:]}".replace("`", "'")
            raise self.error((*place, *([key] if key else [])), whole + table) from None

    def _syntax_error(self, message: str) -> LapilliError:
        found = _SYNTAX.fullmatch(message)
        if not found:
            return LapilliError(f"{self.path}: {message}")
        line = found[2] or self._text.count("\n") + 1
        column = f" (column {found[3]})" if found[3] else ""
        return LapilliError(f"{self.path}:{line}: {found[1][:1].lower()}{found[1][1:]}{column}")


def _table_name(place: Place) -> str:
    """Formats the header of a table for messages: [limits], [bots.mine] or [[tests]].

    `place`: the keys and indices that lead to the table, the outermost first, as in ("bots", "mine").
    """
    names = ".".join(str(part) for part in place if isinstance(part, str))
    return f"[[{names}]]" if isinstance(place[-1], int) else f"[{names}]"


def _key_lines(text: str) -> Iterator[tuple[Place, int]]:
    """Yields (place, line) for each table header in a TOML text, and for each key at the beginning of a line.

    A place consists of the keys and indices that lead to the table or value, the outermost first.
    """
    table: Place = ()
    numbers: dict[Place, int] = {}
    quotes = ""
    for line, content in enumerate(text.splitlines(), 1):
        if quotes:
            quotes = "" if quotes in content else quotes
            continue
        if content.lstrip().startswith("["):
            header = _header(content)
            if header is not None:
                table, is_array = header
                if is_array:
                    numbers[table] = numbers.get(table, -1) + 1
                    table = (*table, numbers[table])
                yield table, line
        elif key := _KEY.match(content):
            yield (*table, *_names(f"{key[1]} = 0")), line
        quotes = next((sign for sign in ('"""', "'''") if content.count(sign) % 2), "")


def _header(line: str) -> tuple[Place, bool] | None:
    """Returns the keys in a table header, and whether it has double brackets; None if the line is no header."""
    try:
        names = _names(line)
    except tomllib.TOMLDecodeError:
        return None
    return (names, line.lstrip().startswith("[[")) if names else None


def _names(line: str) -> Place:
    """Returns the dotted keys in one line of TOML, the outermost first, as in ("bots", "mine") for [bots.mine]."""
    names: list[str | int] = []
    value: Any = tomllib.loads(line)
    while isinstance(value, dict) and value:
        [(name, value)] = value.items()
        names.append(name)
    return tuple(names)
