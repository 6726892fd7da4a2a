"""All kernels of a game compiled beforehand, so that no match waits for the compiler."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np
from numba import typeof, types

from lapilli.games.codecache import cache_folder
from lapilli.games.errors import IllegalAction, SetupError
from lapilli.games.game import Game
from lapilli.games.kernel import JIT, SIMULTANEOUS, heard_compiling
from lapilli.games.outcome import Termination
from lapilli.games.protocol import Step
from lapilli.games.setup import Setup
from lapilli.games.state import State

Progress = Callable[[int, int], None]
"""Is told how many kernels are done, and of how many."""
_TURNS, _TURNS_MORE = 40, 3
"""How many turns are played of the usual form of a game, so that most of what can happen does; and of others."""


def is_compiled(game: Game, pictures: bool = False) -> bool:
    """Whether `compile_ahead` has nothing to do."""
    return not JIT or any(_marker(game, drawn).exists() for drawn in {pictures, True})


def compile_ahead(game: Game, progress: Progress, pictures: bool = False) -> None:
    """Compiles what matches of a game need, with their pictures or without, and keeps it on disk; nothing where it is
    there."""
    if is_compiled(game, pictures):
        return
    wanted = {_key(function) for function in kernels_of(game, pictures)}
    done: set[str] = set()

    def hear(*keys: str) -> None:
        done.update(keys)
        progress(len(done & wanted), len(wanted))

    hear()
    with _beside(lambda: _prepare_search(game), hear) as hear_both, heard_compiling(lambda f: hear_both(_key(f))):
        _use_as_referee(game)
    with heard_compiling(lambda function: hear(_key(function))):  # what is still missing, and the pictures
        _use(game, pictures)
    hear(*wanted)
    _marker(game, pictures).touch()


Hear = Callable[..., None]


@contextmanager
def _beside(work: Callable[[], None], hear: Hear) -> Iterator[Hear]:
    """Compiles in a second process meanwhile, if there is a core for it, and waits for it at the end.

    It only fills the disk's cache: should it fail, nothing is lost. Gives what is to be told of our own kernels; `hear`
    is told of those of both processes. Where this process has several threads there is no second one: a copy could find
    a lock closed for ever.
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
        """Passes on what the other process says; False once it has ended."""
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
    """How many cores this process may use, where the system says so."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work_and_leave(work: Callable[[], None], tell: int) -> NoReturn:
    """The second process: says what it compiles, a word a kernel, and ends without a trace."""

    def hear(function: Any) -> None:
        os.write(tell, f"{_key(function)}\n".encode())

    try:
        with heard_compiling(hear):
            work()
    finally:
        os._exit(0)


def _key(function: Any) -> str:
    return f"{function.__module__}.{function.__name__}"


def kernels_of(game: Game, pictures: bool = True) -> set[FunctionType]:
    """The functions that are compiled for a game: the kernels that Python names in its rooms and in its State, and all
    that these call."""
    own = f"lapilli.games.{game.name}"
    rooms = [module for name, module in list(sys.modules.items()) if name == own or name.startswith(f"{own}.")]
    if not pictures:
        rooms = [room for room in rooms if not room.__name__.startswith(f"{own}.picture")]
    queue = [kernel for room in rooms for kernel in _kernels_among(_names_in(room), vars(room))]
    unused = {"try_play", "try_play_joint"} - {f"try_{verb}" for verb in vars(game.kernel)}
    unused |= set() if pictures else {"observe", "values"}
    queue += _kernels_among(_names_in(sys.modules[State.__module__]) - unused, vars(game.face))
    reached: set[FunctionType] = set()
    while queue:
        function = queue.pop()
        if function not in reached:
            reached.add(function)
            queue += _kernels_among(set(function.__code__.co_names), function.__globals__)
    return reached


def _kernels_among(names: set[str], known: dict[str, Any]) -> Iterator[FunctionType]:
    """What is compiled of what these names mean, also as attributes of modules."""
    values = [known[name] for name in names & known.keys()]
    values += [getattr(value, name, None) for value in values if _is_ours(value) for name in names]
    for value in values:
        function = getattr(value, "py_func", None)
        if isinstance(function, FunctionType):
            yield function


def _is_ours(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.startswith("lapilli.")


def _names_in(module: ModuleType) -> set[str]:
    """The names that a module's functions and methods use."""
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


def _marker(game: Game, pictures: bool) -> Path:
    """The file that says that all is compiled; the name of its folder depends on every source of the game."""
    sources = (sys.modules[name].__file__ or "" for name in (f"lapilli.games.{game.name}", __name__))
    return cache_folder(*(Path(source).resolve() for source in sources)) / ("drawn" if pictures else "played")


def _use(game: Game, pictures: bool) -> None:
    """Plays the first turns in every form of the game, as search does and as a referee does, and perhaps draws them."""
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
    """Looks at every form of the game, and lets engines and single actions play."""
    for setup in _forms(game):
        state = game.new_initial_state(setup)
        _step(state.clone())
        if setup.seed is not None:
            _replies(game, state)


def _prepare_search(game: Game) -> None:
    """Compiles the face first, for which no position is needed, since making the first one may need much compiling."""
    verbs = vars(game.kernel)
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
    _use_as_referee(game)  # what both need: who comes to it first compiles it, and the other finds it


def _use_as_referee(game: Game) -> None:
    """Asks and hears the players, who say nothing."""
    for setup in _forms(game):
        if setup.seed is not None:
            state = game.new_initial_state(setup)
            for player in state.asked():
                game.protocol.input_for(state, player, first=True)
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
    """Plays the first legal actions, and checks one that is not."""
    if state.current_player() == SIMULTANEOUS:
        state.apply_actions([state.legal_actions(player)[0] for player in range(state.num_players)])
    else:
        state.apply_action(state.legal_actions()[0])
    with suppress(IllegalAction):
        state.string_to_action("")


def _turn(game: Game, state: State) -> Step:
    """A referee's turn, with replies of the strongest engine."""
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
    """What the strongest engine replies for each asked player; the others are asked, too."""
    replies = {}
    for player in state.asked():
        game.protocol.input_for(state, player, first=True)
        for engine in game.engines.values():
            actions = engine(state.clone(), player, Random(0))
            replies[player] = game.protocol.format_reply(state, player, actions)
    return replies
