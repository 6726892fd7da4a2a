"""Tunings with real players, real stores and real worker processes."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

import lapilli
from cli.running import Started, run
from lapilli.arena.matches.placeholders import Placeholders, parameter_file
from lapilli.arena.matches.playing import InProcessPool, Keep, play
from lapilli.arena.pages import event_page, gather
from lapilli.arena.progress.running import StopReason
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.parameters import parameters_of
from lapilli.arena.tuning.specs import confirming_spec, tuning_spec
from lapilli.arena.tuning.tuning import Tuning, stored_course
from lapilli.core.errors import LapilliError
from lapilli.players import PlayerSpec, Sandbox
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.store import EventKind, Store
from lapilli.store.results import unpack_record

BOT = Path(__file__).resolve().parents[2] / "bots" / "parameters.py"
SEARCH = "uct:nodes={n}"
"""A search with a whole parameter."""
BLUNDERS = "level2:blunder={b}"
"""A search that is stronger the less often it plays at random."""


def received(command: str, environment: dict[str, str], sandbox: Sandbox) -> list[str]:
    """What both sides of the first match wrote: the values in their words, file and environment."""
    game = lapilli.load("volcanoes")
    spec = tuning_spec(
        game,
        command,
        parameters_of({"a": (0, 1), "n": "1..9:int"}),
        environment=environment,
        matches=20,
        sandbox=sandbox,
        keep=Keep.ALL,
    )
    result = play(spec.recipe, TuningCourse(spec.terms).task(0))
    assert result.record is not None
    record = unpack_record(result.record)
    return [record.last_words(player).strip().splitlines()[0] for player in (0, 1)]


@pytest.mark.parametrize("sandbox", [Sandbox.OFF, Sandbox.REQUIRE])
def test_bots_receive_their_own_values(sandbox: Sandbox) -> None:
    if sandbox == Sandbox.REQUIRE and (trouble := why_no_sandbox()):
        pytest.skip(trouble)
    game = lapilli.load("volcanoes")
    parameters = parameters_of({"a": (0, 1), "n": "1..9:int"})
    spec = tuning_spec(game, SEARCH + ",exploration={a}", parameters, matches=20)
    first = TuningCourse(spec.terms).task(0).parameters
    python = f"{sys.executable} -S {BOT}"
    assert received(f"{python} {{params}} {{a}}", {}, sandbox) == [
        f"{json.dumps(first[side])} {first[side]['a']}" for side in (0, 1)
    ]
    assert received(f"{python} --a={{a}}", {"RISK": "{n}"}, sandbox) == [
        f"--a={first[side]['a']} {first[side]['n']}" for side in (0, 1)
    ]


def test_a_file_for_the_same_values_is_the_same_one() -> None:
    file = parameter_file({"a": 0.25, "n": 3})
    assert json.loads(file.read_text()) == {"a": 0.25, "n": 3}
    file.write_text("{")
    assert parameter_file({"a": 0.25, "n": 3}) == file
    assert json.loads(file.read_text()) == {"a": 0.25, "n": 3}
    assert parameter_file({"a": 0.25, "n": 4}).parent != file.parent


def test_braces_of_others_stay() -> None:
    bot = PlayerSpec(command=("bot", "x"))
    filled = Placeholders(words={1: '{"a": {a}, "b": {}}'}).fill(bot, {"a": 1e-05})
    assert isinstance(filled, PlayerSpec)
    assert filled.command == ("bot", '{"a": 1e-05, "b": {}}')


def test_a_search_is_tuned_and_confirmed(tmp_path: Path) -> None:
    """Fewer blunders are better; how many fewer is a matter of luck."""
    told: list[int] = []
    tuned = lapilli.tune(
        "volcanoes",
        BLUNDERS,
        {"b": "0..1:start=0.8"},
        matches=60,
        confirm=40,
        jobs=1,
        store=tmp_path / "arena.db",
        show=lambda now: told.append(now.matches),
    )
    assert tuned.values["b"] < 0.7
    assert tuned.verdict is not None
    assert tuned.verdict.verdict in ("better", "undecided")
    assert tuned.verdict.wins > tuned.verdict.losses
    assert tuned.verdict.sentence in tuned.sentence
    assert told[-1] == tuned.matches == 60
    with Store.open(tmp_path / "arena.db") as store:
        comparison, event = store.events()
        assert (event.kind, event.verdict) == (EventKind.TUNING, tuned.sentence)
        assert [one.name for one in comparison.contestants] == ["tuned", "start"]
        assert stored_course(store, event).values() == tuned.values
        seeds = [{stored.result.seed for stored in store.results(one.id)} for one in (comparison, event)]
        assert not seeds[0] & seeds[1], "what confirms was not tuned on"
        page = event_page(gather(store, event), {}, str)
    assert tuned.sentence in page
    assert page.count("<figure>") == 2


def test_without_a_comparison_nothing_is_claimed() -> None:
    tuned = lapilli.tune("volcanoes", SEARCH, {"n": "3..4:int:start=3"}, matches=20, confirm=0, jobs=1)
    assert tuned.verdict is None
    assert tuned.sentence.endswith("not confirmed.") == tuned.changed
    assert tuned.changed == (tuned.values["n"] != 3)


def test_an_opponent_is_played_by_both(tmp_path: Path) -> None:
    game = lapilli.load("volcanoes")
    spec = tuning_spec(game, SEARCH, parameters_of({"n": "2..20:int"}), against="greedy", matches=40)
    with Store.open(tmp_path / "arena.db") as store:
        tuning = Tuning(spec, store)
        tuning.run(InProcessPool(spec.recipe))
        assert tuning.ending == StopReason.PLAYED
        assert [one.name for one in tuning.event.contestants] == ["uct +", "uct −", "greedy"]
        tallies = {tally.contestant: tally.matches for tally in store.tallies(tuning.event.id)}
    assert tallies == {0: 20, 1: 20, 2: 40}
    asked = confirming_spec(spec, tuning.course.values(), 10)
    assert [one.player for one in asked.recipe.contestants] == [
        f"uct:nodes={tuning.course.values()['n']}",
        "uct:nodes=11",
    ]


def test_openings_odds_and_memory_are_the_bots_or_its_opponents(tmp_path: Path) -> None:
    game = lapilli.load("volcanoes")
    openings, parameters = game.openings()[3:5], parameters_of({"n": "2..20:int"})
    more = {"openings": openings, "odds": {"uct": 0.5, "greedy": 3.0}, "matches": 20}
    spec = tuning_spec(game, SEARCH, parameters, against="greedy", **more)  # type: ignore[arg-type]
    assert spec.recipe.odds == {0: 0.5, 1: 0.5, 2: 3.0}
    asked = confirming_spec(spec, {"n": 3}, 10)
    assert (asked.recipe.odds, asked.recipe.openings) == ({0: 0.5, 1: 0.5}, tuple(openings))
    with Store.open(tmp_path / "arena.db") as store:
        tuning = Tuning(spec, store)
        tuning.run(InProcessPool(spec.recipe))
        assert {stored.result.position for stored in store.results(tuning.event.id)} == set(openings)
        plain = tuning_spec(game, SEARCH, parameters, against="greedy", matches=20)
        assert Tuning(plain, store).event.id != tuning.event.id
    bot = tuning_spec(game, "b=python3 -c {n}", parameters, memory_mb={"b": 99}, odds={"b": 2.0})
    assert (bot.recipe.memory_mb, bot.recipe.odds) == ({0: 99, 1: 99}, {0: 2.0, 1: 2.0})
    assert confirming_spec(bot, {"n": 3}, 10).recipe.memory_mb == {0: 99, 1: 99}
    with pytest.raises(LapilliError, match=r"no player 'greedi' \(did you mean 'greedy'\?\)"):
        tuning_spec(game, SEARCH, parameters, against="greedy", odds={"greedi": 2.0})


def test_stopping_and_killing_change_nothing(tmp_path: Path) -> None:
    """The path is that of a tuning which was never stopped, and no match is played twice."""
    words = ["tune", "volcanoes", SEARCH, "--param", "n=2..400:int", "--json"]
    words += ["--matches", "120", "--confirm", "0", "--jobs", "2", "--store"]
    whole = run(*words, tmp_path / "whole.db", code=4)
    store, before = tmp_path / "arena.db", 0
    for number in (signal.SIGINT, signal.SIGKILL, None):
        with Started(*words, store) as tuning:
            deadline = time.monotonic() + 100
            while number is not None and _played(store) < before + 4:
                assert time.monotonic() < deadline
                assert tuning.poll() is None, tuning.said()
                time.sleep(0.02)
            if number is not None:
                tuning.send_signal(number)
            out, complaints = tuning.communicate(timeout=100)
            code = {signal.SIGINT: 130, signal.SIGKILL: -signal.SIGKILL, None: 4}[number]
            assert tuning.returncode == code, complaints
        if number == signal.SIGINT:
            assert "so far" in json.loads(out)["sentence"]
        before = _played(store)
    with Store.open(store) as stopped, Store.open(tmp_path / "whole.db") as uninterrupted:
        [mine], [other] = stopped.events(), uninterrupted.events()
        assert mine.played == other.played == 120
        assert stored_course(stopped, mine).path == stored_course(uninterrupted, other).path
    assert json.loads(out)["values"] == json.loads(whole.stdout)["values"]


def _played(store: Path) -> int:
    if not store.exists():
        return 0
    with Store.open(store) as opened:
        return sum(event.played for event in opened.events())


def test_other_settings_are_another_tuning(tmp_path: Path) -> None:
    game = lapilli.load("volcanoes")
    with Store.open(tmp_path / "arena.db") as store:

        def number(command: str = SEARCH, bounds: str = "2..9:int", resume: bool = True, **more: int) -> int:
            spec = tuning_spec(game, command, parameters_of({"n": bounds}), **{"matches": 40, **more})  # type: ignore[arg-type]
            return Tuning(spec, store, resume=resume).event.id

        first = number()
        assert number() == first
        others = [
            number(bounds="2..10:int"),
            number(matches=60),
            number(seed=1),
            number(SEARCH + ",exploration=1"),
            number(resume=False),
        ]
    assert len({first, *others}) == 6


def test_python_refuses_what_the_command_line_refuses() -> None:
    with pytest.raises(LapilliError, match="no method 'spas'"):
        lapilli.tune("volcanoes", BLUNDERS, {"b": (0, 1)}, method="spas")
    with pytest.raises(LapilliError, match="has no environment variables"):
        lapilli.tune("volcanoes", BLUNDERS, {"b": (0, 1)}, environment={"A": "b"})
    with pytest.raises(LapilliError, match="at least 0"):
        lapilli.tune("volcanoes", BLUNDERS, {"b": (0, 1)}, confirm=-1)
