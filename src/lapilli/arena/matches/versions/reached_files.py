"""Finds files that a bot's scripts name: programs that they start, modules that they import, data that they read.

The scripts are not executed. Their text is searched for words that are paths of existing files. A path that a script
puts together from parts is not found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from lapilli.arena.matches.versions.bot_files import may_hold_bot
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.players.sandbox.visible_files import is_systems, unless_private

_MAX_SCRIPT = 1 << 18
"""Largest size of a script that is searched, in bytes."""
_MAX_REACHED = 1000
"""The search ends when it has found this number of files."""
_VARIABLE = re.compile(r"\$\([^)]*\)|\$\{[^}]*\}|\$\w+|\$[@*#?]")
_WORD = re.compile(r"""[^\s'"`;:()<>|&,=\[\]{}]{1,300}""")
_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w., \t]+))", re.MULTILINE)
_NO_FILES = ("/dev", "/proc", "/sys", "/etc")
"""Folders with files that never belong to a bot, besides the system's folders (`is_systems`)."""


def reached(files: Sequence[str], words: Sequence[str], start: str) -> list[str]:
    """Returns files and folders that scripts name, directly or through other scripts, as absolute paths.

    Args:
        files: files that the bot's command names.
        words: words of the command. A word with spaces, as in `sh -c 'cd bots && ./bot'`, is searched like a script.
        start: folder in which the bot starts.
    """
    found: dict[str, None] = {}
    for text in (word for word in words if re.search(r"\s", word)):
        found.update(dict.fromkeys(_named_in(text, [start])))
    queue = [*files, *found]
    while queue and len(found) < _MAX_REACHED:
        script = queue.pop(0)
        own = os.path.dirname(script)
        text = _text(script)
        new = [*_named_in(text, [own, start]), *(_imported(text, own) if script.endswith(".py") else ())]
        for path in new:
            if path not in found and path not in files:
                found[path] = None
                queue.append(path)
    return list(found)


def _text(path: str) -> str:
    """Returns the text of a script; empty for other files, such as programs in machine code."""
    with suppress(OSError, UnicodeError):
        if os.path.isfile(path) and os.path.getsize(path) <= _MAX_SCRIPT:
            with open(path, "rb") as file:
                data = file.read()
            return "" if b"\0" in data else data.decode()
    return ""


def _named_in(text: str, folders: Sequence[str]) -> Iterator[str]:
    """Yields the paths of files and folders whose names occur as words in the text of a script.

    A path in the text is absolute, or relative to one of `folders`. A variable at the beginning of a path, as in
    `$HERE/bot`, may stand for any of `folders`. `folders` themselves, and folders that contain them, are not yielded.
    """
    beside = {folder: _names_in(folder) for folder in folders}
    for word in dict.fromkeys(_WORD.findall(_VARIABLE.sub("", text))):
        for folder in folders:
            first, _, rest = word.lstrip("/").partition("/")
            if first not in beside[folder] and not (first in (".", "..") and rest):
                continue
            path = os.path.normpath(os.path.join(folder, word.lstrip("/")))
            if _is_file(path) or (rest and _is_folder_elsewhere(path, folders)):
                yield path
        if word.startswith("/"):
            path = os.path.normpath(word)
            if _is_file(path) or _is_folder_elsewhere(path, folders):
                yield path


def _names_in(folder: str) -> set[str]:
    with suppress(OSError):
        return set(os.listdir(folder))
    return set()


def _is_file(path: str) -> bool:
    """Returns whether a path is a file that may belong to a bot: no interpreter and no file of the system."""
    is_foreign = is_systems(path) or is_interpreter(path) or any(path.startswith(f"{place}/") for place in _NO_FILES)
    return not is_foreign and os.path.isfile(path)


def _is_folder_elsewhere(path: str, folders: Sequence[str]) -> bool:
    """Returns whether a path is a folder that may belong to a bot, and neither contains nor is one of `folders`."""
    contains = any(f"{folder}/".startswith(f"{path.rstrip('/')}/") for folder in folders)
    return not contains and os.path.isdir(path) and may_hold_bot(path) and any(unless_private(path, ()))


def _imported(text: str, folder: str) -> Iterator[str]:
    """Yields the paths of the modules in `folder`, files or packages, that the text of a Python script imports."""
    for one, several in _IMPORT.findall(text):
        for name in (part.split()[0] for part in (one or several).split(",") if part.strip()):
            top = name.partition(".")[0]
            place = os.path.join(folder, top)
            if top and os.path.isdir(place):
                yield place
            elif top and os.path.isfile(f"{place}.py"):
                yield f"{place}.py"
