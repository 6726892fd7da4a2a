"""Levels: at most ten a game, of rising strength, with names for people; the documentation shows what was measured."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import lapilli
from lapilli.core.api import Game
from lapilli.core.content.levels import MOST_LEVELS, OPENINGS, USUAL, level_between, level_title, read_strengths
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load, names
from lapilli.match import verify
from lapilli.match.record import parse_record
from lapilli.players.engines.catalogue import is_builtin, make_builtin
from lapilli.players.engines.searches import (
    BEST,
    elo_range,
    engine_name,
    find_search,
    level_names,
    level_of_elo,
    present_engine,
)
from lapilli.viewer.films.film import film
from levels import BEGIN, END, PAGE, page_table, starts_of

LEVELLED = [load(name) for name in names() if load(name).levels]


def test_the_readme_shows_what_was_measured() -> None:
    shown = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert shown.strip() == page_table().strip()


@pytest.mark.parametrize("start", [USUAL, OPENINGS])
def test_every_level_was_measured_and_is_stronger_than_the_one_before(start: str) -> None:
    """From the usual start, as people play, and from balanced openings, if the game has any."""
    for game in LEVELLED:
        known = {one.player: one.elo for one in read_strengths(game.content, start)}
        ladder = [*level_names(game), BEST] if start in starts_of(game) else []
        assert set(ladder) <= set(known)
        elos = [known[name] for name in ladder]
        assert elos == sorted(set(elos)), game.name


def test_levels_are_few_and_evenly_spread() -> None:
    """No step is more than twice as high as the mean of all."""
    for game in LEVELLED:
        assert len(game.levels) <= MOST_LEVELS
        known = {one.player: one.elo for one in game.strengths}
        elos = [known[name] for name in level_names(game)]
        steps = [high - low for low, high in pairwise(elos)]
        assert max(steps) < 2 * sum(steps) / len(steps), game.name


def test_levels_of_a_game_differ_in_numbers_alone() -> None:
    """So every strength between two of them is a level, too."""
    for game in LEVELLED:
        assert len({(level.search, *level.settings) for level in game.levels}) == 1


def test_people_call_levels_by_names() -> None:
    assert [level_title(number, 10) for number in (1, 4, 10)] == ["First steps", "Casual", "Master"]
    for count in range(1, MOST_LEVELS + 1):
        titles = [level_title(number, count) for number in range(1, count + 1)]
        assert len({*titles}) == count
        assert titles[0] == "First steps"
        assert count == 1 or titles[-1] == "Master"


@pytest.mark.parametrize("game", LEVELLED, ids=lambda game: game.name)
def test_there_is_an_opponent_of_any_elo_between_those_of_levels(game: Game) -> None:
    low, high = elo_range(game) or (0, 0)
    for elo, level in ((low, game.levels[0]), (high, game.levels[-1])):
        assert level_of_elo(game, elo) == level_between(level, level, 0)
        assert level_between(level, level, 0.37) == level, "what is equal in two levels stays so between them"
    middle = find_search(game, f"level:{(low + high) // 2}")
    assert middle is not None
    assert middle.budget is not None
    assert game.levels[0].nodes <= middle.budget.most_nodes <= game.levels[-1].nodes
    assert game.levels[0].blunder >= middle.search.settings["blunder"] >= game.levels[-1].blunder
    own = find_search(game, f"level:{low},nodes=7")
    assert own is not None
    assert own.budget is not None
    assert own.budget.nodes == 7
    for wrong in (f"{low - 1}", f"{high + 1}", "nan"):
        with pytest.raises(LapilliError, match=f"from {low} to {high}"):
            is_builtin(game, f"level:{wrong}")
    with pytest.raises(LapilliError, match="as in level:1250"):
        find_search(game, "level:strong")


def test_the_name_of_an_engine_keeps_its_elo_alone() -> None:
    assert engine_name("level:1250,ms=80") == "level:1250"
    assert engine_name("best:ms=80") == "best"
    assert engine_name("level3") == "level3"


def test_matches_with_levels_that_are_gone_are_read_and_go_on() -> None:
    """A record names who played; who wants to play such a level is told which there are."""
    game = LEVELLED[0]
    first, *_, last = level_names(game)
    low, high = elo_range(game) or (0, 0)
    played = lapilli.play_match(game, [first, "random"], seed=3).to_json()
    record = parse_record(played.replace(f'"{first}"'.encode(), b'"level27"'))
    assert record.players[0].engine == "level27"
    assert verify(record) is not None
    assert film(record)["players"][0]["name"] == "level27"
    with pytest.raises(UnknownName, match=f"available: .*{first}"):
        make_builtin(game, "level27", 0, 1)
    assert present_engine(game, "level27") == last
    assert present_engine(game, f"level:{high + 500}") == f"level:{high}"
    for name in (first, "random", BEST, f"level:{low}"):
        assert present_engine(game, name) == name


@pytest.mark.parametrize("row", ["best,usual,strong,1,2,3", "best,usual", '"best'])
def test_a_damaged_table_is_one_line(tmp_path: Path, row: str) -> None:
    (tmp_path / "levels.csv").write_text(f"player,start,elo,low,high,matches\n{row}\n", encoding="utf-8")
    with pytest.raises(LapilliError, match=r"line 2: |unexpected end of data") as caught:
        read_strengths(tmp_path)
    assert "\n" not in str(caught.value)
