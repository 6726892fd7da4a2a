"""The SDK's JSON of a match: out of records and back, and as the site's own referees wrote it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

import lapilli
from lapilli.arena.interop.brutaltester import points
from lapilli.arena.interop.sdk import SdkResult, record_of, sdk_result
from lapilli.core.api import Setup, State, Termination
from lapilli.core.errors import LapilliError, RecordError, SetupError
from lapilli.games import load, names
from lapilli.match import Record, verify

GAMES = Path(__file__).resolve().parents[2] / "games"


def read(told: dict[str, Any], game: str | None = None, **setup: Any) -> Record:
    """The record that comes of this JSON."""
    result = msgspec.json.decode(json.dumps(told), type=SdkResult)
    return record_of(result, load(game) if game else None, Setup.from_dict(setup))


def said(record: Record) -> list[tuple[int, int, str | None]]:
    return [(entry.turn, entry.player, entry.action) for entry in record.turns]


def matches() -> Iterator[tuple[str, int, str | None, str | None]]:
    """Every game with every number of players, in every variant and league."""
    for game in map(load, names()):
        for setup in product(game.players, game.variants or (None,), game.leagues or (None,)):
            with suppress(SetupError):  # some variants are for fewer
                game.new_initial_state(Setup(0, *setup))
                yield game.name, *setup


@pytest.mark.parametrize(("name", "players", "variant", "league"), [*matches()])
def test_a_match_comes_back_as_it_was_played(name: str, players: int, variant: str | None, league: str | None) -> None:
    played = lapilli.play_match(name, ["random"] * players, seed=-(2**63) + 11, variant=variant, league=league)
    again = read(sdk_result(played))
    assert verify(again) is not None
    assert said(again) == said(played)
    assert (again.setup, again.outcome) == (played.setup, played.outcome)
    assert all(entry.milliseconds is None for entry in again.turns)
    assert [player.name for player in again.players] == [player.name for player in played.players]


def test_one_text_a_sub_frame() -> None:
    played = lapilli.play_match("kingdomino", ["random", "greedy", "random"], seed=3)
    told = sdk_result(played)
    frames = len(played.turns) + 1
    assert set(told["outputs"]) == set(told["errors"]) == {"referee", "0", "1", "2"}
    for texts in (*told["outputs"].values(), *told["errors"].values(), told["summaries"], told["views"]):
        assert len(texts) == frames
    for number, entry in enumerate(played.turns, 1):
        answered = [told["outputs"][str(player)][number] for player in range(3)]
        assert answered == [f"{entry.action}\n" if player == entry.player else None for player in range(3)]
    assert all(texts[0] is None for texts in told["outputs"].values())
    assert told["scores"] == {str(player): number for player, number in enumerate(points(played))}
    assert told["uinput"] == ["seed=3"]
    assert [agent["name"] for agent in told["agents"]] == ["random", "greedy", "random"]
    assert told["ids"] == {"0": 0, "1": 1, "2": 2}
    assert (told["failCause"], told["tooltips"]) == (None, [])


def nonsense_later(state: State) -> int | str:
    return state.legal_actions()[0] if state.turn < 8 else "nonsense\n"


def raises_later(state: State) -> int:
    if state.turn >= 8:
        raise ValueError("lost the thread")
    return state.legal_actions()[0]


@pytest.mark.parametrize(("bad", "kept"), [(nonsense_later, True), (raises_later, False)])
def test_a_fault_comes_back_as_its_reply_or_as_none(bad: Any, kept: bool) -> None:
    played = lapilli.play_match("volcanoes", ["random", bad], seed=5)
    told = sdk_result(played)
    (fault,) = (entry for entry in played.turns if entry.fault)
    assert fault.fault is not None
    frame = len(played.turns)
    assert (told["outputs"]["1"][frame] is not None) == kept
    assert told["scores"] == {"0": 100, "1": -2}
    assert told["tooltips"] == [{"turn": frame, "text": fault.fault.reason, "event": 1}]
    assert fault.fault.reason in told["summaries"][frame]
    again = read(told)
    assert said(again) == said(played)
    assert again.outcome is not None
    assert again.outcome.culprit == 1
    assert again.outcome.termination == (Termination.INVALID if kept else Termination.TIMEOUT)


def test_stderr_stays_with_its_reply() -> None:
    played = lapilli.play_match("volcanoes", ["random", "random"], seed=5)
    for entry in played.turns[::3]:
        entry.stderr = f"turn {entry.turn}\n"
    again = read(sdk_result(played))
    assert [entry.stderr for entry in again.turns] == [entry.stderr for entry in played.turns]


def test_a_match_that_was_abandoned_comes_back_unfinished() -> None:
    played = lapilli.play_match("tryangle", ["random", "random"], seed=5)
    whole = len(played.turns)
    del played.turns[whole // 2 // 2 * 2 :]
    played.outcome = msgspec.convert({"termination": "abandoned", "reason": "no memory left"}, type(played.outcome))
    told = sdk_result(played)
    assert (told["failCause"], told["scores"]) == ("no memory left", {})
    again = read(told)
    assert said(again) == said(played)
    assert again.outcome is None
    assert verify(again) is None


# -- as the site's referees write it ---------------------------------------------------------------------------------


def site_result(seed: int, frames: list[dict[str, str]], scores: list[int]) -> dict[str, Any]:
    """The JSON of the SDK's own runner: what is null it leaves out. A frame tells who was asked, and what came."""
    texts = {str(player): [None, *(frame.get(str(player)) for frame in frames)] for player in range(len(scores))}
    return {
        "errors": {"referee": ["", *("" for _ in frames)], **{name: [None] * (len(frames) + 1) for name in texts}},
        "outputs": {"referee": ["", *("" for _ in frames)], **texts},
        "summaries": [None] * (len(frames) + 1),
        "views": ["KEY_FRAME 0\n{}"] * (len(frames) + 1),
        "scores": {str(player): score for player, score in enumerate(scores)},
        "uinput": [f"seed={seed}"],
        "tooltips": [],
        "ids": {"0": 0, "1": 1},
        "agents": [{"index": player, "name": f"Player {player}", "agentId": player} for player in range(len(scores))],
    }


IDLE = [{"0": ""}, {"1": ""}]
"""An automatic turn: the SDK asks everybody for no line."""


def golden(name: str, file: str) -> list[dict[str, Any]]:
    with gzip.open(GAMES / name / "golden" / file, "rt") as lines:
        return [json.loads(line) for line in lines]


def test_volcanoes_as_its_own_referee_wrote_it() -> None:
    traces = golden("volcanoes", "volcanoes_games.jsonl.gz")
    assert len(traces) >= 10
    for trace in traces:
        frames: list[dict[str, str]] = []
        sides = [0, 1, None, 1, 0, None]
        for number, move in enumerate(trace["moves"]):
            side = sides[number % 6]
            frames += IDLE if side is None else [{str(side): f"{move}\n"}]
        record = read(site_result(1, frames, trace["scores"]), "volcanoes")
        assert record.outcome is not None
        assert record.outcome.scores == trace["scores"]
        assert [entry.action for entry in record.turns] == [move for move in trace["moves"] if move != "G"]


def test_tryangle_as_its_own_referee_wrote_it() -> None:
    traces = golden("tryangle", "tryangle_games.jsonl.gz")
    assert len(traces) >= 10
    for trace in traces:
        frames: list[dict[str, str]] = []
        for turn in trace["turns"]:
            asked = {player: turn[f"out{player}"] for player in "01" if turn[f"in{player}"] is not None}
            frames += [{} if text is None else {player: f"{text}\n"} for player, text in asked.items()]
            frames += IDLE
        told = site_result(trace["seed"], frames, trace["final_score"])
        league = load("tryangle").leagues[trace["league"] - 1]
        record = read(told, "tryangle", league=league)
        assert record.outcome is not None
        assert record.outcome.scores == trace["final_score"]
        assert len({entry.turn for entry in record.turns}) == trace["command_turns"]


def test_a_seed_may_stand_in_what_others_call_game_parameters() -> None:
    told = sdk_result(lapilli.play_match("volcanoes", ["random", "random"], seed=9))
    del told["metadata"]
    told["gameParameters"] = told.pop("uinput")
    assert read(told, "volcanoes").setup["seed"] == 9


# -- what is not enough, or not true ---------------------------------------------------------------------------------


@pytest.fixture
def told() -> dict[str, Any]:
    return sdk_result(lapilli.play_match("volcanoes", ["random", "random"], seed=9))


def refusal(told: dict[str, Any], game: str | None = None, **setup: Any) -> str:
    with pytest.raises(LapilliError) as refused:
        read(told, game, **setup)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_without_the_game_or_the_seed(told: dict[str, Any]) -> None:
    del told["metadata"]
    assert "name it with --game" in refusal(told)
    assert "1 says" in refusal(told, "tictactoe") or "0 says" in refusal(told, "tictactoe")
    del told["uinput"]
    assert "contains no seed" in refusal(told, "volcanoes")


def test_metadata_of_others_is_none_of_ours(told: dict[str, Any]) -> None:
    for text in ("{", "[]", "3", "[" * 100_000, '{"game": 3, "setup": {}}', '{"game": "volcanoes"}'):
        told["metadata"] = text
        assert "name it with --game" in refusal(told)
        assert read(told, "volcanoes").setup["seed"] == 9
    told["metadata"] = '{"game": "nosuch", "setup": {}}'
    assert "no game 'nosuch'" in refusal(told)
    told["metadata"] = '{"game": "volcanoes", "setup": {"seed": "x"}}'
    assert "seed must be int" in refusal(told)
    told["metadata"] = '{"game": "volcanoes", "setup": {"players": 5}}'
    assert "players" in refusal(told)


def test_replies_that_nobody_asked_for(told: dict[str, Any]) -> None:
    for texts in (*told["outputs"].values(), *told["errors"].values()):
        texts.append(None)
    told["outputs"]["1"][-1] = "N01\n"
    assert "says 'N01\\n', but by the rules the game is over" in refusal(told)
    told["outputs"]["0"][1], told["outputs"]["1"][1] = None, told["outputs"]["0"][1]
    assert "sub-frame 1: player 1 says" in refusal(told)
    told["outputs"]["0"][1] = told["outputs"]["1"][1]
    assert "sub-frame 1: 2 players answer" in refusal(told)


def test_other_scores(told: dict[str, Any]) -> None:
    told["scores"] = {"0": 7, "1": 7}
    assert "scores: 7, 7 in the file" in refusal(told)
    told["scores"] = {"0": 100}
    assert "in the file" in refusal(told)


@pytest.mark.parametrize("outputs", [{}, {"referee": []}, {"1": [], "2": []}, {"0": [], "x": []}, {"0": [], "00": []}])
def test_players_are_numbered(told: dict[str, Any], outputs: dict[str, Any]) -> None:
    told["outputs"] = outputs
    assert "must be those of players 0, 1" in refusal(told)


def test_a_match_that_breaks_off_is_lost_by_who_was_asked(told: dict[str, Any]) -> None:
    for texts in told["outputs"].values():
        del texts[6:]
    told["scores"] = {}
    record = read(told)
    assert record.outcome is not None
    assert record.outcome.termination == Termination.TIMEOUT
    assert len(record.turns) == 6


def test_much_stderr_takes_no_time(told: dict[str, Any]) -> None:
    """Of each answer the last 4 KiB are kept while the rest is read, however much there is of it."""
    for texts in told["outputs"].values():
        texts[1:1] = [""] * 100_000 if texts is told["outputs"]["0"] else [None] * 100_000
    told["errors"]["0"][1:1] = ["x" * 200] * 100_000
    record = read(told)
    assert len(record.turns[0].stderr) <= 4096


def test_a_name_that_no_record_may_have(told: dict[str, Any]) -> None:
    told["agents"][0]["name"] = "x" * (2 << 20)
    assert "players is longer than 1 MiB" in refusal(told)
    with pytest.raises(RecordError):
        read(told)
