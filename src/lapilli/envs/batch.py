"""Many games of one kind, each a step further with one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError, UnknownName
from lapilli.core.game import Game
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import Arrays, has_masks, new_arrays, size_of, takes_all
from lapilli.envs.team import Team
from lapilli.envs.validation import (
    MOST,
    actions_of,
    chosen_of,
    count_of,
    game_of,
    generators,
    number_of,
    players_of,
    seeds_of,
    starts_of,
)

DEVICES = ("cpu", "cuda")
_MOST_THREADS = 1024
_MOST_STEPS = 1 << 32
_UNHEARD = 1 << 21
"""Actions that are played together before Ctrl-C is heard."""
_CHANCE, _SAMPLER = range(2)
_KEPT = ("states", "started", "chance", "sampler", "rewards", "terminated", "refused")
"""What `save` keeps of the arrays; the others follow from it."""


def batch(
    game: str | Game,
    n: int,
    *,
    seed: int | Sequence[int] = 0,
    device: str = "cpu",
    threads: int | None = None,
    autoreset: bool = True,
    starts: Sequence[State] | None = None,
    **setup: Any,
) -> Batch:
    """n environments of a game, each at its start; see `Batch`.

    >>> games = batch("tictactoe", 4096, seed=7)
    >>> games.step(games.sample())

    Args:
        game: its name, or the Game. n: how many environments.
        seed: settles what each draws: environment i has `seed` + i, or the i-th of n seeds. An environment's course
            depends on its own seed, its start and the actions, and on nothing else.
        device: where the arrays lie and the games are played: "cpu", or "cuda", a GPU, with the extra `cuda`.
        threads: how many play on the CPU; by default as many as it has cores for this process.
        autoreset: whether a game that ends begins anew with the same step (Gymnasium's "same step"): observation, mask
            and player are then the new game's, and `rewards` and `terminated` the old one's. Otherwise it stays at its
            end, heeds no action and is no further rewarded, until `reset`.
        starts: what games begin at, each as likely as any other; by default the usual start, or the starts of the seeds
            1 to 64 where they differ by the seed.
        setup: setup keys of the game: `players`, `variant`, `league` and others, but no seed.

    Raises:
        UnknownName, SetupError: no such game, device or setup. LapilliError: another argument that cannot be; no GPU,
            or the extra is not installed.
    """
    known = game_of(game)
    number = count_of("n", n, MOST)
    if device not in DEVICES:
        raise UnknownName("device", str(device), DEVICES)
    completed = known.complete(Setup.from_dict(setup))
    begun = starts_of(known, completed, starts)
    if setup.get("players") not in (None, begun[0].num_players):
        raise LapilliError(f"starts[0]: is for {begun[0].num_players} players, not {quoted(setup['players'])}")
    if not isinstance(autoreset, bool):
        raise LapilliError(f"autoreset: expected True or False, not {quoted(autoreset, 40)}")
    seeds = seeds_of(seed, number)
    if device == "cuda":
        if find_spec("numba_cuda") is None:
            raise LapilliError("device: cuda needs another library: pip install 'lapilli[cuda]'")
        from lapilli.envs.cuda import CudaBatch

        return CudaBatch(known, completed, begun, seeds, autoreset)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Batch(known, completed, begun, seeds, autoreset, cores if threads is None else threads)


class Batch:
    """Environments 0 to n - 1 of one game. `batch` makes one.

    All arrays are the batch's own memory, and every step writes what it changes: copy what is to stay, and write to
    none but `states`. A player who is to act is a *seat*. Where turns are simultaneous every player has a seat, and
    arrays that are told to go by seat have an axis for it after the environments'; in other games they have none.

    Attributes:
        game: what is played. setup: how. num_envs: n.
        seeds: the environments' (int64). starts: what games begin at.
        autoreset: whether games that end begin anew with the same step.
    """

    device = "cpu"

    def __init__(
        self, game: Game, setup: Setup, starts: list[State], seeds: Any, autoreset: bool, threads: int = 1
    ) -> None:
        self.game, self.setup, self.starts, self.autoreset = game, setup, tuple(starts), autoreset
        self.num_envs = len(seeds)
        self._team = Team(self.num_envs, count_of("threads", threads, _MOST_THREADS))
        self._text = game.instantiate("lapilli.envs.batch_template")
        self._arrays = self._new_arrays()
        self._team.begin(partial(self._text.attend, self._arrays))
        self.seeds: Any = seeds
        self._places = _digest(starts)
        self.reset(seed=seeds)

    # -- play -----------------------------------------------------------------------------------------
    def reset(self, seed: int | Sequence[int] | None = None, where: Any = None) -> None:
        """New games in all environments, or `where` a mask (n) or a list of numbers says so. The last step's rewards
        are forgotten there.

        Args:
            seed: new seeds, as `batch` takes them; they are given to the environments that begin anew alone. Without
                it, what is drawn goes on from what was drawn before.

        Raises:
            LapilliError: seeds or environments that cannot be.
        """
        chosen = chosen_of(where, self.num_envs)
        if seed is not None:
            self._sow(seeds_of(seed, self.num_envs), chosen)
        self._run("restart_all", self._moved(chosen))

    def step(self, actions: Any, strict: bool = False) -> None:
        """Plays an action in every environment, what chance brings included, until somebody is to act again.

        An action that is not legal is refused in its environment, where nothing happens and `refused` says whose it
        was; the others go on. Where a seat is not to act, its action is not looked at.

        Args:
            actions: integers, by environment and seat.
            strict: whether to raise for an action that is not legal, before anything is played.

        Raises:
            LapilliError: another shape, or no integers; nothing was played. IllegalAction: an action that is not legal,
                with `strict` alone; nothing was played.
        """
        given = self._given(actions)
        if strict:
            self._check(given)
        self._advance(given)

    def sample(self) -> Any:
        """Draws a legal action for each seat that is to act, each as likely as any other, and 0 for the others: an
        array as `step` takes it. What the games draw does not depend on it."""
        self._choose()
        return self._by_seat(self._arrays.actions)

    def play_random(self, steps: int) -> None:
        """Plays so many steps of actions as `sample` draws them, much faster than one by one, as only the last is
        shown. `rewards` and `terminated` are those of the last game in each environment that ended on the way: without
        autoreset and with `game.max_game_length` steps, of a playout from where it stood.

        Raises:
            LapilliError: no such number of steps.
        """
        number, together = count_of("steps", steps, _MOST_STEPS), max(1, _UNHEARD // self.num_envs)
        try:
            for part, done in enumerate(range(0, number, together)):
                self._run("play_random_all", min(together, number - done), part, int(self.autoreset))
        finally:
            self.refresh()

    def refresh(self) -> None:
        """Writes anew what follows from `states`, after they were written to."""
        self._run("show_all")

    # -- what there is ----------------------------------------------------------------------------------
    @property
    def states(self) -> Any:
        """The positions: n records of `game.state.DTYPE`. Whoever writes to them calls `refresh`, and answers for it
        that they are positions of the game."""
        return self._arrays.states

    @property
    def observations(self) -> Any:
        """By environment and seat: what the player may know, `game.observation.size` numbers that
        `game.observation.split` takes apart. Without seats: what the player to act may know."""
        return self._by_seat(self._arrays.observations)

    @property
    def legal(self) -> Any:
        """By environment and seat: a mask over the game's actions, or in a game of more than 4,096 a list of legal
        actions (int32), ascending, of which `legal_counts` says how many count. Of a seat that is not to act: none."""
        masked = has_masks(self.game)
        return self._by_seat(self._arrays.masks if masked else self._arrays.lists)

    @property
    def legal_counts(self) -> Any:
        """By environment and seat: how many actions are legal (int32)."""
        return self._by_seat(self._arrays.counts)

    @property
    def rewards(self) -> Any:
        """By environment and player: utilities in [-1, 1] where the last step ended a game, else 0 (float32)."""
        return self._arrays.rewards

    @property
    def terminated(self) -> Any:
        """By environment: whether the last step ended its game or, without autoreset, whether it is over. No game is
        cut short: every one ends by its rules."""
        return self._arrays.terminated

    @property
    def current_player(self) -> Any:
        """By environment: the player to act, SIMULTANEOUS or TERMINAL (int8); never CHANCE."""
        return self._arrays.current

    @property
    def refused(self) -> Any:
        """By environment: the first player whose action the last step refused, or -1 (int8)."""
        return self._arrays.refused

    @property
    def seats(self) -> int:
        """How many seats an environment has: 1, or where turns are simultaneous as many as players."""
        return self.num_players if takes_all(self.game) else 1

    @property
    def num_players(self) -> int:
        return self.starts[0].num_players

    def observe(self, players: Any) -> Any:
        """What a player may know in each environment, whoever is to act: a new array (n, `game.observation.size`).

        Args:
            players: one for all, or one for each environment. Raises LapilliError where there is none.
        """
        wanted = players_of(players, self.num_envs, self.num_players)
        out = self._moved(np.zeros((self.num_envs, self.game.observation.size), self.game.observation.dtype))
        self._run("observe_all", self._moved(wanted), out)
        return out

    def state(self, number: int) -> State:
        """A copy of an environment's position, as the game's State."""
        place = number_of("number", number, self.num_envs)
        start = self.starts[int(self._host("started")[place])]
        return self.game.state.of_record(start.setup, self._host("states")[place])

    # -- keeping ----------------------------------------------------------------------------------------
    def save(self) -> dict[str, Any]:
        """All that the rest of the course depends on, and the last step's results, as arrays of their own: for
        `restore`, pickle or `numpy.savez`."""
        kept = {name: np.array(self._host(name)) for name in _KEPT}
        return kept | {"seeds": self.seeds.copy(), "starts": self._places}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Takes over what `save` gave, here or in another batch of that size, game and starts.

        Raises:
            LapilliError: it is of another batch; nothing was changed.
        """
        wanted = {name: getattr(self._arrays, name) for name in _KEPT} | {"seeds": self.seeds, "starts": self._places}
        if not isinstance(saved, Mapping):
            raise LapilliError(f"saved: expected what save gave, not {quoted(saved, 40)}")
        for name, own in wanted.items():
            kept = saved.get(name)
            if kept is None or getattr(kept, "shape", None) != own.shape or kept.dtype != own.dtype:
                raise LapilliError(f"saved[{name!r}]: expected an array {own.shape} of {own.dtype.name}, as save gave")
        if not np.array_equal(saved["starts"], self._places):
            raise LapilliError("saved['starts']: games of that batch began at other positions")
        for place, start in enumerate(saved["started"].tolist()):
            if not 0 <= start < len(self.starts):
                raise LapilliError(f"saved['started'][{place}]: there is no start {start}")
        for name in _KEPT:
            self._write(name, saved[name])
        self.seeds = saved["seeds"].copy()
        self.refresh()

    # -- how --------------------------------------------------------------------------------------------
    def _new_arrays(self) -> Arrays:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return self._arrays_within(memory, "this machine", rooms=self._team.threads)

    def _arrays_within(self, memory: float, whose: str, rooms: int) -> Arrays:
        """New arrays, if they fit into so many bytes: systems promise more than they have, and kill who takes it."""
        try:
            arrays = new_arrays(self.game, list(self.starts), self.num_envs, rooms)
        except MemoryError:
            arrays = None
        if arrays is None or size_of(arrays) >= memory:
            raise LapilliError(
                f"n: {self.num_envs} environments do not fit into the {memory / 2**30:.0f} GiB of {whose}: take fewer"
            )
        return arrays

    def _moved(self, array: Any) -> Any:
        """The array where kernels can read and write it."""
        return array

    def _host(self, name: str) -> Any:
        """One of the arrays, to be read here."""
        return getattr(self._arrays, name)

    def _write(self, name: str, values: Any) -> None:
        getattr(self._arrays, name)[:] = values

    def _given(self, actions: Any) -> Any:
        """Actions by environment and seat, as kernels take them."""
        return actions_of(actions, self._shape()).reshape(self.num_envs, self.seats)

    def _shape(self) -> tuple[int, ...]:
        return (self.num_envs, self.seats) if takes_all(self.game) else (self.num_envs,)

    def _by_seat(self, array: Any) -> Any:
        return array if takes_all(self.game) else array.reshape(self.num_envs, *array.shape[2:])

    def _sow(self, seeds: Any, chosen: Any) -> None:
        self.seeds = np.where(chosen, seeds, self.seeds)
        for name, stream in (("chance", _CHANCE), ("sampler", _SAMPLER)):
            self._write(name, np.where(chosen[:, None], generators(seeds, stream), self._host(name)))

    def _check(self, given: Any) -> None:
        """Raises IllegalAction for the first action that is not legal."""
        self._run("refuse_all", given)
        wrong = np.flatnonzero(self._host("refused") >= 0)
        if len(wrong):
            number, player = int(wrong[0]), int(self._host("refused")[wrong[0]])
            seat = player if self.seats > 1 else 0
            place = f"{number}, {seat}" if takes_all(self.game) else f"{number}"
            action = self._host("actions")[number, seat]
            said = f"{action} is no legal action" if action >= 0 else "that is no action"
            raise IllegalAction(f"actions[{place}]: {said} of player {player} now")

    def _advance(self, given: Any) -> None:
        """A step of all environments."""
        self._team.wait()
        self._text.take_all(self._arrays.actions, given)
        self._team.do(self._text.ADVANCE, int(self.autoreset))

    def _choose(self) -> None:
        """Draws actions for all environments."""
        self._team.do(self._text.CHOOSE)

    def _run(self, name: str, *arguments: Any) -> None:
        """Calls a kernel for all environments."""
        self._team.share(partial(getattr(self._text, name), self._arrays, *arguments))


def _digest(starts: Sequence[State]) -> Any:
    """What tells one list of starts from another."""
    return np.frombuffer(sha256(b"".join(state.array.tobytes() for state in starts)).digest(), np.uint8)


__all__ = ["Arrays", "Batch", "batch"]
