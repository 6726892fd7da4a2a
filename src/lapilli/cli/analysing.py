"""How commands make an analysis, and find the one beside a record."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import typer
from rich.text import Text

from lapilli.cli.compiling import compile_shown
from lapilli.cli.console import console, visible
from lapilli.cli.progress import progress_bar
from lapilli.cli.signals import INTERRUPTED, ignore_signals
from lapilli.cli.stores import numbers_of
from lapilli.core.errors import RecordError
from lapilli.match import Record
from lapilli.match.analyser import Analyser
from lapilli.match.analysis import Analysis, load_analysis
from lapilli.match.files import check_writable
from lapilli.viewer import page


def analysis_file(record: Path) -> Path:
    """Where a record's analysis is, if nobody says so: beside it; that of a match in the store in this folder."""
    numbers = numbers_of(str(record))
    if numbers is not None and not record.exists():
        return Path("-".join(map(str, numbers)) + ".analysis.json")
    return record.with_name(record.name.split(".json")[0] + ".analysis.json")


def analysis_of(file: Path, record: Record) -> Analysis:
    """The analysis beside a record; where there is none, one is made first, and kept there.

    Raises:
        RecordError: what is there is no analysis, or one of another match. LapilliError: nothing can look at this game.
        typer.Exit: somebody stopped it while it was made.
    """
    place = analysis_file(file)
    if place.exists():
        try:
            return load_analysis(place, record)
        except RecordError as problem:
            raise RecordError(f"{problem} {_anew(file)}") from None
    check_writable(place)
    analyser = Analyser(record)
    stopped = make(analyser, place)
    console.print(Text(visible(told(analyser, place))))
    if stopped:
        raise typer.Exit(INTERRUPTED)
    return analyser.analysis


def analysed_page(file: Path, record: Record, analysis: Analysis) -> str:
    """The page of a record and the analysis beside it. Raises RecordError where that says what cannot be."""
    try:
        return page(record, analysis)
    except RecordError as problem:
        raise RecordError(f"{analysis_file(file)}: {problem} {_anew(file)}") from None


def _anew(file: Path) -> str:
    return f"(to make a new one: lapilli analyse {file})"


def make(analyser: Analyser, target: Path) -> bool:
    """Looks at all turns and writes what was found, also where somebody stops it; whether somebody did.

    Who stops it before anything was looked at loses nothing of an analysis that was there.
    """
    compile_shown(analyser.game)
    stopped = _look(analyser)
    if stopped:
        ignore_signals()
    if analyser.analysis.turns or not stopped:
        analyser.analysis.save(target)
    return stopped


def _look(analyser: Analyser) -> bool:
    """Looks at all turns, with a progress bar on stderr; whether somebody stopped it."""
    try:
        with progress_bar("looking at turns") as tell, closing(analyser.look()) as turns:
            for done, _ in enumerate(turns, start=1):
                tell(done, analyser.turns)
    except KeyboardInterrupt:
        return True
    return False


def told(analyser: Analyser, target: Path) -> str:
    """Where the analysis is, and how far it goes."""
    found = analyser.analysis
    if found.whole:
        return f"The analysis is in {target}."
    if not found.turns:
        return "Stopped before the first turn was looked at, so there is nothing to keep."
    return f"The analysis is in {target}. It stops after {len(found.turns)} of {analyser.turns} turns."
