"""Records of all forms of all games, and of all ways in which a match ends; and what a program finds in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from lapilli.cli.checking.subject import Subject
from lapilli.core.api import Fault, Setup, Termination
from lapilli.games import load, names
from lapilli.match import Record, Referee, replay, verify
from lapilli.match.record import load_records
from lapilli.players import Answer, Identity, Question
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.processes.usage import Usage

SEED = 7
BOT = Identity("Bot", command=("python3", "bot.py", "--fast"), program=f"sha256:{'0' * 64}")
ENGINE = Identity("level1", engine="level1", settings={"nodes": 40}, version="0.2.0")
Change = Callable[[Referee], object]
ENDS: dict[str, Change] = {
    "agreed": lambda referee: referee.agree(),
    "early": lambda referee: referee.concede(1, Fault(0, Termination.RESIGNED, "resigned")),
    "interrupted": lambda referee: referee.stop(),
    "abandoned": lambda referee: referee.abandon("no memory left"),
    "invalid": lambda referee: _play(referee, "nonsense"),
    "timeout": lambda referee: _play(referee, Fault(0, Termination.TIMEOUT, "no reply within 100 ms")),
    "unfinished": lambda _: None,
}
"""How a match can end before the rules decide it."""


def write_records(folder: Path) -> None:
    """Writes the records of this version into a folder: all forms of files, and of games."""
    for name in names():
        for form in Subject(load(name)).forms:
            record = played(name, replace(form, seed=SEED))
            record.save(folder / f"{name}.jsonl.gz")
    record.save(folder / "one.json")
    record.save(folder / "one.json.gz")
    for record in cut_short().values():
        record.save(folder / "ends.jsonl")


def played(game: str, setup: Setup) -> Record:
    """The record of a match of random players."""
    referee = begun(game, setup)
    _play(referee)
    return referee.record


def begun(game: str, setup: Setup, turns: int = 0) -> Referee:
    """The referee of a match after some turns."""
    loaded = load(game)
    players = loaded.complete(setup).players or 2
    referee = Referee(loaded, [ENGINE, *[BOT] * (players - 1)], setup)
    while referee.turns_played < turns:
        _step(referee)
    return referee


def cut_short() -> dict[str, Record]:
    """Records of matches that ended otherwise than by their rules, by how."""
    records = {}
    for name, end in ENDS.items():
        referee = begun("volcanoes", Setup(seed=SEED), turns=4)
        end(referee)
        records[name] = referee.record
    return records


def _play(referee: Referee, last: str | Fault = "") -> None:
    """Plays a match to its end; or one more turn, with this answer."""
    while not referee.over:
        _step(referee, last)


def _step(referee: Referee, last: str | Fault = "") -> None:
    referee.play_step({question.player: _answer(referee, question, last) for question in referee.pending()})


def _answer(referee: Referee, question: Question, last: str | Fault) -> Answer:
    """A random reply, or `last`, with all that records keep of an answer."""
    if last:
        reply = replace(last, player=question.player) if isinstance(last, Fault) else last
        return Answer(reply, milliseconds=100.5)
    player = make_builtin(referee.game, "random", question.player, referee.turns_played)
    return player.answer(question)._replace(milliseconds=2.5, stderr="thinking …\n", usage=Usage(1.25, 0.5))


def found_in(file: Path) -> list[dict[str, Any]]:
    """What this program finds in each record of a file: how the match ended, and all positions on the way."""
    return [_found(record) for record in load_records(file)]


def _found(record: Record) -> dict[str, Any]:
    digest = hashlib.sha256()
    for state, _ in replay(record):
        digest.update(f"{state.turn} {state}\n".encode())
    outcome = verify(record)
    return {
        "game": record.game,
        "setup": record.setup,
        "players": record.player_names,
        "turns": len(record.turns),
        "recorded": msgspec.to_builtins(record.outcome),
        "verified": outcome and [list(outcome.ranks), list(outcome.scores), str(outcome.termination)],
        "positions": digest.hexdigest(),
    }
