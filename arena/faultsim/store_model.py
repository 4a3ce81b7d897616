"""What transactions have stored of a tournament."""

from __future__ import annotations

from collections import defaultdict

from arena.protocol.internal.checkpoint_pb2 import Checkpoint
from arena.store.matches.model import MatchResult
from workers.checkpointing import encode_checkpoint, result_of
from workers.schedule.commands import Save


class StoreModel:
    """Results, batches and checkpoints, as the database has them."""

    def __init__(self, tournament: int) -> None:
        self._tournament = tournament
        self.results = defaultdict[int, list[MatchResult]](list)  # by position, each time stored
        self.completed: set[int] = set()
        self._checkpoints: dict[int, bytes | None] = {}

    def save(self, command: Save) -> None:
        """One transaction."""
        for active in command.finished:
            result = result_of(active, self._tournament)
            self.results[result.position].append(result)
        self.completed.update(command.completed)
        for checkpoint in command.checkpoints:
            self._checkpoints[checkpoint.batch] = encode_checkpoint(checkpoint)

    def checkpoint(self, batch: int) -> Checkpoint | None:
        """What was suspended of a batch."""
        blob = self._checkpoints.get(batch)
        return Checkpoint.FromString(blob) if blob else None
