"""Converts active matches for the store: finished ones to results, others to checkpoints."""

from arena.games import packed_log
from arena.protocol.internal.checkpoint_pb2 import Checkpoint, SuspendedMatch
from arena.store.save import FaultNote, MatchResult
from workers.schedule.active import ActiveMatch
from workers.schedule.commands import BatchCheckpoint


def encode_checkpoint(checkpoint: BatchCheckpoint) -> bytes | None:
    """Encodes a batch's matches in play; None if there are none. Unchanged matches give the same
    bytes, so that they need not be stored again."""
    if not checkpoint.matches:
        return None
    matches = [_suspended(active) for active in checkpoint.matches]
    kept = Checkpoint(reply_to=checkpoint.reply_to, matches=matches)
    return kept.SerializeToString(deterministic=True)


def _suspended(active: ActiveMatch) -> SuspendedMatch:
    return SuspendedMatch(
        position=active.planned.position,
        ruleset=active.match.game.ruleset,
        ticket=active.ticket,
        asked=active.asked_at,
        started=active.started,
        log=packed_log.pack(active.match),
        reasons={fault.number: fault.reason for fault in active.match.faults},
    )


def result_of(active: ActiveMatch, tournament: int) -> MatchResult:
    match, result = active.match, active.match.result
    return MatchResult(
        id=match.setup.id,
        tournament=tournament,
        batch=active.batch.number,
        position=active.planned.position,
        deal=active.planned.deal,
        game=match.setup.game,
        ruleset=match.game.ruleset,
        options=match.game.options,
        seed=match.setup.seed,
        players=active.players,
        points=result.points,
        ranks=result.ranks,
        faults=match.fault_counts(),
        forfeited=tuple([fault is not None for fault in result.faults]),
        log=packed_log.pack(match),
        latencies=packed_log.latency_codes(match),
        started=active.started,
        finished=active.finished,
        notes=tuple(
            [
                FaultNote(fault.seat, fault.number, fault.kind, fault.reason, fault.instead)
                for fault in match.faults
            ]
        ),
    )
