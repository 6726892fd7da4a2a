"""Functions that add commands to Typer apps: they flatten groups of options, and format help texts.

Nothing slow is imported here, so that `lapilli bot` starts fast.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand

from lapilli.core.errors import LapilliError
from lapilli.core.installed import game_names

GAMES_ARE_MATCHES = {"--games": "--matches"}
"""The argument `renamed` of `add_command` for commands whose option --matches was called --games."""


def new_app() -> typer.Typer:
    """Returns an app without commands."""
    return typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)


def add_group(app: typer.Typer, name: str, text: str, *, examples: tuple[str, ...]) -> typer.Typer:
    """Adds a new group of commands to an app, and returns the group.

    Args:
        app: the app.
        name: name of the group on the command line.
        text: help text of the group. It is printed if the user names no command of the group.
        examples: command lines for the end of the help text.
    """
    group = new_app()

    @group.callback(invoke_without_command=True, help=text)
    def start(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())

    app.add_typer(group, name=name, epilog=examples_text(examples))
    return group


def add_command(
    app: typer.Typer,
    name: str,
    command: Callable[..., None],
    *,
    examples: tuple[str, ...],
    renamed: Mapping[str, str] | None = None,
    **more: Any,
) -> None:
    """Adds a command to an app. The docstring of the function `command` is the help text.

    Args:
        app: the app.
        name: name of the command on the command line.
        command: the function. A parameter may be a group of options: a dataclass whose fields are options.
        examples: command lines for the end of the help text.
        renamed: former names of options, each with the present name. They still work for one version, but no help text
            mentions them.
        more: further arguments of `typer.Typer.command`.
    """
    if renamed:
        more["cls"] = _with_former_names(renamed)
    app.command(name, help=_help_text(command), epilog=examples_text(examples), **more)(flattened(command))


def _with_former_names(renamed: Mapping[str, str]) -> type[TyperCommand]:
    """Returns a class of commands that accept former names of options, and print the present name on stderr.

    `renamed`: the former names, each with the present name.
    """

    class RenamingCommand(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            end = args.index("--") if "--" in args else len(args)
            for place, word in enumerate(args[:end]):
                name, equals, value = word.partition("=")
                if name in renamed:
                    args[place] = f"{renamed[name]}{equals}{value}"
                    print(f"lapilli: {name} is now called {renamed[name]}; use the new name", file=sys.stderr)
            return super().parse_args(ctx, args)

    return RenamingCommand


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """Returns a function for Typer that calls `command`, but has one parameter for each option.

    A parameter of `command` may be a group of options: a dataclass whose fields are annotated as options. The command
    then receives an object of this class. If the parameter has a default, which is such an object, its attributes are
    the defaults of the options.
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: one.annotation for name, one in signature.parameters.items() if is_dataclass(one.annotation)
    }

    def call(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    parameters = [option for one in signature.parameters.values() for option in _options_of(one)]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def _options_of(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """Yields a parameter for each option of a group of options. Yields any other parameter itself.

    All yielded parameters are keyword-only, so that parameters with and without defaults may be in any order.
    """
    group, usual = parameter.annotation, parameter.default
    if not is_dataclass(group):
        yield parameter.replace(kind=parameter.KEYWORD_ONLY)
        return
    kinds = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = field.default if usual is parameter.empty else getattr(usual, field.name)
        assert default is not MISSING, f"the option {field.name} must have a default"
        yield inspect.Parameter(field.name, parameter.KEYWORD_ONLY, default=default, annotation=kinds[field.name])


def _help_text(command: Callable[..., None]) -> str:
    """Returns a command's docstring with each paragraph in one line, since Typer keeps line breaks."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def examples_text(examples: tuple[str, ...]) -> str:
    """Formats examples for the end of a help text, one example on each line."""
    return "\n".join(["Example:" if len(examples) == 1 else "Examples:", *examples])


def example_game() -> str:
    """Returns the name of a game for examples in help texts; "GAME" if the games cannot be listed."""
    try:
        return game_names()[-1]
    except LapilliError:  # the command itself reports the error
        return "GAME"
