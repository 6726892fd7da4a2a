"""Pictures and terminal text: what they say is the position, and what moves keeps its key."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from lapilli.games.api import State, Step
from lapilli.games.pyramids import GAME, PyramidsState
from lapilli.games.pyramids.picture.nests import arrange
from lapilli.games.scene import Scene, Shape


def greedy_game(variant: str, seed: int) -> list[tuple[PyramidsState, Step | None]]:
    """Every position of a game of the greedy player against itself, with the step that led there."""
    state = GAME.new_initial_state(variant=variant, seed=seed)
    random = Random(seed)
    frames: list[tuple[State, Step | None]] = [(state.clone(), None)]
    while not state.is_terminal():
        player, before = state.current_player(), state.clone()
        actions = GAME.engines["greedy"](state.clone(), player, random)
        report = GAME.protocol.play_turn(state, {player: GAME.protocol.format_reply(state, player, actions)})
        assert not report.faults
        frames.append((state.clone(), Step(before, report)))
    return [(state, step) for state, step in frames if isinstance(state, PyramidsState)]


def shapes(scene: Scene, prefix: str) -> dict[str, Shape]:
    return {shape.key: shape for shape in scene.shapes if shape.key.startswith(prefix)}


def foot(shape: Shape) -> str:
    """Where a piece's left corner stands."""
    return dict(shape.attributes)["points"].split()[0]


@pytest.mark.parametrize("variant", GAME.variants)
def test_pieces_and_caps_keep_their_keys(variant: str) -> None:
    frames = greedy_game(variant, 3)
    first = GAME.scene(*frames[0])
    for state, step in frames:
        scene = GAME.scene(state, step)
        keys = [shape.key for shape in scene.shapes]
        assert len(set(keys)) == len(keys)
        for prefix in ("piece-", "letter-", "cap-"):
            assert shapes(scene, prefix).keys() == shapes(first, prefix).keys()
        for key, shape in shapes(scene, "piece-").items():
            assert shape.classes == shapes(first, "piece-")[key].classes, "a piece keeps its colour"
        assert (scene.width, scene.height) == (first.width, first.height)


def test_a_turn_moves_what_it_moved_and_nothing_else() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "B2-A3 A3-B3 B3-B4"})
    old, new = GAME.scene(before, None), GAME.scene(state, Step(before, report))
    then, now = ({key: foot(shape) for key, shape in shapes(scene, "piece-").items()} for scene in (old, new))
    assert [shapes(new, key)[key].title for key in now if now[key] != then[key]] == ["captured by First: large green"]
    then, now = ({key: foot(shape) for key, shape in shapes(scene, "cap-").items()} for scene in (old, new))
    caps = [key for key in now if now[key] != then[key]]
    assert len(caps) == 1
    assert shapes(new, "way-")["way-0"].title == "cap's way: B2 A3 B3 B4"
    assert shapes(new, "eruption")["eruption"].title == "B3 erupts to B5"
    assert [shape.title for shape in shapes(new, "captured-").values()] == ["captured on B5"]
    assert not shapes(old, "eruption")


def test_a_turn_that_has_begun_shows_its_ways() -> None:
    state = GAME.new_initial_state()
    for move in ("B2-A3", "A3-B3"):
        state.apply_action(state.string_to_action(move))
    assert [shape.title for shape in shapes(GAME.scene(state, None), "way-").values()] == ["cap's way: B2 A3 B3"]


def test_a_refused_turn_draws_no_way() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "B2-A3"})
    scene = GAME.scene(state, Step(before, report))
    assert not shapes(scene, "way-")
    assert shapes(scene, "head")["head"].text == "First loses at once (invalid)"
    assert str(state).startswith("First loses at once (invalid)")


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_captures_are_sorted_as_they_count(variant: str) -> None:
    state, step = greedy_game(variant, 5)[-1]
    scene = GAME.scene(state, step)
    text = "\n".join("".join(part for part, _ in line) for line in GAME.text(state, step))
    for player in (0, 1):
        side, points = GAME.sides[player], state.scores()[player]
        total = 0
        for name, worth in (("solid", 7), ("mixed", 5), ("others", 1)):
            said = shapes(scene, f"{name}-{player}")[f"{name}-{player}"].text
            number = 0 if said == f"{name}: none" else int(said.split()[1])
            assert said in (f"{name}: {number} at {worth} = {number * worth}", f"{name}: none")
            assert (f"{name} {number} × {worth} = {number * worth}:" in text) or not number
            total += number * worth
        assert total == points
        assert shapes(scene, "points-")[f"points-{player}"].text == f"{side}: {points} points"
        assert f"{side}: {points} points" in text


def test_nests_use_every_piece_once() -> None:
    random = Random(1)
    for _ in range(300):
        pieces = random.sample(range(1, 109), random.randrange(40))
        nests = arrange(pieces)
        used = [piece for nest in (*nests.solid, *nests.mixed) for piece in nest] + list(nests.others)
        assert Counter(used) == Counter(pieces)


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_terminal_text_shows_every_piece(variant: str) -> None:
    for state, step in greedy_game(variant, 2)[::6]:
        lines = GAME.text(state, step)
        board = [span for line in lines[2:] for span in line if " on " in span[1]]
        shown = Counter((span[0][0], len(span[0])) for span in board)
        pieces = [piece for cell in state.board.cells for piece in state.stack(cell)]
        assert shown == Counter((piece[0], {"S": 1, "M": 3, "L": 5}[piece[1]]) for piece in pieces)
        caps = [span for line in lines for span in line if span[0] == "▲"]
        assert len(caps) == len(state.caps())
        assert max(len("".join(part for part, _ in line)) for line in lines) <= 100
        names = {span[0] for line in lines for span in line if span[1] == "reverse"}
        assert bool(names) == (step is not None)


def test_a_tall_stack_stays_in_its_cell() -> None:
    stacks = ["-"] * 25
    stacks[12] = "RSRMRL" * 5 + "*"
    state = GAME.from_position(f"{'/'.join(stacks)} - - 0 -")
    scene = GAME.scene(state, None)
    cell = shapes(scene, "cell-C3")["cell-C3"]
    rows = [float(pair.split(",")[1]) for pair in dict(cell.attributes)["points"].split()]
    for prefix in ("piece-", "cap-"):
        for shape in shapes(scene, prefix).values():
            for pair in dict(shape.attributes)["points"].split():
                assert min(rows) <= float(pair.split(",")[1]) <= max(rows)


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_moments_lead_to_the_picture_one_thing_at_a_time(variant: str) -> None:
    for state, step in greedy_game(variant, 4)[1:]:
        assert step is not None
        assert GAME.moments is not None
        moves = step.report.actions[1 - state.current_player()].split() if not state.is_terminal() else []
        moments = GAME.moments(state, step)
        assert moments[-1].scene == GAME.scene(state, step)
        feet = [{key: foot(shape) for key, shape in shapes(m.scene, "piece-").items()} for m in moments]
        caps = [{key: foot(shape)[0] for key, shape in shapes(m.scene, "cap-").items()} for m in moments]
        assert all(len(one) == len(feet[0]) for one in feet)
        assert all(len(one) == len(caps[0]) for one in caps)
        if moves:
            assert [m.caption.split()[1] for m in moments[: len(moves) - 1]] == moves[:-1]
            flying = moments[len(moves) - 1 : -1]
            assert [m.mark for m in flying] == ["eruption"] + [""] * (len(flying) - 1)
            assert all(m.caption.split()[1] == f"{moves[-1]}," for m in flying)
            captured = len(shapes(moments[-1].scene, "captured-"))
            assert moments[-1].mark == ("capture" if captured else "")
        order = [shape.key for shape in moments[0].scene.shapes if shape.key.startswith(("piece-", "cap-"))]
        for moment in moments:
            assert [s.key for s in moment.scene.shapes if s.key.startswith(("piece-", "cap-"))] == order


def test_the_moments_of_a_known_turn() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "A1-A2"})
    assert GAME.moments is not None
    moments = GAME.moments(state, Step(before, report))
    assert [(moment.caption, moment.mark) for moment in moments] == [
        ("First: A1-A2, large red lands on A3", "eruption"),
        ("First: A1-A2, medium red lands on A4", ""),
        ("First: A1-A2, small red lands on A5", ""),
        ("First captures 1 piece", "capture"),
    ]
    assert [len(shapes(moment.scene, "captured-")) for moment in moments] == [0, 0, 0, 1]


def test_a_refused_turn_is_one_moment() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "rubbish"})
    assert GAME.moments is not None
    assert [moment.caption for moment in GAME.moments(state, Step(before, report))] == ["First loses at once (invalid)"]


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_the_points_fit_their_box(variant: str) -> None:
    """A bold font as wide as DejaVu Sans takes 0.61 of its size a sign; no game has more than 252 points."""
    scene = GAME.scene(GAME.new_initial_state(variant=variant), None)
    for player in (0, 1):
        box = {name: float(value) for name, value in shapes(scene, "banner-")[f"banner-{player}"].attributes}
        words = shapes(scene, "points-")[f"points-{player}"]
        left = float(dict(words.attributes)["x"])
        longest = len(words.text.replace("0", "252"))
        assert box["x"] + 18 <= left
        assert left + 0.61 * 15 * longest <= box["x"] + box["width"] - 8
        assert box["x"] + box["width"] <= scene.width
    assert "pyramids-points { font: bold 15px" in scene.style
