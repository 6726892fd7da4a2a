"""Comparisons of a bot's version with another version, another bot or an engine.

A comparison is played in slices of some seconds. Between two slices, the worker process can do other jobs.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from lapilli.arena.compare import comparison_spec
from lapilli.arena.matches.contestants import contestant_of
from lapilli.arena.matches.playing import Keep
from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.verdict import Verdict
from lapilli.arena.statistics import Sprt
from lapilli.core.errors import LapilliError, StoreError
from lapilli.games import load
from lapilli.players import Sandbox
from lapilli.site.bots.workshop.asks import OTHER, Code, CompareAsk, PageData, Result, SendProgress
from lapilli.site.bots.workshop.jobs import Bench
from lapilli.store.results import Contestant

SLICE_S = 10.0
"""Time of one slice of a comparison, in seconds."""
MOST_MATCHES = 400
"""Largest number of matches of a comparison."""
TEST = Sprt(elo0=0.0, elo1=50.0)
"""Sequential test that ends a comparison: it decides between a difference of 0 Elo and a difference of 50 Elo. The
second difference is large, because authors want to detect clear progress quickly, not every small improvement.
"""
_FOREIGN = "another author's bot"


def compare(bench: Bench, asked: CompareAsk, send_progress: SendProgress) -> Result:
    """Plays one slice of a comparison, of `SLICE_S` seconds. Continues after the matches that are stored already.

    Args:
        bench: resources of the worker process.
        asked: the job.
        send_progress: function that reports the results so far.
    """
    send_progress({"step": "compiling"})
    new = _contestant(bench, asked.new)
    if not asked.is_foreign:
        return _play(bench, asked, new, send_progress)
    send_progress({"step": "meeting"})
    try:
        return _play(bench, asked, new, send_progress)
    except StoreError:
        raise
    except LapilliError:  # its message may quote the other author's source
        raise LapilliError("the other bot cannot be played with: it was deleted, or does not start here") from None


def _contestant(bench: Bench, code: Code, name: str = "") -> Contestant:
    name = name or f"{code.name} v{code.version}"
    player = bench.builds.player(code, name)
    folder = Path(str(player.folder)).name  # the hash of the source: the path on this machine does not matter
    return Contestant(name=name, player=player, hash=f"text {folder}")


def _other(bench: Bench, asked: CompareAsk) -> Contestant:
    if asked.old is None:
        return contestant_of(load(asked.game), asked.engine)
    return _contestant(bench, asked.old, _FOREIGN if asked.is_foreign else "")


def _play(bench: Bench, asked: CompareAsk, new: Contestant, send_progress: SendProgress) -> Result:
    contestants = [new, _other(bench, asked)]
    spec = comparison_spec(
        load(asked.game),
        contestants,
        setup=asked.setup,
        sandbox=Sandbox.REQUIRE,
        keep=Keep.NONE,
        sprt=TEST,
        matches=MOST_MATCHES,
    )
    comparison = Comparison(spec, bench.store, f"{contestants[0].name} against {contestants[1].name}")
    end = time.monotonic() + SLICE_S

    def show(now: Comparison) -> None:
        send_progress(_standing(now, asked.is_foreign))
        if time.monotonic() > end and now.ending is None:
            raise KeyboardInterrupt  # ends the run as Ctrl-C does, so that it can be continued

    if comparison.ending is None:
        with bench.pool(spec.recipe) as pool:
            comparison.run(pool, show)
    goes_on = comparison.ending == StopReason.INTERRUPTED
    return Result(data=_standing(comparison, asked.is_foreign), goes_on=goes_on)


def _standing(comparison: Comparison, is_foreign: bool) -> PageData:
    verdict = Verdict.of(comparison)
    if verdict.ending == StopReason.INTERRUPTED:  # the next slice continues the comparison
        verdict = replace(verdict, ending=None)
    own, other = verdict.players
    data = replace(verdict, players=(own, replace(other, name=OTHER))).to_json()
    kept = ("verdict", "sentence", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high", "llr")
    more = ("llr_bounds", "elo0", "elo1", "matches")
    players = data["players"][:1] if is_foreign else data["players"]
    return {"step": "comparing", **{key: data[key] for key in (*kept, *more)}, "players": players}
