"""Analyses a recorded match: a search evaluates every turn, to find those that reduced a player's expected score."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from math import inf

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.match.analysis import FORMAT, Analysis, Suggestion, TurnAnalysis, accuracy_of, mark_of, moves_of
from lapilli.match.reasons import is_at_fault, reason_of
from lapilli.match.record import Record
from lapilli.match.replay import replay, verify
from lapilli.players.engines.searches import BEST, find_search, search_names, with_threads
from lapilli.players.engines.turns import worth
from lapilli.search.budget import MAX_NODES, Budget
from lapilli.search.loading import load_kernels
from lapilli.search.searcher import Searcher, new_searcher
from lapilli.search.threads import free_threads

_MAX_SUGGESTIONS = 3
"""Greatest number of suggestions for one turn."""
TRUSTED_SHARE = 0.1
"""A turn's value is trusted if the search spent enough nodes on the turn: at least this share of the number of nodes
that it spent on the best turn.
"""
LONGER = 8
"""How many times as long as the first search the second search of a turn is. The second search decides whether a turn
that the first search would mark is marked.
"""
_SECOND_SEED = 1 << 20
"""Number that is added to the seed of a turn's first search, to get the seed of its second search."""


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
        self._step_of = {step.report.turn: (step, state) for step, state in self._steps}
        self._budget = budget or named.budget or Budget(ms=game.reply_ms)
        self._longer = _times(self._budget, LONGER)
        if threads is None:
            threads = 1 if self._budget.ms is None else free_threads()
        self._search = with_threads(game, named.search, threads)
        self._searchers: dict[int, Searcher] = {}
        self._longer_searchers: dict[int, Searcher] = {}
        self._replies = {(entry.turn, entry.player): entry.action for entry in record.turns}
        self._values: dict[int, list[float | None]] = {}
        self._proven_turns: set[int] = set()
        self._values_played: dict[tuple[int, int], tuple[float, bool]] = {}
        self._pending: list[TurnAnalysis] = []
        self._most_losses: dict[tuple[int, int], float] = {}  # by turn and player
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
                asked = step.before.asked()
                for player in asked:
                    analysed = self._analyse_turn(step, state, player)
                    if player == asked[-1]:
                        self._search_again()
                    yield analysed
            self._store_end()
            self._search_again(is_end=True)
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
        self._pending.append(analysed)
        return analysed

    def _store_value(self, before: State, turn: int, player: int, result: SearchResult) -> None:
        """Stores what a search found about a position: how high a score the player can expect there.

        With two players, the opponent's expected score is stored, too: 1 minus the player's. If both players were
        asked, there is one search for each of them, and the mean of both results is stored. `before` is the position,
        `turn` the number of the turn that begins there, and `result` the result of the player's search.
        """
        values = self._values.setdefault(turn, [None] * before.num_players)
        values[player] = result.value
        if before.num_players == 2:
            value, theirs = result.value, values[1 - player]
            if theirs is not None and len(before.asked()) > 1:
                value = (value + 1 - theirs) / 2
            values[player], values[1 - player] = value, 1 - value

    def _store_end(self) -> None:
        """Stores each player's score at the end of the match, if the game is over there."""
        if self._steps and self._steps[-1][1].is_terminal():
            step, end = self._steps[-1]
            number = step.report.turn + 1
            self._values[number] = [(1 + utility) / 2 for utility in end.returns()]
            self._proven_turns.add(number)

    def _value_after(self, analysed: TurnAnalysis) -> tuple[float | None, int, bool]:
        """Returns how good the position after a turn is for its player, by the searches of this turn and later ones.

        Args:
            analysed: the turn, with the player.

        Returns:
            Three values: the player's expected score after the turn, or None if it is not known; the number of the next
            turn before which a search has evaluated the position for this player, or 0 if there is none; and whether
            that search proved its result.
        """
        later = sorted(number for number in self._values if number > analysed.turn)
        scores = ((number, self._values[number][analysed.player]) for number in later)
        number, after = next(((number, value) for number, value in scores if value is not None), (0, None))
        value_played, is_best = self._values_played.get((analysed.turn, analysed.player), (after, False))
        is_certain = number in self._proven_turns
        if is_best or not is_certain:
            after = value_played
        return after, number, is_certain

    def _search_again(self, *, is_end: bool = False) -> None:
        """Searches again the turns that would get a mark, such as "mistake", unless their values are proven.

        The second search makes sure that the mark is right. The mark depends on the turn's loss of expected score.

        Args:
            is_end: whether all positions were searched. If not, the method stops at the first turn after which no
                position has been searched yet.
        """
        pending, self._pending = self._pending, []
        for place, analysed in enumerate(pending):
            after, number, is_certain = self._value_after(analysed)
            if not (number or is_end):
                self._pending += pending[place:]
                break
            is_sure = analysed.proven and is_certain
            if after is not None and mark_of(_loss(analysed, after)) and not is_sure:
                self._most_losses[analysed.turn, analysed.player] = self._second_loss(analysed)
            else:
                self._most_losses[analysed.turn, analysed.player] = inf

    def _second_loss(self, analysed: TurnAnalysis) -> float:
        """Searches a turn again, for longer, and returns the loss of expected score that this search finds.

        `analysed` is the turn. The loss is infinite if the player's reply was a fault.
        """
        (step, state), player = self._step_of[analysed.turn], analysed.player
        if analysed.reply is None or is_at_fault(step, player):
            return inf
        seed = analysed.turn + _SECOND_SEED
        before = step.before.determinised(seed)

        def search(position: State, searching: int) -> SearchResult:
            searcher = self._longer_searchers.get(searching)
            if searcher is None:
                searcher = self._longer_searchers[searching] = new_searcher(self.game, self._search, {})
            is_value = searching == player or position.num_players == 2
            return searcher.search(position.clone(), searching, self._longer if is_value else self._budget, seed)

        result = search(before, player)
        line = _line_played(step, state, player, result)
        if line is result.lines[0]:
            return 0.0
        try:
            after = worth(before, player, analysed.reply, search) if line is None else line.value
        except IllegalAction:  # with other hidden values, the turn may not be legal
            return inf
        return max(0.0, result.value - after)

    def _compute_losses(self) -> None:
        """Computes each turn's loss, mark and reason, and each player's accuracy, from the values of the positions."""
        analysis = self.analysis
        players = self._steps[-1][1].num_players if self._steps else 0
        analysis.values = [
            (turn, [_rounded(value) for value in scores]) for turn, scores in sorted(self._values.items())
        ]
        for analysed in analysis.turns:
            after, *_ = self._value_after(analysed)
            if after is None:
                continue
            loss = _loss(analysed, after)
            most = self._most_losses.get((analysed.turn, analysed.player))
            if most is None and mark_of(loss):
                continue  # stopped before the second search, so the loss is not known yet
            if most is not None and most < loss:
                after = analysed.before - most
            analysed.after = round(after, 4)
            analysed.loss = _loss(analysed, after)
            analysed.mark = mark_of(analysed.loss)
        self._find_reasons()
        analysis.accuracy = [
            accuracy_of([turn.loss for turn in analysis.turns if turn.player == player and turn.loss is not None])
            for player in range(players)
        ]

    def _find_reasons(self) -> None:
        """Stores, for each marked turn, why it is worse than the best turn, if the game knows a reason."""
        for analysed in self.analysis.turns:
            if analysed.mark:
                step, state = self._step_of[analysed.turn]
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
    """Returns whether the turn that a search suggests has the same effect as the turn that a player played.

    Args:
        step: the step in which the player's turn was played.
        player: the player.
        line: a line of the search result; its first turn is the suggestion.
        after: the position after the step.
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


def _times(budget: Budget, factor: int) -> Budget:
    """Returns a budget whose limits are `factor` times as large."""
    nodes = None if budget.nodes is None else min(MAX_NODES, factor * budget.nodes)
    return Budget(nodes, None if budget.ms is None else factor * budget.ms)


def _loss(analysed: TurnAnalysis, after: float) -> float:
    """Returns the expected score that a player lost with a turn, at least 0.

    `analysed` contains the expected score with the best turn, and `after` is the expected score after the turn played.
    """
    return round(max(0.0, analysed.before - after), 4)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
