"""Lapilli: play, write bots for and train on tactical board games.

>>> import lapilli
>>> game = lapilli.load(lapilli.names()[0])
>>> state = game.new_initial_state(seed=7)
>>> state.apply_action(state.legal_actions()[0])
>>> record = lapilli.play_match(game, ["random", "python3 bot.py"])
>>> record.save("match.json")

The module `lapilli.public` defines the names of this package, such as `load`. `lapilli.public` is imported only when
one of these names is first used. So `import lapilli` is fast, and the command line can handle Ctrl-C before slow
libraries are loaded.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if os.name != "posix":  # Windows has no process groups and file locks; without this check an import would fail
    raise ImportError("Lapilli runs on Linux and macOS; on Windows, install it inside WSL")

if TYPE_CHECKING:
    from lapilli.public import *  # noqa: F403

    __version__: str
else:

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return import_module("importlib.metadata").version("lapilli")
        if name != "__all__" and name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        public = import_module("lapilli.public")
        if name in ("__all__", *public.__all__):
            return getattr(public, name)
        if f"lapilli.{name}" in sys.modules:
            return sys.modules[f"lapilli.{name}"]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return list(import_module("lapilli.public").__all__)
