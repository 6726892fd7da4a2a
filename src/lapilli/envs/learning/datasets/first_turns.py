"""Counts the first turns of matches that a search plays against itself, for the openings on the analysis board.

In its first turns, the search does not always play the turn that it prefers. It also plays turns that are nearly as
good, and sometimes a beginner's turn. So the matches differ from one another early, as matches between people do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from lapilli.core.api import Setup, State
from lapilli.core.content.first_turns import FIRST_TURNS, CountedTurn, FirstTurns, TurnsOrigin, added_up
from lapilli.core.search.search_result import SearchResult
from lapilli.envs.learning.datasets.playing import Plan
from lapilli.games import load
from lapilli.match import play_match
from lapilli.match.analyser import TRUSTED_SHARE
from lapilli.match.first_turns import counted_turns
from lapilli.players.engines.in_process import InProcessPlayer
from lapilli.players.engines.turns import MARGIN
from lapilli.search.searcher import new_searcher
from lapilli.workers.mappers import Mapper

_ERRORS = {"blunder": 0.2, "sees": 20.0}
"""Settings of the search in its first turns: it plays a beginner's turn with probability 0.2 (`blunder`), and then
examines only about 20 turns (`sees`)."""


class _VaryingSearch:
    """An engine that plays the turns of a search. Its first turns vary from match to match.

    Args:
        plan: what is played; contains the names of the game and the search.
        varied: number of turns, from the beginning, that vary. After them, the engine always plays the search's best
            turn.
    """

    def __init__(self, plan: Plan, varied: int) -> None:
        named = plan.search()
        assert named.budget is not None
        game, self._budget = load(plan.game), named.budget
        self._varied = [new_searcher(game, named.search, _ERRORS)] * varied
        self._searcher = new_searcher(game, named.search, {})

    def __call__(self, state: State, player: int, random: Random) -> tuple[int, ...]:
        seed = random.getrandbits(60)
        if self._varied:
            return _one_of_the_best(self._varied.pop().search(state, player, self._budget, seed), random)
        return self._searcher.search(state, player, self._budget, seed).turn


def _one_of_the_best(result: SearchResult, random: Random) -> tuple[int, ...]:
    """Draws one of the turns that a search has examined thoroughly, and that are nearly as good as the best turn.

    `result`: the result of the search. `random`: random generator.

    The probability of a turn is proportional to the number of nodes that the search has used for it.
    """
    best = result.lines[0]
    good = [
        line
        for line in result.lines
        if best.value - MARGIN <= line.value <= best.value and line.nodes >= TRUSTED_SHARE * best.nodes
    ]
    return random.choices(good, [max(1, line.nodes) for line in good])[0].turn


def turns_of_match(plan: Plan, number: int) -> list[CountedTurn]:
    """Plays one match of a search against itself, and returns the first turns of the match.

    The match begins at the game's usual start. Equal arguments give equal results.

    Args:
        plan: game, search, setup and seed of the matches; `random_turns` is ignored.
        number: number of the match, from 0. Matches with different numbers have different random draws.
    """
    game, random = load(plan.game), Random(f"{plan.seed}/{number}")
    setup = game.complete(Setup.from_dict({**plan.setup, "seed": random.getrandbits(62)}))
    count, seed = setup.players or 0, random.getrandbits(62)
    players = [
        InProcessPlayer.from_engine(plan.player, _VaryingSearch(plan, -(-FIRST_TURNS // count)), player, seed)
        for player in range(count)
    ]
    keys = {key: value for key, value in setup.to_dict().items() if key != "players"}
    return counted_turns(play_match(game, players, no_timeout=True, **keys))


def count_first_turns(plan: Plan, least: int, run: Mapper, show: Callable[[int, int], object]) -> FirstTurns:
    """Plays matches of a search against itself, and counts their first turns.

    If the user presses Ctrl-C, the result covers the matches played so far.

    Args:
        plan: game, search, setup, seed and number of the matches. The search must be valid.
        least: least number of matches in which a turn must have been played to be in the result.
        run: function like `map`, which plays the matches, for example in several processes.
        show: called after each match with the numbers of matches played and to be played.
    """
    played: list[list[CountedTurn]] = []
    try:
        for turns in run(partial(turns_of_match, plan), range(plan.matches)):
            played.append(turns)
            show(len(played), plan.matches)
    except KeyboardInterrupt:
        if not played:
            raise
    budget = plan.search().budget
    assert budget is not None
    origin = TurnsOrigin(
        player=plan.player,
        nodes=budget.most_nodes,
        matches=len(played),
        seed=plan.seed,
        least=least,
        setup=dict(plan.setup),
    )
    return FirstTurns(origin, added_up((turn for turns in played for turn in turns), least))
