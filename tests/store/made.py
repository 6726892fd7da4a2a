"""Results as matches would have them, without the matches."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from lapilli.core.api import Termination
from lapilli.core.rules.outcome import ranks_of
from lapilli.store import Event, EventKind, Store
from lapilli.store.results import Contestant, MatchResult, SeatResult

FAULTS = ("timeout", "invalid", "exited")


def contestants(number: int) -> list[Contestant]:
    return [Contestant(name=f"bot {k}", player=f"python3 bot{k}.py", hash=f"sha256:{k}") for k in range(number)]


def event(store: Store, number: int = 2, **settings: object) -> Event:
    who = contestants(number)
    return store.open_event(EventKind.COMPARISON, "new against old", "tictactoe", settings, who)


def result(number: int, seats: Iterable[int] = (0, 1), seed: int = 0, record: bytes | None = None) -> MatchResult:
    """A match that was played to its end; lots decide how, the same for the same number."""
    lots = Random(f"{seed} {number}")
    sitting = tuple(seats)
    scores = [lots.randrange(4) for _ in sitting]
    culprit = lots.randrange(len(sitting)) if lots.random() < 0.2 else None
    if culprit is not None:
        scores[culprit] = -1
    fault = lots.choice(FAULTS)
    return MatchResult(
        number=number,
        pair=number // 2,
        seed=lots.getrandbits(64) - 2**63,
        position="X.. .O. ..." if lots.random() < 0.2 else None,
        seats=tuple(
            SeatResult(
                contestant=contestant,
                score=scores[seat],
                rank=ranks_of(scores)[seat],
                fault=fault if seat == culprit else "",
                answers=lots.randrange(1, 40),
                times={lots.randrange(30): lots.randrange(1, 9) for _ in range(4)},
                cpu_ms=lots.randrange(4000) / 4,
                waited_ms=lots.randrange(4000) / 4,
            )
            for seat, contestant in enumerate(sitting)
        ),
        termination=Termination.DECIDED if culprit is None else Termination(fault),
        reason="somebody's line is full" if culprit is None else f"player {culprit}: {fault}",
        turns=lots.randrange(5, 10),
        started=1_700_000_000.0 + number,
        seconds=lots.random(),
        record=record,
    )


def abandoned(number: int, attempt: int = 0) -> MatchResult:
    """A match for which the machine had no room."""
    return MatchResult(
        number=number,
        pair=number // 2,
        seed=number,
        seats=(SeatResult(contestant=0), SeatResult(contestant=1)),
        termination=Termination.ABANDONED,
        reason="no descriptor left",
        started=1_700_000_000.0 + attempt,
    )
