"""The luck of matches that were really played, by the arena's own models."""

import time
from dataclasses import replace

import numpy as np
import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import pack
from arena.store import Store, rebuild
from arena.store import luck as lucks
from arena.store.reports.match_luck import match_luck
from arena.store.save import MatchResult
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import PlannedMatch
from tests.made_results import entered, result, save, schedule
from workers.analysis.luck import calculate, catch_up


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    """One database: tests/integration/test_store_*.py run these statements on both."""
    return sqlite_store


def played(tournament: Tournament, planned: PlannedMatch) -> MatchResult:
    """A match of the schedule, its choices drawn."""
    made = result(tournament, planned, (0,) * len(planned.seats))
    seats = tuple(Seat(f"bot{entrant}") for entrant in planned.seats)
    match = Match(MatchSetup(made.id, made.game, made.seed, seats, made.options))
    chance = np.random.default_rng(planned.position)
    while view := match.decision:
        match.answer(view.actions[int(chance.integers(len(view.actions)))])
    won = match.result
    assert won is not None
    return replace(
        made,
        ruleset=match.game.ruleset,
        points=won.points,
        ranks=won.ranks,
        log=pack(match),
    )


def test_it_is_taken_out_and_everything_can_be_counted_again(store: Store) -> None:
    tournament = entered(store, ("ann", "bob", "cyd", "dan"), seats=4, matches=60)
    matches = [played(tournament, planned) for planned in schedule(tournament)]
    save(store, matches)

    catch_up(store, calculate, time.monotonic() + 60)

    with store.read() as conn:
        found = match_luck(conn, tournament.id)
        assert found.matches == len(matches)
        assert found.model == lucks.progress(conn, tournament.id).model != ""
        differences = rebuild.compare(conn, "lama").differences
        assert not [each for each in differences if "luck" in each]
    assert sum(bot.total for bot in found.bots.values()) == pytest.approx(0, abs=1e-9)
    assert {"deal", "draw"} <= set(found.bots[tournament.players[0]].kinds)


def test_of_a_damaged_log_there_is_none_and_others_have_theirs(store: Store) -> None:
    tournament = entered(store, ("ann", "bob", "cyd", "dan"), seats=4, matches=8)
    matches = [played(tournament, planned) for planned in schedule(tournament)]
    save(store, [replace(matches[0], log=b"nothing"), *matches[1:]])

    catch_up(store, calculate, time.monotonic() + 60)

    with store.read() as conn:
        assert match_luck(conn, tournament.id).matches == len(matches) - 1


def test_options_that_no_model_knows_leave_everything_as_it_was(store: Store) -> None:
    tournament = entered(
        store, ("ann", "bob", "cyd", "dan"), seats=4, matches=4, options={"max_rounds": "3"}
    )
    save(store, [played(tournament, planned) for planned in schedule(tournament)])

    assert not catch_up(store, calculate, time.monotonic() + 60)

    with store.read() as conn:
        found = match_luck(conn, tournament.id)
    assert (found.matches, found.model) == (0, "")
