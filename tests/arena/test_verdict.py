"""What a verdict says, and when it says none; and that sentence, table and page count the same matches."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import lapilli
from arena.filled import BOTS
from arena.test_scoreboard import result
from lapilli.arena.compare import comparison_spec
from lapilli.arena.matches.contestants import contestants_of
from lapilli.arena.matches.playing import InProcessPool
from lapilli.arena.pages import event_page, gather
from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.progress.running import StopReason
from lapilli.arena.progress.scoreboard import Side
from lapilli.arena.reports.overview import Share, overview
from lapilli.arena.reports.verdict import PlayerFigures, Verdict
from lapilli.arena.statistics import EloModel, Sprt
from lapilli.store import Store

EXITS = f"{sys.executable} {BOTS / 'exits.py'} 2"


def verdict_of(
    tmp_path: Path, scores: Sequence[float], *, sprt: Sprt | None = None, matches: int | None = None, **more: Any
) -> Verdict:
    """The verdict of a comparison whose matches A won (1), drew (0.5) or lost (0)."""
    game = lapilli.load("volcanoes")
    contestants = contestants_of(game, ["A=greedy", "B=random"])
    spec = comparison_spec(game, contestants, sprt=sprt, matches=matches)
    with Store.open(tmp_path / "arena.db") as store:
        event = Comparison(spec, store, "A against B").event
        store.add_results(event.id, [result(number, score, **more) for number, score in enumerate(scores)])
        return Verdict.of(Comparison(spec, store, "A against B"))


def test_a_run_that_is_stopped_has_no_verdict(tmp_path: Path) -> None:
    game = lapilli.load("volcanoes")
    spec = comparison_spec(game, contestants_of(game, ["greedy", "random"]), matches=400)

    def stop(now: Comparison) -> None:
        if now.board.complete == 8 and now.ending is None:
            raise KeyboardInterrupt

    with Store.open(tmp_path / "arena.db") as store:
        comparison = Comparison(spec, store, "greedy against random")
        comparison.run(InProcessPool(spec.recipe), stop)
        verdict = Verdict.of(comparison)
    assert verdict.elo.low > 0, "the figures alone would say that it is better"
    assert verdict.to_json()["verdict"] == "undecided"
    assert verdict.sentence.startswith(
        "Stopped after 16 of 400 matches, without a verdict. So far, greedy − random = +"
    )
    assert (verdict.to_json()["counted"], verdict.to_json()["wanted"]) == (16, 400)


def test_figures_that_are_looked_at_early_are_no_verdict(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, [1] * 60, matches=400).verdict == "undecided"
    assert verdict_of(tmp_path, [1] * 60, matches=60).verdict == "better"


@pytest.mark.parametrize(
    ("sprt", "scores", "sentence"),
    [
        (Sprt(), [0, 1] * 400, "By this test, A is not 40 Elo better than B: do not keep it"),
        (Sprt(-40, 0), [0, 0, 0, 1] * 200, "A is worse than B: do not keep it"),
        (Sprt(-40, 0), [0, 1] * 400, "By this test, A is not 40 Elo worse than B: keep it"),
        (Sprt(-40, 0), [1, 1, 0, 1] * 200, "A is better than B: keep it"),
        (
            Sprt(0, 20, model=EloModel.NORMALIZED),
            [0, 1, 1, 1, 0, 0] * 400,
            "By this test, A is not 20 normalized Elo better than B: do not keep it",
        ),
    ],
)
def test_a_decision_is_named_by_its_hypothesis(tmp_path: Path, sprt: Sprt, scores: list[float], sentence: str) -> None:
    verdict = verdict_of(tmp_path, scores, sprt=sprt)
    assert verdict.ending == StopReason.DECIDED
    assert verdict.sentence.startswith(sentence)


def test_an_interval_that_ends_with_the_scale_has_one_end(tmp_path: Path) -> None:
    sentences = []
    for number, scores in enumerate(([1] * 20, [0] * 20, [1, 1, 0, 1] * 50)):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        sentences.append(verdict_of(folder, scores, matches=len(scores)).sentence)
    won, lost, inside = sentences
    assert re.fullmatch(r"A is better than B: keep it \(at least \+\d+ Elo, 95 %; from 20 matches\)\.", won)
    assert re.fullmatch(r"A is worse than B: do not keep it \(at most -\d+ Elo, 95 %; from 20 matches\)\.", lost)
    assert re.fullmatch(r"A is better than B: keep it \(\+\d+ Elo, 95 %: \+\d+ to \+\d+; from 200 matches\)\.", inside)


def test_many_matches_between_equals_say_so(tmp_path: Path) -> None:
    scores = [1, 0, 0, 1, 1, 1, 0, 0] * 500
    verdict = verdict_of(tmp_path, scores, matches=4000)
    within = verdict.to_json()["equal_within"]
    assert 5 <= within <= 20
    assert verdict.sentence.startswith(f"A and B are equal to within {within} Elo (")
    assert max(-verdict.elo.low, verdict.elo.high) <= within < max(-verdict.elo.low, verdict.elo.high) + 1
    assert verdict.verdict == "undecided"
    few = verdict_of(tmp_path, scores, matches=40)
    assert few.equal_within is None
    assert few.sentence.startswith("Undecided after 40 matches: play more.")


def test_a_number_of_matches_is_the_number_that_counts(tmp_path: Path) -> None:
    scores = [1, 0, 1, 1, 0.5, 1] * 10
    verdict = verdict_of(tmp_path, scores, matches=20)
    assert (verdict.counted, verdict.matches, verdict.ending) == (20, 60, StopReason.PLAYED)
    assert verdict.not_counted == "Played, but not counted: 40 more matches that ended after the result was certain."
    assert verdict_of(tmp_path, scores, matches=20, seats=2).players[0].matches == 20


def test_sentence_table_and_page_count_the_same(tmp_path: Path) -> None:
    """Matches that come in after the decision change no figure."""
    with Store.open(tmp_path / "arena.db") as store:
        game = lapilli.load("volcanoes")
        spec = comparison_spec(game, contestants_of(game, ["A=greedy", "B=random"]), sprt=Sprt())
        event = Comparison(spec, store, "A against B").event
        store.add_results(event.id, [result(number, 1) for number in range(201)])
        store.add_results(event.id, [result(number, 0) for number in range(201, 240)])
        verdict = Verdict.of(Comparison(spec, store, "A against B"))
        store.finish(event.id, verdict.sentence, sum(verdict.pairs))
        found = overview(store, store.event(event.id))
        page = event_page(gather(store, store.event(event.id)), {}, str)
    assert found.compared is not None
    assert verdict.counted < 200
    assert f"from {verdict.counted} matches" in verdict.sentence
    assert found.counted == found.shares[0].matches == verdict.players[0].matches == verdict.counted
    assert found.compared.elo == verdict.elo
    assert (found.shares[0].won, found.shares[0].lost) == (verdict.wins, 0)
    note = f"Played, but not counted: {240 - verdict.counted} more matches that ended after the result was certain."
    assert found.left_out == verdict.not_counted == note
    assert f"volcanoes · {verdict.counted} matches" in page
    assert note in page
    assert "240" not in page


def test_a_bot_that_falls_out_of_its_matches_is_to_be_mended_first() -> None:
    verdict = lapilli.compare("volcanoes", f"v2={EXITS}", "v1=random", matches=10, jobs=1)
    assert verdict.players[0].matches == 10
    kinds = f"10 {next(iter(verdict.players[0].faults))}"
    assert verdict.sentence.startswith(
        f"v2 ended by its own fault in all 10 matches ({kinds}): mend that first. So far"
    )
    verdict = lapilli.compare("volcanoes", "v2=random", f"v1={EXITS}", matches=10, jobs=1)
    assert "v1 ended by its own fault in all 10 matches" in verdict.sentence, "a win against a crash is no progress"


def test_a_comparison_can_stop_at_the_first_fault() -> None:
    verdict = lapilli.compare("volcanoes", f"v2={EXITS}", "v1=random", matches=100, jobs=1, stop_at_fault=True)
    assert verdict.ending == StopReason.FAULT
    assert verdict.matches < 20
    assert verdict.verdict == "undecided"
    assert verdict.sentence.startswith(f"Stopped at a fault in match {verdict.event}/{verdict.fault}.")
    assert verdict.to_json()["fault"] == f"{verdict.event}/{verdict.fault}"
    fine = lapilli.compare("volcanoes", "greedy", "random", matches=10, jobs=1, stop_at_fault=True)
    assert (fine.ending, fine.fault) == (StopReason.PLAYED, None)


def test_figures_say_no_more_than_is_known(tmp_path: Path) -> None:
    """Built-in opponents' processor time is unknown, and times from buckets have two certain digits."""
    side = Side(answers=200, times=Counter({150: 200}))
    figures = PlayerFigures.of("A", side)
    assert figures.mean_cpu_ms is None
    assert (figures.p50_ms, figures.p99_ms, figures.max_ms) == (1.5, 1.5, 1.6)
    assert PlayerFigures.of("A", Side(answers=200, cpu_ms=50.0)).mean_cpu_ms == 0.25
    assert overview_shares(tmp_path)[0].cpu_ms is None


def overview_shares(tmp_path: Path) -> Sequence[Share]:
    """What the overview of a comparison of built-in opponents says of each."""
    game = lapilli.load("volcanoes")
    spec = comparison_spec(game, contestants_of(game, ["random", "greedy"]), matches=2)
    with Store.open(tmp_path / "arena.db") as store:
        comparison = Comparison(spec, store, "A against B")
        comparison.run(InProcessPool(spec.recipe))
        return overview(store, comparison.event).shares
