"""Proves puzzles by searches: a position is a puzzle if one turn is clearly the best, and deep searches confirm it.

Equal arguments give equal results on all machines, so everybody can prove a puzzle again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import msgspec

from lapilli.core.api import Game, Setup, State
from lapilli.core.content.puzzles import Puzzle
from lapilli.core.search.search_result import SearchResult
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.position_analysis import analyse
from lapilli.players.engines.searches import BEST, level_names
from lapilli.players.engines.turns import MARGIN, SearchFunction, best_line, is_same_turn, remembering, worth

GAP = 0.15
"""Smallest difference in expected score (0 to 1) between a puzzle's best turn and its second best turn."""
DEEPER = 8
"""Number of nodes of a deep search, as a multiple of the nodes of a short search."""
LEAST_SCORE = 0.45
"""Smallest expected score (0 to 1) of a puzzle's best turn. A position that is lost anyway is not used as a puzzle."""
_SHORTER = 8
"""Number of nodes of a short search, as a multiple of the nodes of the quick searches that choose positions."""
MOST_TURNS = 3
"""Largest number of turns that the solver of one puzzle has to find."""
_RANDOM_TURNS = 12
"""Number of random turns that are compared with the best turn, in addition to the turns that searches return."""
_COMPARED = 5
"""Number of rivals (turns compared with the best turn) that are searched as deeply as the best turn.

Short searches select the best rivals.
"""
_TRIES = 5
"""Number of tries of each level to find the solution of a puzzle."""
_LEAST_WORSE = 0.7
"""Smallest share of the compared turns that must be worse than the best turn, if players act simultaneously."""
LINE = 4
"""Largest number of turns in the line of play that is stored with a puzzle, including the solution.

If the solver has to find several turns, only the last of these turns and the turns after it are counted.
"""


def setup_at(state: State) -> dict[str, Any]:
    """Returns a setup from which a match begins at the position of `state`, without seed and the game's own keys."""
    return replace(state.setup, position=state.position(), own={}, seed=None).to_dict()


def is_promising(game: Game, setup: dict[str, Any], player: int, nodes: int, seed: int, engine: str = BEST) -> bool:
    """Returns whether it is worthwhile to look for a puzzle in a position. This takes little time.

    The result is True if a quick search finds a turn that seems better than the other turns that the search examined.
    If players act simultaneously, the turn must instead seem clearly better than the turn of a weak level. So most
    positions without a puzzle are excluded early, but also a few with a puzzle.

    Args:
        game: the game.
        setup: setup from which a match begins at the position.
        player: number of the player to move.
        nodes: number of nodes of the deep searches by which `proven` would confirm the puzzle.
        seed: seed of all random numbers.
        engine: name of the search or level that evaluates positions.
    """
    state = game.new_initial_state(Setup.from_dict(setup)).determinised(seed)
    search = _by_nodes(max(1, nodes // DEEPER // _SHORTER), seed, engine)
    if len(state.legal_actions(player)) < 2:
        return False
    result = search(state, player)
    if result.value < LEAST_SCORE - GAP / 2:
        return False
    if len(state.asked()) == 1:
        return _lead(state, player, result) >= GAP / 4
    names = level_names(game)
    weak = analyse(state, player=player, engine=names[(len(names) - 1) // 2], seed=seed)
    best, other = (
        worth(state, player, game.protocol.format_reply(state, player, found.turn), search) for found in (result, weak)
    )
    return best - other >= GAP / 2


def proven(
    game: Game,
    setup: dict[str, Any],
    player: int,
    nodes: int,
    seed: int,
    engine: str = BEST,
    most_turns: int = MOST_TURNS,
) -> Puzzle | None:
    """Returns the puzzle in a position; None if there is none. Equal arguments give equal results on all machines.

    A position is a puzzle if a short search finds a turn that seems clearly the best, and a deep search with another
    seed finds the same turn. Then the positions after this turn, and after its best rivals (other turns), are searched
    deeply. The turn's value must exceed that of every rival by at least GAP.

    If players act simultaneously, a turn has many commands, and some of these hardly matter. So in such games, turns of
    nearly the same value count as the same turn, and the rivals include turns of weak players.

    If the player's next turn after the best replies is a puzzle, too, the solver has to find both turns, and so on, up
    to `most_turns` turns.

    Args:
        game: the game.
        setup: setup from which a match begins at the position.
        player: number of the player to move.
        nodes: number of nodes of the deep searches.
        seed: seed of all random numbers.
        engine: name of the search or level that evaluates positions.
        most_turns: largest number of turns that the solver has to find.
    """
    found = _proven_turn(game, setup, player, nodes, seed, engine)
    while found is not None and found.turns < most_turns:
        last, _ = found.solution[-1]
        following = next(filter(found.acts, range(last + 1, len(found.line))), None)
        state = None if following is None else _position_after(game, found, following)
        further = None if state is None else _proven_turn(game, setup_at(state), player, nodes, seed, engine)
        if further is None:
            break
        found = msgspec.structs.replace(
            found,
            turns=found.turns + 1,
            line=[*found.line[:following], *further.line],
            level=max(found.level, further.level),
        )
    return found


def proven_again(game: Game, puzzle: Puzzle) -> Puzzle | None:
    """Proves a puzzle again, with the settings of the searches that found it. Returns the puzzle found now, or None.

    The result is an equal puzzle, unless these searches have changed.
    """
    return proven(game, puzzle.setup, puzzle.player, puzzle.nodes, puzzle.seed, puzzle.engine, puzzle.turns)


def _position_after(game: Game, puzzle: Puzzle, number: int) -> State | None:
    """Returns the position after the first `number` turns of a puzzle's line, in which the puzzle's player is asked
    again.

    Returns None if this player is not asked there, or if a turn of the line cannot be played. Also returns None if the
    position that the player would see depends on hidden information, such as the order of a pile.
    """
    start = game.new_initial_state(Setup.from_dict(puzzle.setup))
    states = [start.clone(), start.determinised(1), start.determinised(2)]
    for state in states:
        for turn in puzzle.line[:number]:
            while not state.asked() and not state.is_terminal():
                game.protocol.play_turn(state, {})
            if state.asked() != tuple(player for player, _ in turn):
                return None
            if game.protocol.play_turn(state, dict(turn)).faults:
                return None
        while not state.asked() and not state.is_terminal():
            game.protocol.play_turn(state, {})
    seen = {state.observation(puzzle.player).tobytes() for state in states}
    return states[0] if len(seen) == 1 and puzzle.player in states[0].asked() else None


def _proven_turn(game: Game, setup: dict[str, Any], player: int, nodes: int, seed: int, engine: str) -> Puzzle | None:
    """Returns the puzzle in a position, as far as its first turn; None if there is none.

    The cheapest conditions are checked first.

    Args:
        game: the game.
        setup: setup from which a match begins at the position.
        player: number of the player to move.
        nodes: number of nodes of the deep searches.
        seed: seed of all random numbers.
        engine: name of the search or level that evaluates positions.
    """
    position = game.new_initial_state(Setup.from_dict(setup))
    state = position.determinised(seed)
    few = max(1, nodes // DEEPER)
    short_search, deep_search = _by_nodes(few, seed + 2, engine), _by_nodes(nodes, seed + 2, engine)
    first = analyse(state, nodes=few, player=player, engine=engine, seed=seed)
    if not _seems_clear(state, player, first):
        return None
    deep = analyse(state, nodes=nodes, player=player, engine=engine, seed=seed + 1)
    best, first_reply = (game.protocol.format_reply(state, player, result.turn) for result in (deep, first))
    solution = _Solution(state, player, best, cache(lambda reply: worth(state, player, reply, short_search)))
    if not solution.is_found(first_reply):
        return None
    others = _other_turns(state, player, [first, deep], seed)
    if solution.is_simultaneous and not _is_clearly_best(solution, others):
        return None
    value = worth(state, player, best, deep_search)
    if value < LEAST_SCORE:
        return None
    rivals = sorted(
        (reply for reply in others if not solution.is_found(reply)), key=lambda reply: -solution.worth(reply)
    )
    second = -1.0
    for reply in rivals[:_COMPARED]:
        second = max(second, worth(state, player, reply, deep_search))
        if value - second < GAP:
            return None
    if not rivals:
        return None
    return Puzzle(
        setup=setup,
        player=player,
        reply=best,
        value=round(value, 3),
        second=round(second, 3),
        line=best_line(position, player, best, deep_search, LINE),
        nodes=nodes,
        engine=engine,
        seed=seed,
        level=_level(solution, seed),
    )


@dataclass(frozen=True)
class _Solution:
    """The solution of a possible puzzle.

    Attributes:
        state: the position.
        player: number of the player to move.
        best: the solution, as a reply.
        worth: function that returns the expected score (0 to 1) after a reply, from a short search.
    """

    state: State
    player: int
    best: str
    worth: Callable[[str], float]

    @property
    def is_simultaneous(self) -> bool:
        """Whether several players act in this turn at the same time."""
        return len(self.state.asked()) > 1

    def is_found(self, reply: str) -> bool:
        """Returns whether a reply solves the puzzle.

        A reply solves the puzzle if it leads to the same position as `best`. If players act simultaneously, a reply
        whose value is at most MARGIN below the value of `best` also solves the puzzle.
        """
        if is_same_turn(self.state, self.player, reply, self.best):
            return True
        return self.is_simultaneous and self.worth(reply) >= self.worth(self.best) - MARGIN


def _is_clearly_best(solution: _Solution, others: list[str]) -> bool:
    """Returns whether the solution is clearly better than most other turns, by short searches.

    A few of the other turns may solve the puzzle, too. All turns that do not solve it must be clearly worse than the
    solution.

    Args:
        solution: the solution.
        others: the other turns, as replies.
    """
    most, found = (1 - _LEAST_WORSE) * len(others), 0
    for reply in reversed(others):
        if solution.is_found(reply):
            found += 1
        if found > most or (
            not solution.is_found(reply) and solution.worth(reply) > solution.worth(solution.best) - GAP / 2
        ):
            return False
    return True


def _by_nodes(nodes: int, seed: int, engine: str) -> SearchFunction:
    """Returns a function that searches a position with this engine, number of nodes and seed.

    The function stores its results: a position that it has already searched is not searched again.
    """
    return remembering(lambda state, player: analyse(state, nodes=nodes, player=player, engine=engine, seed=seed))


def _seems_clear(state: State, player: int, result: SearchResult) -> bool:
    """Returns whether a short search may have found a puzzle: its best turn is good, and better than its other turns.

    If players act simultaneously, the best turn is not compared with the other turns here. `player`: the player to
    move. `result`: result of the search.
    """
    if result.value < LEAST_SCORE or len(state.legal_actions(player)) < 2:
        return False
    return len(state.asked()) > 1 or _lead(state, player, result) >= GAP / 2


def _lead(state: State, player: int, result: SearchResult) -> float:
    """Returns how much better a search's best turn is than the others: its value minus the highest other value.

    Returns 1 if there is no other turn. `player`: the player to move. `result`: result of the search.
    """
    turns = [state.game.protocol.format_reply(state, player, line.turn) for line in result.lines]
    others = [line.value for line, turn in zip(result.lines, turns, strict=True) if turn != turns[0]]
    return result.value - max(others) if others else 1.0


def _other_turns(state: State, player: int, results: list[SearchResult], seed: int) -> list[str]:
    """Returns turns to compare with the best turn, as replies: random turns, and the turns that searches returned.

    If players act simultaneously, the turns of the weaker half of the levels replace the turns that searches returned.
    `results`: the results of the searches. `seed`: seed of the random turns and of the levels.
    """
    random = Random(seed)
    turns = [line.turn for result in results for line in result.lines]
    if len(state.asked()) > 1:
        names = level_names(state.game)
        turns = [analyse(state, player=player, engine=name, seed=seed).turn for name in names[: len(names) // 2]]
    turns[:0] = [tuple(random_turn(state.clone(), player, random)) for _ in range(_RANDOM_TURNS)]
    return list(dict.fromkeys(state.game.protocol.format_reply(state, player, turn) for turn in turns))


def _level(solution: _Solution, seed: int) -> int:
    """Returns the number (from 1) of the weakest level that finds the solution; number of levels + 1 if none finds it.

    The next stronger level must also find the solution, because a level may find a turn by luck. `seed`: seed of the
    levels' random numbers.
    """
    names = level_names(solution.state.game)
    weaker_finds = False
    for number, name in enumerate(names, 1):
        finds = _finds(solution, name, seed)
        if finds and weaker_finds:
            return number - 1
        weaker_finds = finds
    return len(names) + (not weaker_finds)


def _finds(solution: _Solution, level: str, seed: int) -> bool:
    """Returns whether a level finds the solution in most of `_TRIES` tries with different seeds. `seed`: the first of
    them.
    """
    state, player = solution.state, solution.player
    found = missed = 0
    while 2 * max(found, missed) < _TRIES:
        turn = analyse(state, player=player, engine=level, seed=seed + found + missed).turn
        if solution.is_found(state.game.protocol.format_reply(state, player, turn)):
            found += 1
        else:
            missed += 1
    return found > missed
