"""Moves that the arena made for seats at fault, and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from arena.games.match import Match
from arena.games.replay import steps
from arena.value.review.calibration import scores
from arena.value.review.model import FaultMove, Judged
from arena.value.review.situation import situation_of


def fault_moves(match: Match) -> tuple[FaultMove, ...]:
    """The default moves of a finished match, in order, without their costs.

    A forfeit is one move: it counts the moves that the arena made for the seat from then on.
    """
    if not match.faults:
        return ()
    faults = {fault.number: fault for fault in match.faults}
    forfeits = {fault.seat: fault.number for fault in match.faults if fault.forfeited}
    found, further = list[FaultMove](), Counter[int]()
    for view, action, _ in steps(match.game, match.setup.id):
        if fault := faults.get(view.number):
            found.append(
                FaultMove(
                    view.number,
                    view.seat,
                    view.round,
                    fault.kind,
                    fault.forfeited,
                    0,
                    action,
                    situation_of(view),
                )
            )
        elif view.number > forfeits.get(view.seat, view.number) and len(view.actions) > 1:
            further[view.seat] += 1
    return tuple([each._replace(further=each.forfeits * further[each.seat]) for each in found])


def with_costs(
    found: Sequence[FaultMove], valued: Iterable[Judged], match: Match
) -> tuple[FaultMove, ...]:
    """The moves with their costs, given the values of their actions, move by move."""
    came = scores(match.result)
    return tuple(
        [_costed(move, each, came[move.seat]) for move, each in zip(found, valued, strict=True)]
    )


def _costed(move: FaultMove, valued: Judged, came: float) -> FaultMove:
    """A forfeit costs everything that the seat could still expect, less what the match brought."""
    best = valued.options[0]
    if move.forfeits:
        return move._replace(best=best.action, cost=best.score - came, error=best.error)
    return move._replace(best=best.action, cost=valued.loss, error=valued.error)


def of_seat(found: Iterable[FaultMove], seat: int | None) -> list[FaultMove]:
    """Those of a seat, or of all."""
    return [each for each in found if seat in (None, each.seat)]


def not_judged(found: Iterable[FaultMove]) -> int:
    """How many moves these are, those after a forfeit included."""
    return sum(1 + each.further for each in found)
