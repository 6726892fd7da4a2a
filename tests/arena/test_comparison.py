"""Comparisons with real players, real stores and real worker processes."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

import lapilli
from cli.running import Started
from lapilli.arena.compare import comparison_spec
from lapilli.arena.matches.contestants import contestants_of
from lapilli.arena.matches.playing import InProcessPool, Pool
from lapilli.arena.matches.pool import LocalPool
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.verdict import Verdict
from lapilli.arena.statistics import Sprt
from lapilli.core.errors import LapilliError
from lapilli.players import PlayerSpec
from lapilli.store import Store
from store.test_killed import start

ROOT = Path(__file__).parents[2]
CHAIN = f"{sys.executable} {ROOT / 'examples' / 'volcanoes' / 'chain.py'}"
SPREAD = f"{sys.executable} {ROOT / 'examples' / 'volcanoes' / 'spread.py'}"


def asked(a: str, b: str, matches: int) -> ComparisonSpec:
    game = lapilli.load("volcanoes")
    return comparison_spec(game, contestants_of(game, [a, b]), matches=matches)


def first_legal(state: lapilli.State) -> int:
    return state.legal_actions()[0]


def test_the_stronger_one_is_found() -> None:
    verdict = lapilli.compare("volcanoes", "greedy", "random", jobs=2)
    assert verdict.verdict == "better"
    assert verdict.ending == StopReason.DECIDED
    assert verdict.llr is not None
    assert verdict.llr >= Sprt().upper
    assert verdict.elo.low > 0
    assert "greedy is better than random" in verdict.sentence
    assert lapilli.compare("volcanoes", "random", "greedy", jobs=1).verdict == "worse"


def test_the_same_on_both_sides_is_not_better() -> None:
    verdict = lapilli.compare("kingdomino", "random", "random", matches=200, jobs=1)
    assert verdict.wins + verdict.draws + verdict.losses == 200
    assert verdict.elo.low < 0 < verdict.elo.high
    assert verdict.verdict == "undecided"
    assert verdict.points.low is not None


def test_results_do_not_depend_on_who_played_them(tmp_path: Path) -> None:
    question = asked("greedy", "random", matches=30)
    told = []
    pools: list[Pool] = [InProcessPool(question.recipe), LocalPool(question.recipe, 1), LocalPool(question.recipe, 2)]
    for number, pool in enumerate(pools):
        with Store.open(tmp_path / f"{number}.db") as store:
            comparison = Comparison(question, store, "greedy against random")
            comparison.run(pool)
            told.append((comparison.board.counts, comparison.board.wins, comparison.board.differences))
    assert told[0] == told[1] == told[2]


def test_the_time_that_is_left_is_told_once_it_means_something(tmp_path: Path) -> None:
    game = lapilli.load("volcanoes")
    spec = comparison_spec(game, contestants_of(game, ["random", "random"]), sprt=Sprt(0, 20), matches=9000)
    told: dict[int, tuple[float, float] | None] = {}

    def show(run: Comparison) -> None:
        if run.ending is None:
            told[run.board.counts.pairs] = run.seconds_left
            if run.board.counts.pairs >= 25:
                raise KeyboardInterrupt

    with Store.open(tmp_path / "arena.db") as store:
        Comparison(spec, store, "random against random").run(InProcessPool(spec.recipe), show)
    assert {pairs for pairs, left in told.items() if left is not None} == {pairs for pairs in told if pairs >= 20}
    for least, most in filter(None, told.values()):
        assert 0 < least < most


def test_no_two_matches_are_copies(tmp_path: Path) -> None:
    question = asked("random", "random", matches=40)
    with Store.open(tmp_path / "arena.db") as store:
        comparison = Comparison(question, store, "random against random")
        comparison.run(InProcessPool(question.recipe))
        moves = [stored.result.moves for stored in store.results(comparison.event.id)]
    assert len(set(moves)) == 40


def test_two_that_leave_nothing_to_chance_are_noticed_and_start_elsewhere() -> None:
    seen: list[Verdict] = []
    verdict = lapilli.compare("volcanoes", first_legal, first_legal, matches=12, show=seen.append)
    assert verdict.varied
    assert verdict.matches == 14, "the second pair is the first one again"
    assert verdict.counted == 12
    assert seen[-1].ending == StopReason.PLAYED


def test_matches_that_repeat_others_are_counted_and_told() -> None:
    """One that has two games: the first four pairs show it, the others start elsewhere."""
    openings = cycle((0, 0, 1))

    def one_of_two(state: lapilli.State) -> int:
        return state.legal_actions()[next(openings) if state.turn < 3 else 0]

    verdict = lapilli.compare("volcanoes", one_of_two, first_legal, matches=24)
    assert (verdict.matches, verdict.varied, verdict.repeats) == (24, True, False)
    assert verdict.different is not None
    assert 8 < verdict.different < 24
    assert f"{verdict.different} are different: the others repeat them, so later matches" in verdict.repetitions
    assert lapilli.compare("kingdomino", "random", "random", matches=4, jobs=1).different is None


def test_where_there_are_no_other_starts_the_same_match_is_played_once() -> None:
    verdict = lapilli.compare("tictactoe", first_legal, first_legal, matches=100)
    assert verdict.ending == StopReason.REPEATED
    assert verdict.wins + verdict.draws + verdict.losses == 2
    assert "always play the same moves" in verdict.sentence


def test_three_and_four_players() -> None:
    verdict = lapilli.compare("kingdomino", "greedy", "random", others=["random", "random"], matches=24, jobs=1)
    assert verdict.wins + verdict.draws + verdict.losses == 24
    assert verdict.elo.elo > 0
    with pytest.raises(LapilliError, match="for 2 players, not 3"):
        lapilli.compare("volcanoes", "greedy", "random", others=["random"], matches=2)


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    first = lapilli.compare("volcanoes", "greedy", "random", matches=10, store=store, jobs=1)
    assert (first.matches, first.resumed) == (10, 0)
    with Store.open(store) as opened:
        event = opened.event(first.event)
        assert (event.finished is not None, event.verdict) == (True, first.sentence)
    more = lapilli.compare("volcanoes", "greedy", "random", matches=16, store=store, jobs=1)
    assert (more.matches, more.resumed, more.event) == (16, 10, first.event)
    fresh = lapilli.compare("volcanoes", "greedy", "random", matches=10, store=store, jobs=1, resume=False)
    assert (fresh.matches, fresh.resumed) == (10, 0)
    assert fresh.event != first.event


def test_an_improved_bot_gets_matches_of_its_own(tmp_path: Path) -> None:
    """Its package has changed, the file that the command names has not."""
    store = tmp_path / "arena.db"
    (tmp_path / "v2" / "mypkg").mkdir(parents=True)
    (tmp_path / "v2" / "bot.py").write_text("import mypkg.core\n")
    core = tmp_path / "v2" / "mypkg" / "core.py"
    shutil.copy(ROOT / "examples" / "volcanoes" / "spread.py", core)
    bot = f"v2={sys.executable} {tmp_path / 'v2' / 'bot.py'}"
    first = lapilli.compare("volcanoes", bot, "random", matches=4, store=store)
    again = lapilli.compare("volcanoes", bot, "random", matches=4, store=store)
    assert (again.event, again.resumed) == (first.event, 4)
    assert again.earlier.sentence.startswith(f"4 earlier matches of v2 ({again.earlier.players[0][1]}) and random (")
    shutil.copy(ROOT / "examples" / "volcanoes" / "chain.py", core)
    improved = lapilli.compare("volcanoes", bot, "random", matches=4, store=store)
    assert (improved.event, improved.resumed, improved.earlier.sentence) == (first.event + 1, 0, "")
    assert improved.earlier.players[0] != first.earlier.players[0]
    assert improved.earlier.players[1] == first.earlier.players[1]


def test_a_redefined_function_gets_matches_of_its_own(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"

    def player(place: int) -> Callable[[lapilli.State], int]:
        def play(state: lapilli.State) -> int:
            return state.legal_actions()[place]

        return play

    runs = [lapilli.compare("tictactoe", player(place), "random", matches=4, store=store) for place in (0, 0, -1)]
    assert [verdict.resumed for verdict in runs] == [0, 4, 0]


def test_claims_of_a_killed_run_are_played_at_once(tmp_path: Path) -> None:
    question = asked("random", "random", matches=8)
    with Store.open(tmp_path / "arena.db") as store:
        comparison = Comparison(question, store, "test")
        with start("claim", tmp_path / "arena.db", comparison.event.id, 4) as victim:
            assert victim.stdout is not None
            victim.stdout.readline()
            victim.kill()
        waited: list[str] = []
        comparison.run(InProcessPool(question.recipe), lambda run: waited.append(run.waiting))
        assert comparison.matches == 8
        assert set(waited) == {""}


def test_a_run_says_what_it_waits_for(tmp_path: Path) -> None:
    question = asked("random", "random", matches=8)
    with Store.open(tmp_path / "arena.db") as store:
        comparison = Comparison(question, store, "test")
        store.claim(comparison.event.id, [1, 6], "host/0-0:1/17/4/ab", 1.5)
        waited: list[str] = []
        comparison.run(InProcessPool(question.recipe), lambda run: waited.append(run.waiting))
        assert comparison.matches == 8
    assert "Waiting for 2 matches of process 17 on host; played here in 1 s unless it is alive then." in waited
    assert waited[-1] == ""


def test_real_bots_in_workers_of_whom_one_is_killed(tmp_path: Path) -> None:
    question = asked(CHAIN, SPREAD, matches=12)
    pool = LocalPool(question.recipe, 2)
    killed: list[int] = []

    def show(comparison: Comparison) -> None:
        if comparison.board.matches >= 3 and not killed:
            killed.append(pool.pids[0])
            os.kill(pool.pids[0], signal.SIGKILL)

    with Store.open(tmp_path / "arena.db") as store:
        comparison = Comparison(question, store, "chain against spread")
        comparison.run(pool, show)
        numbers = [stored.result.number for stored in store.results(comparison.event.id)]
    assert killed
    assert sorted(numbers) == list(range(14)), "they always play the same, so that the second pair does not count"
    assert comparison.board.counts.pairs == 6
    assert comparison.board.wins > comparison.board.losses


def test_ctrl_c_and_kill_lose_nothing(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    words = ["compare", "volcanoes", CHAIN, SPREAD, "--matches", "400", "--store", store, "--jobs", "2", "--json"]
    before = 0
    for number in (signal.SIGINT, signal.SIGKILL, signal.SIGINT):
        with Started(*words, own_session=True) as run:
            deadline = time.monotonic() + 60
            while played(store) < before + 4:
                assert time.monotonic() < deadline
                assert run.poll() is None, run.said()
                time.sleep(0.05)
            os.killpg(run.pid, number) if number == signal.SIGINT else os.kill(run.pid, number)
            out, complaints = run.communicate(timeout=30)
            assert run.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL), complaints
        now = played(store)
        assert now >= before + 4
        if number == signal.SIGINT:
            assert f'"matches": {now}' in out
            assert f'"resumed": {before}' in out
        before = now


def played(store: Path) -> int:
    if not store.exists():
        return 0
    with Store.open(store) as opened:
        return sum(event.played for event in opened.events())


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    words = ["compare", "volcanoes", "greedy", "random", "--matches", "300", "--store", store, "--jobs", "1", "--json"]
    with Started(*words) as one, Started(*words) as other:
        for run in (one, other):
            _, complaints = run.communicate(timeout=120)
            assert run.returncode == 0, complaints
    with Store.open(store) as opened:
        [event] = opened.events()
        numbers = [stored.result.number for stored in opened.results(event.id)]
    assert sorted(numbers) == list(range(300)), "each match once"


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ({"matches": 0}, "matches must be at least 1"),
        ({"seed": 3, "position": "x"}, "position: each pair has its own"),
        ({"league": "gold"}, "league"),
    ],
)
def test_what_makes_no_sense_is_refused(keys: dict[str, object], complaint: str) -> None:
    with pytest.raises(LapilliError, match=complaint):
        lapilli.compare("volcanoes", "greedy", "random", **keys)  # type: ignore[arg-type]


def test_bots_that_do_not_start_are_found_before_the_first_match() -> None:
    for bot in ("false", "./false", PlayerSpec(command="./false")):
        with pytest.raises(LapilliError, match="false"):
            lapilli.compare("volcanoes", bot, "random", matches=2)
