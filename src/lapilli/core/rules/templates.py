"""Texts: kernels that are written once and instantiated for each game on its verbs.

A text is a module's source in which the global `rules` stands for a game's verbs (`verbs.Verbs`) and, in a search's
text, the global `engine` for the kernels of the game's engine. It is executed once a game, with both bound to that
game's, and so compiled to code as fast as if it were written for that game. (A kernel that takes others as arguments
would be compiled anew in every process.) Each instance has cache folders of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from lapilli.core.rules.verbs import Verbs

_DEFAULTS = "lapilli.core.rules.defaults_template"


@cache
def instantiate(
    text: str, rules: ModuleType, engine: ModuleType | None = None, defaults: str | None = None
) -> ModuleType:
    """The module that a text becomes on a game's verbs; the same one every time.

    Args:
        text: a module's dotted name; its source is executed anew, with `rules` bound, and `engine`, where there is one.
        rules: the module of the game's verbs, `Game.kernel`. Verbs that it leaves out get their default.
        engine: the module of its engine's kernels, `Game.engine`.
        defaults: a text whose functions stand in for those that `engine` leaves out.
    """
    bound: dict[str, ModuleType] = {"rules": _completed(rules)}
    made_on = [rules.__name__, _DEFAULTS]
    if engine is not None or defaults is not None:
        bound["engine"] = ModuleType(f"{rules.__name__}:engine")
        if defaults is not None:
            vars(bound["engine"]).update(_public(instantiate(defaults, rules)))
            made_on.append(defaults)
        if engine is not None:
            vars(bound["engine"]).update(_public(engine))
            made_on.append(engine.__name__)
    return _execute(text, rules, made_on, bound)


def verbs_of(rules: ModuleType) -> Verbs:
    """The verbs of a game with the defaults of those that its rules leave out."""
    return cast(Verbs, _completed(rules))


@cache
def _completed(rules: ModuleType) -> ModuleType:
    completed = ModuleType(f"{rules.__name__}:verbs")
    given = _public(rules)
    vars(completed).update({"MAX_LEGAL": given.get("NUM_ACTIONS"), **given})
    defaults = _execute(_DEFAULTS, rules, [rules.__name__, _DEFAULTS], {"rules": completed})
    for name in Verbs.__dict__:
        if not name.startswith("_") and not hasattr(completed, name):
            setattr(completed, name, getattr(defaults, name))
    return completed


def _public(module: ModuleType) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


def _execute(text: str, rules: ModuleType, made_on: Sequence[str], bound: Mapping[str, ModuleType]) -> ModuleType:
    """Runs a text's source with these globals; `made_on` are the modules that its code depends on beside its own."""
    file = _source(text)
    module = ModuleType(f"{text}:{rules.__name__}")
    vars(module).update(bound, __file__=str(file), __made_on__=tuple(map(_source, made_on)))
    sys.modules[module.__name__] = module
    exec(compile(file.read_bytes(), file, "exec"), vars(module))
    return module


def _source(module: str) -> Path:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve()
