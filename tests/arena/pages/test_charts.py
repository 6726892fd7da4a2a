"""Drawings put things where the figures say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from lapilli.arena.pages.charts import ChartLine, Scale, interval, lines, ticks


def test_ticks_are_round_and_cover_the_range() -> None:
    assert ticks(-31, 11) == [-30, -20, -10, 0, 10]
    assert ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(-1200, 195) == [-1000, -500, 0]
    assert ticks(3, 3) == [3]
    for low, high in ((-0.013, 0.4), (17, 18.5), (-1e6, 3e6)):
        found = ticks(low, high)
        assert 2 <= len(found) <= 11
        assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)


def test_a_scale_without_width_divides_by_nothing() -> None:
    assert Scale(5, 5, 100)(5) == 0
    assert Scale(-10, 30, 100)(0) == 25


def test_an_interval_lies_where_its_figures_are() -> None:
    drawn = ElementTree.fromstring(interval(-10, 0, 30, (-20, 60), "a label"))
    (dot,) = drawn.iter("circle")
    assert dot.get("cx") == "25.00%"
    bar = next(line for line in drawn.iter("line") if line.get("class") == "range")
    assert (bar.get("x1"), bar.get("x2")) == ("12.50%", "62.50%")
    assert drawn.findtext("title") == "a label"
    assert [text.text for text in drawn.iter("text")] == ["-20", "0", "+20", "+40", "+60"]


def test_lines_go_from_edge_to_edge_and_what_is_beyond_stays_near() -> None:
    line = ChartLine("a", [(1, 0), (3, 10), (5, 1e9)], [(0, 5), (0, 10), (0, 1e9)])
    drawn = ElementTree.fromstring(lines([line], (0, 10), "pairs", "a label"))
    (path,) = drawn.iter("polyline")
    points = [tuple(map(float, point.split(","))) for point in str(path.get("points")).split()]
    assert points == [(0, 1000), (500, 0), (1000, -1000)]
    (band,) = drawn.iter("polygon")
    assert len(str(band.get("points")).split()) == 6
    assert [text.text for text in drawn.iter("text")][-3:] == ["1", "pairs", "5"]
