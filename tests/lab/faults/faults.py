"""Faults of a simulation, and their times."""

from dataclasses import dataclass
from random import Random

# Each kind with its shortest and longest duration in seconds; 0 for instantaneous ones.
KINDS: dict[str, tuple[float, float]] = {
    "worker crashed": (0.0, 0.0),
    "worker stopped": (0.0, 0.0),
    "worker frozen": (0.5, 60.0),
    "gateway crashed": (0.0, 0.0),
    "gateway frozen": (2.0, 90.0),
    "stream cut": (0.0, 0.0),
    "Redis away": (0.5, 60.0),
    "Redis emptied": (0.0, 0.0),
    "database away": (0.5, 60.0),
    "row locked": (0.5, 60.0),
    "beat away": (1.0, 60.0),
}
# Only drawn in arenas with hosted bots.
KINDS_OF_HOSTS: dict[str, tuple[float, float]] = {"host crashed": (0.5, 90.0)}


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A fault `at` a time that lasts for `seconds`. `pick`, from 0 to 1, selects the worker,
    gateway, bot or tournament."""

    at: float
    kind: str
    seconds: float
    pick: float

    def __str__(self) -> str:
        lasts = f" for {self.seconds:.1f} s" if self.seconds else ""
        return f"{self.at:8.2f} s  {self.kind}{lasts}"

    @property
    def ends(self) -> float:
        """The time of its end, in seconds."""
        return self.at + self.seconds


def draw_faults(rng: Random, number: int, within_s: float) -> list[InjectedFault]:
    """Return `number` random faults within the first `within_s` seconds, in order."""
    faults = []
    for _ in range(number):
        kind = rng.choice(list(KINDS))
        seconds = rng.uniform(*KINDS[kind])
        faults.append(InjectedFault(rng.uniform(0.5, within_s), kind, seconds, rng.random()))
    return sorted(faults, key=lambda fault: fault.at)
