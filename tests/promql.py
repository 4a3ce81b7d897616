"""The part of PromQL that deploy/prometheus/rules.yaml uses, for tests without Prometheus.

It follows Prometheus: an instant vector maps label sets to values, a selector looks back five
minutes, and `rate` and `increase` extrapolate to their window.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]
Value = float | Vector
Samples = Sequence[tuple[float, float]]  # seconds and values

LOOKBACK_S = 300.0
UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
TOKEN = re.compile(r"\s*(\d[\d.]*(?:e\d+)?(?![\w.])|\w+|==|!=|>=|<=|[-+*/<>(){},=\[\]]|\"[^\"]*\")")
LEVELS = (("or",), (">", "<", "==", "!=", ">=", "<="), ("+", "-"), ("*", "/"))
OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    ">": operator.gt, "<": operator.lt, "==": operator.eq, "!=": operator.ne, ">=": operator.ge,
    "<=": operator.le, "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv,
}  # fmt: skip


def seconds(text: str) -> float:
    """A duration: "1d2h"."""
    assert re.fullmatch(r"(\d+[smhd])+", text), text
    return float(sum(int(n) * UNITS_S[unit] for n, unit in re.findall(r"(\d+)([smhd])", text)))


@dataclass(frozen=True)
class Series:
    """A series with its samples in order."""

    name: str
    labels: Labels
    samples: Samples


def labels_of(text: str) -> tuple[str, Labels]:
    """The name and the labels of a series: `up{job="worker"}`."""
    name, _, rest = text.partition("{")
    return name, frozenset(re.findall(r'(\w+)\s*=\s*"([^"]*)"', rest))


def values(text: str) -> Iterator[float]:
    """Values in promtool's notation: "1x3 0+30x20" is four ones, then 21 values from 0."""
    for part in text.split():
        start, step, count = re.fullmatch(r"(-?[\d.e]+)([+-][\d.e]+)?(?:x(\d+))?", part).groups()  # type: ignore[union-attr]
        for index in range(int(count or 0) + 1):
            yield float(start) + index * float(step or 0)


def evaluate(expression: str, series: Sequence[Series], at: float) -> Vector:
    """The vector of an expression at a moment. Raises AssertionError for unsupported syntax."""
    parser = _Parser(expression, series, at)
    value = parser.expression()
    assert not parser.tokens, f"{parser.tokens} is left of {expression}"
    assert isinstance(value, dict)
    return value


class _Parser:
    def __init__(self, expression: str, series: Sequence[Series], at: float) -> None:
        self.tokens = TOKEN.findall(expression)
        assert "".join(self.tokens) == re.sub(r"\s", "", expression), expression
        self.series, self.at = series, at

    def take(self, *wanted: str) -> str:
        """Takes the next token if it is one of these (or any token), else returns ""."""
        if self.tokens and (not wanted or self.tokens[0] in wanted):
            return str(self.tokens.pop(0))
        return ""

    def expect(self, wanted: str) -> None:
        assert self.take(wanted), f"{wanted} is missing before {self.tokens}"

    def expression(self, level: int = 0) -> Value:
        if level == len(LEVELS):
            return self.atom()
        left = self.expression(level + 1)
        while sign := self.take(*LEVELS[level]):
            left = combine(sign, left, self.expression(level + 1))
        return left

    def atom(self) -> Value:
        token = self.take()
        if token == "(":
            value = self.expression()
            self.expect(")")
            return value
        if token == "-":
            return combine("*", -1.0, self.atom())
        if re.match(r"\d", token):
            return float(token)
        if self.take("("):
            return self.call(token)
        return {each.labels: samples[-1][1] for each, samples in self.selected(token, LOOKBACK_S)}

    def call(self, function: str) -> Value:
        if function in ("rate", "increase"):
            found = self.range(self.take())
            self.expect(")")
            return found if function == "increase" else combine("/", found, self.window_s)
        argument = self.expression()
        self.expect(")")
        if function == "vector":
            assert isinstance(argument, float)
            return {frozenset(): argument}
        assert isinstance(argument, dict)
        if function == "absent":
            return {} if argument else {frozenset(): 1.0}
        if function == "sum":
            return {frozenset(): sum(argument.values())} if argument else {}
        assert function == "abs", f"{function} is not supported"
        return {labels: abs(value) for labels, value in argument.items()}

    def selected(self, name: str, window_s: float | None) -> list[tuple[Series, Samples]]:
        """The series of a selector, with their samples in a window."""
        wanted = dict[str, str]()
        if self.take("{"):
            while not self.take("}"):
                label = self.take()
                self.expect("=")
                wanted[label] = self.take().strip('"')
                self.take(",")
        if window_s is None:
            self.expect("[")
            window_s = self.window_s = seconds(self.take())
            self.expect("]")
        until = self.at - (seconds(self.take()) if self.take("offset") else 0.0)
        found = [
            (each, [s for s in each.samples if until - window_s <= s[0] <= until])
            for each in self.series
            if each.name == name and wanted.items() <= dict(each.labels).items()
        ]
        self.until = until
        return [(each, samples) for each, samples in found if samples]

    def range(self, name: str) -> Vector:
        """The increase of each counter."""
        found = self.selected(name, None)
        grown = {each.labels: self.increase(samples) for each, samples in found}
        return {labels: value for labels, value in grown.items() if value is not None}

    def increase(self, samples: Samples) -> float | None:
        """The growth of a counter, extrapolated to the window like in Prometheus, with resets."""
        if len(samples) < 2:
            return None
        pairs = list(pairwise(samples))
        grown = sum(b - a if b >= a else b for (_, a), (_, b) in pairs)
        covered = samples[-1][0] - samples[0][0]
        gap = covered / len(pairs) * 1.1
        before = samples[0][0] - (self.until - self.window_s)
        after = self.until - samples[-1][0]
        if grown > 0:  # a counter does not start below 0
            before = min(before, covered * samples[0][1] / grown)
        half = covered / len(pairs) / 2
        whole = covered + sum(each if each < gap else half for each in (before, after))
        return grown * whole / covered


def combine(sign: str, left: Value, right: Value) -> Value:
    """A binary operator; comparisons filter, as without `bool`."""
    if sign == "or":
        assert isinstance(left, dict)
        assert isinstance(right, dict)
        return {**right, **left}
    apply, filters = OPERATORS[sign], sign in LEVELS[1]
    if isinstance(left, float) and isinstance(right, float):
        assert not filters, "scalars are not compared"
        return apply(left, right)
    both = _pairs(left, right)
    if filters:
        return {labels: a for labels, (a, b) in both.items() if apply(a, b)}
    return {labels: apply(a, b) for labels, (a, b) in both.items()}


def _pairs(left: Value, right: Value) -> dict[Labels, tuple[float, float]]:
    if isinstance(left, float):
        assert isinstance(right, dict)
        return {labels: (left, value) for labels, value in right.items()}
    if isinstance(right, float):
        return {labels: (value, right) for labels, value in left.items()}
    return {labels: (left[labels], right[labels]) for labels in left.keys() & right.keys()}
