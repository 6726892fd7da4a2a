"""The function `batch`, which creates batches: many environments of one game, all stepped with one call."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.game import Game
from lapilli.core.installed import how_to_install
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.batches.environments import Batch
from lapilli.envs.batches.start_positions import starts_of
from lapilli.envs.batches.validation import MOST, amount_of, count_of, game_of, seeds_of
from lapilli.search.threads import cores

if TYPE_CHECKING:
    from lapilli.envs.opponents.past_selves import PastSelves

DEVICES = ("cpu", "cuda")
LOTS = ("open", "kept")
"""Values of the argument `lots` of `batch`."""


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
        lots: what happens to chance events that are already fixed in a start position but not yet known to the
            players, such as the order of a pile. "open": they are drawn anew for each game. "kept": they stay as they
            are, so all games from that start position have the same chance events.
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

    Args:
        others: name of the built-in opponent in all environments, a list with one name for each, or a pool of past
            selves.
        player: number of the player for whom the caller acts, or a list with one number for each environment; None if
            the player is drawn for each game.
        arguments: the arguments that the constructor of every class of batches has: game, setup, start positions,
            seeds, autoreset and threads.
    """
    from lapilli.envs.opponents.learner_batch import LearnerBatch
    from lapilli.envs.opponents.past_selves import PastSelves
    from lapilli.envs.opponents.past_selves_batch import PastSelvesBatch

    arguments = (*arguments, others, player)
    return PastSelvesBatch(*arguments) if isinstance(others, PastSelves) else LearnerBatch(*arguments)


__all__ = ["Batch", "batch"]
