"""Entrants who forfeit match after match, in formats in which results decide who plays on.

There a bot that never comes is withdrawn by the schedule itself: after so many forfeits in a row
over finished blocks it is not seated any more. That follows from results alone, so whoever checks a
tournament finds the same. (Where the schedule is known beforehand workers withdraw, and matches
are cancelled: `workers.schedule.absentees`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.plan import Played, SoFar
from arena.tournaments.formats.spec import TournamentSpec

# An option of formats that need results.
WITHDRAWING: Mapping[str, Option] = {
    "withdraw_after": Option(
        "20",
        "withdraw a bot after this many forfeited matches in a row; 0: never",
        whole_number(0, 100_000),
    )
}


def forfeits_in_a_row(
    spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]
) -> dict[str, list[int]]:
    """What a format keeps for `withdrawn`, with a finished block taken in: by entrant, how many
    matches it has forfeited since the last one that it did not."""
    in_a_row: list[int] = list(so_far.get("forfeits", ()))
    in_a_row += [0] * (len(spec.bots) - len(in_a_row))
    for one in played:
        for entrant, forfeited in zip(one.match.seats, one.forfeited, strict=True):
            in_a_row[entrant] = in_a_row[entrant] + 1 if forfeited else 0
    return {"forfeits": in_a_row}


def withdrawn(spec: TournamentSpec, so_far: SoFar) -> set[int]:
    """The entrants who are not seated any more."""
    most = int(spec.format_options["withdraw_after"])
    in_a_row: Sequence[int] = so_far.get("forfeits", ())
    return {entrant for entrant, forfeits in enumerate(in_a_row) if forfeits >= most > 0}


def remark(spec: TournamentSpec, gone: Iterable[int]) -> tuple[str, ...]:
    """Who is not seated any more, in a sentence; empty if nobody is."""
    names = ", ".join(spec.bots[entrant] for entrant in sorted(gone))
    most = spec.format_options["withdraw_after"]
    return (f"Not seated any more, after {most} forfeits in a row: {names}.",) if names else ()
