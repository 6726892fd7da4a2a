"""Analyses one position by a search."""

from __future__ import annotations

from dataclasses import replace

from lapilli.core.api import State
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.search.search_result import SearchResult
from lapilli.players.engines.searches import BEST, find_search, search_names
from lapilli.search.budget import Budget
from lapilli.search.loading import load_kernels
from lapilli.search.searcher import new_searcher


def analyse(
    state: State,
    *,
    ms: float | None = None,
    nodes: int | None = None,
    player: int | None = None,
    engine: str = BEST,
    seed: int = 0,
) -> SearchResult:
    """Searches a position for the best turns of a player, and returns them with their values.

    `state.analyse(ms=200)` is the same as `analyse(state, ms=200)`.

    >>> result = state.analyse(nodes=20000)
    >>> result.text, result.turn, round(result.value, 2)
    ('N01', (48,), 0.63)

    Args:
        state: the position.
        ms: time limit in milliseconds. If both `ms` and `nodes` are omitted, the limit is that in the name `engine`,
            such as the nodes of a level. If the name has no limit either, it is the game's time limit for a reply.
        nodes: greatest number of nodes, such as simulations, of the search. With this limit alone, the result is the
            same every time.
        player: the player whose turns are searched; by default the player to act. If several players act at once, the
            default is the first of them.
        engine: name of the search, as for a player: `best`, `level5`, or a search with settings.
        seed: seed of all random numbers: of the search, and of the random values that replace hidden information before
            the search.

    Raises:
        LapilliError: it is no player's turn, or not this player's; or `ms` or `nodes` is out of range.
        UnknownName: there is no such search.
    """
    named = find_search(state.game, engine)
    if named is None:
        raise UnknownName(f"search of {state.game.title}", engine, search_names(state.game))
    asked = () if state.is_terminal() else state.asked()
    if not asked or (player is not None and player not in asked):
        owner = "nobody's" if not asked else " and ".join(f"player {number}'s" for number in asked)
        raise LapilliError(f"there is nothing to analyse: it is {owner} turn")
    chosen = Budget(nodes, ms) if nodes is not None or ms is not None else named.budget
    searcher = new_searcher(state.game, named.search, {})
    budget = chosen or Budget(ms=state.game.reply_ms)
    who = asked[0] if player is None else player
    if budget.ms is not None:
        load_kernels(named.search, state.determinised(seed), who)
    result = searcher.search(state.determinised(seed), who, budget, seed)
    return replace(result, text=state.game.protocol.format_reply(state, who, result.turn))


def analyse_states() -> None:
    """Makes `analyse` a method of State. The package of State itself, `lapilli.core`, may not import searches."""
    State.analyse = analyse  # type: ignore[method-assign, assignment]
