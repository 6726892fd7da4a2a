"""Functions that analyse a record, store the analysis in a file, and find this file again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import typer
from rich.text import Text

from lapilli.cli.compiling import compile_shown
from lapilli.cli.shared.codes import INTERRUPTED
from lapilli.cli.shared.console import console, visible
from lapilli.cli.shared.progress import progress_bar
from lapilli.cli.shared.signals import ignore_signals
from lapilli.cli.shared.stores import numbers_of
from lapilli.core.errors import RecordError
from lapilli.match import Record
from lapilli.match.analyser import Analyser
from lapilli.match.analysis import Analysis, load_analysis
from lapilli.match.files.writing import check_writable
from lapilli.viewer import page


def analysis_file(record: Path) -> Path:
    """Returns the default path of a record's analysis.

    The file of the analysis is in the record's folder. If `record` is not a file, but the name EVENT/MATCH of a match
    in the store, the file of the analysis is in the current folder.
    """
    numbers = numbers_of(str(record))
    if numbers is not None and not record.exists():
        return Path("-".join(map(str, numbers)) + ".analysis.json")
    return record.with_name(record.name.split(".json")[0] + ".analysis.json")


def analysis_of(file: Path, record: Record) -> Analysis:
    """Returns the saved analysis of a record. If there is none, analyses the record, and saves the analysis.

    Args:
        file: the record as the command line names it; `analysis_file` returns the path of its analysis.
        record: the record.

    Raises:
        RecordError: the stored file is not an analysis, or it is the analysis of another match.
        LapilliError: the game has no engine for analyses.
        typer.Exit: the user stopped the analysis.
    """
    place = analysis_file(file)
    if place.exists():
        try:
            return load_analysis(place, record)
        except RecordError as problem:
            raise RecordError(f"{problem} {_how_to_renew(file)}") from None
    check_writable(place)
    analyser = Analyser(record, threads=None)
    stopped = analyse_all(analyser, place)
    console.print(Text(visible(saved_text(analyser, place))))
    if stopped:
        raise typer.Exit(INTERRUPTED)
    return analyser.analysis


def analysed_page(file: Path, record: Record, analysis: Analysis) -> str:
    """Returns the HTML of a page with a record and its analysis.

    Raises RecordError if the analysis contradicts the record. `file`: the record as the command line names it, for the
    message.
    """
    try:
        return page(record, analysis)
    except RecordError as problem:
        raise RecordError(f"{analysis_file(file)}: {problem} {_how_to_renew(file)}") from None


def _how_to_renew(file: Path) -> str:
    return f"(make a new analysis: lapilli analyse {file})"


def analyse_all(analyser: Analyser, target: Path) -> bool:
    """Analyses all turns of a match, and writes the analysis to the file `target`.

    If the user presses Ctrl-C, the turns that were analysed so far are written. If no turn was, no file is written.

    Returns:
        Whether the user stopped the analysis.
    """
    compile_shown(analyser.game, searches=True)
    stopped = _run(analyser)
    if stopped:
        ignore_signals()
    if analyser.analysis.turns or not stopped:
        analyser.analysis.save(target)
    return stopped


def _run(analyser: Analyser) -> bool:
    """Analyses all turns of a match, with a progress bar on stderr. Returns whether the user pressed Ctrl-C."""
    try:
        with progress_bar("analysing turns") as report, closing(analyser.analyse()) as turns:
            for done, _ in enumerate(turns, start=1):
                report(done, analyser.turns)
    except KeyboardInterrupt:
        return True
    return False


def saved_text(analyser: Analyser, target: Path) -> str:
    """Returns a text that tells the user whether the analysis was written to the file `target`.

    If the analysis is not complete, the text contains the number of analysed turns.
    """
    found = analyser.analysis
    if found.whole:
        return f"Wrote the analysis to {target}."
    if not found.turns:
        return "Stopped before the first turn was analysed, so no analysis was written."
    return f"Stopped. Wrote the analysis of {len(found.turns)} of {analyser.turns} turns to {target}."
