"""The gauntlet: one candidate at every table, against a field."""

from collections import Counter
from math import comb

import pytest

from arena.tournaments.formats import FORMATS
from tests.played_out import by_number, play_out, spec_of


@pytest.mark.parametrize(("bots", "seats", "deals"), [(2, 2, 3), (7, 2, 2), (6, 3, 2), (8, 4, 1)])
def test_the_candidate_meets_every_table_of_the_field(bots: int, seats: int, deals: int) -> None:
    spec = spec_of("gauntlet", bots, seats, deals)

    matches = play_out(spec, by_number).matches

    assert len(matches) == comb(bots - 1, seats - 1) * deals * seats
    fields = Counter(tuple(sorted(one.match.seats))[1:] for one in matches)
    assert len(fields) == comb(bots - 1, seats - 1)
    assert set(fields.values()) == {deals * seats}
    assert all(0 in one.match.seats for one in matches)


def test_a_large_field_is_met_evenly_at_balanced_tables() -> None:
    spec = spec_of("gauntlet", 61, 5, 2)
    assert comb(60, 4) * 2 * 5 > 100_000

    matches = play_out(spec, by_number).matches

    sat = Counter(entrant for one in matches for entrant in one.match.seats)
    assert sat.pop(0) == len(matches) == FORMATS["gauntlet"].count(spec) < 10_000
    assert len(sat) == 60
    assert len(set(sat.values())) == 1
    (told,) = FORMATS["gauntlet"].remarks(spec, {})
    assert told == f"Schedule: bot-0 meets each of the field in {sat[1]} matches."
