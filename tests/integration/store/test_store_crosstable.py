"""Crosstables on both databases, compared with the matches themselves."""

from dataclasses import replace
from statistics import fmean

import pytest

from arena.base.errors import NotFound
from arena.store import Store
from arena.store.reports.crosstable import Meeting, crosstable
from tests.made_results import entered, result, results, save, schedule


def test_a_pair_is_told_from_either_side(store: Store) -> None:
    # Given: ann beats bob by 7 points and ties with him
    tournament = entered(store, ("ann", "bob"), seats=2, deals=1)
    places = [planned.seats.index(0) for planned in schedule(tournament)]
    points = [(3, 10) if places[0] == 0 else (10, 3), (4, 4)]
    planned = schedule(tournament)
    save(store, [result(tournament, *row) for row in zip(planned, points, strict=True)])

    with store.read() as conn:
        found = crosstable(conn, tournament.id)

    assert found == [Meeting("ann", "bob", 2, 0.75, -3.5), Meeting("bob", "ann", 2, 0.25, 3.5)]


def test_pairs_at_larger_tables_match_the_stored_matches(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, played)

    with store.read() as conn:
        found = {(line.bot, line.opponent): line for line in crosstable(conn, tournament.id)}

    names = dict(zip(tournament.players, tournament.spec.bots, strict=True))
    assert len(found) == len(names) * (len(names) - 1)
    for (one, two), line in found.items():
        pairs = []
        for match in played:
            points = dict(zip((names[p] for p in match.players), match.points, strict=True))
            if one in points and two in points:
                pairs.append((points[one], points[two]))
        assert line.matches == len(pairs)
        assert line.score == pytest.approx(fmean((a < b) + (a == b) / 2 for a, b in pairs))
        assert line.point_difference == pytest.approx(fmean(a - b for a, b in pairs))


def test_a_forfeit_ranks_behind_all_others(store: Store) -> None:
    tournament = entered(store, ("ann", "bob"), seats=2, deals=1)
    planned = schedule(tournament)[0]
    out = tuple(entrant == 0 for entrant in planned.seats)
    save(store, [replace(result(tournament, planned, (0, 0)), forfeited=out)])

    with store.read() as conn:
        found = crosstable(conn, tournament.id)

    assert [line.score for line in found] == [0.0, 1.0]


def test_before_the_first_match_it_is_empty(store: Store) -> None:
    tournament = entered(store)

    with store.read() as conn:
        assert crosstable(conn, tournament.id) == []


def test_of_an_unknown_tournament_there_is_none(store: Store) -> None:
    with store.read() as conn, pytest.raises(NotFound):
        crosstable(conn, 9)
