"""Moves that the arena made for seats at fault, and their costs."""

from collections import Counter
from collections.abc import Iterable, Sequence

from arena.games.match import Match
from arena.games.replay import steps
from arena.value.review.calibration import scores
from arena.value.review.model import FaultMove, Judged
from arena.value.review.situation import situation_of


def fault_moves(match: Match) -> tuple[FaultMove, ...]:
    """Return the default moves of a finished match, in order, without their costs. A forfeit is one
    move. Its `further` counts the later default moves of the seat."""
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
    """Return the moves with their costs, given the values of each move's actions."""
    came = scores(match.result)
    return tuple(
        [_costed(move, each, came[move.seat]) for move, each in zip(found, valued, strict=True)]
    )


def _costed(move: FaultMove, valued: Judged, came: float) -> FaultMove:
    """Return the move with its cost. A forfeit costs the expected score less the actual one, which
    is more than 0 if other seats forfeit, too."""
    best = valued.options[0]
    if move.forfeits:
        cost = max(0.0, best.score - came)
        return move._replace(best=best.action, cost=cost, error=best.error)
    return move._replace(best=best.action, cost=valued.loss, error=valued.error)


def of_seat(found: Iterable[FaultMove], seat: int | None) -> list[FaultMove]:
    """Return the moves of a seat, or all for None."""
    return [each for each in found if seat in (None, each.seat)]


def not_judged(found: Iterable[FaultMove]) -> int:
    """Return the number of default moves, including those after a forfeit."""
    return sum(1 + each.further for each in found)
