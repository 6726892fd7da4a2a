"""Batches: many environments of one game, all stepped with one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError, UnknownName
from lapilli.core.game import Game
from lapilli.core.install import how_to_install
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import SHARES, Arrays, has_masks, memory_of_machine, new_arrays, takes_all, within
from lapilli.envs.batches.team import PIECE, Team
from lapilli.envs.batches.validation import (
    MOST,
    actions_of,
    amount_of,
    chosen_of,
    count_of,
    game_of,
    generators,
    number_of,
    players_of,
    seeds_of,
    starts_of,
)
from lapilli.games import load

if TYPE_CHECKING:
    from lapilli.envs.opponents.past_selves import PastSelves

DEVICES = ("cpu", "cuda")
LOTS = ("open", "kept")
"""Values of the argument `lots` of `batch`."""
_MOST_THREADS = 1024
MOST_STEPS = 1 << 32
_ACTIONS_PER_CALL = 1 << 21
"""Approximate number of actions that `play_random` plays in one kernel call. Ctrl-C takes effect between two calls."""
_CHANCE, _SAMPLER = range(2)
_SAVED = ("states", "started", "chance", "sampler", "rewards", "terminated", "refused", "mixture")
"""Names of the arrays that `save` copies. The other arrays can be computed from these."""


def batch(
    game: str | Game,
    n: int,
    *,
    seed: int | Sequence[int] = 0,
    device: str = "cpu",
    threads: int | None = None,
    autoreset: bool = True,
    starts: Sequence[State] | None = None,
    lots: str = "open",
    usual: float = 0.0,
    others: str | Sequence[str] | PastSelves | None = None,
    player: int | Sequence[int] | None = None,
    **setup: Any,
) -> Batch:
    """Returns a `Batch`: n environments of a game, each with a new game at its start position.

    >>> games = batch("tictactoe", 4096, seed=7)
    >>> games.step(games.sample())

    Args:
        game: name of the game, or a Game.
        n: number of environments.
        seed: an integer, or a list of n integers. From an integer, a different seed for each environment is computed;
            in a list, the i-th integer is the seed of environment i. A game depends only on its environment's seed, its
            start position and the actions.
        device: where the arrays are stored and the games are played: "cpu", or "cuda" for a GPU. A GPU needs the extra
            `cuda`.
        threads: number of threads on the CPU; by default the number of cores that this process may use.
        autoreset: whether a step that ends a game also starts a new game in the same environment (Gymnasium's mode
            "same step"). After such a step, observation, mask and current player belong to the new game, `rewards` and
            `terminated` to the old one. Without autoreset, the environment stays at the end of the game until `reset`;
            it ignores actions, and its rewards are 0.
        starts: positions from which games begin; each game draws one of them with equal probability. The default is the
            game's own start position. If that depends on the seed, the default is the 64 start positions for the seeds
            1 to 64.
        lots: "open": in each game, chance decides anew about future events that the seed of the start position has
            already decided, such as the order of a pile. "kept": these events are the same in all games from that start
            position.
        usual: with `starts`, the share of games that begin at the game's own start position instead, from 0 to 1.
        others: who plays for all players but one. The name of a built-in opponent, such as "level3", or a list of n
            names, one for each environment: the result is a `LearnerBatch`, on the CPU. A `PastSelves`: earlier
            versions of the learner play, and the result is a `PastSelvesBatch`. None: the caller acts for all players.
        player: with `others`, the player for whom the caller acts, or a list of n players, one for each environment.
            None: the player is drawn for each game.
        setup: keys of the game's setup: `players`, `variant`, `league` and others, but not `seed`.

    Raises:
        UnknownName: the game or the device does not exist, or `lots` has another value.
        SetupError: the setup is not valid.
        LapilliError: another argument is not valid, the machine has no GPU, or the extra is not installed.
    """
    found_game = game_of(game)
    count = count_of("n", n, MOST)
    if device not in DEVICES:
        raise UnknownName("device", str(device), DEVICES)
    completed = found_game.complete(Setup.from_dict(setup))
    if lots not in LOTS:
        raise UnknownName("lots", str(lots), LOTS)
    start_states = starts_of(found_game, completed, starts)
    share, number_of_starts = amount_of("usual", usual, 1), len(start_states)
    if starts is None:
        share = 0.0  # all games begin at the game's own start position
    elif share:
        start_states = starts_of(found_game, completed, [*start_states, *starts_of(found_game, completed, None)])
    if lots == "open":
        start_states = [start.opened() for start in start_states]
    if setup.get("players") not in (None, start_states[0].num_players):
        raise LapilliError(f"starts[0]: is for {start_states[0].num_players} players, not {quoted(setup['players'])}")
    if not isinstance(autoreset, bool):
        raise LapilliError(f"autoreset: expected True or False, not {quoted(autoreset, 40)}")
    seeds = seeds_of(seed, count)
    threads = cores() if threads is None else threads
    if others is not None:
        if device != "cpu":
            raise LapilliError("others: opponents play on the CPU: omit device, or others")
        made: Batch = _with_others(others, player, found_game, completed, start_states, seeds, autoreset, threads)
    elif player is not None:
        raise LapilliError("player: without others, the caller acts for all players: omit player, or pass others")
    elif device == "cuda":
        if find_spec("numba_cuda") is None:
            raise LapilliError(f"device: cuda needs another library: {how_to_install('cuda')}")
        from lapilli.envs.cuda import CudaBatch

        made = CudaBatch(found_game, completed, start_states, seeds, autoreset)
    else:
        made = Batch(found_game, completed, start_states, seeds, autoreset, threads)
    if share:
        made.mix(number_of_starts, share)
    return made


def _with_others(
    others: str | Sequence[str] | PastSelves, player: int | Sequence[int] | None, *arguments: Any
) -> Batch:
    """Returns a batch in which `others` play for all players but one.

    `arguments`: arguments for the constructor of the batch, up to `threads`.
    """
    from lapilli.envs.opponents.learner_batch import LearnerBatch
    from lapilli.envs.opponents.past_selves import PastSelves
    from lapilli.envs.opponents.past_selves_batch import PastSelvesBatch

    arguments = (*arguments, others, player)
    return PastSelvesBatch(*arguments) if isinstance(others, PastSelves) else LearnerBatch(*arguments)


def cores() -> int:
    """Returns the number of cores that this process may use; where that is not known, the number of all cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Batch:
    """Environments 0 to n - 1 of one game, created by `batch`.

    All arrays are the batch's own memory, and each step overwrites them. Copy the data that you want to keep, and write
    only to `states`. `copy.copy` and `pickle` copy a batch with its games. The copy and the original are independent.

    A *seat* is an entry in the arrays for a player that may have to act. In games with simultaneous turns, every player
    has a seat, and arrays described as (n, seats, …) have an axis for the seats. In other games, an environment has a
    single seat, for the player to act, and the arrays lack this axis.

    Attributes:
        game: the game.
        setup: the setup, which is the same for all environments.
        num_envs: number of environments, n.
        seeds: seeds of the environments (int64).
        starts: positions from which games begin.
        autoreset: whether a step that ends a game also starts a new one in the same environment.
    """

    device = "cpu"
    _piece = PIECE
    """Least number of environments for each thread."""

    def __init__(
        self, game: Game, setup: Setup, starts: list[State], seeds: Any, autoreset: bool, threads: int = 1
    ) -> None:
        self.game, self.setup, self.starts, self.autoreset = game, setup, tuple(starts), autoreset
        self.num_envs = len(seeds)
        self._team = Team(self.num_envs, count_of("threads", threads, _MOST_THREADS), self._piece)
        self._template = game.instantiate("lapilli.envs.batches.batch_template")
        self._arrays = self._new_arrays()
        self._team.begin(partial(self._template.attend, self._arrays))
        self.seeds: Any = seeds
        self._starts_digest = _digest(starts)
        self.reset(seed=seeds)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = type(self), self.game.name, self.setup, list(self.starts), self.autoreset, *self._own_arguments()
        return _copied, (self.save(), *parts)

    def __repr__(self) -> str:
        return f"<Batch of {self.num_envs:,} environments of {self.game.name}>"

    def mix(self, first: int, share: float) -> None:
        """Divides the start positions into two groups, sets how many games begin in each group, and starts new games.

        Within a group, all positions are equally likely. The division holds for all later games, too.

        Args:
            first: number of positions in the first group, which are the first ones in `starts`.
            share: share of games that begin at a position of the second group, from 0 to 1.
        """
        self._write("mixture", np.array([first, round(share * SHARES)], np.int64))
        self.reset(seed=self.seeds.tolist())

    # -- play -----------------------------------------------------------------------------------------
    def reset(self, seed: int | Sequence[int] | None = None, where: Any = None) -> None:
        """Starts new games in all or in some environments, and clears `rewards`, `terminated` and `refused` there.

        Args:
            seed: an integer or a list of n integers, as for `batch`; only environments that are reset get their new
                seed. None: the random generators of these environments continue.
            where: environments to reset, as a mask of shape (n,) or as a list of indices; None for all.

        Raises:
            LapilliError: the seeds or the environments to reset are not valid.
        """
        chosen = chosen_of(where, self.num_envs)
        if seed is not None:
            self._set_seeds(seeds_of(seed, self.num_envs), chosen)
        self._run("restart_all", self._moved(chosen))

    def step(self, actions: Any, strict: bool = False) -> None:
        """Plays the given actions in every environment, and then chance events, until a player is to act again.

        An illegal action is refused: nothing happens in that environment, and `refused` contains the player. All other
        environments proceed. Actions for seats that are not to act are ignored.

        Args:
            actions: integers, shape (n, seats).
            strict: whether to raise IllegalAction if one of the actions is illegal.

        Raises:
            LapilliError: the actions have a wrong shape, or are not integers; nothing was played.
            IllegalAction: with `strict`, an action is illegal; nothing was played.
        """
        joint_actions = self._kernel_actions(actions)
        if strict:
            self._check(joint_actions)
        self._advance(joint_actions)

    def sample(self) -> Any:
        """Returns a uniformly random legal action for each seat that is to act, and 0 for every other seat.

        The actions are drawn with random generators of their own, so drawing them does not change the games' chance
        events.

        Returns:
            An array in the shape that `step` takes.
        """
        self._choose()
        return self._by_seat(self._arrays.actions)

    def play_random(self, steps: int) -> None:
        """Plays `steps` steps of random actions, as `sample` draws them. This is much faster than calling `step` for
        each.

        Observations are written only after the last step. In each environment, `rewards` and `terminated` then describe
        the last game that ended during these steps. Without autoreset, `game.max_game_length` steps play each current
        game to its end, so `rewards` contains its result.

        Raises:
            LapilliError: the number of steps is not valid.
        """
        total, per_call = count_of("steps", steps, MOST_STEPS), max(1, _ACTIONS_PER_CALL // self.num_envs)
        try:
            for part, played in enumerate(range(0, total, per_call)):
                self._run("play_random_all", min(per_call, total - played), part, int(self.autoreset))
        finally:
            self.refresh()

    def refresh(self) -> None:
        """Recomputes observations, legal actions and current players. Call this after you have written to `states`.

        Raises:
            LapilliError: a position does not belong to any of the batch's start positions, because it has another
                map. Nothing was recomputed.
        """
        self._find_starts()
        self._run("show_all")

    def _find_starts(self) -> None:
        """Finds, for each environment, a start position with the same constant data as its position.

        A position that was copied from another environment may have begun from another start.
        """
        fields = self.game.state.STATIC_FIELDS
        states, starts, started = self._host("states"), self._host("starts"), np.array(self._host("started"))
        for number in np.flatnonzero(~_have_in_common(states, starts[started], fields)).tolist():
            found = np.flatnonzero(_have_in_common(starts, states[number], fields))
            if not len(found):
                raise LapilliError(
                    f"states[{number}]: begins at none of this batch's start positions: name its start in `starts`"
                )
            started[number] = found[0]
        self._write("started", started)

    # -- properties and observations --------------------------------------------------------------------
    @property
    def states(self) -> Any:
        """The positions: records of `game.state.DTYPE`, shape (n,).

        You may write to this array; call `refresh` afterwards. Positions are not checked, so write only positions that
        are legal in the game. They may come from another environment of the batch, or from another batch with the same
        starts.
        """
        return self._arrays.states

    @property
    def observations(self) -> Any:
        """The observation of each seat's player, shape (n, seats, `game.observation.size`).

        The player of a single seat is the player to act.

        `game.observation.split` splits an observation into its named parts.
        """
        return self._by_seat(self._arrays.observations)

    @property
    def legal(self) -> Any:
        """Legal actions: masks (bool) of shape (n, seats, actions).

        In a game with more than 4,096 actions, this is an array of ascending lists instead (int32), shape (n, seats,
        MAX_LEGAL). Only the first `legal_counts` entries of a list are valid. A seat that is not to act has no legal
        action.
        """
        return self._by_seat(self._arrays.masks if has_masks(self.game) else self._arrays.lists)

    @property
    def legal_counts(self) -> Any:
        """Number of legal actions of each seat, shape (n, seats) (int32)."""
        return self._by_seat(self._arrays.counts)

    @property
    def rewards(self) -> Any:
        """Each player's utility, in [-1, 1], in games that the last step ended, else 0; shape (n, players), float32."""
        return self._arrays.rewards

    @property
    def terminated(self) -> Any:
        """Whether the last step ended a game; without autoreset, whether the game is over; shape (n,) (bool).

        Games are never truncated: each game ends by its rules.
        """
        return self._arrays.terminated

    @property
    def current_player(self) -> Any:
        """The player to act, or SIMULTANEOUS or TERMINAL; shape (n,) (int8). Never CHANCE."""
        return self._arrays.current

    @property
    def refused(self) -> Any:
        """The first player whose action the last step refused, or -1 for none; shape (n,) (int8)."""
        return self._arrays.refused

    @property
    def seats(self) -> int:
        """Number of seats of an environment: the number of players in a game with simultaneous turns, otherwise 1."""
        return self.num_players if self._has_seats else 1

    @property
    def _has_seats(self) -> bool:
        """Whether arrays have an axis for the seats."""
        return takes_all(self.game)

    @property
    def num_players(self) -> int:
        return self.starts[0].num_players

    def observe(self, players: Any) -> Any:
        """Returns the observation of a player in each environment, whether it is the player's turn or not.

        Args:
            players: a player number for all environments, or an array with a player number for each environment.

        Returns:
            A new array of shape (n, `game.observation.size`).

        Raises:
            LapilliError: the game has no player with such a number.
        """
        wanted = players_of(players, self.num_envs, self.num_players)
        out = self._moved(np.zeros((self.num_envs, self.game.observation.size), self.game.observation.dtype))
        self._run("observe_all", self._moved(wanted), out)
        return out

    def state(self, number: int) -> State:
        """Returns a copy of the position in environment `number`. Raises LapilliError if it does not exist."""
        place = number_of("number", number, self.num_envs)
        start = self.starts[int(self._host("started")[place])]
        return self.game.state.of_record(start.setup, self._host("states")[place])

    # -- save and restore -------------------------------------------------------------------------------
    def save(self) -> dict[str, Any]:
        """Returns all data that `restore` needs to continue the games, as a dict from names to copies of arrays.

        The dict can be pickled, or saved with `numpy.savez`.
        """
        copies = {name: np.array(array) for name, array in self._saved().items()}
        return copies | {"seeds": self.seeds.copy(), "starts": self._starts_digest}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Replaces all games of this batch by saved games, which then continue.

        Args:
            saved: result of `save`, called on this batch or on another batch with the same game, size and start
                positions.

        Raises:
            LapilliError: `saved` is no result of `save`, or was saved by a batch with another game, size or other start
                positions. Nothing was changed.
        """
        own_arrays = self._saved() | {"seeds": self.seeds, "starts": self._starts_digest}
        if not isinstance(saved, Mapping):
            raise LapilliError(f"saved: expected a dict that save returned, not {quoted(saved, 40)}")
        for name, own in own_arrays.items():
            array = saved.get(name)
            if array is None or getattr(array, "shape", None) != own.shape or array.dtype != own.dtype:
                raise LapilliError(
                    f"saved[{name!r}]: expected an array {own.shape} of {own.dtype.name}, as save returned"
                )
        if not np.array_equal(saved["starts"], self._starts_digest):
            raise LapilliError("saved['starts']: that batch has other start positions")
        self._check_saved(saved)
        for name in self._saved():
            self._write(name, saved[name])
        self.seeds = saved["seeds"].copy()
        self.refresh()

    def _check_saved(self, saved: Mapping[str, Any]) -> None:
        """Checks the values in saved arrays whose shapes and types are correct.

        Raises LapilliError if they refer to something that this batch does not have, such as a start position.
        """
        for place, start in enumerate(saved["started"].tolist()):
            if not 0 <= start < len(self.starts):
                raise LapilliError(f"saved['started'][{place}]: there is no start {start}")

    def _saved(self) -> dict[str, Any]:
        """Returns the arrays that `save` copies, by name, in memory of the CPU. The caller must not change them."""
        return {name: self._host(name) for name in _SAVED}

    # -- memory and kernels -----------------------------------------------------------------------------
    def _own_arguments(self) -> tuple[Any, ...]:
        """Returns the arguments of this class's constructor that come after `autoreset`; they are needed for copies."""
        return (self._team.threads,)

    def _new_arrays(self) -> Arrays:
        return self._arrays_within(memory_of_machine(), "this machine", self._team.threads)

    def _arrays_within(self, memory: float, owner: str, scratch_lists: int) -> Arrays:
        """Returns new arrays for the batch. Raises LapilliError if they need more than `memory` bytes.

        Args:
            memory: available memory, in bytes.
            owner: text for the message that says whose memory this is, such as "this machine".
            scratch_lists: number of scratch arrays, see `new_arrays`.
        """
        return within(
            memory,
            f"n: {self.num_envs} environments do not fit into the {memory / 2**30:.0f} GiB of {owner}: take fewer",
            lambda: new_arrays(self.game, list(self.starts), self.num_envs, self.seats, scratch_lists),
        )

    def _moved(self, array: Any) -> Any:
        """Returns the array in memory that kernels can use: on a CPU the array itself, on a GPU a copy."""
        return array

    def _host(self, name: str) -> Any:
        """Returns the batch's array of this name, in memory of the CPU. The caller must not change the array."""
        return getattr(self._arrays, name)

    def _write(self, name: str, values: Any) -> None:
        getattr(self._arrays, name)[:] = values

    def _kernel_actions(self, actions: Any) -> Any:
        """Returns the caller's actions in the shape that kernels take: (n, seats) in every game.

        Raises LapilliError if the actions have a wrong shape, or are not integers.
        """
        return actions_of(actions, self._shape()).reshape(self.num_envs, self.seats)

    def _shape(self) -> tuple[int, ...]:
        return (self.num_envs, self.seats) if self._has_seats else (self.num_envs,)

    def _by_seat(self, array: Any) -> Any:
        return array if self._has_seats else array.reshape(self.num_envs, *array.shape[2:])

    def _set_seeds(self, seeds: Any, chosen: Any) -> None:
        self.seeds = np.where(chosen, seeds, self.seeds)
        for name, stream in (("chance", _CHANCE), ("sampler", _SAMPLER)):
            self._write(name, np.where(chosen[:, None], generators(seeds, stream), self._host(name)))

    def _check(self, actions: Any) -> None:
        """Raises IllegalAction if one of the actions, shape (n, seats), is illegal in the current position. Plays
        nothing.
        """
        self._run("refuse_all", actions)
        wrong = np.flatnonzero(self._host("refused") >= 0)
        if len(wrong):
            number, player = int(wrong[0]), int(self._host("refused")[wrong[0]])
            seat = player if self.seats > 1 else 0
            place = f"{number}, {seat}" if self._has_seats else f"{number}"
            action = self._host("actions")[number, seat]
            reason = f"{action} is no legal action" if action >= 0 else "that is no action"
            raise IllegalAction(f"actions[{place}]: {reason} of player {player} now")

    def _advance(self, actions: Any) -> None:
        """Plays the actions, shape (n, seats), in all environments."""
        self._team.wait()
        self._template.take_all(self._arrays.actions, actions)
        self._team.do(self._template.ADVANCE, int(self.autoreset))

    def _choose(self) -> None:
        """Writes a random legal action for each seat that is to act into the array `actions` of the batch."""
        self._team.do(self._template.CHOOSE)

    def _run(self, name: str, *arguments: Any) -> None:
        """Runs a kernel for all environments, with the batch's arrays and then `arguments` as arguments. `name`: its
        name.
        """
        self._team.share(partial(getattr(self._template, name), self._arrays, *arguments))


def _copied(
    saved: Mapping[str, Any],
    kind: type[Batch],
    game: str,
    setup: Setup,
    starts: list[State],
    autoreset: bool,
    *arguments: Any,
) -> Batch:
    """Creates a copy of a batch, as `pickle` and `copy.copy` do.

    Args:
        saved: result of `save` of the original.
        kind: class of the original.
        game: name of the game.
        setup, starts, autoreset, arguments: further arguments for the constructor of `kind`.
    """
    copied = kind(load(game), setup, starts, saved["seeds"], autoreset, *arguments)
    copied.restore(saved)
    return copied


def _have_in_common(records: Any, others: Any, fields: Sequence[str]) -> Any:
    """Returns a mask: whether each record has the same values as `others` in all these fields.

    `others`: one record, or an array with as many records as `records`.
    """
    common = np.ones(len(records), np.bool_)
    for field in fields:
        common &= (records[field] == others[field]).reshape(len(records), -1).all(axis=1)
    return common


def _digest(starts: Sequence[State]) -> Any:
    """Returns a hash of a list of start positions, as an array of 32 bytes (uint8)."""
    return np.frombuffer(sha256(b"".join(state.array.tobytes() for state in starts)).digest(), np.uint8)


__all__ = ["Arrays", "Batch", "batch"]
