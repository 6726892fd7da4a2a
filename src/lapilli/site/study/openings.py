"""Sends the openings of the analysis board: turns that were played early in matches, and how these matches ended."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from lapilli.core.api import State
from lapilli.core.content.first_turns import CountedTurn
from lapilli.core.errors import IllegalAction
from lapilli.core.rules.folding import FoldedPosition, Folding
from lapilli.players.engines.turns import after
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import decoding, json_of
from lapilli.site.http.limits import POSITIONS, limited
from lapilli.site.runtime.site import CurrentSite
from lapilli.site.study.positions import MAX_PLACE, MAX_VALUES, Data, Place, position, turn_text
from lapilli.site.study.search_jobs import in_words
from lapilli.store import Store
from lapilli.viewer.films.film_analysis import travels

router = APIRouter(route_class=JsonRoute)
_PLACE = msgspec.json.Decoder(Place)
_SHOWN = 8
"""Largest number of turns shown for a position: from engines' matches, and also from the site's matches."""


@router.post("/analyse/openings", dependencies=[Depends(limited(POSITIONS))])
async def send(request: Request, site: CurrentSite) -> Response:
    """Sends the turns that were played in a position, as `openings` returns them."""
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    with decoding("position"):
        place = _PLACE.decode(body)
        return JSONResponse(await site.compilation.run_compiled(place.game, openings, place, site.store))


def openings(place: Place, store: Store) -> Data:
    """Returns the turns that were played in a position, the most frequent first.

    Returns:
        A dict with these keys. `player`: the player whose turn it is; -1 if turns are not counted for this game, if
        several players act at the same time, or if the game is over. `origin`: number of engines' matches, and the
        engines' limit of nodes per turn. `engines`, `site`: turns in engines' matches and in the site's matches.

        Each of these turns is a dict with these keys. `reply`: the turn, in the format of `turn_text`. `words`: the
        turn in words. `ways`: the clicks that play it. `results`: numbers of matches that the player of the turn won,
        drew and lost.

    Args:
        place: the position.
        store: the database with the site's matches.
    """
    state, _ = position(place)
    asked, first_turns = state.asked(), state.game.first_turns(state.setup)
    if first_turns is None or len(asked) != 1 or state.is_terminal():
        return {"player": -1, "origin": [0, 0], "engines": [], "site": []}
    (player,) = asked
    folding = Folding(state.game, state.setup)
    here = folding.position(state, player)
    shown = _Shown(state, player, folding, here)
    return {
        "player": player,
        "origin": [first_turns.origin.matches, first_turns.origin.nodes],
        "engines": shown.rows(first_turns.of(here.key)[:_SHOWN]),
        "site": shown.rows(store.site.first_turns.of(state.game.name, here.key, _SHOWN)),
    }


class _Shown:
    """Converts turns that were played in a position to JSON data.

    Args:
        state: the position.
        player: the player whose turn it is.
        folding: the game's symmetries. Turns are counted in one position of each group of symmetric positions.
        here: that position for `state`, with the symmetries that map `state` to it.
    """

    def __init__(self, state: State, player: int, folding: Folding, here: FoldedPosition) -> None:
        self._state, self._player, self._folding, self._here = state, player, folding, here
        self._made: dict[int, Data | None] = {}

    def rows(self, turns: Sequence[CountedTurn]) -> list[Data]:
        """Returns the data of turns, in their order. Turns that cannot be played are left out."""
        rows = []
        for turn in turns:
            if turn.after not in self._made:
                self._made[turn.after] = self._row(turn)
            if (row := self._made[turn.after]) is not None:
                rows.append(row | {"results": [turn.won, turn.drawn, turn.lost]})
        return rows

    def _row(self, turn: CountedTurn) -> Data | None:
        """Returns the data of a turn, without its results. Returns None if the turn cannot be played here, for example
        because the rules have changed.
        """
        state, player = self._state, self._player
        try:
            actions = self._folding.unfold(turn.turn, self._here)
            reply = state.game.protocol.format_reply(state, player, actions)
            after(state, player, reply)
        except (IllegalAction, ValueError):
            return None
        return {
            "reply": turn_text([reply]),
            "words": [in_words(state, player, reply)],
            "ways": travels(state, player, actions),
        }
