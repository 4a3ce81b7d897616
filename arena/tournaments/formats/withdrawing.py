"""Withdraws entrants that keep forfeiting, in formats whose schedule depends on results.

After a number of forfeits in a row over finished blocks, the schedule no longer seats the bot. This
depends on results alone, so an audit reproduces it. In other formats workers withdraw the bot and
cancel its matches: see `workers.schedule.absentees`.
"""

from collections.abc import Iterable, Mapping, Sequence

from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.plan import Played, SoFar
from arena.tournaments.formats.spec import TournamentSpec

# Formats that need results have this option.
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
    """Returns the updated state for `withdrawn`: by entrant, its current number of forfeits in a
    row after the finished block `played`."""
    in_a_row: list[int] = list(so_far.get("forfeits", ()))
    in_a_row += [0] * (len(spec.bots) - len(in_a_row))
    for one in played:
        for entrant, forfeited in zip(one.match.seats, one.forfeited, strict=True):
            in_a_row[entrant] = in_a_row[entrant] + 1 if forfeited else 0
    return {"forfeits": in_a_row}


def withdrawn(spec: TournamentSpec, so_far: SoFar) -> set[int]:
    """Returns the entrants that are no longer seated."""
    most = int(spec.format_options["withdraw_after"])
    in_a_row: Sequence[int] = so_far.get("forfeits", ())
    return {entrant for entrant, forfeits in enumerate(in_a_row) if forfeits >= most > 0}


def remark(spec: TournamentSpec, gone: Iterable[int]) -> tuple[str, ...]:
    """Returns a sentence that lists the bots that are no longer seated; empty if none."""
    names = ", ".join(spec.bots[entrant] for entrant in sorted(gone))
    most = spec.format_options["withdraw_after"]
    return (f"No longer seated after {most} forfeits in a row: {names}.",) if names else ()
