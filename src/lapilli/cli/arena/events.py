"""The group of commands `lapilli arena`, which show events and matches in the store.

The commands that change events are in the module `editing`; the command `serve` is in the module `serving`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer
from rich.text import Text

from lapilli.arena.pages import Contents, Which, event_page, gather
from lapilli.arena.reports.exporting import check_format, export
from lapilli.arena.reports.overview import as_data, event_data, labels, match_data, overview
from lapilli.arena.reports.standings import league, league_data, standings, standings_data
from lapilli.arena.tuning.tuning import stored_course
from lapilli.cli.arena import editing, serving, tables
from lapilli.cli.arena.filters import FilterOptions, MostOption, list_matches
from lapilli.cli.options.commands import add_command, add_group
from lapilli.cli.options.output import JsonOption, RecordFileOption, file_option
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.shared.browser import show_page
from lapilli.cli.shared.console import console, print_json, visible
from lapilli.cli.shared.stores import command, numbers_of, stored_record
from lapilli.core.errors import LapilliError, RecordError
from lapilli.core.picture.words import plural
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.store import Event, EventKind, Store
from lapilli.viewer import page as match_page

Number = Annotated[
    int | None,
    typer.Argument(metavar="NUMBER", help="Number of the event.", show_default="the event that began last"),
]


def register(app: typer.Typer) -> None:
    """Adds the group of commands `lapilli arena` to the app."""
    group = add_group(
        app,
        "arena",
        "Shows stored events (comparisons, tournaments, leagues and tunings) and their matches.",
        examples=("lapilli arena list", "lapilli arena serve --open", "lapilli arena matches 3 --lost-by v2"),
    )
    add_command(
        group, "list", list_events, examples=("lapilli arena list", "lapilli arena list --kind comparison --limit 5")
    )
    add_command(group, "show", show, examples=("lapilli arena show", "lapilli arena show 3 --json"))
    add_command(group, "board", board, examples=("lapilli arena board", "lapilli arena board 3"))
    add_command(
        group,
        "matches",
        matches,
        examples=("lapilli arena matches 3 --lost-by v2", "lapilli arena matches 3 --player v2 --fault timeout"),
    )
    add_command(group, "match", match, examples=("lapilli arena match 3/17", "lapilli arena match 3/17 -o lost.json"))
    add_command(
        group,
        "export",
        export_matches,
        examples=("lapilli arena export 3 -o matches.csv", "lapilli arena export 3 -o lost.jsonl.gz --lost-by v2"),
    )
    add_command(group, "page", page, examples=("lapilli arena page", "lapilli arena page 3 -o v2.html --matches lost"))
    serving.register(group)
    editing.register(group)


def list_events(
    kind: Annotated[EventKind | None, typer.Option(help="List only events of this kind.")] = None,
    game: Annotated[str | None, typer.Option(metavar="GAME", help="List only events of this game.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Maximum number of events.", min=1)] = 20,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists events, newest first."""
    with open_store(store, create=False) as found:
        events = found.events(kind=kind, game=game, most=limit + 1)
    events, more = events[:limit], events[limit:]
    if as_json:
        print_json([event_data(event) for event in events])
    elif events:
        tables.events(events)
        if more:
            console.print(f"There are older events: --limit {10 * limit} lists more of them.")
    else:
        console.print("No events found.")


def show(number: Number = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Shows an event: results, faults and reply times of each player, and commands that show lost matches."""
    with _event(number, store) as (found, event):
        summary = overview(found, event)
        course = stored_course(found, event) if event.kind == EventKind.TUNING else None
    if as_json:
        more = {} if course is None else {"tuning": course.to_json()}
        print_json(as_data(summary) | more)
    else:
        tables.overview(summary, store, course)


def board(number: Number = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Shows the standings of an event: a cross table with ratings, or a league's leaderboard."""
    with _event(number, store) as (found, event):
        ladder = league(found, event) if event.kind == EventKind.LEAGUE else None
        table = standings(found, event) if ladder is None else None
    if ladder is not None:
        if as_json:
            print_json(league_data(event, ladder))
        else:
            tables.league(event, ladder)
    elif table is not None:
        if as_json:
            print_json(standings_data(table))
        else:
            tables.standings(table)


def matches(
    number: Number = None,
    *,
    wanted: FilterOptions,
    limit: MostOption = 20,
    before: Annotated[
        int | None,
        typer.Option(metavar="MATCH", help="List matches stored before this one, by its number in the event."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists the matches of an event. Those stored last come first."""
    with _event(number, store) as (found, event):
        list_matches(found, event, wanted, limit=limit, before=before, where=store, as_json=as_json)


def match(
    name: Annotated[str, typer.Argument(metavar="EVENT/MATCH", help="Numbers of the event and of the match in it.")],
    out: RecordFileOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Shows a stored match, or writes its record to a file."""
    numbers = numbers_of(name)
    if numbers is None:
        raise typer.BadParameter(f"{name}: expected EVENT/MATCH, such as 3/17")
    if out is not None:
        check_writable(out)
    with open_store(store, create=False) as found:
        event, one = found.event(numbers[0]), found.match_numbered(*numbers)
        if out is not None:
            stored_record(found, *numbers).save(out)
    if as_json:
        print_json(match_data(labels(event.contestants), one))
    elif out is not None:
        console.print(Text(visible(f"Wrote the record to {out}.")))
    else:
        tables.match(event, one, store)


def export_matches(
    number: Number = None,
    out: Annotated[
        Path | None,
        file_option("-o", "File to write: .jsonl or .jsonl.gz for records, .csv or .json for a table. Required."),
    ] = None,
    *,
    wanted: FilterOptions,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Writes the matches of an event to a file, as records or as a table. Those stored last come first."""
    if out is None:
        raise typer.BadParameter("name the file to write with -o")
    check_format(out)
    check_writable(out)
    with _event(number, store) as (found, event):
        written, missing = export(found, event, wanted.of_event(event), out)
    if as_json:
        print_json({"file": str(out), "written": written, "records_not_kept": missing})
        return
    done = f"Wrote {written:,} {plural(written, 'match')} to {out}."
    console.print(Text(visible(done + (f" The records of {missing:,} more were not kept." if missing else ""))))


def page(
    number: Number = None,
    out: Annotated[
        Path | None, file_option("-o", "Write the page to this file (.html).", default="open it in the browser")
    ] = None,
    which: Annotated[
        Which,
        typer.Option("--matches", help="Matches that get own pages: all, those lost or with a fault, or none."),
    ] = Which.NONE,
    limit: Annotated[int, typer.Option(metavar="N", help="Maximum number of matches on the page.", min=1)] = 100,
    store: StoreOption = None,
) -> None:
    """Makes a web page of an event: its result, charts, tables and lost matches.

    Without -o, the page opens in the browser and is deleted after a day. With -o, it is written to that file, and the
    pages of matches to a folder beside it.
    """
    if out is not None:
        check_writable(out)
    with _event(number, store) as (found, event), console.status("drawing …"):
        contents = gather(found, event, which, limit)
        folder = f"{out.stem if out else f'{event.kind}-{event.id}'}-matches"
        links: dict[int, str] = {}
        way = partial(_view_command, store)
        pages = _match_pages(found, contents, folder, links) if which != Which.NONE else iter(())
        if out is None:
            beside = list(pages)  # before `event_page`, because this fills `links`
            done = show_page(f"{event.kind}-{event.id}", event_page(contents, links, way), beside, event.kind)
        else:
            for name, text in pages:
                _make_folder(out.parent / folder)
                write_atomically(out.parent / name, text.encode())
            write_atomically(out, event_page(contents, links, way).encode())
            done = f"Wrote {out}" + (f", and the pages of {len(links):,} matches beside it." if links else ".")
    console.print(Text(visible(done)))


def _match_pages(store: Store, contents: Contents, folder: str, links: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Yields the path and the HTML of a page for each match in `contents` whose record is stored.

    A match whose record contradicts the rules gets no page. The event's page then shows a command that prints the
    reason.

    Args:
        store: the store.
        contents: the contents of the event's page.
        folder: name of the folder for the pages, relative to the event's page.
        links: dict to which this function adds the URL of each page, by match id.
    """
    for match in contents.matches:
        if match.kept:
            name = f"{folder}/{match.event_id}-{match.result.number}.html"
            with suppress(RecordError):
                text = match_page(stored_record(store, match.event_id, match.result.number))
                links[match.id] = quote(name)
                yield name, text


def _view_command(where: str | None, name: str) -> str:
    return command(f"view {name}", where)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise LapilliError(f"cannot make the folder {folder}: {error.strerror}") from None


@contextmanager
def _event(number: int | None, where: str | None) -> Iterator[tuple[Store, Event]]:
    """Opens a store, and yields the store and one of its events.

    Args:
        number: number of the event; None for the event that began last.
        where: value of the option --store; None if it was omitted.
    """
    with open_store(where, create=False) as store:
        if number is not None:
            yield store, store.event(number)
            return
        last = store.events(most=1)
        if not last:
            raise LapilliError("the store has no event yet; 'lapilli compare' and 'lapilli tournament' make one")
        yield store, last[0]
