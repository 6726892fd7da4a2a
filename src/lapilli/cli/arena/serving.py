"""The command `lapilli arena serve`, which serves a page of all stored events."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.shared.console import console
from lapilli.core.errors import LapilliError
from lapilli.core.installed import how_to_install

_PORT = 8481
_PATIENCE_S, _REST_S = 4.0, 2.0
"""Arguments `patience` and `rest` of `Store.open`, in seconds: a page waits up to 4 s for the store. If the store does
not answer in this time, all pages fail at once for the next 2 s.
"""


def register(group: typer.Typer) -> None:
    """Adds the command `serve` to the group `lapilli arena`."""
    add_command(
        group,
        "serve",
        serve,
        examples=("lapilli arena serve --open", "lapilli arena serve --host 0.0.0.0 --port 9000 --store matches.db"),
    )


def serve(
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", help="Port to serve at; 0 for any free one.", min=0, max=65535)
    ] = _PORT,
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Address to listen at; 0.0.0.0 lets other machines in."),
    ] = "127.0.0.1",
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    store: StoreOption = None,
) -> None:
    """Serves a page of all events that updates by itself: results, charts, faults, reply times, lost matches.

    It runs until Ctrl-C, and only reads the store. With --host, everybody who can reach this machine sees the events,
    the commands of the bots and the records: there are no accounts.
    """
    try:
        from lapilli.site.arena.server import listen, serve_arena
    except ImportError as error:
        if (error.name or "").split(".")[0] == "lapilli":
            raise
        raise LapilliError(f"the page needs more libraries: {how_to_install('site')}") from None
    with (
        open_store(store, create=False, patience=_PATIENCE_S, rest=_REST_S) as opened,
        listen(port, host) as listening,
    ):
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"

        def ready() -> None:
            console.print(f"The arena is at {address} (stop it with Ctrl-C)", highlight=False)
            if show and not webbrowser.open(address):
                console.print("No browser could be started. Open this address in one.")

        with suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to stop the server
            serve_arena(opened, listening, host, ready)
