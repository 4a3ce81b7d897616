"""Specs of every format, for tests of all formats."""

from dataclasses import replace

from arena.tournaments.formats import TournamentSpec, check_spec, format_of
from tests.played_out import spec_of

OWN = [
    spec_of("round-robin", 7, 3, 2),
    spec_of("round-robin", 15, 4, 2, tables="balanced"),
    spec_of("gauntlet", 6, 2, 3),
    spec_of("gauntlet", 12, 5, 1, tables="balanced"),
    spec_of("knockout", 11, 2, 2),
    spec_of("knockout", 13, 4, 2, seeding="random"),
    spec_of("knockout", 9, 3, 1, advance=2),
    spec_of("swiss", 9, 2, 2),
    spec_of("swiss", 14, 4, 1, rounds=5),
    spec_of("versus", 2, 2, 4, max_deals=30, elo1=400),
    spec_of("versus", 6, 4, 4, max_deals=30),
    spec_of("versus", 9, 5, 4, max_deals=30, seatings="rotated"),
    spec_of("ladder", 8, 4, 2, matches=900),
    spec_of("ladder", 3, 2, 5, matches=333),
]
SHARED = [
    check_spec(
        replace(
            spec,
            matches=0,
            deals=spec.matches // format_of(spec.format).cycle_length(spec),
            format_options={**spec.format_options, "deals": "duplicate"},
        )
    )
    for spec in OWN
]
SPECS = OWN + SHARED


def name_of(spec: TournamentSpec) -> str:
    """The id of a test with this spec."""
    return f"{spec.format}-{len(spec.bots)}-{spec.seats}-{spec.format_options['deals']}"
