"""ES modules -> one script, for a page that is a single file. (Sites serve the modules unchanged.)"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from posixpath import dirname, join, normpath

_STATIC = resources.files("lapilli.viewer") / "static"
_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[\w./-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*(?:(?!\*/)[\s\S])*\*/)\n", re.MULTILINE)


@cache
def joined(entry: str) -> str:
    """Returns a module and all its imports as one script without comments. Each module has a scope of its own.

    Supports only what these modules use: imports by name from each other's files, and exports of declarations.

    Args:
        entry: path of the module, such as `player/page.js`.
    """
    done: dict[str, str] = {}
    _add(entry, done)
    *modules, last = done.items()
    return "".join(_scoped(path, text) for path, text in modules) + last[1]


def _add(path: str, done: dict[str, str]) -> None:
    """Adds the modules that a module imports, and then the module itself, with its imports turned into constants."""
    text = _COMMENT.sub("", (_STATIC / path).read_text(encoding="utf-8"))
    for imported in _IMPORT.finditer(text):
        other = _beside(path, imported[2])
        if other not in done:
            _add(other, done)
    done[path] = _IMPORT.sub(lambda one: _constants(one[1], _beside(path, one[2])), text)


def _beside(path: str, imported: str) -> str:
    return normpath(join(dirname(path), imported))


def _constants(names: str | None, path: str) -> str:
    return f"const {{{names.replace(' as ', ': ')}}} = {_variable(path)};\n" if names else ""


def _scoped(path: str, text: str) -> str:
    exported = ", ".join(found[1] for found in _EXPORT.finditer(text))
    return f"const {_variable(path)} = (() => {{\n{_EXPORT.sub('', text)}return {{ {exported} }};\n}})();\n"


def _variable(path: str) -> str:
    return f"${re.sub(r'[^0-9A-Za-z]', '_', path.removesuffix('.js'))}"
