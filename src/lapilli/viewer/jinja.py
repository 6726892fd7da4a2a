"""Makes the Jinja environments whose templates produce all HTML."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates(package: str, **names: Any) -> Environment:
    """Returns the Jinja environment of the templates in a package's folder `templates`.

    The templates escape all values. A name without a value is an error.

    Args:
        package: full name of the package.
        names: values and functions that all of these templates can use.
    """
    made = Environment(loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.globals.update(names)
    return made
