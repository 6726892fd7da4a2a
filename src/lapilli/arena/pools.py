"""Where matches are played: in this process, on this machine's cores, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lapilli.arena.playing import HerePool, Pool, Recipe
from lapilli.arena.pool import Pool as LocalPool
from lapilli.arena.pool import default_jobs
from lapilli.arena.recipes import lives_here
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
    """A pool for matches, which is let go of at the end.

    Args:
        recipe: what the matches have in common.
        jobs: how many worker processes of this machine play; by default one for every two cores, or one for each where
            all players live in them.
        ray: the address of a Ray cluster that plays instead.
        functions: contestants that are no data, by their places. They are asked in this process, one match at a time.

    Raises:
        LapilliError: functions, or a number of jobs, for a cluster; or as `RayPool`.
    """
    if ray is None:
        number = jobs or default_jobs(lives_here(load(recipe.game), recipe.contestants))
        yield HerePool(recipe, functions) if functions else LocalPool(recipe, number)
        return
    if functions:
        raise LapilliError("Python functions cannot play on other machines: give them a command line of their own")
    if jobs is not None:
        raise LapilliError("how many matches a Ray cluster plays at once is said by its cores: leave jobs out")
    from lapilli.arena.raypool import RayPool

    with RayPool(recipe, ray) as pool:
        yield pool
