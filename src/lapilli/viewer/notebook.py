"""Makes Jupyter notebooks show states as pictures, and records as pages that replay the match."""

from __future__ import annotations

import html

from lapilli.core.api import State
from lapilli.match.record import Record
from lapilli.viewer.drawing.svg import svg
from lapilli.viewer.page import page


def show_in_notebooks() -> None:
    """Adds the methods to State and Record with which Jupyter notebooks show them.

    A state is shown as a picture, a record as the page that replays the match.
    """
    State._repr_svg_ = _picture
    Record._repr_html_ = _frame


def _picture(state: State) -> str:
    game = state.game
    return svg(game.picture(state, None), game.sides[: state.num_players])


def _frame(record: Record) -> str:
    """Returns the HTML element `iframe` with the page that replays a record, to be shown in a notebook."""
    return (
        f'<iframe title="{html.escape(record.game)}" srcdoc="{html.escape(page(record))}" '
        'style="width: 100%; height: 640px; border: 0"></iframe>'
    )
