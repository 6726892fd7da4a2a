"""Analyses to show: a search's own where the game has one, else one that is made of what built-in opponents play."""

from __future__ import annotations

from copy import deepcopy
from itertools import cycle
from random import Random

from lapilli.core.api import State
from lapilli.core.game import Game
from lapilli.match import Record, replay
from lapilli.match.analyser import Analyser
from lapilli.match.analysis import FORMAT, Analysis, Suggestion, TurnAnalysis, accuracy_of, mark_of, moves_of
from lapilli.players.engines.builtin import builtin_engines
from lapilli.search.budget import Budget

_INVENTED: dict[tuple[bytes, int], Analysis] = {}


def analysed(record: Record, nodes: int = 200) -> Analysis:
    """What a search says of a record; of a game without searches, what `invented` does."""
    if not record.load_game().searches:
        return invented(record)
    analyser = Analyser(record, budget=Budget(nodes=nodes))
    for _ in analyser.analyse():
        pass
    return analyser.analysis


def invented(record: Record, seed: int = 1) -> Analysis:
    """Values by lot, all marks where there are enough turns, and as best turns what the game's built-in opponents would
    have played, the strongest's first. What they would have played is asked once for each record; the analysis is its
    caller's own."""
    key = record.to_json(), seed
    if key not in _INVENTED:
        _INVENTED[key] = _invent(record, seed)
    return deepcopy(_INVENTED[key])


def _invent(record: Record, seed: int) -> Analysis:
    game, random, losses = record.load_game(), Random(seed), cycle((0.4, 0.12, 0.0, 0.06, 0.02))
    said = {(entry.turn, entry.player): entry.action for entry in record.turns}
    turns, values = [], []
    steps = [step for _, step in replay(record) if step is not None and step.before.asked()]
    for step in steps:
        turn, asked = step.report.turn, step.before.asked()
        for player in asked:
            best = replies(game, step.before, player, random)
            before, played = 0.5 + random.random() / 2, said.get((turn, player))
            after = before if best[0] == played else before - next(losses)
            turns.append(
                TurnAnalysis(
                    turn=turn,
                    player=player,
                    reply=played,
                    before=before,
                    after=after,
                    loss=before - after,
                    mark=mark_of(before - after),
                    best=[Suggestion(reply, before) for reply in best],
                )
            )
        known = {one.player: one.before for one in turns[-len(asked) :]}
        values.append((turn, [known.get(player) for player in range(step.before.num_players)]))
    players = range(steps[0].before.num_players)
    lost = [[one.loss or 0.0 for one in turns if one.player == player] for player in players]
    return Analysis(
        format=FORMAT,
        game=record.game,
        moves=moves_of(record),
        engine="invented",
        nodes=1,
        values=values,
        turns=turns,
        accuracy=[accuracy_of(each) for each in lost],
        whole=True,
    )


def replies(game: Game, state: State, player: int, random: Random) -> list[str]:
    """What the built-in opponents would say, the strongest first."""
    engines = list(builtin_engines(game).values())[::-1]
    turns = [engine(state.determinised(1), player, random) for engine in engines]
    said = [game.protocol.format_reply(state, player, turn) for turn in turns]
    return list(dict.fromkeys(said))
