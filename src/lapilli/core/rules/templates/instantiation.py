"""Kernel templates: modules of kernels that are written once and instantiated for each game.

In a template, the global name `rules` means a game's verbs (`verbs.Verbs`). In a search's template, the global name
`engine` means the game's search hooks. The template's source is executed once per game, with both names bound to
modules of that game. The result is a module, the template's *instance* for the game. So the compiled code is as fast as
if it were written for the game. (The alternative is a kernel that takes other kernels as arguments. It would be
compiled again in every process.) Each instance has its own cache folders.
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

_DEFAULTS = "lapilli.core.rules.templates.defaults_template"


@cache
def instantiate(
    template: str, rules: ModuleType, engine: ModuleType | None = None, defaults: str | None = None
) -> ModuleType:
    """Returns a template's instance for a game: a module whose kernels call this game's verbs and search hooks.

    Equal arguments return the same module.

    Args:
        template: dotted module name of the template.
        rules: `Game.rules`, the module to which the template's global name `rules` is bound. Missing verbs are replaced
            by their defaults.
        engine: `Game.search_hooks`, the module to which the template's global name `engine` is bound. If `engine` and
            `defaults` are None, the template must not use this name.
        defaults: dotted module name of a template with default search hooks, for those that `engine` does not define.
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


@cache
def instantiate_on(template: str, rules: ModuleType, parts: tuple[tuple[str, ModuleType], ...]) -> ModuleType:
    """Returns a template's instance for a game, with further modules of kernels bound to global names.

    Equal arguments return the same module.

    Args:
        template: dotted module name of the template.
        rules: `Game.rules`, the module to which the template's global name `rules` is bound.
        parts: pairs of a global name in the template and the module to which it is bound: a module of the game, or an
            instance of another template for this game.
    """
    made_on = [rules.__name__, _DEFAULTS]
    paths = dict.fromkeys(path for _, part in parts for path in (_file_of(part), *vars(part).get("__made_on__", ())))
    bound = {"rules": _completed(rules), **dict(parts)}
    title = "+".join([template, *(part.__name__.partition(":")[0].rpartition(".")[2] for _, part in parts)])
    return _execute(template, rules, made_on, bound, title, tuple(paths))


def _file_of(module: ModuleType) -> Path:
    assert module.__file__ is not None
    return Path(module.__file__).resolve()


def verbs_of(rules: ModuleType) -> Verbs:
    """Returns the verbs of a game. The verbs that `rules` does not define are replaced by their defaults."""
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


def _execute(
    template: str,
    rules: ModuleType,
    made_on: Sequence[str],
    bound: Mapping[str, ModuleType],
    title: str = "",
    files: tuple[Path, ...] = (),
) -> ModuleType:
    """Executes a template's source as a new module, and returns the module.

    Args:
        template: dotted module name of the template.
        rules: the game's verbs. The name of their module becomes part of the new module's name.
        made_on: dotted names of further modules on which the machine code depends, besides the template's imports.
        bound: by name, the modules that are globals of the new module, such as `rules` and `engine`.
        title: first part of the new module's name; by default the template's name.
        files: further source files on which the machine code depends.
    """
    file = _source(template)
    module = ModuleType(f"{title or template}:{rules.__name__}")
    sources = dict.fromkeys([*map(_source, made_on), *files])
    vars(module).update(bound, __file__=str(file), __made_on__=tuple(sources))
    sys.modules[module.__name__] = module
    exec(compile(file.read_bytes(), file, "exec"), vars(module))
    return module


def _source(module: str) -> Path:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve()
