"""Loads the kernels of a search in advance. Else the first search would spend its time limit on compiling them."""

from __future__ import annotations

from lapilli.core.api import State
from lapilli.core.content.levels import Search
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

_NODES = 8
"""Limit of nodes for each search that is run only to load the kernels."""
_LOADED: set[tuple[object, ...]] = set()
"""The games and searches whose kernels this process has loaded."""


def load_kernels(search: Search, state: State, player: int) -> None:
    """Compiles or loads the kernels of a search, by two searches of a few nodes. Does so once in each process.

    Without this, the first search in a process could spend its whole time limit on the compiler, and return a value
    from a single node. The second search loads the kernels that keep results from turn to turn.

    Args:
        search: the search.
        state: a position in which hidden information is replaced by random values.
        player: a player to act.
    """
    key = state.game.name, search.method, *sorted(search.settings.items()), search.weights
    if key in _LOADED:
        return
    searcher = new_searcher(state.game, search, {})
    for _ in range(2):
        searcher.search(state.clone(), player, Budget(_NODES), seed=1)
    _LOADED.add(key)
