"""The command `lapilli site`."""

from __future__ import annotations

import gc
import os
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lapilli.cli.options.options import StoreOption, open_store
from lapilli.cli.options.panels import PLAY
from lapilli.cli.shared.console import console
from lapilli.core.errors import LapilliError

if TYPE_CHECKING:
    from lapilli.site.settings import Public
    from lapilli.store import Store

PORT = 8480
_PUBLIC = "A public site"
_PATIENCE_S, _REST_S = 4.0, 2.0
"""Seconds that a page waits for the store at most, and seconds after that in which other pages do not try."""


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command("site", rich_help_panel=PLAY, epilog="Example: lapilli site --port 9000")(site)


def _public(*names: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PUBLIC, **more)


def site(
    port: Annotated[
        int, typer.Option(help="Where it is served; 0 for any port that is free.", min=0, max=65535)
    ] = PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Show it in the browser.")] = True,
    store: StoreOption = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray", metavar="ADDRESS", help="Compare and rate bots on a Ray cluster: auto, or HOST:PORT of its head."
        ),
    ] = None,
    public: Annotated[bool, _public("--public", text="Serve it to others, with accounts.")] = False,
    url: Annotated[str, _public("--url", text="Its address, https://…", metavar="URL")] = "",
    registration: Annotated[
        str, _public("--registration", text="Who may make an account: open, invited or closed.", metavar="WHO")
    ] = "invited",
    behind_proxy: Annotated[
        str, _public("--behind-proxy", text="Addresses of the proxy that encrypts for it.", metavar="ADDRESSES")
    ] = "",
    plain_http: Annotated[bool, _public("--plain-http", text="Do without encryption.")] = False,
    host: Annotated[str, _public("--host", text="The address to listen at.", metavar="ADDRESS")] = "127.0.0.1",
    new_owner: Annotated[bool, _public("--new-owner", text="Print a link by which one more owner joins.")] = False,
    log_json: Annotated[
        bool,
        typer.Option("--log-json", help="Write a line of JSON to stderr for each request and for what goes wrong."),
    ] = False,
) -> None:
    """Play in the browser, against engines and people; watch, and look at what was played.

    It is served for this machine alone, until Ctrl-C. Everything played is in the store.

    With --public it is served to others: docs/hosting.md tells how.
    """
    gc.disable()  # until the site is served: modules stay loaded, as in lapilli.__main__
    try:
        from lapilli.site.http.logs import log_as_json
        from lapilli.site.server import HOST, listen, serve
        from lapilli.site.settings import public_site
    except ImportError as error:
        if (error.name or "").split(".")[0] == "lapilli":
            raise
        raise LapilliError("the site needs a few more libraries: pip install 'lapilli[site]'") from None
    if log_json:
        log_as_json()
    told = None
    if public:
        told = public_site(url, registration, behind_proxy, plain_http)
        _refuse_root()
    elif url or behind_proxy or plain_http or new_owner or host != HOST or registration != "invited":
        raise LapilliError("these options are for a public site: say --public as well, or leave them out")
    with listen(port, host) as listening, open_store(store, patience=_PATIENCE_S, rest=_REST_S) as kept:
        address = f"{told.origin}/" if told else f"http://{HOST}:{listening.getsockname()[1]}/"
        with suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to end the site
            serve(kept, listening, _greeting(address, kept, told, browser, new_owner), told, ray)


def _refuse_root() -> None:
    """Raises LapilliError if this process runs as root: a stranger's bot that escapes the sandbox must not be root."""
    if 0 in (os.getuid(), os.geteuid()):
        raise LapilliError(
            "a public site does not run as root: make a user for it (useradd --system lapilli) and start it as that "
            "one; docs/hosting.md has a service of systemd, and containers, that do"
        )


def _greeting(address: str, store: Store, public: Public | None, browser: bool, new_owner: bool) -> Callable[[], None]:
    """Returns a function that prints the site's address, called once the site is served."""

    def ready() -> None:
        gc.enable()
        console.print(f"The site is at {address} (Ctrl-C ends it)", highlight=False)
        if public is not None:
            from lapilli.site.accounts.accounts import owner_link

            if link := owner_link(store, public, new_owner):
                console.print(
                    "Whoever follows this link becomes its owner; it works once, for a week:", highlight=False
                )
                console.print(link, highlight=False)
        elif browser and not webbrowser.open(address):
            console.print("No browser could be started: open it in one.")

    return ready
