"""Analyses of matches of every game that has a search: their contents, their repeatability and their files."""

from __future__ import annotations

import json
from contextlib import closing
from math import exp
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

import lapilli
from lapilli.core.api import CHANCE, State
from lapilli.core.errors import LapilliError, RecordError, UnknownName
from lapilli.core.search.mistake import no_reason
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.games import load, names
from lapilli.match import Record, analyser, replay
from lapilli.match.analyser import Analyser, _line_played
from lapilli.match.analysis import Analysis, TurnAnalysis, accuracy_of, load_analysis, mark_of, moves_of
from lapilli.match.reasons import reason_of
from lapilli.match.record import FORMAT, parse_record
from lapilli.players.engines.position_analysis import analyse
from lapilli.search.budget import Budget
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import Searcher

SEARCHED = [name for name in names() if load(name).searches]


def analysed(record: Record, nodes: int = 100, **options: Any) -> Analysis:
    analyser = Analyser(record, budget=Budget(nodes=nodes), **options)
    for _ in analyser.analyse():
        pass
    return analyser.analysis


def of(game: str, *replies: str, position: str | None = None) -> Record:
    """Returns the record of a match of two players who take turns, from their replies."""
    state = load(game).new_initial_state(position=position)
    turns = []
    for reply in replies:
        while not state.asked():
            state.game.protocol.play_turn(state, {})
        (player,) = state.asked()
        turns.append({"turn": state.turn, "player": player, "action": reply})
        state.game.protocol.play_turn(state, {player: reply})
    return parse_record(json.dumps({"format": FORMAT, "game": game, "setup": {"position": position}, "turns": turns}))


@pytest.fixture(scope="module", params=SEARCHED)
def record(request: pytest.FixtureRequest) -> Record:
    game = load(request.param)
    return lapilli.play_match(game, ["random"] * game.players[0], seed=3)


@pytest.fixture(scope="module")
def analysis(record: Record) -> Analysis:
    return analysed(record)


def test_every_turn_of_every_player_is_judged_once(record: Record, analysis: Analysis) -> None:
    asked = [
        (step.report.turn, player) for _, step in replay(record) if step is not None for player in step.before.asked()
    ]
    assert [(one.turn, one.player) for one in analysis.turns] == asked
    assert analysis.whole
    said = {(entry.turn, entry.player): entry.action for entry in record.turns}
    for one in analysis.turns:
        assert one.reply == said.get((one.turn, one.player))
        assert one.nodes > 0 or one.proven


def test_values_are_scores_and_losses_follow_from_them(record: Record, analysis: Analysis) -> None:
    state = record.load_game().new_initial_state(record.load_setup())
    for _, values in analysis.values:
        assert all(value is not None and 0 <= value <= 1 for value in values)
        if state.num_players == 2:
            assert sum(value or 0.0 for value in values) == pytest.approx(1, abs=1e-3)
    for one in analysis.turns:
        assert one.after is not None
        assert 0 <= one.before <= 1
        assert 0 <= one.after <= 1
        assert one.loss == pytest.approx(max(0.0, one.before - one.after), abs=1e-4)
        assert one.mark == mark_of(one.loss or 0.0)
        assert one.best[0].value == pytest.approx(one.before, abs=1e-4)
        assert 1 <= len(one.best) <= 3
        assert all(0 <= best.value <= 1 for best in one.best)
    for player in range(state.num_players):
        own = [one for one in analysis.turns if one.player == player]
        assert analysis.accuracy[player] == accuracy_of([one.loss for one in own if one.loss is not None])
        marks = analysis.marks_of(player)
        assert list(marks) == ["blunder", "mistake", "inaccuracy"]
        assert sum(marks.values()) == sum((one.loss or 0.0) >= 0.05 for one in own)


def test_marked_turns_have_the_reasons_that_the_game_knows(record: Record, analysis: Analysis) -> None:
    steps = {step.report.turn: (step, state) for state, step in replay(record) if step is not None}
    for one in analysis.turns:
        reason = reason_of(*steps[one.turn], one.player, one.best[0].reply) if one.mark else ""
        assert one.reason == reason
    marked = [one for one in analysis.turns if one.mark]
    assert any(one.reason for one in marked) == bool(marked and record.load_game().reason is not no_reason)


def test_a_fault_has_no_reason() -> None:
    ((step, state),) = [(step, state) for state, step in replay(of("volcanoes", "N99")) if step is not None]
    assert reason_of(step, state, 0, "N01") == ""


def test_the_last_value_is_the_outcome(record: Record, analysis: Analysis) -> None:
    *_, (state, step) = replay(record)
    assert step is not None
    assert state.is_terminal()
    assert analysis.values[-1] == (step.report.turn + 1, [(1 + utility) / 2 for utility in state.returns()])
    assert [turn for turn, _ in analysis.values] == sorted({turn for turn, _ in analysis.values})
    last = analysis.turns[-1]
    assert last.after == analysis.values[-1][1][last.player] or last.reply == last.best[0].reply


def test_what_is_suggested_can_be_played(record: Record, analysis: Analysis) -> None:
    """Each suggestion is legal, and so are the turns that follow it."""
    followed = 0
    for _, step in replay(record):
        for player in step.before.asked() if step else ():
            assert step is not None
            analysed_turn = next(
                analysed_turn
                for analysed_turn in analysis.turns
                if (analysed_turn.turn, analysed_turn.player) == (step.report.turn, player)
            )
            for best in analysed_turn.best:
                state = step.before.clone()
                replies: dict[int, Any] = {
                    entry.player: entry.reply() for entry in record.turns if entry.turn == analysed_turn.turn
                }
                assert player not in {
                    fault.player
                    for fault in state.game.protocol.play_turn(state, replies | {player: best.reply}).faults
                }
                for next_player, reply in best.follow:
                    while not state.asked() and not state.is_terminal():
                        state.game.protocol.play_turn(state, {})
                    assert state.asked() == (next_player,)
                    assert not state.game.protocol.play_turn(state, {next_player: reply}).faults
                    followed += 1
            assert len({best.reply for best in analysed_turn.best}) == len(analysed_turn.best)
    assert followed == sum(len(best.follow) for analysed_turn in analysis.turns for best in analysed_turn.best)


def test_it_is_the_same_every_time(record: Record, analysis: Analysis) -> None:
    assert analysed(record) == analysis


def test_who_stops_it_keeps_what_is_done(record: Record, analysis: Analysis) -> None:
    analyser = Analyser(record, budget=Budget(nodes=100))
    with closing(analyser.analyse()) as turns:
        for _ in range(3):
            next(turns)
    kept = analyser.analysis
    assert not kept.whole
    assert [(one.turn, one.player, one.before) for one in kept.turns] == [
        (one.turn, one.player, one.before) for one in analysis.turns[:3]
    ]
    assert kept.values[0] == analysis.values[0]
    assert len(kept.values) <= 3
    if (
        len(kept.values[0][1]) == 2 and kept.turns[1].turn != kept.turns[0].turn
    ):  # otherwise the next position's values are not complete
        assert kept.turns[0].loss == analysis.turns[0].loss


def test_a_mistake_shows_the_chances_of_the_graph_unless_they_rise() -> None:
    """Two searches have judged a turn: its own numbers may be others than those of the positions around it."""

    def chances(values: list[tuple[int, list[float | None]]], **facts: Any) -> tuple[float, float | None]:
        judged = TurnAnalysis(turn=2, player=0, reply="x", before=0.6, after=0.4, **facts)
        return Analysis(format="", game="", moves="", engine="", values=values, turns=[judged]).chances(judged)

    falling: list[tuple[int, list[float | None]]] = [(2, [0.7, 0.3]), (4, [0.5, 0.5])]
    assert chances(falling, mark="mistake") == (0.7, 0.5)
    assert chances(falling, proven=True) == (0.6, 0.5)
    assert chances([(2, [0.5, 0.5]), (4, [0.7, 0.3])], mark="mistake") == (0.6, 0.4)
    assert chances([(2, [0.5, 0.5]), (4, [0.7, 0.3])]) == (0.5, 0.7), "a turn without a mark may be lucky"
    assert chances([]) == chances([(2, [None, 0.3])]) == (0.6, 0.4)


def test_files_keep_it(record: Record, analysis: Analysis, tmp_path: Path) -> None:
    file = tmp_path / "m.analysis.json"
    analysis.save(file)
    assert load_analysis(file) == load_analysis(file, record) == analysis
    assert file.read_text().startswith('{\n "format": "lapilli-analysis/1"'), "on lines, for people too"


def test_a_state_is_analysed_alike(record: Record, analysis: Analysis) -> None:
    """Only the first position is compared: later ones depend on what the search remembers of earlier turns."""
    step = next(step for _, step in replay(record) if step is not None and step.before.asked())
    first = analysis.turns[0]
    result = step.before.analyse(nodes=100, player=first.player, seed=first.turn)
    assert round(result.value, 4) == first.before
    assert step.before.game.protocol.format_reply(step.before, first.player, result.turn) == first.best[0].reply


# -- blunders


def test_a_solved_blunder_is_found() -> None:
    """In tic-tac-toe, to answer the centre with an edge loses.

    The opponent then gives the win away again, so both turns are blunders.
    """
    judged = analysed(of("tictactoe", "4", "1", "7", "0", "2", "3"), nodes=50_000)
    assert all(one.proven for one in judged.turns)
    assert [(one.before, one.after, one.mark) for one in judged.turns[:3]] == [
        (0.5, 0.5, ""),
        (0.5, 0.0, "blunder"),
        (1.0, 0.5, "blunder"),
    ]
    assert judged.turns[1].best[0].reply in {"0", "2", "6", "8"}, "only a corner holds"
    assert judged.accuracy[0] is not None
    assert judged.accuracy[0] < 100
    assert judged.values[0] == (1, [0.5, 0.5])
    assert judged.values[2] == (3, [1.0, 0.0])


def test_a_win_by_another_way_than_the_best_is_none() -> None:
    """A winning turn other than the search's best one is no mistake. The search stops at the first proven win, so its
    values of other turns do not count.
    """
    judged = analysed(of("tictactoe", "4", "1", "0", "8", "2", "5"), nodes=50_000)
    third = judged.turns[2]
    assert third.best[0].reply != third.reply
    assert (third.before, third.after, third.loss, third.mark) == (1, 1, 0, "")


@pytest.mark.parametrize(
    ("nodes", "proven", "has_value"), [(100, False, True), (10, False, True), (9, False, False), (100, True, False)]
)
def test_what_the_search_hardly_looked_at_has_no_value(nodes: int, proven: bool, has_value: bool) -> None:
    """A turn's value counts from a tenth of the best turn's nodes on, but not if the best turn is proven."""
    ((step, state),) = [(step, state) for state, step in replay(of("tictactoe", "4")) if step is not None]
    best, played = Line((0,), 0.7, 100), Line((4,), 0.4, nodes)
    result = SearchResult((0,), 0.7, (best, played), 200, 1.0, proven)
    assert _line_played(step, state, 0, result) is (played if has_value else None)
    assert _line_played(step, state, 0, SearchResult((4,), 0.4, (played, best), 200, 1.0, proven)) is played


def test_a_turn_that_does_the_same_as_the_best_is_the_best() -> None:
    """In pyramids, the order in which caps are moved makes no difference."""
    *caps, eruption = analysed(of("pyramids", "A1-A2")).turns[0].best[0].reply.split()
    other = " ".join([*caps[::-1], eruption])
    assert caps != caps[::-1]
    for reply in (" ".join([*caps, eruption]), other):
        (turn,) = analysed(of("pyramids", reply)).turns
        assert (turn.reply, turn.after, turn.loss) == (reply, turn.before, 0.0)


def before_the_end(seed: int) -> State:
    """Returns the position of a random game before the last turn of a player."""
    random, states = Random(seed), [load("volcanoes").new_initial_state()]
    while not states[-1].is_terminal():
        state = states[-1].clone()
        state.apply_action(random.choice(state.legal_actions()))
        while state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
        states.append(state)
    return states[-2]


def wins(state: State, action: int) -> bool:
    state, player = state.clone(), state.current_player()
    state.apply_action(action)
    while state.current_player() == CHANCE:
        state.apply_action(state.legal_actions()[0])
    return state.is_terminal() and state.returns()[player] > 0


def throws(state: State) -> int:
    """Returns an action that does not win, if there is one."""
    legal = state.legal_actions()
    return next((action for action in legal if not wins(state, action)), legal[0])


def test_a_won_game_thrown_away_is_a_blunder() -> None:
    """A function that never wins if it has another action plays against greedy."""
    found = 0
    for seed in range(30):
        start = before_the_end(seed)
        winning = [action for action in start.legal_actions() if wins(start, action)]
        if not winning or len(winning) == len(start.legal_actions()):
            continue
        thrower = start.current_player()
        players: list[Any] = ["greedy", "greedy"]
        players[thrower] = throws
        record = lapilli.play_match("volcanoes", players, seed=1, position=start.position())
        first = analysed(record, nodes=3_000).turns[0]
        assert (first.player, first.before, first.proven) == (thrower, 1, True)
        assert first.best[0].reply in {start.action_to_string(action) for action in winning}
        assert first.reply not in {start.action_to_string(action) for action in winning}
        assert record.outcome is not None
        if record.outcome.ranks == [2, 1][:: 1 - 2 * thrower]:
            blunders = [one for one in analysed(record, nodes=3_000).turns if one.mark == "blunder"]
            assert thrower in {one.player for one in blunders}, "who lost a won game has a blunder to show"
            found += 1
    assert found >= 2


def test_a_reply_that_the_rules_refuse_loses_everything() -> None:
    judged = analysed(of("tictactoe", "4", "0", "99"), nodes=5_000)
    last = judged.turns[-1]
    assert (last.reply, last.after, last.mark) == ("99", 0.0, "blunder")
    assert judged.values[-1][1] == [0.0, 1.0]


def test_a_match_that_was_cut_short_is_judged_as_far_as_it_goes() -> None:
    data = msgspec.to_builtins(of("tictactoe", "4", "0"))
    data["turns"].append({"turn": 3, "player": 0, "fault": {"termination": "interrupted"}})
    judged = analysed(parse_record(json.dumps(data | {"outcome": {"termination": "interrupted"}})))
    assert [one.turn for one in judged.turns] == [1, 2]
    assert judged.whole
    assert [turn for turn, _ in judged.values] == [1, 2]
    assert judged.turns[0].after is not None


def test_a_match_in_which_nobody_was_asked_has_nothing_to_judge() -> None:
    judged = analysed(of("tictactoe"))
    assert (judged.turns, judged.values, judged.accuracy, judged.whole) == ([], [], [], True)


# -- second searches


class _TwoOpinions(Searcher):
    """A search whose longer searches value the turns otherwise than its shorter ones.

    Attributes:
        short, long: values of the first player's first turns, by action. The value of the best is that of the position.
    """

    short: dict[int, float]
    long: dict[int, float]

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        """Values every turn after the first one as a draw."""
        values = dict.fromkeys(state.legal_actions(), 0.5)
        if len(values) == 9:
            values |= self.short if budget == BRIEF else self.long
        lines = [Line((action,), value, 100) for action, value in sorted(values.items(), key=lambda pair: -pair[1])]
        return SearchResult(lines[0].turn, lines[0].value, tuple(lines), 100 * len(lines), 1.0)


BRIEF = Budget(nodes=10)


@pytest.mark.parametrize(
    ("long", "loss", "mark"),
    [
        ({4: 0.9, 0: 0.6}, 0.0, ""),  # the longer search finds the played turn best, as a hint could
        ({4: 0.77, 0: 0.8}, 0.03, ""),
        ({4: 0.6, 0: 0.75}, 0.15, "mistake"),
        ({4: 0.3, 0: 0.9}, 0.3, "blunder"),
    ],
)
def test_a_turn_is_marked_only_if_a_longer_search_agrees(
    monkeypatch: pytest.MonkeyPatch, long: dict[int, float], loss: float, mark: str
) -> None:
    """The shorter search says that turn 4 loses 0.3, compared with turn 0."""
    searcher = _TwoOpinions(load("tictactoe"), {})
    searcher.short, searcher.long = {4: 0.5, 0: 0.8}, long
    monkeypatch.setattr(analyser, "new_searcher", lambda *about: searcher)
    judging = Analyser(of("tictactoe", "4", "0"), "uct", BRIEF)
    first, *_ = judging.analyse()
    assert (first.before, first.loss, first.mark) == (0.8, loss, mark)
    assert first.after == pytest.approx(0.8 - loss)
    if not mark:
        assert judging.analysis.marks_of(0) == {"blunder": 0, "mistake": 0, "inaccuracy": 0}


def test_a_turn_whose_second_search_did_not_happen_has_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = _TwoOpinions(load("tictactoe"), {})
    searcher.short = searcher.long = {4: 0.5, 0: 0.8}
    monkeypatch.setattr(analyser, "new_searcher", lambda *about: searcher)
    judging = Analyser(of("tictactoe", "4", "0"), "uct", BRIEF)
    with closing(judging.analyse()) as turns:
        next(turns)
    (first,) = judging.analysis.turns
    assert (first.after, first.loss, first.mark) == (None, None, "")


# -- marks and accuracy


@pytest.mark.parametrize(
    ("loss", "mark"),
    [
        (0.0, ""),
        (0.049, ""),
        (0.05, "inaccuracy"),
        (0.1, "mistake"),
        (0.19, "mistake"),
        (0.2, "blunder"),
        (1, "blunder"),
    ],
)
def test_marks(loss: float, mark: str) -> None:
    assert mark_of(loss) == mark


def test_accuracy() -> None:
    assert accuracy_of([]) is None
    assert accuracy_of([0.0, 0.0]) == 100
    assert accuracy_of([1.0]) == 0
    assert accuracy_of([0.1]) == round(103.1668 * exp(-0.4354) - 3.1669, 1)
    assert accuracy_of([0.0, 1.0]) == 50
    falling = [accuracy_of([loss / 20]) for loss in range(21)]
    assert falling == sorted(falling, key=lambda value: -(value or 0.0))


# -- errors


def test_a_record_that_the_rules_refute_is_not_judged() -> None:
    refuted = of("tictactoe", "4", "0", "8")
    refuted.turns[1].player = 0
    with pytest.raises(RecordError, match="turn 2: player 0 was not asked"):
        Analyser(refuted)
    lied = lapilli.play_match("tictactoe", ["random", "random"], seed=1)
    assert lied.outcome is not None
    lied.outcome.scores = [7, 7]
    with pytest.raises(RecordError, match=r"scores: \[7, 7\] in the record"):
        Analyser(lied)


def test_searches_and_settings_that_do_not_exist() -> None:
    record = of("tictactoe", "4")
    with pytest.raises(LapilliError, match=r"'uctt' is not a search of Tic-tac-toe; available: .*uct"):
        Analyser(record, "uctt")
    with pytest.raises(UnknownName, match="no setting 'depth'"):
        Analyser(record, "uct:depth=3")


def test_settings_of_an_engine_are_heeded() -> None:
    record = of("tictactoe", "4")
    analyser = Analyser(record, "uct:nodes=7")
    assert [one.nodes for one in analyser.analyse()] == [7]
    assert (analyser.analysis.engine, analyser.analysis.nodes) == ("uct:nodes=7", 7)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"format": "lapilli-analysis/9"}, "an analysis of another format, 'lapilli-analysis/9'"),
        ({"moves": "0" * 16}, "this is the analysis of another match"),
        ({"game": "volcanoes"}, "this is the analysis of another match"),
        ({"accuracy": [50.0]}, "other players than the match"),
        ({"accuracy": [101.0, 50.0]}, "not a valid analysis: "),
        ({"values": [[1, [0.5]]]}, "other players than the match"),
        ({"values": [[1, [0.5, 1.5]]]}, "not a valid analysis: "),
        ({"turns": [{"turn": 1, "player": 2, "reply": None, "before": 0.5}]}, "other players than the match"),
        ({"turns": [{"turn": 1, "player": -1, "reply": None, "before": 0.5}]}, "not a valid analysis: "),
        ({"turns": [{"turn": 1, "player": 0, "reply": None, "before": -0.1}]}, "not a valid analysis: "),
        ({"turns": [{"turn": 1, "player": 0, "reply": None, "before": 0, "mark": "awful"}]}, "not a valid analysis: "),
        ({"turns": [{"turn": 1 << 70, "player": 0, "reply": None, "before": 0}]}, "not a valid analysis: "),
        ({"turns": 3}, "not a valid analysis: "),
    ],
)
def test_files_that_are_no_analysis_of_the_match_are_refused(tmp_path: Path, values: Any, told: str) -> None:
    record, file = of("tictactoe", "4", "0"), tmp_path / "a.json"
    file.write_text(json.dumps(msgspec.to_builtins(analysed(record)) | values))
    with pytest.raises(RecordError, match=f"^{file}: .*{told}") as refused:
        load_analysis(file, record)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"[" * 100_000, b'{"format": 1}', b"null"])
def test_files_that_are_no_analysis_at_all_are_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(data)
    with pytest.raises(RecordError, match=f"^{file}: not a valid analysis: "):
        load_analysis(file)
    with pytest.raises(RecordError, match="cannot read"):
        load_analysis(tmp_path / "none.json")
    with pytest.raises(RecordError, match="cannot read"):
        load_analysis(tmp_path)


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    with file.open("wb") as made:
        made.truncate(1 << 40)
    with pytest.raises(RecordError, match="no analysis has more than 64 MB"):
        load_analysis(file)


def test_matches_are_told_apart_by_setup_and_replies() -> None:
    record = of("tictactoe", "4", "0")
    others = [of("tictactoe", "4", "1"), of("tictactoe", "4"), of("tictactoe", "4", "0", position="." * 9)]
    assert len({moves_of(one) for one in [record, *others]}) == 4
    twin = parse_record(record.to_json())
    twin.turns[0].milliseconds, twin.turns[1].stderr = 3.5, "thinking"
    assert moves_of(twin) == moves_of(record), "times and texts do not matter"


def test_the_fields_of_a_turn_are_those_of_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    for kind in (Analysis, TurnAnalysis):
        for name in kind.__struct_fields__:
            assert f"`{name}`" in text, name


def test_no_turn_spends_its_time_on_loading_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Budget] = []
    search = Mcts.search

    def noted(self: Mcts, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        calls.append(budget)
        return search(self, state, player, Budget(nodes=8), seed)

    monkeypatch.setattr(Mcts, "search", noted)
    record, timed, limited = of("tictactoe", "4"), Budget(ms=5), Budget(nodes=5)
    list(Analyser(record, "uct", timed).analyse())
    assert [budget.ms for budget in calls] == [None, None, 5], "searches without a time limit come first"
    calls.clear()
    list(Analyser(record, "uct", limited).analyse())
    assert calls == [limited]
    calls.clear()
    analyse(load("tictactoe").new_initial_state(), ms=5, engine="uct")
    assert [budget.ms for budget in calls] == [None, None, 5]


def test_free_cores_are_used_unless_nodes_alone_limit_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    record = of("tictactoe", "4")
    monkeypatch.setattr(analyser, "free_threads", lambda: 3)
    for engine, budget, used in (
        ("best:nodes=7", None, 1),
        ("best", Budget(nodes=7), 1),
        ("best:ms=7", None, 3),
        ("best", None, 3),
        ("best:nodes=7,threads=2", None, 2),
    ):
        assert Analyser(record, engine, budget, None)._search.settings.get("threads", 1) == used
    assert Analyser(record)._search.settings.get("threads", 1) == 1
