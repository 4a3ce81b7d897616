"""What goes wrong in a simulation, and when."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

# Each kind with how long it lasts, from and to how many seconds; 0 for what takes no time.
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
# Of an arena with hosted bots; not drawn otherwise.
KINDS_OF_HOSTS: dict[str, tuple[float, float]] = {"host crashed": (0.5, 90.0)}


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """Something that goes wrong `at` so many seconds, and lasts for `seconds`. `pick`, from 0 to 1,
    says which worker, gateway, bot or tournament it hits."""

    at: float
    kind: str
    seconds: float
    pick: float

    def __str__(self) -> str:
        lasts = f" for {self.seconds:.1f} s" if self.seconds else ""
        return f"{self.at:8.2f} s  {self.kind}{lasts}"

    @property
    def ends(self) -> float:
        """When it is over (seconds)."""
        return self.at + self.seconds


def draw_faults(rng: Random, number: int, within_s: float) -> list[InjectedFault]:
    """So many faults of all kinds within the first `within_s` seconds, in order."""
    faults = []
    for _ in range(number):
        kind = rng.choice(list(KINDS))
        seconds = rng.uniform(*KINDS[kind])
        faults.append(InjectedFault(rng.uniform(0.5, within_s), kind, seconds, rng.random()))
    return sorted(faults, key=lambda fault: fault.at)
