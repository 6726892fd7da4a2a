"""Makes the settings of a tuning, and of the comparison that confirms it, from a user's arguments."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lapilli.arena.matches.contestants import contestant_of, split_name
from lapilli.arena.matches.placeholders import FILE, Number, Placeholders, filled, number_text, placeholders_in
from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.recipes import N, recipe_of
from lapilli.arena.progress.comparison import ComparisonSpec
from lapilli.arena.progress.schedule import pair_seed
from lapilli.arena.statistics import Sprt
from lapilli.arena.tuning.course import TuningTerms
from lapilli.arena.tuning.method import MethodName
from lapilli.arena.tuning.parameters import Parameter, Values, starts
from lapilli.arena.tuning.tuning import TuningSpec
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.players import PlayerSpec, Sandbox, check_startable, is_builtin
from lapilli.players.processes.command import split_command
from lapilli.store.results import Contestant

Described = tuple[Placeholders, str | PlayerSpec]
"""The placeholders in a player's description, and the player with the placeholders replaced by the start values."""


def tuning_spec(
    game: Game,
    player: str,
    parameters: Sequence[Parameter],
    *,
    environment: Mapping[str, str] | None = None,
    against: str | None = None,
    method: MethodName = MethodName.SPSA,
    matches: int = 2000,
    setup: Mapping[str, Any] | None = None,
    clock: Mapping[str, Any] | None = None,
    sandbox: Sandbox = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep = Keep.NONE,
    bot_folders: Sequence[str] = (),
    openings: Sequence[str] = (),
    odds: Mapping[str, float] | None = None,
    memory_mb: Mapping[str, int] | None = None,
    seed: int = 0,
) -> TuningSpec:
    """Returns the settings of a tuning, after checking them.

    Args:
        game: the game.
        player: the bot to tune: a command, NAME=COMMAND, or the name of a built-in opponent; with placeholders.
        parameters: the parameters to tune.
        environment: environment variables of the bot, with or without placeholders.
        against: opponent of the bot; None if the bot plays against itself with other values.
        method: the method that proposes values.
        matches: number of matches of the tuning.
        setup: keys of the setup, such as league and variant.
        clock: settings of a `Clock`, by name.

    The other arguments have the same meaning as in `tune`, which runs a tuning with these settings.

    Raises:
        LapilliError: the player cannot be started, a placeholder has no parameter, a parameter has no placeholder, the
            method's library is not installed, or the game cannot be played with this setup.
    """
    if 2 not in game.players:
        raise LapilliError(f"{game.title} cannot be played by two players, as tuning needs it")
    name, command = split_name(player)
    named, described = name or _usual_name(command), starts(parameters)
    texts = [command, *(environment or {}).values()]
    _check_placeholders(texts, parameters)
    placeholders, base = _builtin(game, command, parameters) or _bot(
        command, described, dict(environment or {}), sandbox, bot_folders
    )
    if isinstance(base, str) and environment:
        raise LapilliError("a built-in opponent has no environment variables: write its parameters into its name")
    if isinstance(base, PlayerSpec):
        check_startable(game, shlex.join(base.command))
    side = contestant_of(game, base)
    contestants = [msgspec.structs.replace(side, name=f"{named} {sign}") for sign in "+−"]
    opponent = contestant_of(game, against) if against is not None else None
    if method == MethodName.OPTUNA:
        contestants = [msgspec.structs.replace(side, name=named), msgspec.structs.replace(side, name="start")]
        contestants[1:] = [opponent] if opponent else contestants[1:]
    elif opponent:
        contestants.append(opponent)
    names = named, [one.name for one in contestants if one is not opponent], opponent.name if opponent else None
    recipe = recipe_of(
        game,
        contestants,
        setup={**(setup or {}), "players": 2},
        clock=clock,
        sandbox=sandbox,
        freeze_idle=freeze_idle,
        keep=keep,
        bot_folders=bot_folders,
        openings=openings,
        odds=_for_sides(odds or {}, *names),
        memory_mb=_for_sides(memory_mb or {}, *names),
    )
    terms = TuningTerms(
        parameters=tuple(parameters),
        method=method,
        version=_version(method),
        matches=matches,
        seed=seed,
        against=against is not None,
    )
    tuned = range(1 if method == MethodName.OPTUNA else 2)
    recipe = msgspec.structs.replace(recipe, placeholders=dict.fromkeys(tuned, placeholders))
    return TuningSpec(recipe=recipe, terms=terms, name=named)


def _for_sides(values: Mapping[str, N], name: str, sides: Sequence[str], opponent: str | None) -> dict[str, N]:
    """Converts a user's values for the tuned bot and its opponent to values for the contestants of the tuning.

    The tuned bot may be two contestants, with different parameter values. Then both get the bot's value.

    Args:
        values: a value for the tuned bot or its opponent, or for both, by name.
        name: name of the tuned bot.
        sides: names of the contestants that are the tuned bot, with different parameter values.
        opponent: name of the opponent; None if there is none.

    Raises:
        UnknownName: a name is neither the bot's nor the opponent's.
    """
    players = ({opponent: [opponent]} if opponent else {}) | {name: sides}
    for player in values:
        if player not in players:
            raise UnknownName("player", player, players)
    return {side: value for player, value in values.items() for side in players[player]}


def _usual_name(command: str) -> str:
    """Returns a short name for a player: the first file in its command, or else the first word up to a colon."""
    words = command.split()
    file = next((word for word in words if os.path.isfile(word)), "")
    return os.path.basename(file) or (words[0].partition(":")[0] if words else command)


def _version(method: MethodName) -> str:
    if method == MethodName.SPSA:
        return ""
    from lapilli.arena.tuning.optuna_method import optuna_version

    return optuna_version()


def _check_placeholders(texts: Sequence[str], parameters: Sequence[Parameter]) -> None:
    """Raises LapilliError if a placeholder in `texts` has no parameter, or a parameter has no placeholder there."""
    used, names = placeholders_in(*texts), [one.name for one in parameters]
    for name in sorted(used - {FILE, *names}):
        raise LapilliError(f"the placeholder {{{name}}} has no parameter: add --param {name}=LOW..HIGH")
    for name in names:
        if name not in used and FILE not in used:
            raise LapilliError(
                f"parameter {name!r} is not in the command: write {{{name}}} where its value belongs, or {{{FILE}}} "
                "for the path of a JSON file with all parameters"
            )


def _builtin(game: Game, command: str, parameters: Sequence[Parameter]) -> Described | None:
    """Returns the placeholders of a built-in opponent, and the opponent's name with the start values in their place.

    Returns None if the command does not name a built-in opponent.

    Args:
        game: the game.
        command: name of the opponent, with placeholders.
        parameters: the tuned parameters.

    Raises:
        LapilliError: the command contains {params}, or the opponent does not accept a value in a parameter's range.
    """
    if FILE in placeholders_in(command):
        if is_builtin(game, command.partition(":")[0]):
            raise LapilliError(f"a built-in opponent reads no file: {{{FILE}}} is for bots")
        return None
    lows, highs = ({one.name: one.value(end) for one in parameters} for end in (0.0, 1.0))
    for values in (lows, highs, starts(parameters)):
        player = filled(command, {name: number_text(value) for name, value in values.items()})
        if not is_builtin(game, player):
            return None
    return Placeholders(name=command), player


def _bot(
    command: str,
    described: Mapping[str, Number],
    environment: Mapping[str, str],
    sandbox: Sandbox,
    bot_folders: Sequence[str],
) -> Described:
    try:
        words = split_command(command)
    except ValueError as error:
        raise LapilliError(f"player {command!r}: {error}") from None
    placeholders = Placeholders(
        words={place: word for place, word in enumerate(words) if placeholders_in(word)},
        environment={name: text for name, text in environment.items() if placeholders_in(text)},
    )
    shown = tuple(map(os.path.abspath, bot_folders))
    bot = PlayerSpec(command=tuple(words), environment=environment, sandbox=sandbox, shown=shown)
    return placeholders, placeholders.fill(bot, described)


def with_values(spec: TuningSpec, values: Mapping[str, Number], name: str) -> Contestant:
    """Returns the tuned bot with these parameter values as a contestant that is called `name`.

    `spec`: settings of the tuning.
    """
    recipe = spec.recipe
    player = recipe.placeholders[0].fill(recipe.contestants[0].player, values)
    return msgspec.structs.replace(contestant_of(load(recipe.game), player), name=name)


def confirming_spec(spec: TuningSpec, values: Values, matches: int) -> ComparisonSpec:
    """Returns the settings of the comparison that confirms a tuning: the bot with tuned values against start values.

    The seeds of the comparison's matches differ from those of the tuning.

    Args:
        spec: settings of the tuning.
        values: the tuned value of each parameter, by name.
        matches: largest number of matches.
    """
    contestants = (
        with_values(spec, values, "tuned"),
        with_values(spec, starts(spec.terms.parameters), "start"),
    )
    sides, base = range(len(contestants)), spec.recipe
    recipe = msgspec.structs.replace(
        base,
        contestants=contestants,
        placeholders={},
        odds=dict.fromkeys(sides, base.odds[0]) if 0 in base.odds else {},
        memory_mb=dict.fromkeys(sides, base.memory_mb[0]) if 0 in base.memory_mb else {},
    )
    seed = pair_seed(spec.terms.seed, spec.terms.steps * spec.terms.pairs)
    return ComparisonSpec(recipe=recipe, sprt=Sprt(), matches=matches, seed=seed)
