"""The site of the tests of pages serves these tests, too."""

from __future__ import annotations

from web.conftest import own_site, site

__all__ = ["own_site", "site"]
