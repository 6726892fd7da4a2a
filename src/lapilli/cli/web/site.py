"""The command `lapilli site`, which serves the site."""

from __future__ import annotations

import gc
import os
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.shared.console import console
from lapilli.core.errors import LapilliError
from lapilli.core.installed import how_to_install
from lapilli.core.picture.words import listed
from lapilli.search.threads import MOST

if TYPE_CHECKING:
    from lapilli.site.runtime.settings import Public
    from lapilli.store import Store

_PORT = 8480
_PUBLIC = "Public site"
"""Title of the panel that lists the options of a public site in the help text."""
_PATIENCE_S, _REST_S = 4.0, 2.0
"""Arguments `patience` and `rest` of `Store.open`, in seconds: a page waits up to 4 s for the store. If the store does
not answer in this time, all pages fail at once for the next 2 s.
"""


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli site` to the app."""
    add_command(
        app,
        "site",
        site,
        examples=(
            "lapilli site",
            "lapilli site --port 9000 --no-browser",
            "lapilli site --public --url https://play.example.org --behind-proxy 127.0.0.1",
        ),
    )


def _public(*names: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PUBLIC, **more)


def site(
    port: Annotated[
        int, typer.Option(metavar="PORT", help="Port to serve at; 0 for any free one.", min=0, max=65535)
    ] = _PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the site in the browser.")] = True,
    store: StoreOption = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            help="Compare and rate bots on a Ray cluster: auto, or HOST:PORT of its head.",
            show_default="on this machine",
        ),
    ] = None,
    analysis_threads: Annotated[
        int | None,
        typer.Option(
            "--analysis-threads",
            metavar="N",
            min=1,
            max=MOST,
            help="Threads of each analysis.",
            show_default="the cores that are free",
        ),
    ] = None,
    public: Annotated[bool, _public("--public", text="Serve the site to others, with accounts.")] = False,
    url: Annotated[str, _public("--url", text="Address of the site, https://…; needs --public.", metavar="URL")] = "",
    registration: Annotated[
        str, _public("--registration", text="Who may make an account: open, invited or closed.", metavar="WHO")
    ] = "invited",
    behind_proxy: Annotated[
        str,
        _public(
            "--behind-proxy",
            text="Addresses of the proxy that encrypts for the site, separated by commas.",
            metavar="ADDRESSES",
        ),
    ] = "",
    plain_http: Annotated[bool, _public("--plain-http", text="Serve the site without encryption.")] = False,
    host: Annotated[str, _public("--host", text="Address to listen at.", metavar="ADDRESS")] = "127.0.0.1",
    new_owner: Annotated[
        bool, _public("--new-owner", text="Print a link with which one more owner makes an account.")
    ] = False,
    smtp: Annotated[
        str,
        _public("--smtp", text="Mail server: smtp://USER@HOST:PORT, or smtps://…", metavar="URL"),
    ] = "",
    mail_from: Annotated[
        str, _public("--mail-from", text="Address from which the site's mails come.", metavar="ADDRESS")
    ] = "",
    chat: Annotated[bool, typer.Option("--chat/--no-chat", help="Let people write to each other at tables.")] = True,
    log_json: Annotated[
        bool,
        typer.Option("--log-json", help="Write a line of JSON to stderr for each request and each problem."),
    ] = False,
) -> None:
    """Serves the site: play in the browser against engines and people, watch matches, and study them.

    It runs until Ctrl-C, and only this machine can open it. All matches are saved in the store.

    With --public, other people can open it: see the page "A site for others" of the documentation.
    """
    gc.disable()  # until the site is served: garbage collection would slow the imports
    try:
        from lapilli.site.http.monitoring.logs import log_as_json
        from lapilli.site.runtime.settings import public_site
        from lapilli.site.server import HOST, listen, serve
    except ImportError as error:
        if (error.name or "").split(".")[0] == "lapilli":
            raise
        raise LapilliError(f"the site needs more libraries: {how_to_install('site')}") from None
    if log_json:
        log_as_json()
    settings = None
    if public:
        settings = public_site(url, registration, behind_proxy, plain_http, smtp, mail_from, _missing())
        if settings.is_out_of_reach(host):
            console.print(f"Only this machine can open {url}: --host is {host}. For others, add --host 0.0.0.0.")
    else:
        _check_private(
            {
                "--url": url,
                "--behind-proxy": behind_proxy,
                "--plain-http": plain_http,
                "--new-owner": new_owner,
                "--smtp": smtp,
                "--mail-from": mail_from,
                "--host": host != HOST,
                "--registration": registration != "invited",
            }
        )
    with listen(port, host) as listening, open_store(store, patience=_PATIENCE_S, rest=_REST_S) as opened:
        address = f"{settings.origin}/" if settings else f"http://{HOST}:{listening.getsockname()[1]}/"
        with suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to end the site
            ready = _greeting(address, opened, settings, browser, new_owner)
            serve(opened, listening, ready, settings, ray, analysis_threads=analysis_threads, has_chat=chat)


def _check_private(options: Mapping[str, str | bool]) -> None:
    """Raises LapilliError if the user has set an option that only public sites have.

    `options`: for each such option, a value that is true if the user has set it.
    """
    named = [option for option, is_set in options.items() if is_set]
    if named:
        raise LapilliError(
            f"only a public site has {listed(named)}: add --public (see the documentation's page 'A site for "
            "others'), or leave it out"
        )


def _missing() -> list[str]:
    """Returns a message for each requirement of a public site that this process does not meet; empty if it meets all.

    The only requirement is that the process must not run as root: a bot that escapes from the sandbox would have the
    same rights as this process.
    """
    if 0 not in (os.getuid(), os.geteuid()):
        return []
    return [
        "a public site does not run as root: make a user (useradd --system lapilli) and start the site as that "
        "user, or use the systemd service or the containers of the documentation's page 'A site for others'"
    ]


def _greeting(address: str, store: Store, public: Public | None, browser: bool, new_owner: bool) -> Callable[[], None]:
    """Returns a function that prints the site's address. The caller must call it once the site accepts requests.

    On a private site, the function also opens the browser if `browser` is set. On a public site without an owner, the
    function also prints a link with which the first owner creates an account. With `new_owner`, it prints such a link
    in any case.
    """

    def ready() -> None:
        gc.enable()
        console.print(f"The site is at {address} (stop it with Ctrl-C)", highlight=False)
        if public is not None:
            from lapilli.site.people.accounts.accounts import owner_link

            if link := owner_link(store, public, new_owner):
                console.print("Open this link to become the site's owner. It works once, for a week:", highlight=False)
                console.print(link, highlight=False)
        elif browser and not webbrowser.open(address):
            console.print("No browser could be started. Open this address in one.")

    return ready
