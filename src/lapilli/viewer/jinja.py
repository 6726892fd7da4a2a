"""The environment of Jinja templates, which all HTML is made with."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates(package: str, **names: Any) -> Environment:
    """Returns the templates in a package's folder `templates`. They escape all values; a name without a value is an
    error.

    Args:
        names: values and functions that all of these templates can use.
    """
    made = Environment(loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.globals.update(names)
    return made
