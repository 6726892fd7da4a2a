"""Search jobs, which the analysis workers run: search a position, analyse a match, judge an answer.

A *line* is a sequence of turns that a search expects, from the searched position on.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence

import msgspec

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.match.analyser import TRUSTED_SHARE, Analyser
from lapilli.match.analysis import Analysis
from lapilli.players.engines.position_analysis import analyse
from lapilli.players.engines.searches import BEST, find_search, with_threads
from lapilli.players.engines.turns import MARGIN, best_line, is_same_turn, least, remembering, worth
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
from lapilli.site.study.positions import MAX_TURNS, Data, Words, turn_text, words_of
from lapilli.store.results import unpack_record
from lapilli.viewer.films.film_analysis import travels

SLICES_MS = (100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000)
"""Times of the successive searches of a position, in milliseconds. Together they take about ten seconds."""
JUDGE_MS = 100.0
"""Search time for each turn when a whole match is analysed, in milliseconds."""
_PIECE_S = 0.5
"""Interval at which the analysis of a match reports its progress, in seconds."""
_LINES, _FOLLOW = 5, 6
"""`_LINES`: largest number of lines shown for a position. `_FOLLOW`: largest number of turns of a line after its first
turn.
"""
_ANSWER_MS = 300.0
"""Time of each search that judges an answer to a puzzle, in milliseconds."""
_SHOWN = 4
"""Largest number of turns of the line that is shown after an answer. The answer itself is one of these turns."""


def think(state: State, player: int, threads: int = 1) -> Generator[Data, None, None]:
    """Runs successive searches of a position with the game's strongest search, and yields the result of each.

    The times of the searches are `SLICES_MS`. The job ends early if a result is proven.

    Args:
        state: the position.
        player: the player for whom to search, who must be asked in this position.
        threads: number of threads of the search, if its method can use several.
    """
    named = find_search(state.game, BEST)
    assert named is not None
    searcher = new_searcher(state.game, with_threads(state.game, named.search, threads), {})
    own = state.determinised(1)
    shown = list[tuple[int, ...]]()
    spent = 0.0
    for number, ms in enumerate(SLICES_MS):
        result = searcher.search(own.clone(), player, Budget(ms=ms), number)
        spent += ms
        ended = result.proven or number == len(SLICES_MS) - 1
        best_lines = _distinct(own, player, ranked(result, shown))
        shown = [line.turn for line, _ in best_lines]
        lines = [_line(own, player, line, value) for line, value in best_lines]
        data = {"player": player, "value": round(result.value, 4), "nodes": result.nodes, "ms": spent}
        yield data | {"proven": result.proven, "ended": ended, "lines": lines}
        if ended:
            return


def ranked(result: SearchResult, shown: Sequence[tuple[int, ...]] = ()) -> list[tuple[Line, float | None]]:
    """Returns the lines of a search in the order in which a page shows them, each with the value to show.

    A line is a sequence of turns that the search expects. The search's choice is first, and the other lines follow by
    falling value. A line that the search hardly examined, or whose value contradicts the choice, has no value to show;
    such lines are last, the most examined first.

    Args:
        result: the result of the search.
        shown: the first turns of the lines that the page shows now, in their order. Lines with the same value in per
            cent, as pages write it, stay in this order.
    """
    places = {turn: place for place, turn in enumerate(shown)}
    best, *others = result.lines
    rated: list[tuple[Line, float | None]] = []
    unrated: list[tuple[Line, float | None]] = []
    for line in others:
        is_rated = line.value <= best.value and line.nodes >= TRUSTED_SHARE * best.nodes
        (rated if is_rated else unrated).append((line, line.value if is_rated else None))
    rated.sort(key=lambda pair: -pair[0].value)
    rated.sort(key=lambda pair: (-int(100 * pair[0].value + 0.5), places.get(pair[0].turn, len(places))))
    unrated.sort(key=lambda pair: -pair[0].nodes)
    return [(best, best.value), *rated, *unrated]


def _distinct(state: State, player: int, lines: Sequence[tuple[Line, float | None]]) -> list[tuple[Line, float | None]]:
    """Returns the first `_LINES` of some lines, without lines whose first turn reads like that of an earlier line, such
    as the same commands in another order.
    """
    found: dict[str, tuple[Line, float | None]] = {}
    for line, value in lines:
        _, said, _ = in_words(state, player, state.game.protocol.format_reply(state, player, line.turn))
        found.setdefault(", ".join(sorted(said.split(", "))), (line, value))
        if len(found) == _LINES:
            break
    return list(found.values())


def _line(state: State, player: int, line: Line, value: float | None) -> Data:
    """Converts a line of a search, which is a sequence of expected turns, to JSON data.

    Returns:
        A dict with these keys. `value`: value of the line, None if it is not known well. `reply`: its first turn.
        `ways`: how to play the first turn by clicks, as `travels` returns it. `moves`: all turns of the line. `words`:
        all turns in words. The line is cut off before a turn that cannot be played. If several
        players act at once, `moves` is empty, and `words` contains only the first turn.
    """
    game, now = state.game, state.clone()
    protocol = game.protocol
    reply = protocol.format_reply(now, player, line.turn)
    data: Data = {"value": None if value is None else round(value, 4), "reply": turn_text([reply])}
    data["ways"] = travels(now, player, line.turn)
    moves, words = [turn_text([reply])], [in_words(now, player, reply)]
    if len(now.asked()) > 1:  # the following turns depend on the other players
        return data | {"moves": [], "words": words}
    protocol.play_turn(now, {player: reply})
    for follower, actions in line.follow[:_FOLLOW]:
        while not now.asked() and not now.is_terminal():
            protocol.play_turn(now, {})
        if now.is_terminal() or now.asked() != (follower,):
            break
        try:
            next_reply = protocol.format_reply(now, follower, actions)
        except IllegalAction:  # after a random draw, the expected turn may not be legal
            break
        said = in_words(now, follower, next_reply)
        if protocol.play_turn(now, {follower: next_reply}).faults:
            break
        moves.append(turn_text([next_reply]))
        words.append(said)
    return data | {"moves": moves, "words": words}


def in_words(state: State, player: int, reply: str) -> Words:
    """Describes a player's turn in words. Other players who act in the same turn are assumed to do as little as
    possible.
    """
    before, now = state.clone(), state.clone()
    replies = {player: reply} | {other: least(now, other) for other in now.asked() if other != player}
    report = state.game.protocol.play_turn(now, replies)
    return words_of(Step(before, report), player)


def judge(record: bytes, threads: int = 1) -> Generator[tuple[int, int, bytes | None], None, None]:
    """Analyses a match, with this number of threads. `record`: the record of the match, packed by `pack_record`.

    Yields:
        Tuples (number of turns searched so far, number of turns to search, analysis). Only the last tuple contains the
        analysis, as JSON; in the other tuples it is None.
    """
    analyser = Analyser(unpack_record(record), BEST, Budget(ms=JUDGE_MS), threads)
    most = min(analyser.turns, MAX_TURNS)
    searched = analyser.analyse()
    number, ended = 0, False
    while not ended:
        until = time.monotonic() + _PIECE_S
        while time.monotonic() < until and not ended:
            ended = next(searched, None) is None
            number += not ended
            # If no turn is left out, the analyser ends by itself, and marks the analysis as whole.
            ended = ended or number == most < analyser.turns
        if not ended:
            yield number, most, None
    searched.close()
    yield number, most, msgspec.json.encode(analyser.analysis)


def analysis_of(data: bytes) -> Analysis:
    """Decodes an analysis that `judge` has yielded."""
    return msgspec.json.decode(data, type=Analysis)


def answer(
    state: State, player: int, reply: str, best: str, nodes: int | None = None, seed: int = 0, engine: str = BEST
) -> Generator[Data, None, None]:
    """Compares a player's turn with the best turn.

    Yields:
        One dict. `good`: whether the turn is as good as the best turn. `value`, `best`: values of both turns. `line`:
        the line that begins with the turn if the turn is good, otherwise with the best turn. `refutation`: the line
        that begins with the turn if the turn is not good, otherwise empty.

    Args:
        state: the position.
        player: the player to whom the turn belongs.
        reply: the turn to judge, as a bot would write it.
        best: the best turn, in the same format.
        nodes: node limit of each search; None for a time limit instead.
        seed: seed of the searches.
        engine: name of the search.
    """
    ms = _ANSWER_MS if nodes is None else None

    @remembering
    def search(now: State, searching: int) -> SearchResult:
        return analyse(now, nodes=nodes, ms=ms, player=searching, engine=engine, seed=seed)

    own = state.determinised(1)
    is_best = is_same_turn(own, player, reply, best)
    best_value = worth(own, player, best, search)
    value = best_value if is_best else worth(own, player, reply, search)
    good = is_best or value >= best_value - MARGIN
    data: Data = {"good": good, "value": round(value, 4), "best": round(best_value, 4)}
    data["line"] = _texts(best_line(state, player, reply if good else best, search, _SHOWN))
    data["refutation"] = [] if good else _texts(best_line(state, player, reply, search, _SHOWN))
    yield data


def _texts(line: list[list[tuple[int, str]]]) -> list[str]:
    return [turn_text([reply for _, reply in turn]) for turn in line]
