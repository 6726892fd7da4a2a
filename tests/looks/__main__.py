"""Pictures of every page in every window and theme, and what is wrong with each: `cd tests; python -m looks FOLDER`.

Further words choose pages by a part of their names: `python -m looks /tmp/pictures kingdomino home`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import chromium
from looks.looking import TOUCHED, WINDOWS, looked_at, opened, pictures
from looks.places import places
from web.client import Site, Visitor


def main() -> None:
    """Makes the pictures, and prints a line for each fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pictures are written")
    parser.add_argument("words", nargs="*", help="parts of names of pages; all pages if there are none")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Site(Path(folder) / "site.db")
        site.start()
        browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.ARGUMENTS)
        try:
            with Visitor(site) as visitor:
                for place in places(visitor):
                    if asked.words and not any(word in place.name for word in asked.words):
                        continue
                    for touched in (False, True):
                        with opened(browser, site, visitor, place, touched) as page:
                            for window in (one for one in WINDOWS if (one in TOUCHED) == touched):
                                for fault in looked_at(page, window):
                                    print(f"{place.name:24} {window:9} {fault}", flush=True)
                                pictures(page, window, place.name, asked.folder)
        finally:
            browser.close()
            site.stop()


if __name__ == "__main__":
    main()
