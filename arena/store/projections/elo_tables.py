"""The arithmetic of a game's leaderboards while matches are rated one at a time.

If the anchor has played in a leaderboard, its Elo stays at 1500. Its matches shift the reference
point of all other players instead (`arena.tournaments.ratings.elo`). Players keep their stored Elo
until their next match, before which the shift since their last match is added. So `before` of a
match may differ from the Elo after the previous match, and stored numbers never change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.store.matches.model import MatchOutcome, Rated
from arena.store.projections import rating_history
from arena.store.projections.rating_history import Mark
from arena.tournaments.ratings.elo import START, changes, surplus, zero_factor
from arena.tournaments.ratings.swing import UNKNOWN, half_width, variances, zero_variance

OVERALL = 0


@dataclass(slots=True)
class EloLine:
    """A player's line in a leaderboard, and the new marks of its Elo history.

    Elo is relative to the reference point `zero` at the player's last match, whose variance was
    `zero_variance`. `variance` is the variance of Elo without it.
    """

    elo: float = START
    matches: int = 0
    wins: int = 0
    shared: int = 0
    points: int = 0
    faults: int = 0
    last_played: float = 0.0
    variance: float = UNKNOWN
    zero: float = 0.0
    zero_variance: float = 0.0
    marks: list[Mark] = field(default_factory=list, compare=False)


Lines = dict[tuple[int, int], EloLine]  # by number of seats and player


@dataclass(slots=True)
class Zero:
    """The shift of a leaderboard's reference point, in Elo, and the variance of its error."""

    shift: float = 0.0
    variance: float = UNKNOWN


FIXED = Zero(variance=0.0)  # without an anchor: the mean of all Elo stays 1500


@dataclass(slots=True)
class EloTables:
    """The leaderboards of a game: the player that is its anchor, the loaded lines, and by number of
    seats the reference points of the leaderboards with matches of the anchor."""

    anchor: int | None = None
    lines: Lines = field(default_factory=dict)
    zeros: dict[int, Zero] = field(default_factory=dict)


def play(tables: EloTables, sequence: int, outcome: MatchOutcome) -> Rated:
    """Updates the overall leaderboard and the one of the match's number of seats."""
    seats = [
        (points, faults, won, won and outcome.shared)
        for points, faults, won in zip(outcome.points, outcome.faults, outcome.won, strict=True)
    ]
    moved = _move(tables, len(outcome.players), outcome, seats)
    moved = _move(tables, OVERALL, outcome, seats, moved)
    return Rated(sequence, moved.before, moved.change)


class _Moved(NamedTuple):
    """The effect of a match on the lines of a leaderboard, by seat; `surplus` is the anchor's."""

    before: tuple[float, ...]
    played: tuple[int, ...]
    variance: tuple[float, ...]
    change: tuple[float, ...]
    variance_after: tuple[float, ...]
    surplus: float


def _move(
    tables: EloTables,
    seats: int,
    outcome: MatchOutcome,
    counts: Sequence[tuple[int, int, bool, bool]],
    other: _Moved | None = None,
) -> _Moved:
    """Updates one leaderboard. `counts` are by seat points, faults, whether it won, and whether the
    win was shared; `other` is the effect on another leaderboard."""
    anchored = tables.anchor in outcome.players
    zero = tables.zeros.setdefault(seats, Zero()) if anchored else tables.zeros.get(seats, FIXED)
    table = [_line(tables, seats, player, zero) for player in outcome.players]
    moved = _moved(table, outcome, tables.anchor if anchored else None, other)
    if anchored:
        played = moved.played[outcome.players.index(tables.anchor)]
        zero.shift -= zero_factor(played) * moved.surplus
        zero.variance = zero_variance(zero.variance, played, len(table))
    for line, change, variance, own in zip(
        table, moved.change, moved.variance_after, counts, strict=True
    ):
        _add(line, change, variance, own, outcome.finished)
    return moved


def _moved(
    table: Sequence[EloLine], outcome: MatchOutcome, anchor: int | None, other: _Moved | None
) -> _Moved:
    before = tuple([line.elo for line in table])
    played = tuple([line.matches for line in table])
    variance = tuple([line.variance for line in table])
    # Both leaderboards agree for bots that have met at only one number of seats.
    if other and (before, played, variance) == other[:3]:
        return other
    change = changes(before, played, outcome.points, outcome.forfeited)
    after = variances(variance, played)
    more = 0.0
    if anchor is not None:
        seat = outcome.players.index(anchor)
        change[seat] = after[seat] = 0.0
        more = surplus(seat, before, outcome.points, outcome.forfeited)
    return _Moved(before, played, variance, tuple(change), tuple(after), more)


def _add(
    line: EloLine,
    change: float,
    variance: float,
    counts: tuple[int, int, bool, bool],
    finished: float,
) -> None:
    points, faults, won, shared = counts
    line.elo += change
    line.matches = matches = line.matches + 1
    line.points += points
    line.faults += faults
    line.variance = variance
    if won:
        line.wins += 1
        line.shared += shared
    if line.last_played < finished:
        line.last_played = finished
    if rating_history.is_marked(matches):
        half = half_width(variance + line.zero_variance)
        line.marks.append(Mark(matches, int(finished), line.elo, half))


def _line(tables: EloTables, seats: int, player: int, zero: Zero) -> EloLine:
    """A player's line, relative to the current reference point."""
    line = tables.lines.get((seats, player))
    if line is None:
        line = tables.lines[seats, player] = EloLine(zero=zero.shift)
    if player != tables.anchor:
        line.elo += zero.shift - line.zero
        line.zero, line.zero_variance = zero.shift, zero.variance
    return line
