"""Makes Jinja environments. Their templates produce all HTML of the project."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates(package: str, **names: Any) -> Environment:
    """Returns a Jinja environment with the templates in the folder `templates` of a package.

    The templates escape all values. If a template uses a name that has no value, an exception is raised.

    Args:
        package: full name of the package.
        names: values and functions that all these templates can use, by name.
    """
    made = Environment(loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.globals.update(names)
    return made
