"""The command `lapilli arena`, which shows events and matches in the store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.text import Text

from lapilli.arena.pages import Contents, Which, event_page, gather
from lapilli.arena.reports.exporting import check_format, export
from lapilli.arena.reports.overview import as_data, contestant_named, event_data, labels, match_data, overview
from lapilli.arena.reports.standings import league, league_data, standings, standings_data
from lapilli.cli.arena import tables as shown
from lapilli.cli.options.options import JsonOption, StoreOption, open_store
from lapilli.cli.options.panels import COMPETE
from lapilli.cli.shared.browser import show_page
from lapilli.cli.shared.console import console, file_option, visible
from lapilli.cli.shared.stores import command, numbers_of, stored_record
from lapilli.core.api import Termination
from lapilli.core.errors import LapilliError, RecordError, UnknownName
from lapilli.match.files import check_writable, write_atomically
from lapilli.store import Event, EventKind, MatchFilter, Standing, Store
from lapilli.viewer import page as match_page

_FAULTS = ("any", *(termination.value for termination in Termination if termination.is_fault))

Number = Annotated[
    int | None, typer.Argument(metavar="NUMBER", help="An event's number.", show_default="the one begun last")
]
LostBy = Annotated[str | None, typer.Option("--lost-by", metavar="NAME", help="Those that this contestant has lost.")]
Player = Annotated[str | None, typer.Option("--player", metavar="NAME", help="Those that this contestant played.")]
Opponent = Annotated[str | None, typer.Option("--opponent", metavar="NAME", help="And this one, too.")]
Fault = Annotated[
    str | None,
    typer.Option("--fault", metavar="KIND", help="With a fault, any or a kind such as timeout; of --player, if given."),
]
Seed = Annotated[int | None, typer.Option(help="Those on this seed.")]

arena = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.add_typer(arena, name="arena", rich_help_panel=COMPETE, epilog="Example: lapilli arena show")


@arena.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Shows what comparisons, tournaments and leagues have come to, and their matches."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@arena.command("list", epilog="Example: lapilli arena list --kind comparison")
def list_events(
    kind: Annotated[EventKind | None, typer.Option(help="Those of this kind.", show_choices=True)] = None,
    game: Annotated[str | None, typer.Option(metavar="GAME", help="Those of this game.")] = None,
    limit: Annotated[int, typer.Option(help="How many, at most.", min=1)] = 20,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists events, the one begun last first."""
    with open_store(store, create=False) as found:
        events = found.events(kind=kind, game=game, most=limit)
    if as_json:
        print(json.dumps([event_data(event) for event in events]))
    elif events:
        shown.events(events)
    else:
        console.print("There is no such event.")


@arena.command("show", epilog="Examples: lapilli arena show  ·  lapilli arena show 3 --json")
def show(number: Number = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Shows an event: who did how, faults, times, and the lost matches with the command that shows one."""
    with _event(number, store) as (found, event):
        told = overview(found, event)
    if as_json:
        print(json.dumps(as_data(told)))
    else:
        shown.overview(told, store)


@arena.command("board", epilog="Example: lapilli arena board 3")
def board(number: Number = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Shows who stands where: a cross table with ratings, or a league's leaderboard."""
    with _event(number, store) as (found, event):
        ladder = league(found, event) if event.kind == EventKind.LEAGUE else None
        table = standings(found, event) if ladder is None else None
    if ladder is not None:
        if as_json:
            print(json.dumps(league_data(event, ladder)))
        else:
            shown.league(event, ladder)
    elif table is not None:
        if as_json:
            print(json.dumps(standings_data(table)))
        else:
            shown.standings(table)


@arena.command("matches", epilog="Example: lapilli arena matches 3 --lost-by v2 --fault timeout")
def matches(
    number: Number = None,
    lost_by: LostBy = None,
    player: Player = None,
    opponent: Opponent = None,
    fault: Fault = None,
    seed: Seed = None,
    limit: Annotated[int, typer.Option(help="How many, at most.", min=1)] = 20,
    before: Annotated[
        int | None, typer.Option(metavar="MATCH", help="Those stored before this match, by its number in the event.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists matches of an event, the one stored last first."""
    with _event(number, store) as (found, event):
        wanted = _filter(event, lost_by, player, opponent, fault, seed)
        start = None if before is None else found.match_numbered(event.id, before).id
        page = found.matches(event.id, wanted, before=start, most=limit)
        more = len(page) == limit and bool(found.matches(event.id, wanted, before=page[-1].id, most=1))
    names = labels(event.contestants)
    if as_json:
        print(json.dumps([match_data(names, match) for match in page]))
        return
    shown.matches(names, page)
    if more:
        options = {"lost-by": lost_by, "player": player, "opponent": opponent, "fault": fault, "seed": seed}
        shown.next_page(event, page[-1].result.number, options, store)


@arena.command("match", epilog="Example: lapilli arena match 3/17 -o lost.json")
def match(
    name: Annotated[str, typer.Argument(metavar="EVENT/MATCH", help="The numbers of an event and of its match.")],
    out: Annotated[Path | None, file_option("-o", "Write its record here (.json, .jsonl, or either with .gz).")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Shows what is known of a match, or writes its record to a file."""
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
        print(json.dumps(match_data(labels(event.contestants), one)))
    elif out is not None:
        console.print(Text(visible(f"The record is in {out}.")))
    else:
        shown.match(event, one, store)


@arena.command("export", epilog="Example: lapilli arena export 3 -o lost.jsonl.gz --lost-by v2")
def export_matches(
    number: Number = None,
    out: Annotated[
        Path | None, file_option("-o", "Where to: records to a .jsonl or .jsonl.gz, a table to a .csv or .json.")
    ] = None,
    lost_by: LostBy = None,
    player: Player = None,
    opponent: Opponent = None,
    fault: Fault = None,
    seed: Seed = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Writes the matches of an event to a file: their records, or a table of them; the one stored last first."""
    if out is None:
        raise typer.BadParameter("-o: name the file to write")
    check_format(out)
    check_writable(out)
    with _event(number, store) as (found, event):
        wanted = _filter(event, lost_by, player, opponent, fault, seed)
        written, missing = export(found, event, wanted, out)
    if as_json:
        print(json.dumps({"file": str(out), "written": written, "records_not_kept": missing}))
        return
    told = f"{written:,} match{'' if written == 1 else 'es'} written to {out}."
    console.print(Text(visible(told + (f" Of {missing:,} more the record was not kept." if missing else ""))))


@arena.command("page", epilog="Examples: lapilli arena page  ·  lapilli arena page 3 -o v2.html --matches lost")
def page(
    number: Number = None,
    out: Annotated[
        Path | None, file_option("-o", "Write the page here (.html).", default="show it in the browser")
    ] = None,
    which: Annotated[
        Which, typer.Option("--matches", help="Which matches get pages of their own, beside it.", show_choices=True)
    ] = Which.NONE,
    limit: Annotated[int, typer.Option(help="How many matches it lists, at most.", min=1)] = 100,
    store: StoreOption = None,
) -> None:
    """Makes a page of an event: result, drawings, tables, and the lost matches.

    The browser's page stays for a day; -o writes one to keep, and matches' pages into a folder beside it.
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
            beside = list(pages)  # first, because this fills `links`
            told = show_page(f"{event.kind}-{event.id}", event_page(contents, links, way), beside, event.kind)
        else:
            for name, text in pages:
                _make_folder(out.parent / folder)
                write_atomically(out.parent / name, text.encode())
            write_atomically(out, event_page(contents, links, way).encode())
            told = f"Wrote {out}" + (f", and the pages of {len(links):,} matches beside it." if links else ".")
    console.print(Text(visible(told)))


def _match_pages(store: Store, contents: Contents, folder: str, links: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Yields (path, HTML) of the pages of the listed matches, and adds the URL of each to `links`.

    A match whose record contradicts the rules gets no page. The event's page shows a command in its place, which
    prints the reason.
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
        raise LapilliError(f"there can be no folder {folder}: {error.strerror}") from None


@contextmanager
def _event(number: int | None, where: str | None) -> Iterator[tuple[Store, Event]]:
    """Opens the store and yields it with the event of that number, by default the most recently begun event."""
    with open_store(where, create=False) as store:
        if number is not None:
            yield store, store.event(number)
            return
        last = store.events(most=1)
        if not last:
            raise LapilliError("there is no event in the store yet")
        yield store, last[0]


def _filter(
    event: Event, lost_by: str | None, player: str | None, opponent: str | None, fault: str | None, seed: int | None
) -> MatchFilter:
    """Returns the filter that the options describe. Raises LapilliError if they are invalid or contradictory."""
    if lost_by is not None and player is not None:
        raise LapilliError("--lost-by and --player both say whose matches: give one of them")
    if fault is not None and fault not in _FAULTS:
        raise UnknownName("kind of fault", fault, _FAULTS)
    if opponent is not None and lost_by is None and player is None:
        raise LapilliError("--opponent: say by --player or --lost-by whose")
    whose = lost_by if lost_by is not None else player
    about: dict[str, Any] = {} if lost_by is None else {"standing": Standing.LOST}
    return MatchFilter(
        contestant=None if whose is None else contestant_named(event, whose),
        opponent=None if opponent is None else contestant_named(event, opponent),
        fault=fault,
        seed=seed,
        **about,
    )
