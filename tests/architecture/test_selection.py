"""What plain `pytest` runs and what it leaves out, tried on small files in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import selection

SMALL = """
    import pytest

    @pytest.fixture
    def browser(): pass

    @pytest.fixture
    def server(): pass

    def test_quick(): pass
    def test_shown(browser): pass
    def test_served(browser, server): pass
    @pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
    def test_stored(kind): pass
"""
FORMS = """
    import pytest
    from types import SimpleNamespace

    A, B = SimpleNamespace(name="a"), SimpleNamespace(name="b")

    @pytest.mark.parametrize(("game", "setup"), [(A, 0), (A, 1), (A, 2), (A, 3), (B, 0)])
    @pytest.mark.parametrize("reply", ["x", "y"])
    def test_forms(game, setup, reply): pass
"""


@pytest.fixture
def tried(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder in which the selection holds."""
    monkeypatch.setenv("LAPILLI_TESTS_DAY", "7")
    monkeypatch.setenv("PYTHONPATH", str(Path(selection.__file__).parent))
    pytester.makeconftest("pytest_plugins = ['selection']")
    pytester.makeini("[pytest]\naddopts = -p no:randomly")
    return pytester


@pytest.mark.parametrize(
    ("options", "passed"),
    [([], 2), (["--all"], 5), (["--left-out"], 3), (["-m", "browser"], 2), (["--left-out", "-m", "browser"], 2)],
)
def test_options_choose(tried: pytest.Pytester, options: list[str], passed: int) -> None:
    tried.makepyfile(test_small=SMALL)
    tried.inline_run(*options).assertoutcome(passed=passed)


def test_what_is_named_runs(tried: pytest.Pytester) -> None:
    tried.makepyfile(test_small=SMALL)
    tried.inline_run("test_small.py").assertoutcome(passed=5)
    tried.inline_run("test_small.py::test_shown").assertoutcome(passed=1)


def test_places_have_marks(tried: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    tried.makepyfile(test_small=SMALL)
    monkeypatch.setitem(selection.BY_PLACE, "test_small.py::test_quick", ("slow",))
    tried.inline_run().assertoutcome(passed=1)
    tried.inline_run("-m", "slow").assertoutcome(passed=1)


def test_the_longest_place_counts(tried: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    tried.makepyfile(test_small=SMALL)
    monkeypatch.setitem(selection.BY_PLACE, "test_small.py::test_quick", ("timed",))
    monkeypatch.setitem(selection.BY_PLACE, "test_small.py", ("slow",))
    tried.inline_run("-m", "slow").assertoutcome(passed=4)
    tried.inline_run("-m", "timed").assertoutcome(passed=1)


def test_of_the_forms_of_a_game_the_first_and_another_one_each_day_are_tried(
    tried: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried.makepyfile(test_small=FORMS)
    seen = []
    for day in range(3):
        monkeypatch.setenv("LAPILLI_TESTS_DAY", str(day))
        reports = tried.inline_run().getreports("pytest_runtest_logreport")
        seen.append({report.nodeid.partition("::")[2] for report in reports})
    assert all(len(one) == 6 for one in seen)
    always = set.intersection(*seen)
    assert always == {f"test_forms[{reply}-game{game}-0]" for reply in "xy" for game in (0, 4)}
    assert len(set.union(*seen)) == 10, "after some days all have been"


@pytest.mark.parametrize("workers", ["0", "1"])
def test_the_last_lines_say_what_was_left_out(tried: pytest.Pytester, workers: str) -> None:
    tried.makepyfile(test_small=SMALL)
    done = tried.runpytest_subprocess("-n", workers)
    done.assert_outcomes(passed=2, deselected=3 if workers == "0" else 0)
    shown = done.stdout.str()
    assert "Left out: 3 tests" in shown
    assert "2 browser: needs Chromium" in shown
    assert "1 postgres: " in shown
    assert "nox -s all" in shown
    assert "Left out" not in tried.runpytest_subprocess("--all").stdout.str()


def test_only_what_measures_time_is_repeated_and_not_often(
    tried: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried.makepyfile(
        test_small="""
        tries = []

        def test_late():
            tries.append(1)
            assert len(tries) == 3

        def test_wrong():
            tries.append(1)
            assert len(tries) == 5
        """
    )
    monkeypatch.setitem(selection.BY_PLACE, "test_small.py::test_late", ("clock",))
    monkeypatch.setattr(selection, "MOST_REPEATS", 2)
    assert tried.inline_run("--all", "-k", "late").ret == 0
    assert "1 failed, 1 passed, 2 rerun" in tried.runpytest_inprocess("--all").stdout.str()
    monkeypatch.setattr(selection, "MOST_REPEATS", 1)
    assert tried.inline_run("--all", "-k", "late").ret == pytest.ExitCode.TESTS_FAILED


def test_places_that_have_marks_exist() -> None:
    """A test that moves takes its mark along."""
    for place in (*selection.BY_PLACE, *selection.SLOW):
        file, _, test = place.partition("::")
        path = selection.TESTS / file
        assert path.exists(), place
        name = test.partition("[")[0]
        assert not name or f"def {name}" in path.read_text(encoding="utf-8"), place


def test_a_failure_is_told_when_it_happens(tried: pytest.Pytester) -> None:
    """Not only at the end of a run, which may be half an hour later."""
    tried.makepyfile(test_small="def test_bad(): assert 1 == 2\ndef test_good(): pass")
    for options in ([], ["-n", "1"]):
        lines = tried.runpytest_subprocess("-v", *options).outlines
        told = next(
            at for at, line in enumerate(lines) if "FAILED test_small.py::test_bad (call) - assert 1 == 2" in line
        )
        assert told < next(at for at, line in enumerate(lines) if "= FAILURES =" in line), lines
