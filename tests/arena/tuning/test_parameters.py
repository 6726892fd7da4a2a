"""Parameters: what is written on the command line, and positions in their ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapilli.arena.tuning.parameters import Parameter, parameters_of, starts, values_text
from lapilli.core.errors import LapilliError


def test_what_is_written() -> None:
    assert Parameter.parse("a=0..1") == Parameter(name="a", low=0, high=1, start=0.5)
    assert Parameter.parse("b_2=-5..10:int") == Parameter(name="b_2", low=-5, high=10, start=3, whole=True)
    assert Parameter.parse("c=.2..3:start=1.4") == Parameter(name="c", low=0.2, high=3, start=1.4)
    assert Parameter.parse("d=1e-3..10:log").start == 0.1
    assert Parameter.parse("n=1..100:log:int:start=7") == Parameter(
        name="n", low=1, high=100, start=7, whole=True, log=True
    )
    assert parameters_of({"a": (0, 1), "n": "1..9:int"}) == parameters_of(["a=0..1", "n=1..9:int"])
    assert values_text(starts(parameters_of(["n=1..9:int", "a=0..1"]))) == "n=5, a=0.5"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a=1..0", "the range 1..0 is reversed: LOW must be below HIGH"),
        ("a=1..1", "only one value"),
        ("a=0..1:start=2", "the start 2 is not in the range 0..1"),
        ("a=0..1:log", "a logarithmic range must be above 0"),
        ("a=0.5..3:int", "LOW, HIGH and the start are whole numbers"),
        ("a=0..inf", "finite"),
        ("a=nan..1", "finite"),
        ("params=0..1", "a name consists of"),
        ("a b=0..1", "a name consists of"),
        ("a=0..1:integer", "expected NAME=LOW..HIGH"),
        ("a=0..1:int:int", "expected NAME=LOW..HIGH"),
        ("a=0-1", "expected NAME=LOW..HIGH"),
        ("a", "expected NAME=LOW..HIGH"),
        ("a=0..x", "expected NAME=LOW..HIGH"),
    ],
)
def test_bad_input(text: str, complaint: str) -> None:
    with pytest.raises(LapilliError) as caught:
        Parameter.parse(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_none_and_twice() -> None:
    with pytest.raises(LapilliError, match="needs 1 to 100 parameters, not 0"):
        parameters_of([])
    with pytest.raises(LapilliError, match="'a' is given twice"):
        parameters_of(["a=0..1", "a=0..2"])


PARAMETERS = [Parameter.parse(text) for text in ("a=-3..7", "b=1000..1001", "c=1e-6..1e6:log", "n=1..100:int:log")]


@given(st.sampled_from(PARAMETERS), st.floats(-1, 2), st.floats(0, 1))
def test_values_are_in_their_range_and_near_their_position(one: Parameter, position: float, rounding: float) -> None:
    value = one.value(position, rounding)
    assert one.low <= value <= one.high
    assert isinstance(value, int) == one.whole
    within = min(max(position, 0.0), 1.0)
    near = 2 * one.half_step(within) if one.whole else 0.0002
    assert abs(one.position(value) - within) <= 2 * near + 1e-4
