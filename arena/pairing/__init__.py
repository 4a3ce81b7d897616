"""Who plays whom, with which cards, in which order: pure functions of a tournament's spec."""

import arena.blas_threads  # noqa: F401  before NumPy
from arena.pairing.deals import deal_seed
from arena.pairing.formats import FORMATS, format_of
from arena.pairing.plan import NOTHING, Format, Place, PlannedMatch, Played, SoFar
from arena.pairing.secret import FromSecret
from arena.pairing.seeding import by_elo
from arena.pairing.spec import TournamentSpec, check_spec

__all__ = [
    "FORMATS",
    "NOTHING",
    "Format",
    "FromSecret",
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
