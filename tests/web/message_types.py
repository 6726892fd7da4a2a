"""TypeScript types of the messages to and from a table's pages, made from `site/live/messages`.

`python tests/web/message_types.py` writes them into `site/frontend/static/table/messages.d.ts`. There, the pages'
scripts find them.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec

import lapilli
from lapilli.site.live.messages import from_page, to_page

FILE = Path(lapilli.__file__).parent / "site" / "frontend" / "static" / "table" / "messages.d.ts"
_HEAD = """\
// The messages between a table's pages and the server.
// Made from site/live/messages by `python tests/web/message_types.py`: do not change this file by hand.
"""
_SIMPLE = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null", Any: "any"}
_WIDTH = 120


def script_type(python: Any) -> str:
    """Returns the TypeScript type of the JSON that a value of a Python type becomes."""
    origin, arguments = get_origin(python), get_args(python)
    if python in _SIMPLE:
        return _SIMPLE[python]
    if origin in (typing.Union, types.UnionType):
        return " | ".join(script_type(one) for one in arguments if one is not msgspec.UnsetType)
    if origin is tuple:
        return f"[{', '.join(map(script_type, arguments))}]"
    if origin in (list, Sequence):
        item = script_type(arguments[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin in (dict, Mapping):
        return f"Record<string, {script_type(arguments[1])}>"
    assert issubclass(python, msgspec.Struct), python
    return str(python.__name__)


def described(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Returns the descriptions of a struct's fields in its docstring and those of its bases."""
    found: dict[str, str] = {}
    for one in struct.__mro__:
        _, _, listed = (one.__doc__ or "").partition("Attributes:\n")
        for name, text in re.findall(r"^ {8}(\w+): (.*(?:\n {12,}.*)*)", listed, re.MULTILINE):
            found.setdefault(name, " ".join(text.split()))
    return found


def interface(struct: type[msgspec.Struct]) -> str:
    """Returns the declaration of a struct."""
    told = described(struct)
    lines = [f"/** {(struct.__doc__ or '').split(chr(10))[0]} */", f"export interface {struct.__name__} {{"]
    config = struct.__struct_config__
    if config.tag is not None:
        lines.append(f'  {config.tag_field}: "{config.tag}";')
    for field in msgspec.structs.fields(struct):
        lines.append(f"  /** {told[field.name]} */")
        lines.append(f"  {field.encode_name}{'' if field.required else '?'}: {script_type(field.type)};")
    return "\n".join([*lines, "}"])


def union(name: str, members: Sequence[type[msgspec.Struct]]) -> str:
    """Returns the declaration of a type that is one of several."""
    names = [member.__name__ for member in members]
    line = f"export type {name} = {' | '.join(names)};"
    return line if len(line) <= _WIDTH else f"export type {name} =\n" + "\n".join(f"  | {one}" for one in names) + ";"


def declarations() -> str:
    """Returns the text of the file."""
    received = get_args(from_page.Message)
    sent = [one for one in to_page.ToPage.__subclasses__() if one.__module__ == to_page.__name__]
    shown = [to_page.ShownOutcome, to_page.ShownNote, to_page.ShownDraft, to_page.ShownPlan, to_page.ShownLine]
    parts = [*shown, to_page.HintStep]
    declared = [interface(struct) for struct in (*received, *parts, *sent)]
    return "\n".join(
        [_HEAD, *(f"{text}\n" for text in declared), union("FromPage", received), union("ToPage", sent), ""]
    )


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
