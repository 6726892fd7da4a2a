"""A page shown in the user's browser."""

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
"""How long a page stays. People come back to a tab on the same day, and reload it."""


def open_page(name: str, html: str, beside: Iterable[tuple[str, str]] = ()) -> tuple[Path, bool]:
    """Writes a page into a folder of its own and asks the browser to show it; the file, and whether there is a browser.

    Args:
        name: the file's, without ending. beside: paths and texts of further pages in the folder, which it links to.

    The file outlives this process: a browser reads it some time after it was asked to, again when it is reloaded, and
    tells nobody when it is done. A process that waits for that would be one that the user has to end. So the pages
    before are removed instead, once they are a day old: whoever looks at matches never has more than a day's. What
    stops us before the browser was asked removes this one, too.
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
    """The same; what to tell whoever waits for the page, of a match or something else."""
    written, opened = open_page(name, html, beside)
    return f"The {what} is in {written} (kept for a day)." + (
        "" if opened else " No browser could be started: open it in one."
    )


def _remove_old_pages() -> None:
    """Removes our own folders, and follows no link: others may write where temporary files lie."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
            if ours and time.time() - found.st_mtime > KEPT_SECONDS:
                shutil.rmtree(folder)
