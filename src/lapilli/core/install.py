"""How to install the libraries that only some parts of Lapilli need."""

from __future__ import annotations


def how_to_install(extra: str) -> str:
    """Returns the command that installs an extra of Lapilli, such as "site". It is to be run in a checkout: no package
    index has Lapilli yet.
    """
    return f"pip install '.[{extra}]'"
