"""Built-in opponents inside a batch play as they play in a match, in every game."""

from __future__ import annotations

import pickle
from random import Random

import numpy as np
import pytest

from conformance.walks import GAMES
from lapilli.core.api import CHANCE, SIMULTANEOUS, Game, State
from lapilli.core.errors import IllegalAction, LapilliError, UnknownName
from lapilli.core.search.turn_kernel import KernelEngine
from lapilli.envs.arrays import takes_all
from lapilli.envs.batch import batch
from lapilli.envs.opponents.learner_batch import LearnerBatch
from lapilli.games import load, names
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.player import Question

SEED = 5
PAIRS = [
    pytest.param(game, name, id=f"{game.name} {name}")
    for game in map(load, names())
    for name in (
        "random",
        *(name for name, engine in game.engines.items() if isinstance(engine, KernelEngine)),
        *(f"level{number}" for number in {1, 4, len(game.levels)} if game.levels),
    )
]


def made(game: Game, n: int, others: str | list[str], **keys: object) -> LearnerBatch:
    games = batch(game, n, others=others, starts=[game.new_initial_state(seed=SEED)], lots="kept", **keys)  # type: ignore[arg-type]
    assert isinstance(games, LearnerBatch)
    return games


@pytest.mark.parametrize(("game", "name"), [pair for pair in PAIRS if "random" not in str(pair.id)])
def test_an_opponent_plays_as_in_a_match(game: Game, name: str) -> None:
    """The same seed and the same actions of the learner: the same match, turn by turn."""
    games = made(game, 3, name, seed=[SEED, SEED + 1, SEED + 2], player=[0, 1, 0], autoreset=False)
    for number in range(2):
        learner, random = int(games.learners[number]), Random(number)
        state = games.starts[0].clone()
        opponents = [make_builtin(game, name, player, SEED + number) for player in range(state.num_players)]
        for _ in range(12):
            until_asked(state, learner, opponents)
            if state.is_terminal() or games.terminated[number]:
                break
            assert games.state(number).turn == state.turn
            play(state, learner, learners_turn(games, number, random), opponents)
        until_asked(state, learner, opponents)
        assert games.state(number).position() == state.position()


def learners_turn(games: LearnerBatch, number: int, random: Random) -> list[int]:
    """Plays random actions until the learner's turn is over in this environment; returns them."""
    turn, actions = games.state(number).turn, list[int]()
    while not games.terminated[number] and games.state(number).turn == turn:
        action = random.choice(games.state(number).legal_actions(int(games.learners[number])))
        actions.append(action)
        joint = np.full(games.num_envs, -1)
        joint[number] = action
        games.step(joint)
        assert games.refused[number] == -1
    return actions


def until_asked(state: State, learner: int, opponents: list) -> None:  # type: ignore[type-arg]
    """Plays on until the learner has a choice."""
    rest(state)
    while not state.is_terminal():
        joint = state.current_player() == SIMULTANEOUS
        only_nothing = joint and len(state.legal_actions(learner)) == 1
        if learner in state.asked() and not only_nothing:
            return
        play(state, learner, state.legal_actions(learner) if only_nothing else [], opponents)


def rest(state: State) -> None:
    while state.current_player() == CHANCE:
        (only,) = state.legal_actions()
        state.apply_action(only)


def play(state: State, learner: int, actions: list[int], opponents: list) -> None:  # type: ignore[type-arg]
    """Plays a turn by the protocol: the learner's actions, and the opponents' replies."""
    protocol, replies = state.game.protocol, {}
    for player in state.asked():
        if player == learner:
            replies[player] = protocol.format_reply(state, player, actions)
        else:
            question = Question(protocol, state, player, state.turn, False, ReplyLimits(1000.0))
            replies[player] = opponents[player].answer(question).reply
    assert not protocol.play_turn(state, replies).faults
    rest(state)


@pytest.mark.parametrize("game", GAMES)
def test_the_arrays_are_the_learners(game: Game) -> None:
    games = made(game, 40, "random", seed=3, threads=2)
    assert set(games.learners.tolist()) == set(range(games.num_players))
    ended = 0
    for _ in range(min(600, 3 * game.max_game_length)):
        actions, before = games.sample().copy(), games.learners.copy()
        games.step(actions)
        assert (games.refused == -1).all()
        for number in np.flatnonzero(games.terminated).tolist():
            ended += 1
            assert games.learner_rewards[number] == games.rewards[number, before[number]]
        assert not games.learner_rewards[~games.terminated].any()
        if ended > 3:
            break
    assert ended > 3
    for number in range(40):
        state, learner = games.state(number), int(games.learners[number])
        legal = state.legal_actions(learner)
        assert legal
        assert games.legal_counts[number] == len(legal)
        told = games.legal[number]
        assert (np.flatnonzero(told) if told.dtype == np.bool_ else told[: len(legal)]).tolist() == legal
        assert games.observations[number].tolist() == state.observation(learner).tolist()
    assert games.seats == 1
    with pytest.raises(IllegalAction, match=rf"actions\[0\]: .* of player {games.learners[0]} now"):
        games.step(np.full(40, game.num_distinct_actions - 1 if takes_all(game) else 10**6), strict=True)


@pytest.mark.parametrize("game", GAMES)
def test_threads_copies_and_saved_games_go_on_alike(game: Game) -> None:
    """Two opponents in one batch; the games depend neither on threads nor on the place where they go on."""
    others = ["random", next(iter(kernels(game)), "random")] * 20
    games, alone = (made(game, 40, others, seed=9, threads=threads) for threads in (3, 1))
    for _ in range(12):
        drawn = games.sample().copy()
        assert alone.sample().tolist() == drawn.tolist()
        for one in (games, alone):
            one.step(drawn)
    for copied in (alone, pickle.loads(pickle.dumps(games))):
        assert copied.states.tobytes() == games.states.tobytes()
        assert copied.learners.tolist() == games.learners.tolist()
        copied.play_random(8)
    games.play_random(8)
    assert copied.states.tobytes() == games.states.tobytes() == alone.states.tobytes()


def kernels(game: Game) -> list[str]:
    return [name for name, engine in game.engines.items() if isinstance(engine, KernelEngine)]


@pytest.mark.parametrize("game", GAMES)
def test_what_cannot_play_in_a_batch_is_refused(game: Game) -> None:
    with pytest.raises(UnknownName):
        made(game, 2, "nobody")
    with pytest.raises(LapilliError, match="others: expected a name for each of 2 environments"):
        made(game, 2, ["random"])
    with pytest.raises(LapilliError, match=r"player\[0\]: no player 7: players are 0 to"):
        made(game, 2, "random", player=7)
    with pytest.raises(LapilliError, match="player: without others"):
        batch(game, 2, player=0)
    with pytest.raises(LapilliError, match="steps: expected a whole number"):
        made(game, 2, "random").play_random(-1)
    if game.searches:
        with pytest.raises(
            LapilliError, match="'best' is limited by time, but a batch limits no time: take random"
        ) as refused:
            made(game, 2, "best")
        assert made(game, 2, str(refused.value).rpartition(" such as ")[2]).num_envs == 2, "the advice is good"
