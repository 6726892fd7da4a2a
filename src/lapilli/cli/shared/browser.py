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
"""Seconds for which a page is kept, because people reload a tab later on the same day."""


def open_page(name: str, html: str, beside: Iterable[tuple[str, str]] = ()) -> tuple[Path, bool]:
    """Writes a page into its own temporary folder and opens it in the browser.

    The browser reads the file later, and again on each reload. So the file stays after this process has ended, and each
    call deletes the pages that are a day old. If an exception stops this function before the browser is opened, the new
    page is deleted, too.

    Args:
        name: name of the file, without suffix.
        html: content of the page.
        beside: relative paths and contents of further pages that the page links to.

    Returns:
        The file of the page, and whether a browser was started.
    """
    _remove_old_pages()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        for path, text in beside:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        file = folder / f"{name}.html"
        file.write_text(html, encoding="utf-8")
        return file, webbrowser.open(file.as_uri())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def show_page(name: str, html: str, beside: Iterable[tuple[str, str]] = (), what: str = "match") -> str:
    """Opens a page as `open_page` does, and returns a sentence about it to print.

    Args:
        what: kind of page, for the sentence, such as "match".
    """
    written, opened = open_page(name, html, beside)
    done = f"The {what} is in {written} (kept for a day)."
    return done if opened else f"{done} No browser could be started. Open this file in one."


def _remove_old_pages() -> None:
    """Deletes old folders of this user. It follows no links, since other users can write to the same place."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
            if ours and time.time() - found.st_mtime > KEPT_SECONDS:
                shutil.rmtree(folder)
