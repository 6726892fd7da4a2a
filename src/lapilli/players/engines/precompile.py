"""Compiles a game's kernels before they are needed, so that no match and no built-in bot waits for the compiler."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from types import FunctionType

import numpy as np
from numba import typeof, types

from lapilli.core.errors import IllegalAction, SetupError
from lapilli.core.game import Game
from lapilli.core.protocol.input_lines import InputLines
from lapilli.core.protocol.protocol import Step
from lapilli.core.rules.outcome import Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.cache import cache_folder
from lapilli.kernels.kernel import JIT, SIMULTANEOUS, compile_callback, new_random, random_seed
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.engines.searches import BEST, find_search, search_names
from lapilli.players.engines.second_process import in_second_process, key_of
from lapilli.players.player import Question
from lapilli.search.searcher import new_searcher

Progress = Callable[[int, int], None]
"""Callback for a progress bar: receives the number of kernels compiled so far, and the number of all kernels to
compile.
"""
_TURNS, _TURNS_MORE = 40, 3
"""Numbers of turns that are played to compile the kernels of matches. `_TURNS` turns are played in a game's first
variant, so that most kinds of turns occur; `_TURNS_MORE` turns are played in each other variant.
"""
_SEARCH_TURNS, _SEARCH_NODES, _SEARCH_MS = 5, 8, 20.0
"""Limits of the matches that are played to compile the kernels of searches: number of turns; nodes for each reply; and
time for each reply, in milliseconds, of the search without a limit of nodes.
"""


def uses_search(game: Game, players: Iterable[object]) -> bool:
    """Returns whether a match of these players needs the kernels of searches.

    This is so if at least one of the players is the name of a search or level.
    """
    return any(isinstance(player, str) and find_search(game, player) is not None for player in players)


def is_compiled(game: Game, pictures: bool = False, searches: bool = False) -> bool:
    """Returns whether the compiled kernels of a game are on disk already. Also True if the compiler is switched off.

    Args:
        game: the game.
        pictures: whether to include the kernels of pictures.
        searches: whether to include the kernels of searches.
    """
    return not JIT or (_is_match_compiled(game, pictures) and (_search_marker(game).exists() or not searches))


def compile_ahead(
    game: Game, progress: Progress, pictures: bool = False, searches: bool = False, helper: bool = True
) -> None:
    """Compiles the kernels that a game's matches and built-in opponents need, and stores the compiled kernels on disk.

    Does nothing if they are on disk already.

    Args:
        game: the game.
        progress: callback that is called at the start and after each compiled kernel.
        pictures: whether to compile the kernels of pictures, too.
        searches: whether to compile the kernels of searches, too.
        helper: whether a second process may help, if there is a core for it.
    """
    if is_compiled(game, pictures, searches):
        return
    wanted = {key_of(function) for function in kernels_of(game, pictures, searches)}
    compiled: set[str] = set()

    def on_kernels(*keys: str) -> None:
        compiled.update(keys)
        progress(len(compiled & wanted), len(wanted))

    on_kernels()
    with (
        in_second_process(lambda: _compile_for_searches(game, searches), on_kernels, helper) as on_own_kernel,
        compile_callback(lambda f: on_own_kernel(key_of(f))),
    ):
        _call_as_referee(game)
        _play_variants(game, pictures)
    if searches:
        _search_marker(game).touch()
    on_kernels(*wanted)
    _match_marker(game, pictures).touch()


def kernels_of(game: Game, pictures: bool = True, searches: bool = True) -> set[FunctionType]:
    """Returns the kernels that a game's matches may need, as plain Python functions.

    A few of them are never called. Kernels that all games share are not included.

    Args:
        game: the game.
        pictures: whether to include the kernels of pictures.
        searches: whether to include the kernels of searches.
    """
    for search in game.searches.values() if searches else ():
        new_searcher(game, search, {})  # loads the kernels of the search
    found = set()
    for name, module in list(sys.modules.items()):
        if _is_of(game, name, pictures, searches):
            functions = (getattr(value, "py_func", None) for value in vars(module).values())
            found |= {one for one in functions if isinstance(one, FunctionType) and one.__module__ == name}
    return found


def _is_of(game: Game, module: str, pictures: bool, searches: bool) -> bool:
    """Returns whether a module is in a game's folder, or contains kernels that were made for the game from a template.

    Such a module's name consists of the template's name, ":" and the name of the game's rules. Templates of default
    search hooks (`…defaults_template`) are left out, because a game needs only a few of these defaults.

    Args:
        game: the game.
        module: name of the module.
        pictures: whether to include the modules of pictures.
        searches: whether to include the modules of searches.
    """
    template, _, rules = module.partition(":")
    if rules:
        is_needed = searches or not template.startswith("lapilli.search.")
        return rules == game.rules.__name__ and is_needed and not template.endswith("defaults_template")
    own = f"lapilli.games.{game.name}"
    if module != own and not module.startswith(f"{own}."):
        return False
    if module.startswith(f"{own}.picture"):
        return pictures
    is_simple_engine = module in {engine.__module__ for engine in game.engines.values()}
    return searches or is_simple_engine or not module.startswith(f"{own}.engine")


def _is_match_compiled(game: Game, pictures: bool) -> bool:
    """Returns whether all kernels that a game's matches need are compiled. `pictures`: whether to include those that
    draw.
    """
    return any(_match_marker(game, drawn).exists() for drawn in {pictures, True})


def _match_marker(game: Game, pictures: bool) -> Path:
    """Returns the path of a marker file, which exists if all kernels that a game's matches need are compiled.

    The name of the marker's folder depends on the contents of all source files of the game, so that a changed game has
    no marker. With `pictures`, the marker includes the kernels that draw pictures.
    """
    sources = (sys.modules[name].__file__ or "" for name in (f"lapilli.games.{game.name}", __name__))
    return cache_folder(*(Path(source).resolve() for source in sources)) / ("drawn" if pictures else "played")


def _search_marker(game: Game) -> Path:
    """Returns the path of a marker file, which exists if all kernels that a game's searches need are compiled.

    The marker's name depends on the contents of all source files of the searches, so that changed searches have no
    marker.
    """
    digest = hashlib.sha256()
    for source in sorted(Path(sys.modules[new_searcher.__module__].__file__ or "").parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return _match_marker(game, pictures=False).with_name(f"thought-{digest.hexdigest()[:16]}")


def _run_searches(game: Game) -> None:
    """Plays short matches of a game's searches, so that the kernels of the searches are compiled.

    Every search plays in every variant, and every level in the first variant. The strongest search also plays once with
    a time limit instead of a limit of nodes.
    """
    setups = [setup for setup in _setups(game) if setup.seed is not None]
    for number, setup in enumerate(setups):
        for name in game.searches if number else search_names(game):
            _play_searches(game, setup, f"{name}:nodes={_SEARCH_NODES}")
    if game.searches:
        _play_searches(game, setups[0], BEST)


def _play_searches(game: Game, setup: Setup, name: str) -> None:
    """Plays the first turns of a match in which the search `name` plays for all players, to compile its kernels."""
    state = game.new_initial_state(setup)
    players = [make_builtin(game, name, player, 0) for player in range(state.num_players)]
    for _ in range(_SEARCH_TURNS):
        replies = {}
        for player in state.asked():
            question = Question(game.protocol, state, player, state.turn, False, ReplyLimits(_SEARCH_MS))
            replies[player] = players[player].answer(question).reply
        game.protocol.play_turn(state, replies)


def _play_variants(game: Game, pictures: bool) -> None:
    """Plays the first turns of every variant, with the calls that a search and a referee make.

    If `pictures`, also draws the pictures of these turns.
    """
    _call_as_search(game)
    for number, setup in enumerate(_setups(game)):
        if setup.seed is not None:
            state = game.new_initial_state(setup)
            if pictures:
                state.observation(0)
                state.returns()
            for _ in range(_TURNS_MORE if number else _TURNS):
                step = _play_turn(game, state)
                if pictures:
                    game.pictures(state, step)


def _call_as_search(game: Game) -> None:
    """Plays an action in every variant, and lets each simple engine choose a turn, to compile the kernels for this."""
    random_seed(new_random(0))  # so does an engine that is a kernel
    for setup in _setups(game):
        state = game.new_initial_state(setup)
        _apply_first_action(state.clone())
        if setup.seed is not None:
            _engine_replies(game, state)


def _compile_for_searches(game: Game, searches: bool) -> None:
    """Compiles the kernels that simple engines need and, with `searches`, those that searches need.

    This runs in the second process, while the first process plays matches.

    The kernels of `game.facade`, with which State calls the rules, are compiled first, because they need no position.
    (To create the first position, many other kernels may have to be compiled.)
    """
    verbs = vars(game.rules)
    batch, ints = typeof(np.zeros(1, game.state.DTYPE)), typeof(np.zeros(1, np.int64))
    static = typeof(game.state.STATIC_EXAMPLE)
    if "play_joint" in verbs:
        game.facade.try_play_joint.compile((batch, ints, static))
    if "play" in verbs:
        game.facade.try_play.compile((batch, types.int64, static))
    game.facade.legal.compile((batch, types.int64, ints, static))
    game.facade.accepts.compile((batch, types.int64, types.int64, static))
    game.facade.leave.compile((batch, types.int64, types.int64))
    _call_as_search(game)
    if searches:
        _run_searches(game)
    _call_as_referee(game)  # both processes need these kernels: whichever comes first compiles them


def _call_as_referee(game: Game) -> None:
    """Does in every variant what a match does, so that the kernels for this are compiled.

    This formats the players' inputs, parses them as a bot does, and plays a turn of empty replies.
    """
    for setup in _setups(game):
        if setup.seed is not None:
            state = game.new_initial_state(setup)
            for player in state.asked():
                lines = InputLines(game.protocol.input_for(state, player, first=True).splitlines())
                reader = game.protocol.reader(game, setup)
                reader.opening(lines)
                reader.turn(lines)
            game.protocol.play_turn(state, dict.fromkeys(state.asked(), ""))


def _setups(game: Game) -> Iterator[Setup]:
    """Yields two setups for every variant and number of players of a game: one with seed 0, one without a seed."""
    for variant in game.variants or (None,):
        for players in game.players:
            for seed in (0, None):
                with suppress(SetupError):  # the variant does not allow this number of players
                    setup = game.complete(Setup(seed, players, variant))
                    game.new_initial_state(setup)
                    yield setup


def _apply_first_action(state: State) -> None:
    """Plays the first legal action on `state`, so that the kernels for this are compiled.

    In a simultaneous turn, plays the first legal action of each player. Also parses an invalid action.
    """
    if state.current_player() == SIMULTANEOUS:
        state.apply_actions([state.legal_actions(player)[0] for player in range(state.num_players)])
    else:
        state.apply_action(state.legal_actions()[0])
    with suppress(IllegalAction):
        state.string_to_action("")


def _play_turn(game: Game, state: State) -> Step:
    """Plays one referee turn on `state` with the replies of the strongest simple engine, and returns the step.

    Calls all kernels that a match calls in a turn, such as those for scores and for a player that leaves.
    """
    before, replies = state.clone(), _engine_replies(game, state)
    step = Step(before, game.protocol.play_turn(state, replies))
    game.text(state, step)
    for player in before.asked():
        position = before.clone()
        position.leave(player, Termination.EXITED)
        position.outcome()
    state.scores()
    state.position()
    return step


def _engine_replies(game: Game, state: State) -> dict[int, str]:
    """Returns the reply of the strongest simple engine for each player that is asked.

    Calls all other simple engines, too, so that their kernels are compiled.
    """
    replies = {}
    for player in state.asked():
        game.protocol.input_for(state, player, first=True)
        for engine in game.engines.values():
            actions = engine(state.clone(), player, Random(0))
            replies[player] = game.protocol.format_reply(state, player, actions)
    return replies
