"""The class `Batch`: many environments of one game, all stepped with one call. `lapilli.envs.batch` creates batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.core.game import Game
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import SHARES, Arrays, has_masks, memory_of_machine, new_arrays, takes_all, within
from lapilli.envs.batches.start_positions import digest_of, matching_starts
from lapilli.envs.batches.team import PIECE, Team
from lapilli.envs.batches.validation import (
    MOST_STEPS,
    MOST_THREADS,
    actions_of,
    check_saved_arrays,
    chosen_of,
    count_of,
    generators,
    number_of,
    players_of,
    seeds_of,
)
from lapilli.games import load

_CHANCE, _SAMPLER = range(2)
_SAVED = ("states", "started", "chance", "sampler", "rewards", "terminated", "refused", "mixture")
"""Names of the arrays that `save` copies. The other arrays can be computed from these."""


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
    _actions_per_call = 1 << 21
    """Approximate number of actions that `play_random` plays in one kernel call. Ctrl-C takes effect between two
    calls."""

    def __init__(
        self, game: Game, setup: Setup, starts: list[State], seeds: Any, autoreset: bool, threads: int = 1
    ) -> None:
        self.game, self.setup, self.starts, self.autoreset = game, setup, tuple(starts), autoreset
        self.num_envs = len(seeds)
        self._team = Team(self.num_envs, count_of("threads", threads, MOST_THREADS), self._piece)
        self._template = game.instantiate("lapilli.envs.batches.batch_template")
        self._arrays = self._new_arrays()
        self._team.begin(partial(self._template.attend, self._arrays))
        self.seeds: Any = seeds
        self._starts_digest = digest_of(starts)
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
            seed: an integer, from which a different seed for each environment is computed; or a list with the seed of
                each environment. Only environments that are reset get their new seed. None: the random generators of
                these environments continue.
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
        total, per_call = count_of("steps", steps, MOST_STEPS), max(1, self._actions_per_call // self.num_envs)
        try:
            for part, played in enumerate(range(0, total, per_call)):
                self._run("play_random_all", min(per_call, total - played), part, int(self.autoreset))
        finally:
            self._run("show_all")

    def refresh(self) -> None:
        """Recomputes observations, legal actions and current players. Call this after you have written to `states`.

        Raises:
            LapilliError: a position does not belong to any of the batch's start positions, because it has another
                map. Nothing was recomputed.
        """
        states, starts, started = (self._host(name) for name in ("states", "starts", "started"))
        self._write("started", matching_starts(states, starts, started, self.game.state.STATIC_FIELDS))
        self._run("show_all")

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
        """Whether arrays have an axis for the seats: only in games in which all players act at once."""
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
        check_saved_arrays(saved, self._saved() | {"seeds": self.seeds, "starts": self._starts_digest})
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
        matching_starts(saved["states"], self._host("starts"), saved["started"], self.game.state.STATIC_FIELDS)

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
            scratch_lists: number of scratch arrays: one per environment on a GPU, one per thread on a CPU.
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
        """Runs the kernel `name` for all environments, with the batch's arrays and then `arguments` as arguments."""
        self._team.share(partial(getattr(self._template, name), self._arrays, *arguments))


def _copied(
    saved: Mapping[str, Any], kind: type[Batch], game: str, setup: Setup, starts: list[State], *arguments: Any
) -> Batch:
    """Creates a copy of a batch, as `pickle` and `copy.copy` do.

    Args:
        saved: result of `save` of the original.
        kind: class of the original.
        game: name of the game.
        setup, starts, arguments: further arguments for the constructor of `kind`.
    """
    copied = kind(load(game), setup, starts, saved["seeds"], *arguments)
    copied.restore(saved)
    return copied
