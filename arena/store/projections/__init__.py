"""Projections: data computed from stored matches and updated with them; see `projection`.

A new statistic is a file with a class like those here, and a line in PROJECTIONS.
"""

from arena.store.projections.counters import CountersProjection
from arena.store.projections.deal_luck import DealLuckProjection
from arena.store.projections.deal_sums import DealSumsProjection
from arena.store.projections.elo import EloProjection
from arena.store.projections.fault_streaks import FaultStreaksProjection
from arena.store.projections.latencies import LatenciesProjection
from arena.store.projections.lucky import LuckProjection
from arena.store.projections.player_luck import PlayerLuckProjection
from arena.store.projections.projection import Change, Projection
from arena.store.projections.seat_totals import SeatTotalsProjection
from arena.store.projections.sibling_totals import SiblingTotalsProjection
from arena.store.projections.table_luck import TableLuckProjection
from arena.store.projections.table_sums import TableSumsProjection

# Elo comes first: a match is stored with the changes of its players' Elo.
ELO = EloProjection()
# Standings count all matches; the projections below count only matches that count in ratings.
STANDINGS: tuple[Projection, ...] = (CountersProjection(), SiblingTotalsProjection())
# Luck becomes known after the match.
_LUCK = DealLuckProjection(), TableLuckProjection(), PlayerLuckProjection()
LUCK: tuple[LuckProjection, ...] = _LUCK
PROJECTIONS: tuple[Projection, ...] = (
    ELO,
    *STANDINGS,
    SeatTotalsProjection(),
    LatenciesProjection(),
    DealSumsProjection(),
    TableSumsProjection(),
    FaultStreaksProjection(),
    *_LUCK,
)

__all__ = ["ELO", "LUCK", "PROJECTIONS", "STANDINGS", "Change", "Projection"]
