"""A model of the database."""

from arena.protocol.internal.checkpoint_pb2 import Checkpoint
from arena.store.matches.model import MatchResult
from tests.lab.faults.clock import SimClock
from workers.playing.checkpointing import encode_checkpoint, result_of
from workers.schedule.commands import Save


class DatabaseAway(Exception):
    """The database, or this tournament, is not available."""


class StoreModel:
    """Results, batches and checkpoints of all tournaments. Calls raise DatabaseAway while it is
    unavailable, and so do writes to a tournament whose row is locked."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self._away_until = 0.0
        self._locked_until: dict[int, float] = {}
        self.results: dict[int, dict[int, MatchResult]] = {}  # by tournament and position
        self.withdrawn: dict[int, set[int]] = {}  # entrants, by tournament
        self.cancelled: dict[int, set[int]] = {}  # positions, by tournament
        self.completed: set[tuple[int, int]] = set()  # batches
        self.again = 0  # results that were already stored, and ignored
        self._checkpoints: dict[tuple[int, int], bytes | None] = {}

    @property
    def works(self) -> bool:
        """Whether it is available."""
        return self._clock.now >= self._away_until

    def leave(self, seconds: float) -> None:
        """Make it unavailable for `seconds` seconds."""
        self._away_until = max(self._away_until, self._clock.now + seconds)

    def lock(self, tournament: int, seconds: float) -> None:
        """Lock the row of a tournament for `seconds` seconds."""
        self._locked_until[tournament] = self._clock.now + seconds

    def check(self) -> None:
        """Raise DatabaseAway while it is unavailable."""
        if not self.works:
            raise DatabaseAway

    def save(self, tournament: int, command: Save) -> None:
        """Store everything in one transaction."""
        self.check()
        if self._clock.now < self._locked_until.get(tournament, 0.0):
            raise DatabaseAway
        stored = self.results.setdefault(tournament, {})
        cancelled = self.cancelled.setdefault(tournament, set())
        for active in command.finished:
            result = result_of(active, tournament)
            self.again += result.position in stored
            if result.position not in cancelled:
                stored.setdefault(result.position, result)
        self.withdrawn.setdefault(tournament, set()).update(command.withdrawn)
        cancelled.update(set(command.cancelled) - stored.keys())
        self.completed.update((tournament, number) for number in command.completed)
        for checkpoint in command.checkpoints:
            self._checkpoints[tournament, checkpoint.batch] = encode_checkpoint(checkpoint)

    def positions(self, tournament: int) -> set[int]:
        """Return the positions of stored or cancelled matches."""
        self.check()
        return {*self.results.get(tournament, ()), *self.cancelled.get(tournament, ())}

    def withdrawn_from(self, tournament: int) -> set[int]:
        """Return the withdrawn entrants."""
        self.check()
        return self.withdrawn.get(tournament, set())

    def checkpoint(self, tournament: int, batch: int) -> Checkpoint | None:
        """Return the checkpoint of a batch."""
        self.check()
        blob = self._checkpoints.get((tournament, batch))
        return Checkpoint.FromString(blob) if blob else None
