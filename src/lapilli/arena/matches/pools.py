"""Chooses the pool that plays matches: this process, worker processes of this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lapilli.arena.matches.playing import InProcessPool, Pool, Recipe
from lapilli.arena.matches.pool import LocalPool, default_jobs
from lapilli.arena.matches.recipes import are_all_builtin
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.players import PlayerLike


@contextmanager
def pool_of(
    recipe: Recipe,
    *,
    jobs: int | None = None,
    ray: str | None = None,
    functions: Mapping[int, PlayerLike] | None = None,
) -> Iterator[Pool]:
    """Yields a pool that plays matches, and closes it at the end of the `with` block.

    Args:
        recipe: settings that the matches share.
        jobs: number of worker processes on this machine; None for `default_jobs`.
        ray: address of a Ray cluster that plays the matches; None for this machine.
        functions: Python functions that play, by index of the contestant. If there are any, this process plays all
            matches itself, one at a time.

    Raises:
        LapilliError: `jobs` is less than 1, `functions` or `jobs` is set together with `ray`, or the cluster cannot be
            used (`ClusterPool`).
    """
    if jobs is not None and jobs < 1:
        raise LapilliError(f"jobs must be at least 1, not {jobs}")
    if ray is None:
        number = jobs or default_jobs(are_all_builtin(load(recipe.game), recipe.contestants))
        yield InProcessPool(recipe, functions) if functions else LocalPool(recipe, number)
        return
    if functions:
        raise LapilliError("Python functions cannot play on other machines: give them a command line of their own")
    if jobs is not None:
        raise LapilliError("a Ray cluster plays as many matches at once as it has cores for: omit jobs")
    from lapilli.arena.matches.cluster_pool import ClusterPool

    with ClusterPool(recipe, ray) as pool:
        yield pool
