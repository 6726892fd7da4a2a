"""Compiles all kernels of a game in advance, so that no match and no bot of ours waits for the compiler."""

from __future__ import annotations

import hashlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np
from numba import typeof, types

from lapilli.core.errors import IllegalAction, SetupError
from lapilli.core.game import Game
from lapilli.core.input_lines import InputLines
from lapilli.core.outcome import Termination
from lapilli.core.protocol import Step
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.cache import cache_folder
from lapilli.kernels.kernel import JIT, SIMULTANEOUS, heard_compiling
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.engines.searches import BEST, find_thinker, thinker_names
from lapilli.players.player import Question
from lapilli.search.searcher import new_searcher

Progress = Callable[[int, int], None]
"""Callback that receives the number of kernels that are done, and the number of all."""
_TURNS, _TURNS_MORE = 40, 3
"""Number of turns that are played in the first variant of a game, where most kinds of turns should occur, and in each
other variant.
"""
_THOUGHTS, _NODES, _MS = 5, 8, 20.0
"""Number of turns that searches play, with this many nodes or this many milliseconds for a reply."""


def thinks(game: Game, players: Iterable[object]) -> bool:
    """Returns whether one of the players is a search, so that the kernels of searches are needed, too."""
    return any(isinstance(player, str) and find_thinker(game, player) is not None for player in players)


def is_compiled(game: Game, pictures: bool = False, searches: bool = False) -> bool:
    """Returns whether `compile_ahead` has nothing to do."""
    return not JIT or (_is_played(game, pictures) and (_thought(game).exists() or not searches))


def compile_ahead(game: Game, progress: Progress, pictures: bool = False, searches: bool = False) -> None:
    """Compiles the kernels of a game that matches and bots reading a referee's input need, optionally with those of
    pictures and searches. Stores them on disk; does nothing if they are there already.
    """
    if is_compiled(game, pictures, searches):
        return
    wanted = {_key(function) for function in kernels_of(game, pictures, searches)}
    done: set[str] = set()

    def hear(*keys: str) -> None:
        done.update(keys)
        progress(len(done & wanted), len(wanted))

    hear()
    with _beside(lambda: _prepare(game, searches), hear) as hear_both, heard_compiling(lambda f: hear_both(_key(f))):
        _use_as_referee(game)
        _use(game, pictures)
    if searches:
        with heard_compiling(lambda function: hear(_key(function))):  # kernels that the second process has not compiled
            _think(game)
        _thought(game).touch()
    hear(*wanted)
    _played(game, pictures).touch()


Hear = Callable[..., None]


@contextmanager
def _beside(work: Callable[[], None], hear: Hear) -> Iterator[Hear]:
    """Runs `work` in a second process meanwhile, if there is a core for it, and waits for it at the end.

    The second process only fills the cache on disk: if it fails, nothing is lost. A process with several threads starts
    no second one: the forked copy could wait forever for a lock.

    Args:
        work: what the second process does.
        hear: called for the kernels that either process compiles.

    Yields:
        A function to call for each kernel that this process compiles.
    """
    if _cores() < 2 or threading.active_count() > 1:
        yield hear
        return
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _work_and_leave(work, theirs)
    os.close(theirs)

    def read(wait: bool) -> bool:
        """Passes on the kernels that the other process reports; returns False once it has ended."""
        while select.select([ours], [], [], None if wait else 0)[0]:
            said = os.read(ours, select.PIPE_BUF)
            if not said:
                return False
            hear(*said.decode().split())
        return True

    def hear_both(key: str) -> None:
        hear(key)
        read(wait=False)

    try:
        yield hear_both
        while read(wait=True):
            pass
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ours)


def _cores() -> int:
    """Returns the number of cores that this process may use, where the system reports it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work_and_leave(work: Callable[[], None], tell: int) -> NoReturn:
    """Runs the second process: writes one line for each kernel it compiles, then exits without any cleanup."""

    def hear(function: Any) -> None:
        os.write(tell, f"{_key(function)}\n".encode())

    try:
        with heard_compiling(hear):
            work()
    finally:
        os._exit(0)


def _key(function: Any) -> str:
    return f"{function.__module__}.{function.__name__}"


def kernels_of(game: Game, pictures: bool = True, searches: bool = True) -> set[FunctionType]:
    """Returns the functions that are compiled for a game: the kernels named in the Python code of its modules, its
    State and its searches, and all kernels that these call.
    """
    own = f"lapilli.games.{game.name}"
    rooms = [module for name, module in list(sys.modules.items()) if name == own or name.startswith(f"{own}.")]
    if not pictures:
        rooms = [room for room in rooms if not room.__name__.startswith(f"{own}.picture")]
    if not searches:
        engines = {engine.__module__ for engine in game.engines.values()}
        rooms = [room for room in rooms if not room.__name__.startswith(f"{own}.engine") or room.__name__ in engines]
    queue = [kernel for room in rooms for kernel in _kernels_among(_names_in(room), vars(room))]
    unused = {"try_play", "try_play_joint"} - {f"try_{verb}" for verb in vars(game.rules)}
    unused |= set() if pictures else {"observe", "values"}
    queue += _kernels_among(_names_in(sys.modules[State.__module__]) - unused, vars(game.face))
    for search in game.searches.values() if searches else ():
        method = sys.modules[type(new_searcher(game, search, {})).__module__]
        texts = [module for name, module in list(sys.modules.items()) if name.endswith(f":{game.rules.__name__}")]
        queue += [kernel for text in texts for kernel in _kernels_among(_names_in(method), vars(text))]
    reached: set[FunctionType] = set()
    while queue:
        function = queue.pop()
        if function not in reached:
            reached.add(function)
            queue += _kernels_among(set(function.__code__.co_names), function.__globals__)
    return reached


def _kernels_among(names: set[str], known: dict[str, Any]) -> Iterator[FunctionType]:
    """Yields the compiled functions that these names refer to, also as attributes of modules."""
    values = [known[name] for name in names & known.keys()]
    values += [getattr(value, name, None) for value in values if _is_ours(value) for name in names]
    for value in values:
        function = getattr(value, "py_func", None)
        if isinstance(function, FunctionType):
            yield function


def _is_ours(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.startswith("lapilli.")


def _names_in(module: ModuleType) -> set[str]:
    """Returns the names that a module's functions and methods use."""
    values = list(vars(module).values())
    values += [member for value in values if isinstance(value, type) for member in vars(value).values()]
    plain = (getattr(value, "fget", None) or getattr(value, "__wrapped__", value) for value in values)
    queue = [value.__code__ for value in plain if isinstance(value, FunctionType)]
    names: set[str] = set()
    while queue:
        code = queue.pop()
        names.update(code.co_names)
        queue += (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return names


def _is_played(game: Game, pictures: bool) -> bool:
    """Returns whether all kernels that matches need are compiled."""
    return any(_played(game, drawn).exists() for drawn in {pictures, True})


def _played(game: Game, pictures: bool) -> Path:
    """Returns the marker file: all kernels that matches need are compiled. The name of its folder depends on every
    source file of the game.
    """
    sources = (sys.modules[name].__file__ or "" for name in (f"lapilli.games.{game.name}", __name__))
    return cache_folder(*(Path(source).resolve() for source in sources)) / ("drawn" if pictures else "played")


def _thought(game: Game) -> Path:
    """Returns the marker file: all kernels that searches need are compiled. Its name depends on every source file of
    the searches.
    """
    digest = hashlib.sha256()
    for source in sorted(Path(sys.modules[new_searcher.__module__].__file__ or "").parent.glob("*.py")):
        digest.update(source.read_bytes())
    return _played(game, pictures=False).with_name(f"thought-{digest.hexdigest()[:16]}")


def _think(game: Game) -> None:
    """Lets every search play the first turns of every variant of the game, and every level those of the first variant,
    with a budget of nodes; and the strongest search by the clock.
    """
    setups = [setup for setup in _forms(game) if setup.seed is not None]
    for number, setup in enumerate(setups):
        for name in game.searches if number else thinker_names(game):
            _play_a_little(game, setup, f"{name}:nodes={_NODES}")
    if game.searches:
        _play_a_little(game, setups[0], BEST)


def _play_a_little(game: Game, setup: Setup, name: str) -> None:
    """Plays some turns of a match in which this search plays all sides."""
    state = game.new_initial_state(setup)
    players = [make_builtin(game, name, player, 0) for player in range(state.num_players)]
    for _ in range(_THOUGHTS):
        replies = {}
        for player in state.asked():
            question = Question(game.protocol, state, player, state.turn, False, ReplyLimits(_MS))
            replies[player] = players[player].answer(question).reply
        game.protocol.play_turn(state, replies)


def _use(game: Game, pictures: bool) -> None:
    """Plays the first turns in every variant of the game, as a search does and as a referee does, and optionally draws
    them.
    """
    _use_as_search(game)
    for number, setup in enumerate(_forms(game)):
        if setup.seed is not None:
            state = game.new_initial_state(setup)
            if pictures:
                state.observation(0)
                state.returns()
            for _ in range(_TURNS_MORE if number else _TURNS):
                step = _turn(game, state)
                if pictures:
                    game.pictures(state, step)


def _use_as_search(game: Game) -> None:
    """Calls what a search calls in every variant of the game, and lets engines and single actions play."""
    for setup in _forms(game):
        state = game.new_initial_state(setup)
        _step(state.clone())
        if setup.seed is not None:
            _replies(game, state)


def _prepare(game: Game, searches: bool) -> None:
    """Compiles the kernels that a search needs, those of the facade first: they need no position, whereas making the
    first position may need much compiling.
    """
    verbs = vars(game.rules)
    batch, ints = typeof(np.zeros(1, game.state.DTYPE)), typeof(np.zeros(1, np.int64))
    world = typeof(game.state.WORLD_LIKE)
    if "play_joint" in verbs:
        game.face.try_play_joint.compile((batch, ints, world))
    if "play" in verbs:
        game.face.try_play.compile((batch, types.int64, world))
    game.face.legal.compile((batch, types.int64, ints, world))
    game.face.accepts.compile((batch, types.int64, types.int64, world))
    game.face.leave.compile((batch, types.int64, types.int64))
    _use_as_search(game)
    if searches:
        _think(game)
    _use_as_referee(game)  # both processes need these: the first one compiles them, the other finds them


def _use_as_referee(game: Game) -> None:
    """Sends the players their input, reads it back as a bot does, and plays a turn of empty replies."""
    for setup in _forms(game):
        if setup.seed is not None:
            state = game.new_initial_state(setup)
            for player in state.asked():
                lines = InputLines(game.protocol.input_for(state, player, first=True).splitlines())
                reader = game.protocol.reader(game, setup)
                reader.opening(lines)
                reader.turn(lines)
            game.protocol.play_turn(state, dict.fromkeys(state.asked(), ""))


def _forms(game: Game) -> Iterator[Setup]:
    for variant in game.variants or (None,):
        for players in game.players:
            for seed in (0, None):
                with suppress(SetupError):  # a variant that is not for that many players
                    setup = game.complete(Setup(seed, players, variant))
                    game.new_initial_state(setup)
                    yield setup


def _step(state: State) -> None:
    """Plays the first legal actions, and checks one that is illegal."""
    if state.current_player() == SIMULTANEOUS:
        state.apply_actions([state.legal_actions(player)[0] for player in range(state.num_players)])
    else:
        state.apply_action(state.legal_actions()[0])
    with suppress(IllegalAction):
        state.string_to_action("")


def _turn(game: Game, state: State) -> Step:
    """Plays a referee's turn, with replies of the strongest engine."""
    before, replies = state.clone(), _replies(game, state)
    step = Step(before, game.protocol.play_turn(state, replies))
    game.text(state, step)
    for player in before.asked():
        left = before.clone()
        left.leave(player, Termination.EXITED)
        left.outcome()
    state.scores()
    state.position()
    return step


def _replies(game: Game, state: State) -> dict[int, str]:
    """Returns the strongest engine's reply for each asked player; the other engines are called, too."""
    replies = {}
    for player in state.asked():
        game.protocol.input_for(state, player, first=True)
        for engine in game.engines.values():
            actions = engine(state.clone(), player, Random(0))
            replies[player] = game.protocol.format_reply(state, player, actions)
    return replies
