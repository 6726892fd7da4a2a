"""Judges the matches of a test against one opponent: decides whether the bot has passed, and states the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lapilli.arena.progress.running import StopReason
from lapilli.arena.project.gauntlet import GauntletTest
from lapilli.arena.project.results import CaseResult, CaseStatus
from lapilli.arena.reports.figures import faults_text
from lapilli.arena.reports.verdict import PlayerFigures, Verdict
from lapilli.arena.statistics import Decision
from lapilli.store.results import unpack_record

if TYPE_CHECKING:
    from lapilli.store import Store


def judged(test: GauntletTest, name: str, verdict: Verdict, store: Store, seconds: float) -> CaseResult:
    """Returns the result of a test against one opponent.

    Args:
        test: the test.
        name: name of the case (the test against this opponent), as in "mine against greedy".
        verdict: the results of the matches.
        store: the store that contains the matches.
        seconds: duration of the case, in seconds.
    """
    mine, other = verdict.players
    faults = sum(mine.faults.values())
    status, sentences, output = CaseStatus.PASSED, [_figures(verdict)], ""
    if verdict.ending in (StopReason.TOO_BUSY, StopReason.INTERRUPTED):
        status, sentences = CaseStatus.ERROR, [verdict.sentence]
    elif faults > test.keys.faults:
        output = _last_words(verdict, store)
        status, sentences = CaseStatus.FAILED, [_fault_sentence(mine, verdict, store), *sentences]
    elif why := _why_too_weak(test, verdict):
        status, sentences = CaseStatus.FAILED, [why]
    if other.fails:
        sentences.append(f"{other.name} ended by a fault in most matches ({faults_text(other.faults)}).")
    return CaseResult(
        group=test.name,
        name=name,
        status=status,
        sentence=" ".join(sentences),
        output=output,
        seconds=seconds,
        verdict=verdict,
    )


def _why_too_weak(test: GauntletTest, verdict: Verdict) -> str:
    """Returns a sentence that says that the bot's score in a test is too low, or that it is weaker than before.

    Returns "" if the score is high enough, or may be low by chance. `verdict`: the results of the matches.
    """
    if verdict.sprt is not None:
        return f"Weaker than the last good version: {_elo(verdict)}." if verdict.decision == Decision.H0 else ""
    wanted = test.keys.score
    if wanted is None or verdict.elo.score_high >= wanted:
        return ""
    return f"The score is below {100 * wanted:g} %: {_score(verdict)}."


def _figures(verdict: Verdict) -> str:
    if not verdict.counted:
        return "No pair of matches is complete."
    return f"Not weaker as far as one can see: {_elo(verdict)}." if verdict.sprt else f"{_score(verdict)}."


def _score(verdict: Verdict) -> str:
    elo = verdict.elo
    ends = f"{100 * elo.score_low:.1f} to {100 * elo.score_high:.1f}"
    return f"{100 * elo.score:.1f} % ({ends}) in {verdict.counted:,} matches"


def _elo(verdict: Verdict) -> str:
    return f"{verdict.elo_in_words} in {verdict.counted:,} matches"


def _fault_sentence(mine: PlayerFigures, verdict: Verdict, store: Store) -> str:
    faults = sum(mine.faults.values())
    sentence = f"{mine.name} ended by its own fault in {faults:,} of {mine.matches:,} matches"
    if mine.last_fault is None:
        return f"{sentence} ({faults_text(mine.faults)})."
    result = store.match_numbered(verdict.event, mine.last_fault).result
    see = f"; see `{verdict.view(f'{verdict.event}/{mine.last_fault}')}`" if verdict.view else ""
    return f"{sentence} ({faults_text(mine.faults)}), such as: {result.reason}{see}."


def _last_words(verdict: Verdict, store: Store) -> str:
    """Returns the last lines that the tested bot wrote to stderr in its last match with a fault; empty if unknown.

    `verdict`: the results of the matches. `store`: the store that contains the matches.
    """
    number = verdict.players[0].last_fault
    if number is None:
        return ""
    result = store.match_numbered(verdict.event, number).result
    if result.record is None:
        return ""
    player = next(place for place, seat in enumerate(result.seats) if seat.contestant == 0)
    return unpack_record(result.record, f"match {verdict.event}/{number}").last_words(player)
