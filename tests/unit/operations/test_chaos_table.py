"""What `make chaos` makes of what it saw."""

from dataclasses import replace

import pytest

from arena.service.health.finding import wrong
from tests.chaos import table
from tests.chaos.faults import FAULTS, Fault
from tests.chaos.shown import Watch
from tests.chaos.stored import Stored
from tests.chaos.trial import Seen, Trial, first_stored, steady_since

PACE = 10.0  # matches a second

PUBLIC = "No worker is running."

FAULT = Fault("worker killed", 0, lambda arena, _: arena.frozen())
SOUND = Stored("finished", planned=100)


def looks(*counts: int) -> list[Seen]:
    """One look a second."""
    return [(float(second), count) for second, count in enumerate(counts)]


def test_play_is_steady_from_when_the_pace_is_back() -> None:
    seen = looks(50, 50, 50, 52, 62, 72, 82, 92)

    assert first_stored(seen) == 3.0
    assert steady_since(seen, PACE) == 3.0


def test_a_single_burst_is_not_a_recovery() -> None:
    assert steady_since(looks(50, 60, 60, 60, 60), PACE) is None
    assert steady_since(looks(50, 60, 70), PACE) is None  # nobody knows yet
    assert first_stored(looks(50, 50)) is None


@pytest.mark.parametrize(
    ("found", "steady_s", "late_s", "said"),
    [
        (Stored("running", 100), 0.1, 2.0, "Its tournament is running"),
        (Stored("finished", 100, lost=2), 0.1, 2.0, "2 of 100 matches are not stored"),
        (Stored("finished", 100, twice=3), 0.1, 2.0, "3 matches count twice"),
        (
            Stored("finished", 100, blamed=1, remarks=("Blamed: timeout",)),
            0.1,
            2.0,
            "Blamed: timeout",
        ),
        (Stored("finished", 100, remarks=("Left in Redis: x",)), 0.1, 2.0, "Left in Redis: x"),
        (SOUND, 15.0, 2.0, "within 15 s"),
        (SOUND, None, None, "within 15 s"),
        (SOUND, 0.1, 30.0, "30 s late"),
    ],
)
def test_each_broken_promise_is_said(
    found: Stored, steady_s: float | None, late_s: float | None, said: str
) -> None:
    trial = Trial(FAULT, found, 0.1, steady_s, late_s)

    assert not trial.held
    assert "BROKEN" in table.row(trial)
    (sentence,) = table.complaints(trial)
    assert said in sentence


def test_a_sentence_that_is_not_shown_in_time_breaks_a_promise() -> None:
    fault = replace(FAULT, says="No worker is running")
    late = Trial(fault, SOUND, 0.1, 0.1, 2.0, 15.1, "No worker is running, so ...")
    never = Trial(fault, SOUND, 0.1, 0.1, 2.0, others=frozenset({"Nothing else."}))
    soon = Trial(fault, SOUND, 0.1, 0.1, 2.0, 5.0, "No worker is running")

    assert [each.held for each in (late, never, soon)] == [False, False, True]
    assert "Nothing else." in next(table.complaints(never))
    assert "| No worker is running  " in table.row(soon)


def test_each_fault_that_lasts_has_a_sentence() -> None:
    assert [fault.name for fault in FAULTS if fault.seconds and not fault.says] == []


@pytest.mark.long
def test_the_status_is_asked_until_it_has_the_sentence() -> None:
    sentences = ((), ("The disk is full.",), ("All is away.", "No worker is running on node3."))
    answers = iter([[wrong("x", each, "", public=PUBLIC) for each in now] for now in sentences])
    watch = Watch("No worker", lambda: next(answers))

    watch.run()

    assert watch.sentence == PUBLIC
    assert watch.shown_s is not None
    assert watch.others == {"The disk is full.", "All is away."}


def test_result_line_is_as_wide_as_the_heading() -> None:
    trial = Trial(FAULT, SOUND, 0.1, 14.9, 29.9)

    assert trial.held
    assert list(table.complaints(trial)) == []
    lines = [*table.heading().splitlines(), table.row(trial), *map(table.not_tried, FAULTS)]
    assert len({len(line) for line in lines}) == 1
