"""A forecast next to the time that it took."""

import pytest

from arena.service.forecast.waits import Spent, check
from arena.store.tournaments.tournaments import State, Tournament
from arena.tournaments.formats import TournamentSpec


def tournament(state: State) -> Tournament:
    return Tournament(1, TournamentSpec(), state, "", 0.0, 0.0, 0.0, 70.0, 100, 50, (1, 2))


def played(seconds: float) -> Spent:
    return Spent(5.0, 100.0, 0.0, seconds)


@pytest.mark.parametrize(
    ("took", "error"),
    [
        (60.3, ""),
        (62.0, ""),
        (70.0, ", 17% longer"),
        (45.0, ", 25% shorter"),
        (330.0, ", 5.5 times as long"),
        (86_400.0, ", far longer"),
    ],
)
def test_a_tournament_that_is_over_shows_the_error_of_its_forecast(took: float, error: str) -> None:
    found = check(60.0, tournament("finished"), played(took), None)

    assert found is not None
    assert found.over
    assert found.sentence.startswith("Forecast at the start: 1 min 0 s. It took ")
    assert found.sentence.endswith(f" s{error}." if took < 3600 else f"{error}.")


def test_while_it_runs_the_rest_is_what_is_expected_now() -> None:
    found = check(60.0, tournament("running"), played(20.0), 100.0)

    assert found is not None
    assert (found.forecast_seconds, found.seconds, found.over) == (60.0, 120.0, False)
    assert found.sentence == (
        "Forecast at the start: 1 min 0 s. Now expected in all: 2 min 0 s, 2.0 times as long."
    )


@pytest.mark.parametrize("state", ["waiting", "cancelled"])
def test_unfinished_tournament_is_not_compared(state: State) -> None:
    assert check(60.0, tournament(state), played(20.0), 10.0) is None


def test_without_a_forecast_there_is_nothing_to_compare() -> None:
    assert check(None, tournament("finished"), played(20.0), None) is None
