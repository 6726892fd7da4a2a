"""Writes into the package's metadata where its source, documentation and issues are: at the forge that builds it."""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """The links that an index of packages shows, from the variable LAPILLI_REPOSITORY; without it there are none.

    So that a package never names an address at which nothing is, no address stands in the source.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the links for the repository's address, such as https://github.com/OWNER/NAME."""
        repository = os.environ.get("LAPILLI_REPOSITORY", "").rstrip("/")
        metadata["urls"] = {}
        if repository:
            files = f"{repository}/blob/v{metadata['version']}"
            metadata["urls"] = {
                "Source": repository,
                "Documentation": f"{files}/docs/index.md",
                "Changelog": f"{files}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
