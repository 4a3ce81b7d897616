"""The table of results, and messages about problems."""

from collections.abc import Iterator

from tests.chaos.faults import Fault
from tests.chaos.trial import GIVE_UP_S, SHOWN_S, Trial

COLUMNS = (
    *("fault", "s", "matches", "lost", "twice", "blamed", "next", "steady", "late", "shown"),
    *("sentence", ""),
)
WIDTHS = (25, 2, 7, 4, 5, 6, 6, 6, 6, 6, 72, 7)


def heading() -> str:
    """The head of the table."""
    return f"{_line(COLUMNS)}\n{_line(tuple('-' * width for width in WIDTHS))}"


def row(trial: Trial) -> str:
    """A line of the table."""
    found, fault = trial.found, trial.fault
    return _line(
        (
            fault.name,
            f"{fault.seconds:g}",
            str(found.planned),
            str(found.lost),
            str(found.twice),
            str(found.blamed),
            _seconds(trial.first_s),
            _seconds(trial.steady_s),
            _seconds(trial.late_s),
            _seconds(trial.shown_s) if fault.says else "",
            trial.sentence[: WIDTHS[-2]],
            "held" if trial.held else "BROKEN",
        )
    )


def not_tried(fault: Fault) -> str:
    """The line of a fault that this machine does not support."""
    empty = [""] * (len(WIDTHS) - 3)
    return _line((fault.name, f"{fault.seconds:g}", *empty, "no root"))


def complaints(trial: Trial) -> Iterator[str]:
    """Messages about problems."""
    found, fault = trial.found, trial.fault
    if found.state != "finished":
        yield f"Its tournament is {found.state}, not finished, after {GIVE_UP_S:.0f} s."
    if found.lost:
        yield f"{found.lost} of {found.planned} matches are not stored."
    if found.twice:
        yield f"{found.twice} matches count twice."
    if not trial.soon:
        yield f"Play did not go on as before within {fault.bound_s:.0f} s."
    if trial.late_s is not None and not trial.on_time:
        yield f"Its last matches came {trial.late_s:.0f} s late."
    if not trial.told:
        others = " ".join(sorted(trial.others)) or "nothing"
        yield f'Within {SHOWN_S:.0f} s the status did not say "{fault.says}", but: {others}'
    yield from found.remarks


def _seconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f}"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(str.ljust, cells, WIDTHS))} |"
