"""A real Ray cluster of several machines, all of them on this one: the same results, wherever matches are played."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import lapilli
from arena.played import ROOT, of, plain, sleepers, tasks
from clusters import need_ray
from lapilli.arena.matches.cluster_pool import ClusterPool
from lapilli.arena.matches.playing import Keep, Pool, Recipe, play
from lapilli.arena.matches.pool import LocalPool
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.statistics import Decision, Sprt
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.parameters import parameters_of
from lapilli.arena.tuning.specs import tuning_spec
from lapilli.core.errors import LapilliError
from lapilli.players import PlayerSpec, Sandbox
from lapilli.store import Store
from lapilli.store.results import Contestant, MatchResult, unpack_record
from lapilli.workers import ray_pool
from players.conftest import running, wait_until

need_ray()
BOT = ROOT / "examples" / "volcanoes" / "chain.py"


def in_time(playing: Iterator[list[MatchResult]]) -> Iterator[list[MatchResult]]:
    """The same, for two minutes at most: a cluster on one machine that was torn apart may wait for itself for ever."""
    end = time.monotonic() + 120
    for results in playing:
        assert time.monotonic() < end
        yield results


def compared(where: Path, question: ComparisonSpec, pool: Pool, **more: Any) -> tuple[Comparison, list[MatchResult]]:
    with Store.open(where) as store:
        comparison = Comparison(question, store, "test")
        comparison.run(pool, **more)
        stored = [found.result for found in store.results(comparison.event.id)]
    assert len({result.number for result in stored}) == len(stored)
    return comparison, plain(stored)


def test_the_same_verdict_as_on_one_machine_though_one_is_lost(cluster: Any, machine: Any, tmp_path: Path) -> None:
    recipe = of("random", "random")
    question = ComparisonSpec(recipe=recipe, sprt=Sprt(elo0=-150, elo1=-140))
    here, results_here = compared(tmp_path / "here.db", question, LocalPool(recipe, 2))
    lost: list[int] = []

    def lose(now: Comparison) -> None:
        if now.board.matches > 20 and not lost:
            lost.append(now.board.matches)
            cluster.remove_node(machine, allow_graceful=False)

    with ClusterPool(recipe, cluster.address) as pool:
        there, results_there = compared(tmp_path / "there.db", question, pool, show=lose)
    assert lost
    assert lost[0] < there.board.matches // 2
    assert here.board.decision == there.board.decision == Decision.H1
    assert (here.board.counts, here.board.llr) == (there.board.counts, there.board.llr)
    counted = 2 * here.board.counts.pairs
    assert results_here[:counted] == results_there[:counted]
    assert [result.number for result in results_there[:counted]] == list(range(counted))


def test_bots_travel_as_files(cluster: Any, tmp_path: Path) -> None:
    """Their folder is gone when they play; the one is named by a command line, the other by its folder."""
    folder = tmp_path / "bots"
    folder.mkdir()
    shutil.copy(BOT, folder / "chain.py")
    command = f"{sys.executable} {folder / 'chain.py'}"
    described = PlayerSpec(command=f"{sys.executable} chain.py", folder=str(folder), sandbox=Sandbox.OFF)
    recipe = msgspec.structs.replace(
        of(command, command, "volcanoes"),
        contestants=(Contestant(name="A", player=command), Contestant(name="B", player=described)),
    )
    here = plain(play(recipe, task) for task in tasks(2) if task)
    with ClusterPool(recipe, cluster.address) as pool:
        shutil.rmtree(folder)
        there = plain(result for batch in pool.play(tasks(2)) for result in batch)
    assert there == here
    assert not any(seat.fault for result in there for seat in result.seats)


def test_values_of_parameters_reach_bots_that_travel(cluster: Any, tmp_path: Path) -> None:
    """In words and in a file, which each machine writes for itself; the bot writes them to stderr."""
    shutil.copy(ROOT / "tests" / "bots" / "parameters.py", tmp_path / "bot.py")
    spec = tuning_spec(
        lapilli.load("volcanoes"),
        f"{sys.executable} {tmp_path / 'bot.py'} {{params}} {{a}}",
        parameters_of({"a": (0, 1)}),
        environment={"RISK": "{a}"},
        matches=20,
        sandbox=Sandbox.OFF,
        keep=Keep.ALL,
    )
    task = TuningCourse(spec.terms).task(0)
    with ClusterPool(spec.recipe, cluster.address) as pool:
        (tmp_path / "bot.py").unlink()
        [result] = [result for batch in pool.play(iter([task, None])) for result in batch]
    assert result.record is not None
    record = unpack_record(result.record)
    for player, contestant in enumerate(task.seats):
        value = task.parameters[contestant]["a"]
        assert record.last_words(player).splitlines()[0] == f'{{"a": {value}}} {value} {value}'


def test_bots_of_a_lost_machine_play_elsewhere_and_none_is_left(cluster: Any, machine: Any) -> None:
    results: list[MatchResult] = []
    with ClusterPool(sleepers(60), cluster.address) as pool, closing(pool.play(tasks(4))) as playing:
        heard = in_time(playing)
        while len(running("sleeps.py")) < 4:
            results += next(heard)
        cluster.remove_node(machine, allow_graceful=False)
        for batch in heard:
            results += batch
    assert plain(results) == plain(play(sleepers(0), task) for task in tasks(4) if task)
    wait_until(lambda: running("sleeps.py") == [], 10)


def test_to_close_is_to_stop(cluster: Any) -> None:
    with ClusterPool(sleepers(500), cluster.address) as pool:
        playing = pool.play(tasks(5))
        heard = in_time(playing)
        while len(running("sleeps.py")) < 2:
            assert next(heard) == []
        playing.close()
        wait_until(lambda: running("sleeps.py") == [])


def test_what_cannot_be_played_is_said_in_one_line(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def play_all(recipe: Recipe) -> list[list[MatchResult]]:
        with ClusterPool(recipe, cluster.address) as pool:
            return list(pool.play(tasks(5)))

    with pytest.raises(LapilliError, match=r"^no variant of Tic-tac-toe 'none such'"):
        play_all(msgspec.structs.replace(of("random", "random"), setup={"variant": "none such"}))
    monkeypatch.setattr(ray_pool, "sources", lambda: "of another version")
    with pytest.raises(
        LapilliError, match=r"^\S+ has another version of Lapilli: install the same as on this machine$"
    ):
        play_all(of("random", "random"))


def test_by_the_command_line(cluster: Any, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lapilli", "compare", "volcanoes", "greedy", "random", "--matches", "20", "--json"]
    command += ["--ray", cluster.address, "--store", str(tmp_path / "arena.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    assert (verdict["verdict"], verdict["matches"]) == ("better", 20)
    here = lapilli.compare("volcanoes", "greedy", "random", matches=20)
    assert (here.wins, here.losses) == (verdict["wins"], verdict["losses"])


def test_a_tournament_on_a_cluster(cluster: Any) -> None:
    players = ["greedy", "random", "again=random"]
    there = lapilli.tournament("volcanoes", players, matches=4, ray=cluster.address)
    here = lapilli.tournament("volcanoes", players, matches=4)
    assert [(row.figures.name, row.wins) for row in there.rows] == [(row.figures.name, row.wins) for row in here.rows]


def test_what_does_not_go_together() -> None:
    with pytest.raises(LapilliError, match="omit jobs"):
        lapilli.compare("volcanoes", "greedy", "random", matches=2, ray="auto", jobs=2)
    with pytest.raises(LapilliError, match="functions cannot play on other machines"):
        lapilli.compare("volcanoes", lambda state: state.legal_actions()[0], "random", matches=2, ray="auto")


def test_no_cluster_and_no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LapilliError, match=r"^no Ray cluster is at 127\.0\.0\.1:9: Connection refused$"):
        ClusterPool(of("random", "random"), "127.0.0.1:9")
    with pytest.raises(LapilliError, match=r"^the Ray cluster 'nonsense' cannot be joined: Invalid address format"):
        ClusterPool(of("random", "random"), "nonsense")
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    with pytest.raises(LapilliError, match=r"^matches on many machines need Ray: pip install 'lapilli\[ray\]'$"):
        ClusterPool(of("random", "random"), "auto")
