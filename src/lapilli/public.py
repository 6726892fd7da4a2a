"""The names that `import lapilli` offers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lapilli.arena.statistics import Sprt
from lapilli.core.api import Setup, State
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.games import load, names
from lapilli.match import Clock, Record, load_record, load_records, play_match, replay, verify
from lapilli.players import PlayerSpec
from lapilli.players.engines.position_analysis import analyse, analyse_states
from lapilli.viewer.notebook import show_in_notebooks

if TYPE_CHECKING:
    from lapilli.arena.compare import compare
    from lapilli.arena.tournament import tournament
    from lapilli.arena.tuning.tune import tune
    from lapilli.envs.batch import batch
    from lapilli.envs.learning.datasets.dataset import load_dataset
    from lapilli.envs.learning.evaluation.evaluate import evaluate
    from lapilli.envs.opponents.past_selves import PastSelves
    from lapilli.envs.tree_search.tree_search import TreeSearch

__all__ = [
    "Clock",
    "IllegalAction",
    "LapilliError",
    "PastSelves",
    "PlayerSpec",
    "Record",
    "Setup",
    "Sprt",
    "State",
    "TreeSearch",
    "analyse",
    "batch",
    "compare",
    "evaluate",
    "load",
    "load_dataset",
    "load_record",
    "load_records",
    "names",
    "play_match",
    "replay",
    "tournament",
    "tune",
    "verify",
]

show_in_notebooks()
analyse_states()

_LATER = {
    "PastSelves": "lapilli.envs.opponents.past_selves",
    "TreeSearch": "lapilli.envs.tree_search.tree_search",
    "batch": "lapilli.envs.batch",
    "compare": "lapilli.arena.compare",
    "evaluate": "lapilli.envs.learning.evaluation.evaluate",
    "load_dataset": "lapilli.envs.learning.datasets.dataset",
    "tournament": "lapilli.arena.tournament",
    "tune": "lapilli.arena.tuning.tune",
}
"""Names that are imported only at first use, each with its module, because these modules load slow libraries."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
