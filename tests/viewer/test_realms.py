"""Boards of which each player has a part, in a real Chromium: how large each part is, and that nothing is cut."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from playwright.sync_api import Page

from lapilli.core.picture.panels import Fact, Panels, Plate
from lapilli.core.picture.scene import Realm, Scene
from viewer.boards import PHONE, Boards, film_of, key, rect, told
from viewer.pages import until

WINDOWS: dict[str, dict[str, Any]] = {
    "desktop": {"size": (1040, 720)},
    "phone": PHONE,
    "landscape": PHONE | {"size": (676, 380)},
}
STYLE = ".lands-square { fill: var(--paper); stroke: var(--line); }"
NAMES = ["Ada, Countess of Lovelace", "Grace Brewster Murray Hopper", "Barbara", "Katherine"]


def lands(players: int, columns: int = 9, grown: int = -1) -> Scene:
    """A position: each player has 9 × 9 squares of a land; of the one that has grown, fewer columns are left."""
    drawn = Scene(800, 800, "Lands", STYLE)
    for player in range(players):
        wide = columns if player == grown else 9
        realm = Realm(player, (360 - 40 * wide, 0, 40 * wide, 360), 0, 0, 1)
        with drawn.realm(f"land-{player}", realm):
            for x, y in product(range(9 - wide, 9), range(9)):
                square = f"square-{player}-{x}-{y}"
                drawn.rect(square, 40 * x, 40 * y, 40, 40, "lands-square", f"{x}, {y}")
                drawn.anchors[square] = 40 * x + 20, 40 * y + 20
    with drawn.supply("row", 416, 90, "Tiles"):
        drawn.rect("tile", 20, 20, 80, 40, "lands-square", "a tile")
    facts = (Fact("to move", kind="to-move"), Fact("lake 4 × 3 = 12", "its best zone: 4 squares × 3 crowns"))
    drawn.panels = Panels(
        "Round 3 of 7", tuple(Plate(100 + player, "points", facts) for player in range(players)), ("row",)
    )
    return drawn


def opened(boards: Boards, players: int, own: int | None, window: str, *more: Scene) -> Page:
    page = boards(film_of([lands(players), *more], NAMES[:players]), **WINDOWS[window])
    page.evaluate(f"board.own = {'undefined' if own is None else own}")
    return page


def size_of_square(page: Page, player: int) -> float:
    return rect(key(page, f"square-{player}-8-0"))[2]


def is_chip(page: Page, player: int) -> bool:
    """Whether the realm of a player is small, and a tap opens it."""
    return page.locator(f".plate.of-{player}.chipped").count() == 1


def is_whole(page: Page, text: str) -> bool:
    """Whether an element is where one sees all of it."""
    return bool(
        page.evaluate(
            """(selector) => {
        const node = board.shadowRoot.querySelector(selector);
        const {left, top, right, bottom} = node.getBoundingClientRect();
        const plate = node.closest('.plate').getBoundingClientRect();
        const seen = board.shadowRoot.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return left >= plate.left && right <= plate.right && top >= plate.top && bottom <= plate.bottom
            && plate.left >= 0 && plate.right <= innerWidth && plate.bottom <= innerHeight
            && (node.contains(seen) || seen.matches('.opens'));
    }""",
            text,
        )
    )


def test_a_small_board_shows_the_first_part_alone(boards: Boards) -> None:
    page = opened(boards, 2, None, "desktop")
    wide = size_of_square(page, 0)
    assert rect(key(page, "tile"))[2] > 0
    page.evaluate("board.style.setProperty('--small', '1'), board.arrange()")
    assert size_of_square(page, 0) > 1.2 * wide
    assert page.locator("[data-key=square-1-8-0]").count() == 0
    assert not page.locator("[data-key=tile]").is_visible()


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_score_is_whole_at_its_realm_and_ones_own_comes_first(boards: Boards, players: int, window: str) -> None:
    """With clocks, too."""
    page = opened(boards, players, 1, window)
    page.evaluate(
        f"board.append(...[...Array({players}).keys()].map((n) => Object.assign(document.createElement('span'), "
        "{slot: `player-${n}`, textContent: '12:34'})))"
    )
    realms = [rect(key(page, f"square-{player}-0-0")) for player in range(players)]
    for player in range(players):
        assert is_whole(page, f".plate.of-{player} .score .number"), player
        left, top, width, height = rect(page.locator(f".plate.of-{player}"))
        x, y, side, _ = realms[player]
        if is_chip(page, player):
            assert top <= y <= top + height, "the realm lies in its plate"
        else:
            assert y - 1.5 * side <= top + height <= y + 1, "the plate stands over its realm"
        assert left - 1 <= x <= left + width
        if player != 1:
            other, below, _, _ = realms[1]
            assert other < x or below < y, "one's own comes first"
            assert size_of_square(page, 1) >= size_of_square(page, player) - 0.01
    if window == "phone" or (window == "desktop" and players > 2):
        assert size_of_square(page, 1) > 1.2 * size_of_square(page, 0)


FACTS = ("tile 24: up to +12", "+12 = 3 × 3 + 1 × 3", "corn field 13 × 5 = 65", "12 squares, 4 crowns")


def told_of(players: int, facts: tuple[str, ...]) -> Scene:
    """The position in which player 0 is to move, with these facts about each player."""
    drawn = lands(players)
    assert drawn.panels is not None
    moving = (Fact("to move", kind="to-move"),)
    plates = (Plate(34, "points", (*moving[player:], *map(Fact, facts))) for player in range(players))
    drawn.panels = replace(drawn.panels, plates=tuple(plates))
    return drawn


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("own", [None, 0])
@pytest.mark.parametrize("has_clocks", [False, True])
def test_every_fact_is_whole(boards: Boards, players: int, own: int | None, window: str, has_clocks: bool) -> None:
    """Facts that come later, too. On a phone a plate has one line: a fact without room there is not shown at all."""
    page = opened(boards, players, own, window, told_of(players, FACTS))
    if has_clocks:
        page.evaluate(
            f"board.append(...[...Array({players}).keys()].map((n) => Object.assign(document.createElement('span'), "
            "{slot: `player-${n}`, textContent: '12:34'})))"
        )
    page.evaluate("board.show(board.pictures.seek(1))")
    for player in range(players):
        facts = shown_facts(page, player)
        assert len(facts) == len(FACTS) + (player == 0) or window == "phone"
        place = rect(page.locator(f".plate.of-{player} .facts")) if facts else (0.0, 0.0, 0.0, 0.0)
        for left, top, width, height in facts:
            assert place[0] - 1 <= left, (player, facts)
            assert left + width <= place[0] + place[2] + 1, (player, facts)
            assert place[1] - 1 <= top, (player, facts)
            assert top + height <= place[1] + place[3] + 1, (player, facts)
        cut = (
            "(facts) => facts.filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)"
            ".filter((one) => one.offsetTop < one.parentNode.offsetTop + one.parentNode.offsetHeight - 1)"
            ".map((one) => one.textContent)"
        )
        assert page.locator(f".plate.of-{player} .fact").evaluate_all(cut) == []
    boxes = [rect(one) for one in page.locator(".plate:not(.chipped), .realm:not(.chipped) .layer").all()]
    boxes += [rect(one) for one in page.locator(".plate.chipped").all()]
    for (x, y, wide, high), (left, top, width, height) in combinations(boxes, 2):
        apart = x + wide <= left + 1 or left + width <= x + 1 or y + high <= top + 1 or top + height <= y + 1
        assert apart, boxes
    right, bottom = WINDOWS[window]["size"]
    assert all(x >= 0 and y >= 0 and x + wide <= right and y + high <= bottom for x, y, wide, high in boxes)


def shown_facts(page: Page, player: int) -> list[tuple[float, float, float, float]]:
    """Boxes of the facts that can be seen. In a plate of one line, a fact without room is below that line."""
    found = page.locator(f".plate.of-{player} .fact:visible").all()
    boxes = [rect(one) for one in found]
    if not boxes or not page.locator(".frame[data-narrow=true]").count():
        return boxes
    _, top, _, height = rect(page.locator(f".plate.of-{player} .facts"))
    return [box for box in boxes if box[1] < top + height - 1]


def facts_are_whole(page: Page, player: int) -> bool:
    facts = shown_facts(page, player)
    place = rect(page.locator(f".plate.of-{player} .facts"))
    return bool(facts) and all(
        place[0] - 1 <= left
        and left + width <= place[0] + place[2] + 1
        and place[1] - 1 <= top
        and top + height <= place[1] + place[3] + 1
        for left, top, width, height in facts
    )


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("before", [("tile 24: up to +12", *FACTS[2:]), ("tile 24: up to +12", FACTS[3])])
def test_facts_that_grow_under_the_hand_are_whole(
    boards: Boards, players: int, window: str, before: tuple[str, ...]
) -> None:
    """They are smaller until the turn ends, because the plate keeps its size."""
    page = opened(boards, players, 0, window, told_of(players, before), told_of(players, FACTS[1:]))
    page.evaluate("board.show(board.pictures.seek(1))")
    plate = rect(page.locator(".plate.of-0"))
    page.evaluate("board.show(board.pictures.seek(2), {holds: true})")
    assert rect(page.locator(".plate.of-0")) == plate
    assert facts_are_whole(page, 0)
    size = "(facts) => parseFloat(getComputedStyle(facts).fontSize)"
    assert page.locator(".plate.of-0 .facts").evaluate(size) >= 9
    page.evaluate("board.show(board.pictures.seek(2))")
    assert page.locator(".plate.of-0 .facts").evaluate(size) == 13
    assert facts_are_whole(page, 0)


def test_new_facts_move_nothing_under_the_hand(boards: Boards) -> None:
    page = opened(boards, 2, 0, "landscape", told_of(2, FACTS))
    before = rect(key(page, "square-0-8-0"))
    page.evaluate("board.show(board.pictures.seek(1), {holds: true})")
    assert rect(key(page, "square-0-8-0")) == pytest.approx(before, abs=0.1)
    page.evaluate("board.show(board.pictures.seek(1))")
    assert rect(key(page, "square-0-8-0"))[1] > before[1]


@pytest.mark.parametrize("window", ["desktop", "phone"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("own", [None, 0])
def test_realms_fill_their_window(boards: Boards, players: int, own: int | None, window: str) -> None:
    page = opened(boards, players, own, window)
    if own is None:
        assert len({round(size_of_square(page, player), 2) for player in range(players)}) == 1
    boxes = [rect(one) for one in page.locator(".plate, .realm .layer, .strip").all()]
    width, height = WINDOWS[window]["size"]
    assert all(x >= 0 and y >= 0 and x + wide <= width and y + high <= height for x, y, wide, high in boxes)
    right, bottom = max(x + wide for x, _, wide, _ in boxes), max(y + high for _, y, _, high in boxes)
    left, top = min(x for x, _, _, _ in boxes), min(y for _, y, _, _ in boxes)
    assert (right - left) * (bottom - top) >= 0.55 * width * height
    assert sum(wide * high for _, _, wide, high in boxes) >= 0.55 * (right - left) * (bottom - top)


def test_a_realm_grows_but_never_under_the_hand(boards: Boards) -> None:
    page = opened(boards, 2, 0, "phone", lands(2, 5, grown=0))
    before = rect(key(page, "square-0-8-0"))
    page.evaluate("board.show(board.pictures.seek(1), {holds: true})")
    assert rect(key(page, "square-0-8-0")) == pytest.approx(before, abs=0.1)
    stage = rect(page.locator(".stage"))
    page.evaluate("board.show(board.pictures.seek(1))")
    assert size_of_square(page, 0) > before[2]
    assert rect(page.locator(".stage")) == stage


def test_marks_lie_where_their_places_are(boards: Boards) -> None:
    page = opened(boards, 3, 2, "desktop")
    page.evaluate("board.dots = [['square-0-3-3', 'best']]; board.arrows = [['square-1-0-0', 'square-1-0-5', 'last']]")
    x, y, side, _ = rect(key(page, "square-0-3-3"))
    left, top, width, height = rect(page.locator(".dot"))
    assert (left + width / 2, top + height / 2) == pytest.approx((x + side / 2, y + side / 2), abs=1.5)
    x, y, side, _ = rect(key(page, "square-1-0-5"))
    left, top, width, height = rect(page.locator(".arrow"))
    assert left <= x + side / 2 <= left + width
    assert top + height == pytest.approx(y + side / 2, abs=4)
    page.mouse.click(x + side / 2, y + side / 2)
    page.mouse.move(x + side / 2 + 1, y + side / 2)
    until(page, "board.shadowRoot.querySelector('.outline.pointed')")
    assert rect(page.locator(".outline.pointed"))[:2] == pytest.approx((x, y), abs=3)
    assert {"key": "square-1-0-5"} in told(page, "point")


def test_who_looks_on_may_exchange_the_realms(boards: Boards) -> None:
    page = opened(boards, 2, None, "desktop")
    before: Any = [rect(key(page, f"square-{player}-0-0")) for player in (0, 1)]
    page.evaluate("board.flipped = true")
    assert [rect(key(page, f"square-{player}-0-0")) for player in (1, 0)] == before


@pytest.mark.parametrize("players", [2, 4])
def test_on_a_phone_a_tap_opens_another_players_realm(boards: Boards, players: int) -> None:
    page = opened(boards, players, 1, "phone")
    large, small = size_of_square(page, 1), size_of_square(page, 0)
    assert is_chip(page, 0)
    assert not is_chip(page, 1)
    opener = page.get_by_role("button", name=f"Show {NAMES[0]}'s part")
    assert min(rect(opener)[2:]) >= 44
    opener.tap()
    assert size_of_square(page, 0) == pytest.approx(large, rel=0.05)
    assert is_chip(page, 1)
    assert size_of_square(page, 1) == pytest.approx(small, rel=0.05)
    page.get_by_role("button", name=f"Show {NAMES[1]}'s part").tap()
    assert size_of_square(page, 1) == pytest.approx(large)


def test_ones_own_realm_comes_back_with_ones_turn(boards: Boards) -> None:
    page = opened(boards, 2, 1, "phone")
    page.get_by_role("button", name=f"Show {NAMES[0]}'s part").tap()
    assert is_chip(page, 1)
    page.evaluate("board.choices = [['1', ['square-1-0-0'], 'here']]")
    assert is_chip(page, 0)
    assert not is_chip(page, 1)
