"""Analysis of a record: a search evaluates every turn, to find out where a player lost the game."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.match.analysis import FORMAT, Analysis, Suggestion, TurnAnalysis, accuracy_of, mark_of, moves_of
from lapilli.match.record import Record
from lapilli.match.replay import replay, verify
from lapilli.players.engines.searches import BEST, find_thinker, thinker_names
from lapilli.search.budget import Budget
from lapilli.search.result import Line, SearchResult
from lapilli.search.searcher import Searcher, new_searcher

_BEST = 3
"""Number of turns suggested."""
_ENOUGH = 0.1
"""Minimum share of nodes, relative to the best turn, above which the search's value of a turn can be trusted."""


class Analyser:
    """An analysis of a record, one turn at a time, so that the caller can show its progress and stop it.

    Args:
        record: the record to analyse. It is verified first.
        engine: the search to use, written like a player's name: `best`, `level5`, `uct`, with or without settings.
        budget: limit for each turn; by default that in the engine's name, else the game's time limit of a reply.

    Attributes:
        game: the game of the record.
        analysis: the results so far.
        turns: number of turns to analyse.

    Raises:
        RecordError: the record breaks the rules.
        LapilliError: there is no such search, or it cannot play this game.
    """

    def __init__(self, record: Record, engine: str = BEST, budget: Budget | None = None) -> None:
        self.game = game = record.load_game()
        thinker = find_thinker(game, engine)
        if thinker is None:
            known = ", ".join(thinker_names(game))
            there_is = f"there are {known}" if known else "it has none"
            raise LapilliError(f"{engine!r} is no search of {game.title}: {there_is}")
        verify(record)
        self._steps = [(step, state) for state, step in replay(record) if step is not None]
        self._thinker, self._budget = thinker, budget or thinker.budget or Budget(ms=game.reply_ms)
        self._players: dict[int, Searcher] = {}
        self._said = {(entry.turn, entry.player): entry.action for entry in record.turns}
        self._known: dict[int, list[float | None]] = {}
        self._certain: set[int] = set()
        self._through: dict[tuple[int, int], tuple[float, bool]] = {}
        self.turns = sum(len(step.before.asked()) for step, _ in self._steps)
        self.analysis = Analysis(
            format=FORMAT,
            game=record.game,
            moves=moves_of(record),
            engine=engine,
            nodes=self._budget.nodes,
            ms=self._budget.ms,
        )

    def look(self) -> Generator[TurnAnalysis, None, None]:
        """Analyses one turn after the other. The results are in `analysis`, after each turn and after an early stop."""
        try:
            for step, state in self._steps:
                for player in step.before.asked():
                    yield self._look_at(step, state, player)
            self.analysis.whole = True
        finally:
            self._judge()

    def _look_at(self, step: Step, state: State, player: int) -> TurnAnalysis:
        before, turn = step.before, step.report.turn
        searcher = self._players.get(player)
        if searcher is None:
            searcher = self._players[player] = new_searcher(before.game, self._thinker.search, {})
        thought = searcher.think(before.determinised(turn), player, self._budget, seed=turn)
        self._note(before, turn, player, thought)
        if thought.proven and len(before.asked()) == 1:
            self._certain.add(turn)
        seen = _line_played(step, state, player, thought)
        if seen is not None:
            self._through[turn, player] = seen.value, seen is thought.lines[0]
        found = TurnAnalysis(
            turn=turn,
            player=player,
            reply=self._said.get((turn, player)),
            before=round(thought.value, 4),
            best=[_suggestion(before, player, line) for line in thought.lines[:_BEST]],
            nodes=thought.nodes,
            proven=thought.proven,
        )
        self.analysis.turns.append(found)
        return found

    def _note(self, before: State, turn: int, player: int, thought: SearchResult) -> None:
        """Stores the evaluation of a position by a player's search.

        With two players, the other one's expected score is 1 minus this. If both were asked, each has an evaluation of
        its own, and the mean of both is stored.
        """
        known = self._known.setdefault(turn, [None] * before.num_players)
        known[player] = thought.value
        if before.num_players == 2:
            other = known[1 - player]
            value = thought.value if other is None or len(before.asked()) == 1 else (thought.value + 1 - other) / 2
            known[player], known[1 - player] = value, 1 - value

    def _judge(self) -> None:
        """Computes what each turn lost, from the evaluations of the positions."""
        analysis = self.analysis
        order = sorted(self._known)
        players = self._steps[-1][1].num_players if self._steps else 0
        values = [(turn, self._known[turn]) for turn in order]
        certain = set(self._certain)
        if analysis.whole and self._steps:
            end = self._steps[-1][1]
            if end.is_terminal():
                number = self._steps[-1][0].report.turn + 1
                values.append((number, [(1 + utility) / 2 for utility in end.returns()]))
                certain.add(number)
        analysis.values = [(turn, [_rounded(value) for value in known]) for turn, known in values]
        for one in analysis.turns:
            later = ((turn, known[one.player]) for turn, known in values if turn > one.turn)
            number, after = next(((turn, value) for turn, value in later if value is not None), (0, None))
            seen, is_best = self._through.get((one.turn, one.player), (after, False))
            if is_best or number not in certain:
                after = seen
            if after is not None:
                one.after = round(after, 4)
                one.loss = round(max(0.0, one.before - after), 4)
                one.mark = mark_of(one.loss)
        analysis.accuracy = [
            accuracy_of([one.loss for one in analysis.turns if one.player == player and one.loss is not None])
            for player in range(players)
        ]


def _line_played(step: Step, after: State, player: int, thought: SearchResult) -> Line | None:
    """Returns the line that begins with the turn played, if the search has a reliable value for it.

    It does if it has searched the turn well enough, and did not stop early because another turn was proven.
    """
    best = thought.lines[0]
    for line in thought.lines:
        enough = line is best or (line.nodes >= _ENOUGH * best.nodes and not thought.proven)
        if enough and _leads_to(step, player, line, after):
            return line
    return None


def _leads_to(step: Step, player: int, line: Line, after: State) -> bool:
    """Returns whether a turn has the same effect as the one that was played."""
    protocol = step.before.game.protocol
    reply = protocol.format_reply(step.before, player, line.turn)
    if reply == step.report.actions.get(player):
        return True
    if len(step.before.asked()) > 1:
        return False
    other = step.before.clone()
    protocol.play_turn(other, {player: reply})
    return other == after


def _suggestion(before: State, player: int, line: Line) -> Suggestion:
    protocol = before.game.protocol
    reply = protocol.format_reply(before, player, line.turn)
    follow: list[tuple[int, str]] = []
    if len(before.asked()) == 1:
        state = before.clone()
        protocol.play_turn(state, {player: reply})
        with suppress(IllegalAction):  # with chance, the following turns may not fit
            for who, actions in line.follow:
                while not state.asked() and not state.is_terminal():
                    protocol.play_turn(state, {})
                if state.asked() != (who,):
                    break
                said = protocol.format_reply(state, who, actions)
                report = protocol.play_turn(state, {who: said})
                if report.faults:
                    break
                follow.append((who, said))
    return Suggestion(reply, round(line.value, 4), follow, list(line.turn))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
