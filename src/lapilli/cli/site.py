"""lapilli site."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from lapilli.cli.console import console
from lapilli.cli.options import StoreOption, open_store
from lapilli.cli.panels import PLAY
from lapilli.games.errors import LapilliError

PORT = 8480


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command("site", rich_help_panel=PLAY, epilog="Example: lapilli site --port 9000")(site)


def site(
    port: Annotated[
        int, typer.Option(help="Where it is served; 0 for any port that is free.", min=0, max=65535)
    ] = PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Show it in the browser.")] = True,
    store: StoreOption = None,
) -> None:
    """Play in the browser, against engines and people; watch, and look at what was played.

    It is served for this machine alone, until Ctrl-C. Everything played is in the store.
    """
    try:
        from lapilli.web.serving import HOST, listen, serve
    except ImportError as error:
        if (error.name or "").split(".")[0] == "lapilli":
            raise
        raise LapilliError("the site needs a few more libraries: pip install 'lapilli[site]'") from None
    with listen(port) as listening, open_store(store) as kept:
        address = f"http://{HOST}:{listening.getsockname()[1]}/"

        def ready() -> None:
            console.print(f"The site is at {address} (Ctrl-C ends it)", highlight=False)
            if browser and not webbrowser.open(address):
                console.print("No browser could be started: open it in one.")

        with suppress(KeyboardInterrupt):  # how one ends it
            serve(kept, listening, ready)
