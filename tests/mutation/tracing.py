"""Which functions a test calls: in its own process, in those that it starts, and in the browser.

Each process notes a function once a test. What another process calls is noted for the whole file of tests, as are the
calls of fixtures: several tests may share a site, a browser or a record.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

SCRIPTS = "scripts"
"""Stands for a file: the browser names functions of the page's scripts, but not the file that each came from."""
NOTES = Path("mutant", "called")
"""Where a copy's processes note what they call: lines of test, file and function."""
_STARTUP = "from mutation.tracing import start\nstart()\n"
_place = Path(os.environ.get("LAPILLI_MUTANT", "/"))
_sources = f"{_place / 'src'}{os.sep}"
_seen: set[int] = set()
_called: set[tuple[str, str, str]] = set()
_test: str | None = None
"""Whose calls are noted; None in a process that a test started, which looks it up."""


def write_startup(folder: Path) -> None:
    """Makes a folder which, as the first in PYTHONPATH, lets every Python begin with `start`."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_STARTUP, encoding="utf-8")


def start() -> None:
    """Traces the calls of this process from now on."""
    threading.settrace(_on_call)
    sys.settrace(_on_call)


def note_for(test: str) -> None:
    """From now on calls of this process belong to this test, or file of tests; what was called before is written."""
    global _test
    _write(_called)
    _called.clear()
    _seen.clear()
    _test = test
    sys.settrace(_on_call)  # a debugger, or a greenlet, may have ended it


def note_scripts(functions: set[str]) -> None:
    """Functions of the page's scripts that the browser has called."""
    if _test is not None:
        _called.update((_test, SCRIPTS, function) for function in functions)


def _on_call(frame: FrameType, _event: str, _argument: Any) -> None:
    code = frame.f_code
    if id(code) in _seen:
        return
    _seen.add(id(code))
    if code.co_filename.startswith(_sources) and code.co_name != "<module>":
        file = os.path.relpath(code.co_filename, _place)
        function = re.sub(r"\.<\w+>", "", code.co_qualname)
        if _test is None:
            with suppress(OSError):
                test = (_place / "mutant" / "now").read_text(encoding="utf-8").partition("::")[0]
                _write({(test, file, function)})
        else:
            _called.add((_test, file, function))


def _write(called: set[tuple[str, str, str]]) -> None:
    if called:
        text = "".join("\t".join(one) + "\n" for one in sorted(called))
        with suppress(OSError), (_place / NOTES).open("a", encoding="utf-8") as notes:
            notes.write(text)


class Watch:
    """Asks the browser which functions each page called; it must be asked before a page goes."""

    def __init__(self) -> None:
        from playwright.sync_api import Browser, BrowserContext, Page

        self._sessions: list[Any] = []
        for opener in (Browser, BrowserContext):
            self._wrap(opener, "new_page", after=self._begin)
        for closer in (Browser, BrowserContext, Page):
            self._wrap(closer, "close", before=self.look)
        self._wrap(Page, "goto", before=self.look)

    def _wrap(self, owner: Any, name: str, before: Any = None, after: Any = None) -> None:
        plain = getattr(owner, name)

        def wrapped(this: Any, *arguments: Any, **options: Any) -> Any:
            if before is not None:
                before()
            result = plain(this, *arguments, **options)
            if after is not None:
                after(result)
            return result

        setattr(owner, name, wrapped)

    def _begin(self, page: Any) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Profiler.enable")
        session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": False})
        self._sessions.append(session)

    def look(self) -> None:
        """Notes what was called since the last time."""
        for session in list(self._sessions):
            try:
                scripts = session.send("Profiler.takePreciseCoverage")["result"]
            except Exception:  # playwright's errors for a page that is gone
                self._sessions.remove(session)
                continue
            called = {
                function["functionName"]
                for script in scripts
                for function in script["functions"]
                if function["ranges"][0]["count"]
            }
            note_scripts(called | {name.rstrip("0123456789") for name in called})  # a bundle numbers equal names
