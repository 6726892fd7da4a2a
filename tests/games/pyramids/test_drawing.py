"""Pictures and terminal text: what they say is the position, and what moves keeps its key."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

from games.pyramids.recorded import positions
from lapilli.core.api import State, Step
from lapilli.core.picture.scene import LAYERS, Scene, Shape
from lapilli.games.pyramids import GAME, PyramidsState
from lapilli.games.pyramids.board import BOARDS, CELLS, Board
from lapilli.games.pyramids.picture.nests import arrange
from lapilli.games.pyramids.picture.places import middle, outline
from lapilli.games.pyramids.state.layout import pile


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
    return {shape.key: shape for shape in scene.in_order() if shape.key.startswith(prefix)}


def foot(shape: Shape) -> tuple[str, ...]:
    """Where the middle of a piece's foot stands: on the board or on which tray, and where there."""
    place = "board" if shape.place in LAYERS else shape.place
    return place, dict(shape.attributes)["x"], dict(shape.attributes)["y"]


def corners(shape: Shape) -> list[tuple[float, float]]:
    """Where a piece's outline is drawn."""
    at = {name: float(value) for name, value in shape.attributes}
    scale = at.get("scale", 1.0)
    pairs = [pair.split(",") for pair in dict(shape.parts[0].attributes)["points"].split()]
    return [(at["x"] + scale * float(x), at["y"] + scale * float(y)) for x, y in pairs]


def headline(scene: Scene) -> str:
    assert scene.panels is not None
    return scene.panels.headline


@pytest.mark.parametrize("variant", GAME.variants)
def test_pieces_and_caps_keep_their_keys(variant: str) -> None:
    frames = greedy_game(variant, 3)
    first = GAME.scene(*frames[0])
    for state, step in frames:
        scene = GAME.scene(state, step)
        keys = [shape.key for shape in scene.in_order()]
        assert len(set(keys)) == len(keys)
        for prefix in ("piece-", "cap-", "cell-"):
            assert shapes(scene, prefix).keys() == shapes(first, prefix).keys()
        for key, shape in shapes(scene, "piece-").items():
            like = shapes(first, "piece-")[key]
            assert shape.parts[0].classes == like.parts[0].classes, "a piece keeps its colour"
            assert len(shape.parts) == len(like.parts), "and its size"
        assert (scene.width, scene.height) == (first.width, first.height)


def test_a_turn_moves_what_it_moved_and_nothing_else() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "B2-A3 A3-B3 B3-B4"})
    old, new = GAME.scene(before, None), GAME.scene(state, Step(before, report))
    then, now = ({key: foot(shape) for key, shape in shapes(scene, "piece-").items()} for scene in (old, new))
    assert [shapes(new, key)[key].title for key in now if now[key] != then[key]] == ["large green, captured by First"]
    then, now = ({key: foot(shape) for key, shape in shapes(scene, "cap-").items()} for scene in (old, new))
    caps = [key for key in now if now[key] != then[key]]
    assert len(caps) == 1
    assert shapes(new, "way-")["way-0"].title == "cap's way: B2 A3 B3 B4"
    assert shapes(new, "trace")["trace"].title == "B3 erupts to B5"
    assert [shape.title for shape in shapes(new, "captured-").values()] == ["captured on B5"]
    assert not shapes(old, "trace")


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
    assert headline(scene) == "First lost at once (invalid)"
    assert str(state).startswith("First lost at once (invalid)")


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_captures_are_sorted_as_they_count(variant: str) -> None:
    state, step = greedy_game(variant, 5)[-1]
    scene = GAME.scene(state, step)
    text = "\n".join("".join(part for part, _ in line) for line in GAME.text(state, step))
    for player in (0, 1):
        side, points = GAME.sides[player], state.scores()[player]
        total = 0
        for name, worth in (("solid", 7), ("mixed", 5), ("others", 1)):
            if f"{name}-{player}" not in scene.supplies:
                assert f"{name} " not in text.split(f"{side}: ")[1].split("\n\n")[0]
                continue
            said = scene.supplies[f"{name}-{player}"].title
            number = int(said.split(": ")[1].split()[0])
            assert said.endswith(f": {number} × {worth} = {number * worth}")
            assert f"{name} {number} × {worth} = {number * worth}:" in text
            lying = [shape for shape in shapes(scene, "piece-").values() if shape.place == f"{name}-{player}"]
            assert len(lying) == number * (1 if name == "others" else 3)
            total += number * worth
        assert total == points
        assert f"{side}: {points} points" in text


@pytest.mark.parametrize("variant", ["square", "hex-random"])
def test_every_picture_says_what_it_shows(variant: str) -> None:
    """In every moment a plate's points are those of the pieces on its trays, and so is the chart's value."""
    for state, step in greedy_game(variant, 6)[1:]:
        assert step is not None
        for moment in GAME.pictures(state, step):
            scene = moment.scene
            assert scene.panels is not None
            lying = Counter(shape.place for shape in shapes(scene, "piece-").values())
            worth = {"solid": 7 / 3, "mixed": 5 / 3, "others": 1}
            for player, plate in enumerate(scene.panels.plates):
                trays = [name for name in scene.supplies if name.endswith(f"-{player}")]
                assert [*plate.supplies] == trays
                assert plate.score == round(sum(worth.get(name[:-2], 0) * lying[name] for name in trays))
            told = tuple(plate.score for plate in scene.panels.plates)
            assert moment.gauge in ((), told)
        assert told == state.scores()


def test_plates_say_which_colours_are_lacking() -> None:
    stacks = "/".join(["-"] * 24 + ["RSRM*"])
    facts = []
    for captures in ("-", "YSRS", "YSRSGMBM"):
        scene = GAME.picture(GAME.from_position(f"{stacks} {captures} - 0 - 1"), None)
        assert scene.panels is not None
        facts.append([fact.text for fact in scene.panels.plates[0].facts])
    assert facts == [
        ["to move", "lacks all 5 colours"],
        ["to move", "lacks green, blue, purple"],
        ["to move", "lacks only purple to end the game"],
    ]


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_a_plate_shows_each_colour_that_a_player_has_and_each_that_is_lacking(variant: str) -> None:
    for state, step in greedy_game(variant, 5)[::3]:
        scene = GAME.scene(state, step)
        for player in (0, 1):
            has = {state.board.piece_names[piece][0] for piece in pile(state.record, CELLS + player)}
            drawn = {key[-1]: shape for key, shape in shapes(scene, f"colour-{player}-").items()}
            assert set(drawn) == set(state.board.colours)
            hollow = {colour for colour, shape in drawn.items() if "pyramids-hollow" in shape.parts[0].classes}
            assert hollow == set(drawn) - has
            assert {colour for colour, shape in drawn.items() if "has" in shape.title.split()} == has
            title = scene.supplies[f"colours-{player}"].title
            assert title == (f"{len(hollow)} to go" if hollow else "all colours")


def test_the_headline_says_whose_turn_it_is_and_who_leads() -> None:
    state = GAME.new_initial_state()
    said = [headline(GAME.picture(state, None))]
    for reply in ("B2-A3 A3-B3 B3-B4", "A1-A2"):
        GAME.protocol.play_turn(state, {state.current_player(): reply})
        said.append(headline(GAME.picture(state, None)))
    state.apply_action(state.legal_actions()[0])
    said.append(headline(GAME.picture(state, None)))
    assert said == [
        "First to move; both have 0 points",
        "Second to move; First leads by 1 to 0",
        "First to move; both have 1 point",
        "First goes on, until a stack erupts; both have 1 point",
    ]


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
            assert all(min(rows) <= y <= max(rows) for _, y in corners(shape))


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_captures_lie_within_their_trays(variant: str) -> None:
    """A player may have captured all that there is: then the trays have several rows."""
    start = GAME.new_initial_state(variant=variant)
    assert isinstance(start, PyramidsState)
    everything = "".join(piece for stack in start.stacks() for piece in stack)
    empty = "/".join(["-"] * len(start.board.cells))
    for captures in (everything, "RL" * 5 + "BL" * 5):
        scene = GAME.scene(GAME.from_position(f"{empty} {captures} - 1 - 1", variant=variant), None)
        lying = [shape for shape in shapes(scene, "piece-").values() if shape.place in scene.supplies]
        assert len(lying) == len(captures) // 2
        for shape in lying:
            tray = scene.supplies[shape.place]
            assert all(3 <= x <= tray.width - 3 and 3 <= y <= tray.height - 3 for x, y in corners(shape))


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_moments_lead_to_the_picture_one_thing_at_a_time(variant: str) -> None:
    for state, step in greedy_game(variant, 4)[1:]:
        assert step is not None
        assert GAME.moments is not None
        moves = step.report.actions[1 - state.current_player()].split() if not state.is_terminal() else []
        moments = GAME.moments(state, step)
        assert moments[-1].scene == GAME.scene(state, step)
        feet = [{key: foot(shape) for key, shape in shapes(m.scene, "piece-").items()} for m in moments]
        caps = [{key: foot(shape) for key, shape in shapes(m.scene, "cap-").items()} for m in moments]
        assert all(len(one) == len(feet[0]) for one in feet)
        assert all(len(one) == len(caps[0]) for one in caps)
        if moves:
            said = [move.replace("-", " to ") for move in moves]
            assert [m.caption.split("cap from ")[1] for m in moments[: len(moves) - 1]] == said[:-1]
            flying = moments[len(moves) - 1 : -1]
            assert [m.mark for m in flying] == ["eruption"] + [""] * (len(flying) - 1)
            assert all(f" erupts {moves[-1].split('-')[0]}: " in m.caption for m in flying)
            over = [[key for key, one in shapes(m.scene, "piece-").items() if one.place == "overlay"] for m in moments]
            assert [len(those) for those in over] == [0] * (len(moves) - 1) + [1] * len(flying) + [0]
            assert all(shapes(m.scene, "eruption")["eruption"].place == "overlay" for m in flying)
            assert shapes(moments[-1].scene, "trace")["trace"].place == "marks"
            captured = len(shapes(moments[-1].scene, "captured-"))
            assert moments[-1].mark == ("capture" if captured else "")
            assert all(m.weight == 0.6 for m in moments[: len(moves) - 1])
            assert flying[0].weight >= 1.2
        for moment in moments:
            lying = [key for key, one in shapes(moment.scene, "").items() if one.tag == "g" and one.place == "pieces"]
            in_line = sorted(lying, key=lambda key: (key.startswith("cap-"), int(key.split("-")[1])))
            assert lying == in_line, "what stands keeps its place in line"


def test_the_moments_of_a_known_turn() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "A1-A2"})
    assert GAME.moments is not None
    moments = GAME.moments(state, Step(before, report))
    assert [(moment.caption, moment.mark) for moment in moments] == [
        ("First erupts A1: large red lands on A3", "eruption"),
        ("First erupts A1: medium red lands on A4", ""),
        ("First erupts A1: small red lands on A5", ""),
        ("First captures 1 piece", "capture"),
    ]
    assert [len(shapes(moment.scene, "captured-")) for moment in moments] == [0, 0, 0, 1]


def test_a_refused_turn_is_one_moment() -> None:
    state = GAME.new_initial_state()
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: "rubbish"})
    assert GAME.moments is not None
    assert [moment.caption for moment in GAME.moments(state, Step(before, report))] == ["First lost at once (invalid)"]


_LONE = "RS*" + "/-" * 24 + " - - 0 - 1"


@pytest.mark.parametrize(
    ("position", "reply", "told"),
    [
        (None, "A1-A2", "erupts A1 towards A5: 3 pieces land, 1 captured"),
        (None, "B2-A3 A3-B3 B3-B4", "moves a cap from B2 to B3, erupts B3 towards B5: 1 piece lands, 1 captured"),
        (
            None,
            "B2-A3 C3-B3 B3-B4",
            "moves caps from B2 to A3 and C3 to B3, erupts B3 towards B5: 1 piece lands, 1 captured",
        ),
        (_LONE, "A1-A2", "erupts A1 towards A3: 1 piece lands, none captured"),
        (None, "rubbish", "rubbish"),
        (None, "B2-A3", "B2-A3"),
    ],
)
def test_what_a_player_did_is_told(position: str | None, reply: str, told: str) -> None:
    state = GAME.new_initial_state(position=position)
    before = state.clone()
    report = GAME.protocol.play_turn(state, {0: reply})
    assert GAME.tell(Step(before, report), 0) == told


def test_a_choice_is_two_cells_and_says_if_it_ends_the_turn() -> None:
    looked = erupting = 0
    for number, state in enumerate(islice(positions(), 0, 6000, 61)):
        if not state.asked():
            continue
        found = GAME.choices(state, state.asked()[0])
        for choice in found:
            assert "-".join(key.removeprefix("cell-") for key in choice.way) == state.action_to_string(choice.action)
        tried = found[number % len(found)]
        after = state.clone()
        after.apply_action(tried.action)
        assert ("erupts" in tried.label) == (after.turn > state.turn)
        looked, erupting = looked + 1, erupting + ("erupts" in tried.label)
    assert looked > 80
    assert erupting


@pytest.mark.parametrize("board", BOARDS, ids=[board.name for board in BOARDS])
def test_a_cell_lies_round_its_middle(board: Board) -> None:
    """Each corner has one opposite."""
    for cell in range(len(board.cells)):
        x, y = middle(board, cell)
        corners = {(round(a - x, 6), round(b - y, 6)) for a, b in outline(board, cell)}
        assert corners == {(-a, -b) for a, b in corners}
        assert len(corners) == len(outline(board, cell))
