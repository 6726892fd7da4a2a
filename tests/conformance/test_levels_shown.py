"""The documentation's table of levels is the one that was measured."""

from __future__ import annotations

from lapilli.games import load, names
from lapilli.players.engines.searches import BEST, level_names
from levels import BEGIN, END, PAGE, page_table


def test_the_readme_shows_what_was_measured() -> None:
    shown = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert shown.strip() == page_table().strip()


def test_every_level_was_measured_and_is_stronger_than_the_one_before() -> None:
    for game in map(load, names()):
        known = {one.player: one.elo for one in game.strengths}
        ladder = [*level_names(game), BEST] if game.levels else []
        assert set(ladder) <= set(known)
        elos = [known[name] for name in ladder]
        assert elos == sorted(set(elos)), game.name
