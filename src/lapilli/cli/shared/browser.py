"""Shows pages in the user's browser."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
import webbrowser
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PREFIX = "lapilli-view-"
KEPT_SECONDS = 24 * 3600
"""Age at which a page is deleted, in seconds. Until then, people can reload the page in the browser."""


def open_page(name: str, html: str, beside: Iterable[tuple[str, str]] = (), browser: bool = True) -> tuple[Path, bool]:
    """Writes a page into a new temporary folder, and opens the page in the browser if `browser`.

    The browser reads the file after this function has returned, and again on each reload. Therefore the file stays
    after this process has ended. Each call deletes pages that are more than a day old. If an exception stops this
    function before the browser is opened, the new page is deleted, too.

    Args:
        name: name of the page's file, without suffix.
        html: content of the page.
        beside: relative path and content of each further page to which this page has a link.

    Returns:
        The path of the page's file, and whether a browser was started.
    """
    _remove_old_pages()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        for path, text in beside:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        file = folder / f"{name}.html"
        file.write_text(html, encoding="utf-8")
        return file, browser and webbrowser.open(file.as_uri())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def show_page(
    name: str, html: str, beside: Iterable[tuple[str, str]] = (), what: str = "match", browser: bool = True
) -> str:
    """Writes a page into a temporary folder, and opens it in the browser if `browser`.

    Returns a text to print: where the page's file is, and whether a browser was started.

    Args:
        name: name of the page's file, without suffix.
        html: content of the page.
        beside: relative path and content of each further page to which this page has a link.
        what: word for the content of the page, such as "match".
    """
    written, opened = open_page(name, html, beside, browser)
    done = f"The {what} is in {written} (kept for a day)."
    if opened or not browser:
        return done
    stays = " 'lapilli view --html FILE' writes a page that stays." if what == "match" else ""
    return f"{done} No browser could be started. Open this file in one.{stays}"


def _remove_old_pages() -> None:
    """Deletes the folders of this user's old pages. Ignores symbolic links, which other users might have created."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
            if ours and time.time() - found.st_mtime > KEPT_SECONDS:
                shutil.rmtree(folder)
