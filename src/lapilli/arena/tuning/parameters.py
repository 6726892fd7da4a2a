"""The parameters of a bot that a tuning changes: their ranges, and the positions of values in these ranges.

A *position* of a parameter is a number from 0 (its lowest value) to 1 (its highest value). Tuning methods work on
positions, so that the units of the parameters do not matter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

import msgspec

from lapilli.arena.matches.placeholders import FILE, Number, number_text
from lapilli.core.errors import LapilliError

MAX_PARAMETERS = 100
"""Largest number of parameters that are tuned together."""
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FORM = "expected NAME=LOW..HIGH, such as a=0..1, and then :int, :log or :start=VALUE"

_DIGITS = 4
"""Number of decimals of a parameter's values if its range is 1 wide. Wider ranges have fewer decimals."""

Positions = tuple[float, ...]
"""The position of each parameter in its range, from 0 to 1, in the order of the parameters."""
Values = dict[str, Number]
"""The value of each parameter, by its name."""


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A tuned parameter of a bot, with its range.

    Attributes:
        name: name, as in the placeholder {name}.
        low, high: lowest and highest value.
        start: value with which the tuning starts, and with which the tuned value is compared.
        whole: whether only whole numbers are allowed.
        log: whether positions grow with the logarithm of the value, for a parameter of unknown order of magnitude.

    Raises:
        LapilliError: the name, the range or the start value is not valid.
    """

    name: str
    low: float
    high: float
    start: float
    whole: bool = False
    log: bool = False

    def __post_init__(self) -> None:
        """Checks the attributes. Raises LapilliError if the name, the range or the start value is not valid."""
        if not _NAME.fullmatch(self.name) or self.name == FILE:
            raise self._error(f"a name consists of letters, digits and _, and is not {FILE!r}")
        if not all(map(math.isfinite, (self.low, self.high, self.start))):
            raise self._error("LOW, HIGH and the start are finite numbers")
        if self.low > self.high:
            raise self._error(f"the range {self._range} is reversed: LOW must be below HIGH")
        if self.low == self.high:
            raise self._error(f"the range {self._range} has only one value: LOW must be below HIGH")
        if self.log and self.low <= 0:
            raise self._error("a logarithmic range must be above 0")
        if self.whole and any(value != int(value) for value in (self.low, self.high, self.start)):
            raise self._error("with :int, LOW, HIGH and the start are whole numbers")
        if not self.low <= self.start <= self.high:
            raise self._error(f"the start {number_text(self.start)} is not in the range {self._range}")

    @classmethod
    def parse(cls, text: str) -> Parameter:
        """Parses a parameter: NAME=LOW..HIGH, followed by any of `:int`, `:log` and `:start=VALUE`.

        Without `:start`, the start value is the middle of the range.

        Raises:
            LapilliError: the text has another form, or the parameter is not valid.
        """
        name, equals, rest = text.partition("=")
        bounds, *options = rest.split(":")
        low, dots, high = bounds.partition("..")
        words = {option.partition("=")[0] for option in options}
        starts = [option.removeprefix("start=") for option in options if option.startswith("start=")]
        known = len(words) == len(options) and all(o in ("int", "log") or o.startswith("start=") for o in options)
        try:
            if not (equals and dots and known):
                raise ValueError  # noqa: TRY301 - the same message as for a text that is no number
            return cls.between(
                name, float(low), float(high), *map(float, starts), whole="int" in words, log="log" in words
            )
        except ValueError:
            raise LapilliError(f"parameter {text!r}: {_FORM}") from None

    @classmethod
    def between(
        cls, name: str, low: float, high: float, start: float | None = None, *, whole: bool = False, log: bool = False
    ) -> Parameter:
        """Returns a parameter with the range from `low` to `high`.

        Args:
            name: name, as in the placeholder {name}.
            low, high: lowest and highest value.
            start: value with which the tuning starts; by default the middle of the range or, if `log`, the geometric
                mean of both ends.
            whole: whether only whole numbers are allowed.
            log: whether positions grow with the logarithm of the value.

        Raises:
            LapilliError: the name, the range or the start value is not valid.
        """
        if start is None:
            is_log = log and 0 < low < math.inf and 0 < high < math.inf
            start = math.sqrt(low) * math.sqrt(high) if is_log else low + (high - low) / 2
            if math.isfinite(start):
                start = float(math.floor(start + 0.5)) if whole else float(f"{start:.4g}")
        return cls(name=name, low=low, high=high, start=start, whole=whole, log=log)

    def position(self, value: float) -> float:
        """Returns the position of a value in the range, from 0 (lowest) to 1 (highest)."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, position: float, rounding: float = 0.5) -> Number:
        """Returns the rounded value at a position, limited to the range.

        If only whole numbers are allowed (`whole`), the value is a whole number. Otherwise the value has four
        significant digits in a logarithmic range, or is rounded to about a ten-thousandth of the range.

        Args:
            position: position in the range, from 0 to 1; a position beyond this interval is moved to its nearer end.
            rounding: number from 0 to 1. If only whole numbers are allowed, it is added to the value before the
                fraction is dropped. If it is drawn at random, the mean of the rounded values is the exact value.
        """
        position = min(max(position, 0.0), 1.0)
        exact = self._exact(position)
        if self.whole:
            return int(min(max(math.floor(exact + rounding), self.low), self.high))
        rounded = float(f"{exact:.4g}") if self.log else round(exact, self._digits)
        return min(max(rounded, self.low), self.high)

    def half_step(self, position: float) -> float:
        """Returns by how much a method must change `position` at least, so that the value changes by 1/2.

        A smaller change of a whole number might have no effect. If the parameter is not restricted to whole numbers,
        any change has an effect, and the result is 0.
        """
        if not self.whole:
            return 0.0
        if self.log:
            return 0.5 / (self._exact(position) * math.log(self.high / self.low))
        return 0.5 / (self.high - self.low)

    def _exact(self, position: float) -> float:
        if self.log:
            return self.low * math.pow(self.high / self.low, position)
        return self.low + position * (self.high - self.low)

    @property
    def _digits(self) -> int:
        return _DIGITS - math.floor(math.log10(self.high - self.low))

    @property
    def _range(self) -> str:
        return f"{number_text(self.low)}..{number_text(self.high)}"

    def _error(self, reason: str) -> LapilliError:
        return LapilliError(f"parameter {self.name!r}: {reason}")


def parameters_of(described: Iterable[str] | Mapping[str, str | tuple[float, float]]) -> tuple[Parameter, ...]:
    """Returns parameters from texts NAME=LOW..HIGH, or from a mapping of names to texts LOW..HIGH or (low, high).

    Raises:
        LapilliError: a parameter is not valid, there is none, there are too many, or two have the same name.
    """
    if isinstance(described, Mapping):
        found = tuple(
            Parameter.parse(f"{name}={bounds}") if isinstance(bounds, str) else Parameter.between(name, *bounds)
            for name, bounds in described.items()
        )
    else:
        found = tuple(map(Parameter.parse, described))
    names = [parameter.name for parameter in found]
    for name in names:
        if names.count(name) > 1:
            raise LapilliError(f"parameter {name!r} is given twice")
    if not 1 <= len(found) <= MAX_PARAMETERS:
        raise LapilliError(f"tuning needs 1 to {MAX_PARAMETERS} parameters, not {len(found)}")
    return found


def starts(parameters: Iterable[Parameter]) -> Values:
    """Returns the start value of each parameter, by name."""
    return {one.name: int(one.start) if one.whole else one.start for one in parameters}


def values_text(values: Mapping[str, Number]) -> str:
    """Formats the values of parameters for users, as in "a=0.31, b=42"."""
    return ", ".join(f"{name}={number_text(value)}" for name, value in values.items())
