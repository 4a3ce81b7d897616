"""Where a tournament's time goes, and its place in line in words."""

import pytest

from arena.service.forecast.waits import Queued, Spent, in_line, spent
from arena.store.tournaments.tournaments import State, Tournament
from arena.tournaments.formats import TournamentSpec

SPEC = TournamentSpec("Cup", bots=("ann", "ben"), seats=2, matches=10)


def tournament(
    state: State,
    *,
    started: float | None = None,
    finished: float | None = None,
    waiting_since: float = 100.0,
    queued_s: float = 0.0,
    stopped_s: float = 0.0,
) -> Tournament:
    return Tournament(
        id=1,
        spec=SPEC,
        state=state,
        note="",
        created=100.0,
        waiting_since=waiting_since,
        started=started,
        finished=finished,
        planned=10,
        played=0,
        players=(1, 2),
        queued_s=queued_s,
        stopped_s=stopped_s,
    )


def queued(place: int, behind: tuple[str, ...] = (), playing: tuple[str, ...] = ()) -> Queued:
    return Queued(place, behind, playing, since=140.0, workers=2)


def test_before_it_begins_a_tournament_only_waits_for_its_bots() -> None:
    assert spent(tournament("waiting"), 130.0) == Spent(30.0, 0.0, 0.0, 0.0)


def test_time_in_which_it_was_cancelled_before_its_start_is_not_waiting() -> None:
    again = tournament("waiting", waiting_since=900.0)
    assert spent(again, 905.0) == Spent(5.0, 0.0, 0.0, 0.0)

    started = tournament("running", started=910.0, waiting_since=900.0)
    assert spent(started, 950.0) == Spent(10.0, 0.0, 0.0, 40.0)


def test_time_in_line_is_not_time_played() -> None:
    running = tournament("running", started=110.0, queued_s=5.0)

    assert spent(running, 200.0) == Spent(10.0, 5.0, 0.0, 85.0)
    assert spent(running, 200.0, queued(1)) == Spent(10.0, 65.0, 0.0, 25.0)


def test_time_stands_still_when_a_tournament_is_over() -> None:
    over = tournament("finished", started=110.0, finished=160.0, stopped_s=20.0)

    assert spent(over, 1000.0) == spent(over, 2000.0) == Spent(10.0, 0.0, 20.0, 30.0)


def test_resumed_tournament_counts_as_stopped_until_its_bots_connect() -> None:
    again = tournament("waiting", started=110.0, waiting_since=150.0, stopped_s=30.0)

    assert spent(again, 160.0) == Spent(10.0, 0.0, 40.0, 10.0)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (queued(1), "Next in line."),
        (queued(1, playing=("Cup",)), "Next in line; workers are playing Cup."),
        (queued(3, ("Open", "Cup")), "Third in line, behind Open and Cup."),
        (queued(4, ("A", "B", "C")), "Fourth in line, behind A, B and 1 other."),
        (queued(12, ("A", "B", "C", "D")), "Number 12 in line, behind A, B and 2 others."),
        (Queued(1, (), (), 0.0, workers=0), "Next in line; no worker is running."),
    ],
)
def test_a_place_in_line_says_behind_whom(line: Queued, sentence: str) -> None:
    assert in_line(line) == sentence
