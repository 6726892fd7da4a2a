"""Kernel templates: modules of kernels that are written once and instantiated for each game.

In a template, the global `rules` stands for a game's verbs (`verbs.Verbs`). In a search's template, the global `engine`
stands for the game's search hooks. The template's source is executed once per game, with both names bound to modules of
that game. So the compiled code is as fast as if it were written for the game. (A kernel that takes other kernels as
arguments would be compiled again in every process.) Each instance has its own cache folders.
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
    template: str, rules: ModuleType, engine: ModuleType | None = None, defaults: str | None = None
) -> ModuleType:
    """Returns a template's instance for a game, which is a module. Equal arguments return the same module.

    Args:
        template: dotted module name of the template.
        rules: `Game.rules`, bound to the name `rules`. Verbs that it does not define get their defaults.
        engine: `Game.search_hooks`, bound to the name `engine`. With neither `engine` nor `defaults`, the name is not
            bound.
        defaults: dotted module name of a template with the kernels that `engine` need not define.
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
    return _execute(template, rules, made_on, bound)


def verbs_of(rules: ModuleType) -> Verbs:
    """Returns the verbs of a game, with defaults for the ones that `rules` does not define."""
    return cast(Verbs, _completed(rules))


@cache
def _completed(rules: ModuleType) -> ModuleType:
    completed = ModuleType(f"{rules.__name__}:verbs")
    names = _public(rules)
    vars(completed).update({"MAX_LEGAL": names.get("NUM_ACTIONS"), **names})
    defaults = _execute(_DEFAULTS, rules, [rules.__name__, _DEFAULTS], {"rules": completed})
    for name in Verbs.__dict__:
        if not name.startswith("_") and not hasattr(completed, name):
            setattr(completed, name, getattr(defaults, name))
    return completed


def _public(module: ModuleType) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


def _execute(template: str, rules: ModuleType, made_on: Sequence[str], bound: Mapping[str, ModuleType]) -> ModuleType:
    """Executes a template's source with the globals `bound`, and returns the module.

    Args:
        template: dotted module name of the template.
        rules: the game's verbs; their module's name becomes part of the new module's name.
        made_on: dotted names of the modules on which the machine code depends besides the template's imports.
        bound: globals that the source expects, by name.
    """
    file = _source(template)
    module = ModuleType(f"{template}:{rules.__name__}")
    vars(module).update(bound, __file__=str(file), __made_on__=tuple(map(_source, made_on)))
    sys.modules[module.__name__] = module
    exec(compile(file.read_bytes(), file, "exec"), vars(module))
    return module


def _source(module: str) -> Path:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve()
