"""What others build on: the names that `import lapilli` offers, and the commands with their options.

`python tests/architecture/public_names.py` writes them to `public_names.txt`. A name that disappears from that file is
a change that users notice, so it belongs into the change's message.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

import lapilli
import lapilli.arena
import lapilli.public
from lapilli.cli import app
from lapilli.core.game import Game
from lapilli.core.rules.observation import Observation
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.envs.batch import Batch
from lapilli.envs.learning.datasets.dataset import Dataset
from lapilli.envs.learning.evaluation.evaluate import Evaluation
from lapilli.envs.opponents.learner_batch import LearnerBatch
from lapilli.envs.opponents.past_selves_batch import PastSelvesBatch
from lapilli.envs.tree_search.tree_search import TreeSearchResult

RETURNED: tuple[type[Any], ...] = (
    Batch,
    Dataset,
    Evaluation,
    Game,
    LearnerBatch,
    Line,
    Observation,
    PastSelvesBatch,
    SearchResult,
    TreeSearchResult,
)
"""Classes of objects that the functions of `lapilli` return."""
FILE = Path(__file__).with_name("public_names.txt")


def public_names() -> Iterator[str]:
    """Yields a line for each name, member, command and option."""
    for name in sorted(lapilli.public.__all__):
        value = getattr(lapilli, name)
        if inspect.isclass(value):
            yield f"lapilli.{name}"
            yield from _members(value, f"lapilli.{name}")
        else:
            yield f"lapilli.{name}{_parameters(value)}"
    yield f"lapilli.arena.events{_parameters(lapilli.arena.events)}"
    for kind in (lapilli.arena.ArenaEvent, lapilli.arena.ArenaMatch, lapilli.arena.ArenaSeat):
        yield from _members(kind, f"lapilli.arena.{kind.__name__}")
    for returned in RETURNED:
        yield from _members(returned, returned.__name__)
    yield from _commands(typer.main.get_command(app), "lapilli")


def _members(kind: type[Any], path: str) -> Iterator[str]:
    """Yields the public attributes of a class, those of its annotations included, and methods with their parameters."""
    named = {name for base in kind.__mro__ if base.__module__.startswith("lapilli") for name in vars(base)}
    fields = {name for base in kind.__mro__ for name in getattr(base, "__annotations__", {})}
    for name in sorted(name for name in named | fields if not name.startswith("_")):
        member = getattr(kind, name, None)
        yield f"{path}.{name}{_parameters(member) if callable(member) and not inspect.isclass(member) else ''}"


def _parameters(function: Any) -> str:
    """Returns the parameters of a function in brackets, without a method's `self`."""
    shown = [_shown(one) for one in inspect.signature(function).parameters.values() if one.name != "self"]
    return f"({', '.join(shown)})"


def _shown(parameter: inspect.Parameter) -> str:
    """Returns a parameter's name, with a mark for one that has a default."""
    before = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
    return before + parameter.name + ("=" if parameter.default is not inspect.Parameter.empty else "")


def _commands(command: Any, path: str) -> Iterator[str]:
    """Yields the options and arguments of a command of Typer's, then those of its subcommands."""
    for parameter in command.params:
        yield f"{path} {' '.join([*parameter.opts, *parameter.secondary_opts])}"
    if isinstance(command, TyperGroup):
        context: Any = None  # these commands do not depend on one
        for name in sorted(command.list_commands(context)):
            yield from _commands(command.get_command(context, name), f"{path} {name}")


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in public_names()), encoding="utf-8")
