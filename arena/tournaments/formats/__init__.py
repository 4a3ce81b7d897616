"""Tournament schedules: seats, deals and order of all matches, as pure functions of a spec."""

import arena.base.blas_threads  # noqa: F401  before NumPy
from arena.tournaments.formats.checks import check_spec
from arena.tournaments.formats.deals import deal_seed
from arena.tournaments.formats.formats import FORMATS, format_of
from arena.tournaments.formats.plan import NOTHING, Format, Place, PlannedMatch, Played, SoFar
from arena.tournaments.formats.secret import FromSecret, OnSharedDeal
from arena.tournaments.formats.seeding import by_elo
from arena.tournaments.formats.spec import TournamentSpec

__all__ = [
    "FORMATS",
    "NOTHING",
    "Format",
    "FromSecret",
    "OnSharedDeal",
    "Place",
    "PlannedMatch",
    "Played",
    "SoFar",
    "TournamentSpec",
    "by_elo",
    "check_spec",
    "deal_seed",
    "format_of",
]
