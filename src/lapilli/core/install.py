"""The command that installs the libraries that only some parts of Lapilli need."""

from __future__ import annotations


def how_to_install(extra: str) -> str:
    """Returns the shell command that installs an extra of Lapilli, such as "site".

    The command must be run in a checkout of the repository, because Lapilli is not on a package index yet.
    """
    return f"pip install '.[{extra}]'"
