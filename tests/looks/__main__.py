"""Pictures of every page in every window and theme, and what is wrong with each: `cd tests; python -m looks FOLDER`.

Further words choose pages by a part of their names: `python -m looks /tmp/pictures kingdomino home`. Without a folder
no pictures are taken. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import sync_playwright

import chromium
from looks.looking import browsing, looked_at, opened, pictures, windows
from looks.places import GROUPS, member, places


def main() -> int:
    """Makes the pictures, and prints a line for each fault. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="where the pictures are written")
    parser.add_argument("words", nargs="*", help="parts of names of pages; all pages if there are none")
    asked = parser.parse_args()
    faults = 0
    if asked.folder:
        asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, ExitStack() as stack:
        visitor = stack.enter_context(member(Path(folder) / "site"))
        browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.ARGUMENTS)
        stack.callback(browser.close)
        contexts = {touched: stack.enter_context(browsing(browser, visitor, touched)) for touched in (False, True)}
        for group in GROUPS:
            if asked.words and not any(word in group or group in word or not group for word in asked.words):
                continue
            for place in places(visitor, group):
                if asked.words and not any(word in place.name for word in asked.words):
                    continue
                for touched, context in contexts.items():
                    with opened(context, place) as page:
                        for window in windows(touched):
                            for fault in looked_at(page, window):
                                faults += 1
                                print(f"{place.name:24} {window:9} {fault}", flush=True)
                            if asked.folder:
                                pictures(page, window, place.name, asked.folder)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
