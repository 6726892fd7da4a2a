"""Texts: kernels that are written once and instantiated for each game on its verbs.

A text is a module's source in which the global `rules` stands for a game's verbs (`verbs.Verbs`). It is executed once a
game, with `rules` bound to that game's, and so compiled to code as fast as if it were written for that game. (A kernel
that takes others as arguments would be compiled anew in every process.) Each instance has cache folders of its own.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import cast

from lapilli.games.verbs import Verbs

_DEFAULTS = "lapilli.games.defaults_text"


@cache
def instantiate(text: str, rules: ModuleType) -> ModuleType:
    """The module that a text becomes on a game's verbs; the same one every time.

    Args:
        text: a module's dotted name; its source is executed anew, with `rules` bound.
        rules: the module of the game's verbs, `Game.kernel`. Verbs that it leaves out get their default.
    """
    return _execute(text, rules, _completed(rules))


def verbs_of(rules: ModuleType) -> Verbs:
    """The verbs of a game with the defaults of those that its rules leave out."""
    return cast(Verbs, _completed(rules))


@cache
def _completed(rules: ModuleType) -> ModuleType:
    completed = ModuleType(f"{rules.__name__}:verbs")
    given = {name: value for name, value in vars(rules).items() if not name.startswith("__")}
    vars(completed).update({"MAX_LEGAL": given.get("NUM_ACTIONS"), **given})
    defaults = _execute(_DEFAULTS, rules, completed)
    for name in Verbs.__dict__:
        if not name.startswith("_") and not hasattr(completed, name):
            setattr(completed, name, getattr(defaults, name))
    return completed


def _execute(text: str, rules: ModuleType, verbs: ModuleType) -> ModuleType:
    file = _source(text)
    module = ModuleType(f"{text}:{rules.__name__}")
    vars(module).update(__file__=str(file), rules=verbs, __made_on__=(_source(rules.__name__), _source(_DEFAULTS)))
    sys.modules[module.__name__] = module
    exec(compile(file.read_bytes(), file, "exec"), vars(module))
    return module


def _source(module: str) -> Path:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve()
