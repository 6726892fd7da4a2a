"""The format of CodinGame's SDK: converts a record to the SDK's JSON about a match, and the JSON to a record.

Each list in the JSON has one entry per *sub-frame*. The first sub-frame is the start of the match. Then each turn has
one sub-frame for each player who is asked for a reply. The JSON does not contain the bots' inputs, which are therefore
computed again by the game's rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any, NamedTuple

import msgspec

from lapilli.arena.interop.brutaltester import points, seed_of
from lapilli.core.api import Fault, Game, Setup, Termination
from lapilli.core.errors import LapilliError, RecordError
from lapilli.core.reading.text import quoted, shortened
from lapilli.games import load
from lapilli.match import Entry, Record, Referee, verify
from lapilli.match.record import Number, parse_record
from lapilli.players import Answer, Identity
from lapilli.players.bots.pipes import shorten

Texts = dict[str, list[str | None]]
"""For each player number (as a string) and for "referee": a list with a text or None for each sub-frame."""


def sdk_result(record: Record) -> dict[str, Any]:
    """Returns the SDK's JSON about a finished match.

    Values that only referees and viewers of the SDK have (views, the referee's output, avatars) are None. `scores`
    contains the numbers that brutaltester reads. For an abandoned match, `scores` is empty and `failCause` is the
    reason. `metadata` contains game and setup, so that `record_of` can read the match.
    """
    outcome = record.outcome
    assert outcome is not None
    names = list(map(str, range(len(record.players))))
    entries = [entry for entry in record.turns if not entry.pending]
    frames = len(entries) + 1
    outputs: Texts = {name: [None] * frames for name in ("referee", *names)}
    errors: Texts = {name: [None] * frames for name in ("referee", *names)}
    summaries = [""] * frames
    tooltips: list[dict[str, Any]] = []
    for turn in _by_turn(record):
        for frame, entry in turn:
            outputs[str(entry.player)][frame] = None if entry.action is None else f"{entry.reply()}\n"
            errors[str(entry.player)][frame] = entry.stderr or None
            reasons = [entry.fault.reason] if entry.fault else []
            tooltips += ({"turn": frame, "text": text, "event": entry.player} for text in reasons)
            lines = (f"{record.player_name(entry.player)}: {text}\n" for text in (*entry.notes, *reasons))
            summaries[turn[-1][0]] += "".join(lines)
    setup = record.load_setup()
    return {
        "errors": errors,
        "outputs": outputs,
        "summaries": summaries,
        "views": [None] * frames,
        "scores": dict(zip(names, points(record), strict=True)) if outcome.by_rules else {},
        "uinput": [f"seed={setup.seed}"],
        "metadata": json.dumps({"game": record.game, "setup": setup.to_dict()}),
        "tooltips": tooltips,
        "ids": {name: int(name) for name in names},
        "agents": [
            {"index": int(name), "name": player.name, "avatar": None, "agentId": int(name)}
            for name, player in zip(names, record.players, strict=True)
        ],
        "failCause": None if outcome.by_rules else outcome.reason,
    }


def _by_turn(record: Record) -> Iterator[list[tuple[int, Entry]]]:
    """Yields, for each turn, a list with one tuple for each player who was asked: (index in the SDK's lists, record
    entry).
    """
    numbered = enumerate((entry for entry in record.turns if not entry.pending), 1)
    for _, turn in groupby(numbered, key=lambda pair: pair[1].turn):
        yield list(turn)


class _Agent(msgspec.Struct):
    name: str | None = None


class SdkResult(msgspec.Struct):
    """The SDK's JSON about a match, reduced to the keys that Lapilli reads.

    Attributes:
        outputs: by player number, the player's replies, one entry for each sub-frame.
        errors: by player number, the text that the player wrote to stderr, one entry for each sub-frame.
        scores: score of each player, by player number.
        uinput: the match's settings as lines, such as "seed=7".
        game_parameters: the same lines in JSON of some other programs.
        metadata: game and setup as JSON, if Lapilli has written the file.
        agents: the players' names.
        fail_cause: reason why the match was abandoned; None if it was finished.
    """

    outputs: Texts
    errors: Texts = {}
    scores: dict[str, Number] = {}
    uinput: list[str] = []
    game_parameters: list[str] = msgspec.field(default_factory=list, name="gameParameters")
    """Another name of `uinput`, which some programs write."""
    metadata: str | None = None
    agents: list[_Agent] = []
    fail_cause: str | None = msgspec.field(default=None, name="failCause")


def record_of(result: SdkResult, game: Game | None, setup: Setup) -> Record:
    """Replays a match from the SDK's JSON, and returns the record of the match.

    Args:
        result: the JSON.
        game: game of the match, for JSON that does not name it. Only JSON written by Lapilli names the game.
        setup: setup of the match without the seed, for JSON that does not contain it. The seed is read from the JSON.

    Raises:
        RecordError: the JSON lacks necessary data, or contradicts the rules.
        LapilliError: the game cannot start with this setup.
    """
    game, setup = _start_of(result, game, setup)
    players = _players(result)
    names = [agent.name or f"player {player}" for player, agent in enumerate(result.agents)]
    identities = [Identity(name) for name in (names if len(names) == len(players) else map(str, players))]
    referee = Referee(game, identities, setup)
    frames = _frames(result, players)
    stderr = dict.fromkeys(players, "")
    while not referee.over:
        answers = _next_answers(referee, frames, stderr)
        silent = [question.player for question in referee.pending() if question.player not in answers]
        if silent and result.fail_cause is not None:
            break
        referee.play_step(answers | {player: _missing_answer(player, stderr) for player in silent})
    for frame in frames:
        if frame.player is not None:
            raise RecordError(f"{frame.description()}, but by the rules the game is over")
    return _checked(referee.record, result)


class _Frame(NamedTuple):
    """A sub-frame in which a player was asked for a reply. A sub-frame is one entry in each list of the SDK's JSON.

    Attributes:
        number: index of the sub-frame in the lists.
        player: number of the player who replied; None if there is no reply.
        text: the player's reply; "" if there is no reply.
        stderr: text that each player wrote to stderr after the previous sub-frame, by player number.
    """

    number: int
    player: int | None
    text: str
    stderr: dict[int, str]

    def description(self) -> str:
        """Formats the sub-frame for an error message: its index, the player and the reply."""
        return f"sub-frame {self.number}: player {self.player} says {quoted(self.text, 40)}"


def _frames(result: SdkResult, players: range) -> Iterator[_Frame]:
    """Yields the sub-frames (entries of the JSON's lists) in which a player was asked. The start of the match is left
    out.

    The SDK also writes sub-frames for turns in which no player was asked. Their outputs are empty, and they are left
    out, too. `result`: the JSON. `players`: the numbers of the players.
    """
    outputs = [result.outputs[str(player)] for player in players]
    errors = [result.errors.get(str(player), []) for player in players]
    complaints = dict.fromkeys(players, "")
    for number in range(max(map(len, outputs))):
        for player, written in enumerate(errors):
            complaint = written[number] if number < len(written) else None
            complaints[player] = shorten(complaints[player] + (complaint or ""))
        answers = [
            (player, text)
            for player, texts in enumerate(outputs)
            for text in texts[number : number + 1]
            if text is not None
        ]
        if len(answers) > 1:
            raise RecordError(f"sub-frame {number}: {len(answers)} players answer, but one is asked at a time")
        if number and (not answers or answers[0][1]):
            yield _Frame(number, *answers[0], complaints) if answers else _Frame(number, None, "", complaints)
            complaints = dict.fromkeys(players, "")


def _next_answers(referee: Referee, frames: Iterator[_Frame], stderr: dict[int, str]) -> dict[int, Answer]:
    """Returns the answers of the current turn, by player number. Players without a reply are missing in the result.

    Args:
        referee: the referee; its pending questions name the players who are asked.
        frames: iterator over the sub-frames; this function takes those of the current turn from the iterator.
        stderr: text that each player has written to stderr since its last reply, by player number; updated by this
            function.

    Raises:
        RecordError: the file contains a reply of a player who is not asked in this turn.
    """
    answers: dict[int, Answer] = {}
    asked = [question.player for question in referee.pending()]
    for frame in islice(frames, len(asked)):
        for player, text in frame.stderr.items():
            stderr[player] = shorten(stderr[player] + text)
        if frame.player is not None:
            if frame.player not in asked or frame.player in answers:
                turn = referee.state.turn
                raise RecordError(f"{frame.description()}, but by the rules it is not asked on turn {turn}")
            answers[frame.player] = Answer(frame.text.removesuffix("\n"), stderr=stderr[frame.player])
            stderr[frame.player] = ""
    return answers


def _missing_answer(player: int, stderr: dict[int, str]) -> Answer:
    text, stderr[player] = stderr[player], ""
    return Answer(Fault(player, Termination.TIMEOUT, "no reply in the file"), stderr=text)


def _start_of(result: SdkResult, game: Game | None, setup: Setup) -> tuple[Game, Setup]:
    """Reads the game and the setup of a match from the SDK's JSON.

    Args:
        result: the JSON.
        game: game of the match, for JSON that does not name it.
        setup: setup of the match without the seed, for JSON that does not contain it.

    Raises:
        RecordError: the game or the seed is unknown.
    """
    own = _own_metadata(result.metadata)
    if own is not None:
        return load(own[0]), Setup.from_dict(own[1])
    if game is None:
        raise RecordError("the file does not name its game: name it with --game")
    for line in (*result.uinput, *result.game_parameters):
        if line.partition("=")[0].strip() == "seed":
            return game, Setup.from_dict(setup.to_dict() | {"seed": seed_of(line)})
    raise RecordError("the file contains no seed (uinput), so random draws cannot be repeated")


def _own_metadata(text: str | None) -> tuple[str, dict[str, Any]] | None:
    """Returns the game's name and the setup from metadata that `sdk_result` wrote; None for other metadata."""
    try:
        metadata = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(metadata, dict):
        return None
    name, setup = metadata.get("game"), metadata.get("setup")
    return (name, setup) if isinstance(name, str) and isinstance(setup, dict) else None


def _players(result: SdkResult) -> range:
    """Returns the numbers of the players whose outputs the JSON contains.

    Raises RecordError unless the numbers are 0, 1 and so on, without a gap.
    """
    names = result.outputs.keys() - {"referee"}
    players = range(len(names))
    if not names or names != set(map(str, players)):
        raise RecordError("its outputs must be those of players 0, 1, …")
    return players


def _checked(record: Record, result: SdkResult) -> Record:
    """Checks that a record has the same scores as the JSON from which it was replayed, and returns the record.

    The reply times are removed from the record, because the JSON does not contain the true times.

    Raises:
        RecordError: the JSON has other scores, or the record is not valid.
    """
    for entry in record.turns:
        entry.milliseconds = None
    outcome = record.outcome
    claimed = [result.scores.get(str(player)) for player in range(len(record.players))]
    if outcome is not None and result.scores and claimed not in (outcome.scores, points(record)):
        in_file = shortened(", ".join(map(str, claimed)), 60)
        raise RecordError(f"scores: {in_file} in the file, {', '.join(map(str, outcome.scores or ()))} by the rules")
    try:
        verify(parse_record(msgspec.json.encode(record)))
    except LapilliError as problem:
        raise RecordError(str(problem)) from None
    return record
