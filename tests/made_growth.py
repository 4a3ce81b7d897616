"""Points of `arena bench growth` as if they had been measured."""

from __future__ import annotations

from arena.bench.growth import PARTS, Growth, PartName, Point


def point(part: PartName, number: int, cpu: float = 60.0) -> Point:
    """Twelve seconds at 5,000 decisions/s; the worker and the gateway take half the CPU time each
    but for a tenth, which beat takes."""
    spent = {"worker": 0.45 * cpu, "gateway": 0.45 * cpu, "beat": 0.1 * cpu}
    return Point(number, PARTS[part][0](number), 12.0, 60_000, 1_000, 1_500, spent)


def growth(part: PartName, *cpu: float) -> Growth:
    """The first points of a part, with so many CPU seconds at each."""
    numbers = PARTS[part][1]
    points = [point(part, number, spent) for number, spent in zip(numbers, cpu, strict=False)]
    return Growth(part, (tuple(points),))
