"""Analyses a recorded match: a search evaluates every turn, to find those that reduced a player's expected score."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.match.analysis import FORMAT, Analysis, Suggestion, TurnAnalysis, accuracy_of, mark_of, moves_of
from lapilli.match.reasons import reason_of
from lapilli.match.record import Record
from lapilli.match.replay import replay, verify
from lapilli.players.engines.searches import BEST, find_search, search_names, with_threads
from lapilli.search.budget import Budget
from lapilli.search.loading import load_kernels
from lapilli.search.searcher import Searcher, new_searcher
from lapilli.search.threads import free_threads

_MAX_SUGGESTIONS = 3
"""Greatest number of suggestions for one turn."""
TRUSTED_SHARE = 0.1
"""A turn's value is trusted if the search spent enough nodes on the turn: at least this share of the number of nodes
that it spent on the best turn.
"""


class Analyser:
    """Analyses a recorded match one turn at a time, so that the caller can show progress and stop early.

    Args:
        record: the record to analyse. It is verified first.
        engine: name of the search to use, as in a player's name: `best`, `level5` or `uct`, with or without settings.
        budget: search budget for each turn. Default: the budget in `engine`, or else the game's time limit of a reply.
        threads: number of threads of each search, if its method can use several and `engine` does not set a number.
            None: one thread for each core that is free. But if only nodes limit the search, it uses one thread, so that
            the result is the same every time.

    Attributes:
        game: the game of the record.
        analysis: the results so far.
        turns: number of turns to analyse. If a referee turn asks several players, the turn of each of them is counted.

    Raises:
        RecordError: the record breaks the rules.
        LapilliError: `engine` names no search of this game.
    """

    def __init__(
        self, record: Record, engine: str = BEST, budget: Budget | None = None, threads: int | None = 1
    ) -> None:
        self.game = game = record.load_game()
        named = find_search(game, engine)
        if named is None:
            names = ", ".join(search_names(game))
            choice = f"available: {names}" if names else "it has none"
            raise LapilliError(f"{engine!r} is not a search of {game.title}; {choice}")
        verify(record)
        self._steps = [(step, state) for state, step in replay(record) if step is not None]
        self._budget = budget or named.budget or Budget(ms=game.reply_ms)
        if threads is None:
            threads = 1 if self._budget.ms is None else free_threads()
        self._search = with_threads(game, named.search, threads)
        self._searchers: dict[int, Searcher] = {}
        self._replies = {(entry.turn, entry.player): entry.action for entry in record.turns}
        self._values: dict[int, list[float | None]] = {}
        self._proven_turns: set[int] = set()
        self._values_played: dict[tuple[int, int], tuple[float, bool]] = {}
        self.turns = sum(len(step.before.asked()) for step, _ in self._steps)
        self.analysis = Analysis(
            format=FORMAT,
            game=record.game,
            moves=moves_of(record),
            engine=engine,
            nodes=self._budget.nodes,
            ms=self._budget.ms,
        )

    def analyse(self) -> Generator[TurnAnalysis, None, None]:
        """Analyses the turns in the order of play. Yields each result and adds it to `analysis`.

        At the end, or when the caller closes the generator early, the losses, marks and accuracies in `analysis` are
        computed.
        """
        try:
            for step, state in self._steps:
                for player in step.before.asked():
                    yield self._analyse_turn(step, state, player)
            self.analysis.whole = True
        finally:
            self._compute_losses()

    def _analyse_turn(self, step: Step, state: State, player: int) -> TurnAnalysis:
        before, turn = step.before, step.report.turn
        searcher = self._searchers.get(player)
        if searcher is None:
            searcher = self._searchers[player] = new_searcher(before.game, self._search, {})
            if self._budget.ms is not None:
                load_kernels(self._search, before.determinised(turn), player)
        result = searcher.search(before.determinised(turn), player, self._budget, seed=turn)
        self._store_value(before, turn, player, result)
        if result.proven and len(before.asked()) == 1:
            self._proven_turns.add(turn)
        line = _line_played(step, state, player, result)
        if line is not None:
            self._values_played[turn, player] = line.value, line is result.lines[0]
        analysed = TurnAnalysis(
            turn=turn,
            player=player,
            reply=self._replies.get((turn, player)),
            before=round(result.value, 4),
            best=[_suggestion(before, player, line) for line in result.lines[:_MAX_SUGGESTIONS]],
            nodes=result.nodes,
            proven=result.proven,
        )
        self.analysis.turns.append(analysed)
        return analysed

    def _store_value(self, before: State, turn: int, player: int, result: SearchResult) -> None:
        """Stores a player's expected score at the position `before`, according to a search.

        With two players, the opponent's expected score is stored, too: 1 minus the player's. If both players were
        asked, there is one search for each of them, and the mean of both results is stored.
        """
        values = self._values.setdefault(turn, [None] * before.num_players)
        values[player] = result.value
        if before.num_players == 2:
            value, theirs = result.value, values[1 - player]
            if theirs is not None and len(before.asked()) > 1:
                value = (value + 1 - theirs) / 2
            values[player], values[1 - player] = value, 1 - value

    def _compute_losses(self) -> None:
        """Computes each turn's loss, mark and reason, and each player's accuracy, from the values of the positions."""
        analysis = self.analysis
        players = self._steps[-1][1].num_players if self._steps else 0
        values = sorted(self._values.items())
        proven_turns = set(self._proven_turns)
        if analysis.whole and self._steps:
            end = self._steps[-1][1]
            if end.is_terminal():
                number = self._steps[-1][0].report.turn + 1
                values.append((number, [(1 + utility) / 2 for utility in end.returns()]))
                proven_turns.add(number)
        analysis.values = [(turn, [_rounded(value) for value in scores]) for turn, scores in values]
        for analysed in analysis.turns:
            later = ((turn, scores[analysed.player]) for turn, scores in values if turn > analysed.turn)
            number, after = next(((turn, value) for turn, value in later if value is not None), (0, None))
            value_played, is_best = self._values_played.get((analysed.turn, analysed.player), (after, False))
            if is_best or number not in proven_turns:
                after = value_played
            if after is not None:
                analysed.after = round(after, 4)
                analysed.loss = round(max(0.0, analysed.before - after), 4)
                analysed.mark = mark_of(analysed.loss)
        self._find_reasons()
        analysis.accuracy = [
            accuracy_of([turn.loss for turn in analysis.turns if turn.player == player and turn.loss is not None])
            for player in range(players)
        ]

    def _find_reasons(self) -> None:
        """Stores, for each marked turn, why it is worse than the best turn, if the game knows a reason."""
        steps = {step.report.turn: (step, state) for step, state in self._steps}
        for analysed in self.analysis.turns:
            if analysed.mark:
                step, state = steps[analysed.turn]
                analysed.reason = reason_of(step, state, analysed.player, analysed.best[0].reply)


def _line_played(step: Step, after: State, player: int, result: SearchResult) -> Line | None:
    """Returns the line in a search result that begins with the turn that was played. None if its value is not reliable.

    A line is a turn with the turns that are likely to follow. `after` is the position after `step`. The value of the
    best line is always reliable. The value of another line is reliable only if the search used enough nodes for this
    line, and did not stop early because the best line was proven.
    """
    best = result.lines[0]
    for line in result.lines:
        enough = line is best or (line.nodes >= TRUSTED_SHARE * best.nodes and not result.proven)
        if enough and _leads_to(step, player, line, after):
            return line
    return None


def _leads_to(step: Step, player: int, line: Line, after: State) -> bool:
    """Returns whether the turn of `line` has the same effect as the turn of `player` that was played in `step`.

    `after` is the position after the step.
    """
    protocol = step.before.game.protocol
    reply = protocol.format_reply(step.before, player, line.turn)
    if reply == step.report.actions.get(player):
        return True
    if len(step.before.asked()) > 1:
        return False
    position = step.before.clone()
    protocol.play_turn(position, {player: reply})
    return position == after


def _suggestion(before: State, player: int, line: Line) -> Suggestion:
    protocol = before.game.protocol
    reply = protocol.format_reply(before, player, line.turn)
    follow: list[tuple[int, str]] = []
    if len(before.asked()) == 1:
        state = before.clone()
        protocol.play_turn(state, {player: reply})
        with suppress(IllegalAction):  # with chance, the following turns may not fit
            for next_player, actions in line.follow:
                while not state.asked() and not state.is_terminal():
                    protocol.play_turn(state, {})
                if state.asked() != (next_player,):
                    break
                answer = protocol.format_reply(state, next_player, actions)
                report = protocol.play_turn(state, {next_player: answer})
                if report.faults:
                    break
                follow.append((next_player, answer))
    return Suggestion(reply, round(line.value, 4), follow, list(line.turn))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
