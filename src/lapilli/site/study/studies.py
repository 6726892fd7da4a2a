"""Studies that the analysis workers run: search a position longer and longer, analyse a match, judge an answer."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import suppress

import msgspec

from lapilli.core.api import State, Step
from lapilli.core.errors import IllegalAction
from lapilli.core.reading.text import shortened
from lapilli.match.analyser import Analyser
from lapilli.match.analysis import Analysis
from lapilli.players.engines.builtin import whole_turn
from lapilli.players.engines.position_analysis import analyse
from lapilli.players.engines.searches import BEST, find_thinker
from lapilli.players.engines.turns import MARGIN, best_line, is_same_turn, least, worth
from lapilli.search.budget import Budget
from lapilli.search.result import Line, SearchResult
from lapilli.search.searcher import new_searcher
from lapilli.site.study.positions import MAX_TURNS, Data, turn_text
from lapilli.store.results import unpack_record

SLICES_MS = (100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000)
"""Time of each search of a position, one after the other, in milliseconds: about ten seconds in all."""
JUDGE_MS = 100.0
"""Search time for each turn of a match, in milliseconds."""
_PIECE_S = 0.5
_LINES, _FOLLOW = 5, 6
_ANSWER_MS = 300.0
_SHOWN = 4
"""Most turns of a line that is shown, including the answer itself."""


def think(state: State, player: int) -> Generator[Data, None, None]:
    """Searches a position for one of the players asked, and yields an improved result after each time of `SLICES_MS`.

    It uses the game's strongest search, and ends early if a result is proven.
    """
    thinker = find_thinker(state.game, BEST)
    assert thinker is not None
    searcher = new_searcher(state.game, thinker.search, {})
    own = state.determinised(1)
    spent = 0.0
    for number, ms in enumerate(SLICES_MS):
        thought = searcher.think(own.clone(), player, Budget(ms=ms), number)
        spent += ms
        ended = thought.proven or number == len(SLICES_MS) - 1
        lines = [_line(own, player, line) for line in thought.lines[:_LINES]]
        told = {"player": player, "value": round(thought.value, 4), "nodes": thought.nodes, "ms": spent}
        yield told | {"proven": thought.proven, "ended": ended, "lines": lines}
        if ended:
            return


def _line(state: State, player: int, line: Line) -> Data:
    """Converts a turn that the search found: its value, its text, the shapes to point at, and the turns expected after
    it, as far as they can be played.
    """
    game, now = state.game, state.clone()
    protocol = game.protocol
    reply = protocol.format_reply(now, player, line.turn)
    told: Data = {"value": round(line.value, 4), "reply": turn_text([reply]), "ways": _ways(now, player, line.turn)}
    moves, words = [turn_text([reply])], [(player, _words(now, player, reply))]
    if len(now.asked()) > 1:  # the following turns depend on the other players
        return told | {"moves": [], "words": words}
    protocol.play_turn(now, {player: reply})
    for who, actions in line.follow[:_FOLLOW]:
        while not now.asked() and not now.is_terminal():
            protocol.play_turn(now, {})
        if now.is_terminal() or now.asked() != (who,):
            break
        try:
            said = protocol.format_reply(now, who, actions)
        except IllegalAction:  # after a random draw, the expected turn may not be legal
            break
        in_words = _words(now, who, said)
        if protocol.play_turn(now, {who: said}).faults:
            break
        moves.append(turn_text([said]))
        words.append((who, in_words))
    return told | {"moves": moves, "words": words}


def _words(state: State, player: int, reply: str) -> str:
    """Describes a turn in words. Other players who act at once are assumed to do as little as possible."""
    before, now = state.clone(), state.clone()
    replies = {player: reply} | {other: least(now, other) for other in now.asked() if other != player}
    report = state.game.protocol.play_turn(now, replies)
    return shortened(state.game.tell(Step(before, report), player), 300)


def _ways(state: State, player: int, actions: tuple[int, ...]) -> list[str]:
    """Returns the keys of the shapes that a person would click to play these actions, in order."""
    keys: list[str] = []
    left = iter(actions)

    def follow(now: State) -> int:
        action = next(left)
        way = next((choice.way for choice in now.game.choices(now, player) if choice.action == action), ())
        keys.extend(step for step in way if not step.startswith("="))
        return action

    with suppress(StopIteration, IllegalAction):
        whole_turn(state.clone(), player, follow)
    return list(dict.fromkeys(keys))


def judge(record: bytes) -> Generator[tuple[int, int, bytes | None], None, None]:
    """Analyses a match.

    Yields:
        Number of turns searched, number of all turns to search, and None; at the end, the analysis as JSON instead of
        None.
    """
    analyser = Analyser(unpack_record(record), BEST, Budget(ms=JUDGE_MS))
    most = min(analyser.turns, MAX_TURNS)
    looked = analyser.look()
    done, ended = 0, False
    while not ended:
        until = time.monotonic() + _PIECE_S
        while time.monotonic() < until and not ended:
            ended = next(looked, None) is None
            done += not ended
            ended = ended or done >= most
        if not ended:
            yield done, most, None
    looked.close()
    yield done, most, msgspec.json.encode(analyser.analysis)


def analysis_of(data: bytes) -> Analysis:
    """Decodes an analysis that `judge` has yielded."""
    return msgspec.json.decode(data, type=Analysis)


def answer(
    state: State, player: int, reply: str, best: str, nodes: int | None = None, seed: int = 0, engine: str = BEST
) -> Generator[Data, None, None]:
    """Yields whether a turn is as good as the best one, the values of both, and the lines that follow.

    Args:
        state: the position.
        player: the player to move.
        reply: the turn to be judged.
        best: the best turn.
        nodes: node limit of each search; None for a time limit instead.
        seed: seed of the searches.
        engine: name of the search.
    """
    ms = _ANSWER_MS if nodes is None else None

    def look(now: State, whose: int) -> SearchResult:
        return analyse(now, nodes=nodes, ms=ms, player=whose, engine=engine, seed=seed)

    own = state.determinised(1)
    is_best = is_same_turn(own, player, reply, best)
    wanted = worth(own, player, best, look)
    value = wanted if is_best else worth(own, player, reply, look)
    good = is_best or value >= wanted - MARGIN
    told: Data = {"good": good, "value": round(value, 4), "best": round(wanted, 4)}
    told["line"] = _texts(best_line(state, player, reply if good else best, look, _SHOWN))
    told["refutation"] = [] if good else _texts(best_line(state, player, reply, look, _SHOWN))
    yield told


def _texts(line: list[list[tuple[int, str]]]) -> list[str]:
    return [turn_text([said for _, said in turn]) for turn in line]
