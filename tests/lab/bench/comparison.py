"""Compares an arena with and without luck calculation, and with its messages alone, interleaved."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from tests.lab.bench import wire
from tests.lab.bench.pipeline import Throughput, batched, measure, unbatched


@dataclass(frozen=True)
class Row:
    """One load, measured in several turns."""

    turns: tuple[Throughput, ...]
    of_wire: tuple[float, ...] = ()  # decisions/s as a share of the wire's, by turn

    @property
    def title(self) -> str:
        """The name of the load."""
        return self.turns[0].load.title

    @property
    def cpu_us(self) -> dict[str, float]:
        """CPU time of a decision by process, in µs (median over turns)."""
        names = {name for one in self.turns for name in one.cpu}
        return {
            name: median([1e6 * one.cpu.get(name, 0.0) / one.decisions for one in self.turns])
            for name in sorted(names)
        }


def compare(
    matches: int,
    in_flight: int,
    workers: int,
    turns: int,
    single_matches: int,
    tell: Callable[[str], None],
) -> list[Row]:
    """Bots that answer in batches with and without luck calculation, the wire of the latter, bots
    that answer one by one, and one match at a time. Raises Unavailable as `arena up` does."""
    loads = [
        batched(matches, in_flight, workers, kind, luck=luck)
        for kind, luck in (("batches", True), ("batches", False), ("one-by-one", True))
    ]
    measured: list[list[Throughput]] = []
    for _ in range(turns):
        batches, plain, one_by_one = [measure(load, tell) for load in loads]
        measured.append([batches, plain, one_by_one, wire.measure(plain, tell)])
    *played, through_wire = zip(*measured, strict=True)
    rows = []
    for each in played:
        pairs = zip(each, through_wire, strict=True)
        rows.append(Row(each, tuple([a.decisions_per_s / b.decisions_per_s for a, b in pairs])))
    single = measure(unbatched(single_matches), tell)
    return [*rows, Row(through_wire), Row((single,))]
