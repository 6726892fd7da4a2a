"""Random games played by the kernel and its naive twin side by side."""

from __future__ import annotations

from random import Random
from typing import Any, cast

from lapilli.core.api import Termination
from lapilli.games.kingdomino import GAME, naive
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

FORMS: list[dict[str, Any]] = [{"players": 2}, {"players": 3}, {"players": 4}, {"variant": "duel"}]


def start(**keys: Any) -> KingdominoState:
    return cast(KingdominoState, GAME.new_initial_state(**keys))


def pair(keys: dict[str, Any]) -> tuple[KingdominoState, naive.NaiveMatch]:
    """The same start in both implementations, from setup keys."""
    twin = naive.NaiveMatch(
        keys.get("players", 2),
        duel=keys.get("variant") == "duel",
        wood=keys.get("league") == "wood",
        seed=keys.get("seed"),
        middle_kingdom=keys.get("middle_kingdom", False),
        harmony=keys.get("harmony", False),
    )
    return start(**keys), twin


def text_of(move: naive.Move) -> str:
    return " ".join([str(move[0]).upper(), *map(str, move[1:])])


def assert_same(state: KingdominoState, twin: naive.NaiveMatch) -> None:
    """All that can be told of both positions is equal."""
    assert state.is_terminal() == twin.over()
    assert [state.action_to_string(action) for action in state.legal_actions()] == list(map(text_of, twin.moves()))
    assert state.scores() == tuple(twin.scores())
    assert state.turn == twin.asks + 1
    for player in range(twin.players):
        squares = {place: ("cfglwm"[terrain], crowns) for place, (terrain, crowns) in state.squares(player).items()}
        castle = {(twin.side // 2, twin.side // 2): ("*", 0)}
        assert squares | castle == twin.territories[player]
        assert (state.fault(player) is None) == (player not in twin.dead)
    outcome = state.outcome()
    if outcome is not None:
        assert outcome.ranks == tuple(twin.ranks())
    elif not twin.drawing():
        assert state.current_player() == twin.current_player()


def random_walk(keys: dict[str, Any], random: Random, kill: float = 0.0) -> list[KingdominoState]:
    """A random game in both implementations, compared at every step; every position on the way."""
    state, twin = pair(keys)
    seen = [state.clone()]
    assert_same(state, twin)
    while not twin.over():
        if not twin.drawing() and random.random() < kill:
            fault = random.choice([Termination.TIMEOUT, Termination.INVALID, Termination.EXITED])
            end_player(state, fault)
            twin.kill()
        else:
            move = random.choice(twin.moves())
            state.apply_action(state.string_to_action(text_of(move)))
            twin.make(move)
        assert_same(state, twin)
        seen.append(state.clone())
    return seen


def end_player(state: KingdominoState, termination: Termination = Termination.TIMEOUT) -> None:
    """The player to move commits a fault."""
    from lapilli.core.api import Fault

    player = state.current_player()
    report = GAME.protocol.play_turn(state, {player: Fault(player, termination, "as the test says")})
    assert [fault.player for fault in report.faults] == [player]


def twin_of(state: KingdominoState) -> naive.NaiveMatch:
    """The twin at the same position, lots included; told by what the state shows."""
    record = state.record
    keys = state.setup.to_dict()
    twin = naive.NaiveMatch(
        state.num_players,
        duel=keys["variant"] == "duel",
        wood=keys["league"] == "wood",
        middle_kingdom=keys.get("middle_kingdom", False),
        harmony=keys.get("harmony", False),
    )
    for player in range(twin.players):
        for place, (terrain, crowns) in state.squares(player).items():
            twin.territories[player][place] = ("cfglwm"[terrain], crowns)
        if state.fault(player) is not None:
            twin.dead.add(player)
    twin.pile = {tile for tile in naive.TILES if int(record["pile"]) >> tile & 1}
    twin.in_play = [(tile or None, None if owner < 0 else owner) for tile, owner in state.row_in_play()]
    twin.to_pick = {tile: None if owner < 0 else owner for tile, owner in state.row_to_pick() if tile}
    twin.round, twin.slot, twin.asks = int(record["this_round"]), int(record["slot"]), int(record["turns"])
    twin.put_done = record["phase"] != rules.PUT
    if record["phase"] == rules.OVER:
        twin.round = twin.rounds + 1
    if record["lots"] != rules.OPEN:
        twin.draws = naive.Draws(0)
        twin.draws.state = int(record["lots"])
    return twin
