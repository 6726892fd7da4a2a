"""Checks of a game's declaration and rules: the verbs, legal actions, the end, copies of positions, observations."""

from __future__ import annotations

import pickle
from dataclasses import replace
from inspect import signature
from random import Random
from typing import Any

import numpy as np

from lapilli.cli.checking.subject import CheckFailed, Subject, actors, must, random_step
from lapilli.core.api import CHANCE, SIMULTANEOUS, TERMINAL, State
from lapilli.core.errors import IllegalAction
from lapilli.core.picture.words import quantity
from lapilli.core.rules.verbs import Verbs

_REQUIRED = ("NUM_ACTIONS", "current_player", "accepts", "values", "observe")
_BEYOND = (-(2**31), -9, -1, 2**31 - 1)
"""Integers that are no action in any game."""
_TRIED = 12
"""Number of illegal actions that are tried in a position."""
_GUARD, _GUARDED = 77, 64
"""`_GUARD`: number that fills the elements behind an observation's array before the verb `observe` is called.
`_GUARDED`: count of these elements. If the verb writes beyond the end of its array, it overwrites some of them."""


def check_declaration(subject: Subject) -> str:
    """Checks that the fields of `Game` fit together, and that the rules' verbs have the arguments that `Verbs`
    lists.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    game, rules = subject.game, vars(subject.game.rules)
    for name in _REQUIRED:
        must(name in rules, f"the rules define no {name}", f"define {name} in the module that is Game.rules")
    must("play" in rules or "play_joint" in rules, "the rules define neither play nor play_joint", "define one of them")
    for name, wanted in _arguments(Verbs).items():
        if name in rules:
            has = _arguments_of(getattr(rules[name], "py_func", rules[name]))[: len(wanted)]
            must(has == wanted, f"{name} has the arguments {', '.join(has)}", f"name them {', '.join(wanted)}")
    must(game.num_distinct_actions > 0, "NUM_ACTIONS is not above 0", "set it to the number of different actions")
    most = max(game.players)
    must(
        len(set(game.sides)) == len(game.sides) == most,
        f"Game.sides has {len(set(game.sides))} different names for {most} players",
        "write one name for each player",
    )
    for name in ("title", "summary"):
        must(getattr(game, name).strip(), f"Game.{name} is empty", "write a few words")
    for name in ("max_turns", "max_game_length", "reply_ms"):
        must(getattr(game, name) > 0, f"Game.{name} is not above 0", "correct it")
    must(game.first_reply_ms >= game.reply_ms, "Game.first_reply_ms is below Game.reply_ms", "raise it")
    unknown = sorted(set(game.players_of_variant) - set(game.variants))
    must(not unknown, f"Game.players_of_variant names {unknown}, which are no variants", "correct the names")
    fields = game.state.DTYPE.names or ()
    must("left" in fields or "leave" in rules, "the record has no field `left`", "add it, or define the verb leave")
    must(
        "turn" in fields or ("turn_number" in rules and game.state.turn is not State.turn),
        "the record has no field `turn`",
        "add it, or define the verb turn_number and the property State.turn",
    )
    must(game.observation.size > 0, "Game.observation has no numbers", "list its parts")
    sizes = (
        (game.num_distinct_actions, "action"),
        (game.observation.size, "observed number"),
        (len(subject.forms), "form"),
    )
    return ", ".join(quantity(*size) for size in sizes)


def _arguments(verbs: type) -> dict[str, list[str]]:
    """Returns the names of each verb's arguments, except `static`, as the class `Verbs` declares them."""
    functions = {name: verb for name, verb in vars(verbs).items() if callable(verb) and not name.startswith("_")}
    return {
        name: [argument for argument in _arguments_of(verb) if argument not in ("self", "static")]
        for name, verb in functions.items()
    }


def _arguments_of(function: Any) -> list[str]:
    return list(signature(function).parameters)


def check_starts(subject: Subject) -> str:
    """Checks that matches can be started, and that the same seed gives the same start position.

    All forms of the game are checked: all combinations of players, variant and league.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    game, number = subject.game, 0
    for setup in subject.setups():
        state = game.new_initial_state(setup)
        must(not state.is_terminal(), "the game is over at its start", "look at current_player and State.initial")
        must(state.turn == 1, f"the first turn has the number {state.turn}", "begin with turn 1")
        must(
            state == game.new_initial_state(setup),
            "the same setup gives two different starts",
            "draw everything that is random from setup.seed",
        )
        game.new_initial_state(replace(setup, seed=None))
        number += 1
    return quantity(number, "start")


def check_legal_actions(subject: Subject) -> str:
    """Checks that `accepts` accepts exactly the actions that `legal` lists, and that each changes the position.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    count = 0
    for state in subject.positions():
        random = Random(state.turn)
        if state.is_terminal():
            _check_over(state)
            continue
        must(
            state.game.verbs.turn_number(state.record) == state.turn,
            "the verb turn_number is not State.turn",
            "let both say the same",
        )
        for player in actors(state):
            must(
                player in (CHANCE, *range(state.num_players)),
                f"current_player returns {player}",
                "return a player's number, CHANCE, SIMULTANEOUS or TERMINAL",
            )
            legal = state.legal_actions(player)
            _check_listed(state, player, legal)
            for action in random.sample(legal, min(3, len(legal))):
                _check_played(state, player, action)
            count += 1
    return quantity(count, "position")


def _check_over(state: State) -> None:
    """Raises CheckFailed if an action is accepted after the end of the game. `state`: a position at the end."""
    verbs = state.game.verbs
    for action in (*range(min(verbs.NUM_ACTIONS, 300)), *_BEYOND):
        must(
            not verbs.accepts(state.record, TERMINAL, action, *state.static),
            f"after the end, accepts allows action {action}",
            "let accepts return False if player is TERMINAL, for example by the test player >= 0",
        )


def _check_listed(state: State, player: int, legal: list[int]) -> None:
    who = "chance" if player == CHANCE else f"player {player}"
    must(
        legal,
        f"{who} is to act and has no legal action",
        "let current_player return somebody else or TERMINAL, or let accepts allow an action that means to pass",
    )
    number = state.game.num_distinct_actions
    must(
        legal == sorted(set(legal)) and legal[0] >= 0 and legal[-1] < number,
        f"the legal actions of {who} are not ascending numbers from 0 to {number - 1}",
        "correct the verb legal",
    )
    verbs, random = state.game.verbs, Random(len(legal))
    others = {*random.choices(range(-2, number + 2), k=_TRIED), *_BEYOND, number} - set(legal)
    for action in (*legal[:40], *sorted(others)):
        must(
            bool(verbs.accepts(state.record, player, action, *state.static)) == (action in legal),
            f"accepts and legal disagree about action {action} of {who}",
            "let accepts check the range of the action first: it may be any integer",
        )
    for action in sorted(others):
        before = state.clone()
        try:
            _apply(before, player, action)
        except IllegalAction:
            must(before == state, f"the illegal action {action} has changed the position", "change nothing then")
        else:
            raise CheckFailed(f"the illegal action {action} was played", "let accepts return False for it")


def _check_played(state: State, player: int, action: int) -> None:
    after = state.clone()
    _apply(after, player, action)
    must(after != state, f"action {action} changes nothing in the record", "let play count the turn, at least")
    must(after.turn >= state.turn, f"action {action} makes the turn's number smaller", "let it only grow")


def _apply(state: State, player: int, action: int) -> None:
    """Plays an action; in a simultaneous turn, the other players play their lowest action."""
    if state.current_player() != SIMULTANEOUS:
        state.apply_action(action)
        return
    joint = [state.legal_actions(number)[0] for number in range(state.num_players)]
    joint[player] = action
    state.apply_actions(joint)


def check_ends(subject: Subject) -> str:
    """Checks that random matches end within `Game.max_game_length`, with ranks that agree with the verb `values`.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    game, lengths = subject.game, list[int]()
    for state in subject.starts():
        random, steps = Random(subject.seed_now), 0
        while not state.is_terminal():
            subject.look_at(state)
            must(not np.any(state.returns()), "values are not 0 before the end", "write 0 until the game is over")
            must(state.outcome() is None, "there is an outcome before the end", "return None until the game is over")
            must(
                steps < game.max_game_length,
                f"the game is not over after {steps} actions, its max_game_length",
                "raise max_game_length, or end the game earlier",
            )
            if not random_step(state, random):
                break  # no legal action: `check_legal_actions` reports it
            steps += 1
        else:
            subject.look_at(state)
            _check_result(state)
        lengths.append(steps)
    return f"{min(lengths)} to {max(lengths)} actions; at most {game.max_game_length} are declared"


def _check_result(state: State) -> None:
    out = np.full(state.num_players, 9.0)
    state.game.verbs.values(state.record, out)
    outcome = state.outcome()
    must(outcome is not None, "there is no outcome at the end", "let State.outcome return one")
    assert outcome is not None
    sizes = {len(outcome.ranks), len(outcome.scores)}
    must(sizes == {state.num_players}, "the outcome is not one of all players", "give every player a score and a rank")
    must(outcome.reason, "the outcome has no reason", "say in a few words why the game is over")
    for player, rank in enumerate(outcome.ranks):
        mean = rank + (outcome.ranks.count(rank) - 1) / 2
        wanted = 1 - 2 * (mean - 1) / max(1, state.num_players - 1)
        must(
            abs(out[player] - wanted) < 1e-6,
            f"values gives player {player} {out[player]:g}, but rank {rank} is worth {wanted:g}",
            "write 1 for the best rank, -1 for the worst, and equal steps between, also for every player at a draw",
        )


def check_copies(subject: Subject) -> str:
    """Checks that copies of a position are equal to it, and independent of it.

    Playing on a copy must not change the original, and the same random step must give the same position on each copy.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    advice = "keep all that changes in the record, and nothing in attributes or globals"
    count = 0
    for state in subject.positions():
        copies = [state.clone(), type(state).of_record(state.setup, state.record), pickle.loads(pickle.dumps(state))]
        for copy in copies:
            is_same = copy == state and hash(copy) == hash(state) and copy.position() == state.position()
            must(is_same, "a copy differs from the position", advice)
        if state.is_terminal():
            continue
        before = state.position(), state.array.tobytes()
        for copy in copies:
            random_step(copy, Random(count))
        must((state.position(), state.array.tobytes()) == before, "to play on a copy changes the original", advice)
        must(
            all(copy == copies[0] and copy.position() == copies[0].position() for copy in copies),
            "copies of a position go on differently",
            advice,
        )
        count += 1
    return quantity(count, "position")


def check_observations(subject: Subject) -> str:
    """Checks that `observe` writes all numbers of an observation and no others, and uses no hidden information.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    size, dtype, seen = subject.game.observation.size, subject.game.observation.dtype, set[bytes]()
    for state in subject.positions():
        for player in range(state.num_players):
            written = [_observed(state, player, fill) for fill in (_GUARD, _GUARD - 1)]
            first, second = (array[:size] for array in written)
            must(
                all((array[size:] == fill).all() for array, fill in zip(written, (_GUARD, _GUARD - 1), strict=True)),
                f"observe writes beyond the {size} numbers of Game.observation",
                "compare its loops with the parts of Game.observation; an index that is too large is no error there",
            )
            must(
                first.tobytes() == second.tobytes(),
                f"observe leaves out number {int(np.argmax(first != second))} of {size}",
                "write every number, zeros too",
            )
            must(
                first.tobytes() == state.determinised(7).observation(player).tobytes(),
                f"the observation of player {player} depends on what is hidden from it",
                "observe only what the player may know",
            )
            seen.add(first.tobytes())
    must(len(seen) > 1, "the observation is always the same", "let observe write the position")
    return f"{quantity(size, 'number')} of {np.dtype(dtype).name}, {len(seen)} different observations"


def _observed(state: State, player: int, fill: int) -> Any:
    """Returns an array with a player's observation, followed by _GUARDED numbers that `observe` must not change.

    Before the call of `observe`, all numbers of the array are `fill`. So the caller can find out which ones `observe`
    has written.
    """
    layout = state.game.observation
    out = np.full(layout.size + _GUARDED, fill, layout.dtype)
    state.game.verbs.observe(state.record, player, out[: layout.size])
    return out
