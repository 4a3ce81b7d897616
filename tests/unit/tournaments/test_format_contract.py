"""The contract of every format: each promise of `Format` that a new one could forget."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from arena.tournaments.formats import FORMATS, Format, PlannedMatch, TournamentSpec, format_of
from arena.tournaments.formats.plan import NOTHING, Played, SoFar
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.swiss import Swiss
from tests.formats import SPECS, name_of
from tests.played_out import PlayedOut, by_authors, by_number, play_out, with_points, without


def broken(spec: TournamentSpec) -> Iterator[str]:
    """The promises that the format of this spec does not keep."""
    format_ = format_of(spec.format)
    once = play_out(spec, by_number)
    if len({round(sat, 9) for sat in seat_balance(once)}) > 1:
        yield "balance: somebody has one seat more often than another"
    if play_out(replace(spec, seed=spec.seed + 1), by_number).blocks == once.blocks:
        yield "seed: another seed gives the same schedule"
    if not carries_on(format_, once):
        yield "resumption: it does not go on from what was kept"
    if sum(format_.shares(spec)) != pytest.approx(spec.seats):
        yield "shares: they do not fill the seats of a table"
    if "siblings" in format_.options and siblings_meet_unsaid(spec):
        yield "siblings: they meet, and it does not say so"
    if "withdraw_after" in format_.options and seats_the_absent(spec):
        yield "withdrawal: who forfeits is seated again"
    if format_.ends_early is False and len(once.matches) != format_.count(spec):
        yield "count: not as many matches as it told"


def seat_balance(out: PlayedOut) -> list[float]:
    """By entrant and seat, how often it sat there, as a share of its matches. Of a versus, where
    only two change over, the differences between these two."""
    seats = out.spec.seats
    counts = [[0] * seats for _ in out.spec.bots]
    for one in out.matches:
        for seat, entrant in enumerate(one.match.seats):
            counts[entrant][seat] += 1
    if out.spec.format_options.get("seatings") == "mirrored":
        pairs = list(zip(counts[0], counts[1], strict=True))
        return [mine - theirs for mine, theirs in pairs]
    return [each / sum(line) for line in counts if sum(line) for each in line]


def carries_on(format_: Format, once: PlayedOut) -> bool:
    """Whether the same blocks follow after the state went through JSON each time."""
    so_far: SoFar = NOTHING
    for number, block in enumerate(once.blocks):
        so_far = json.loads(json.dumps(so_far))
        if format_.block(once.spec, number, so_far) != tuple(one.match for one in block):
            return False
        so_far = format_.fold(once.spec, so_far, block)
    return format_.block(once.spec, len(once.blocks), json.loads(json.dumps(so_far))) == ()


def siblings_meet_unsaid(spec: TournamentSpec) -> bool:
    """Whether two bots of one author meet where the format says that none do."""
    authors = [entrant % (len(spec.bots) - 1) for entrant in range(len(spec.bots))]
    apart = by_authors(spec, authors)  # the first and the last are by one
    if format_of(spec.format).siblings_meet(apart):
        return False
    meet = (
        {0, len(authors) - 1} <= set(one.match.seats) for one in play_out(apart, by_number).matches
    )
    return any(meet)


def seats_the_absent(spec: TournamentSpec) -> bool:
    """Whether a bot is seated after enough forfeits in a row to withdraw it."""
    some = replace(spec, format_options={**spec.format_options, "withdraw_after": "2"})
    out = play_out(some, without(1))
    sat = [[one for one in block if 1 in one.match.seats] for block in out.blocks]
    forfeits = 0
    for block in sat:
        if forfeits >= 2 and block:
            return True
        forfeits += len(block)
    return False


def test_every_format_has_a_spec_here() -> None:
    assert {spec.format for spec in SPECS} == set(FORMATS)


@pytest.mark.parametrize("spec", SPECS, ids=name_of)
def test_a_format_keeps_its_promises(spec: TournamentSpec) -> None:
    assert list(broken(spec)) == []


class SiblingsForgotten(RoundRobin):
    """Declares that siblings may be kept apart, and seats as if there were none."""

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        return super().block(replace(spec, authors=()), number, so_far)

    def count(self, spec: TournamentSpec) -> int:
        return super().count(replace(spec, authors=()))


class SeatsUneven(RoundRobin):
    """The first match has its seats in another order."""

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        block = super().block(spec, number, so_far)
        return (replace(block[0], seats=block[0].seats[::-1]), *block[1:]) if block else ()


class SeedIgnored(RoundRobin):
    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        return super().block(replace(spec, seed=7), number, so_far)


class NobodyWithdrawn(Swiss):
    """Forgets who forfeits."""

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        here = [with_points(one.match, one.points) for one in played]
        return super().fold(spec, so_far, here)


class NotJson(Swiss):
    """Keeps what JSON turns into something else: numbers as keys."""

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        rounds: Any = so_far.get("rounds", {})
        return {**super().fold(spec, so_far, played), "rounds": {**rounds, len(rounds): 1}}

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        known = so_far.get("rounds", {})
        return (
            super().block(spec, number, so_far)
            if all(key in known for key in range(number))
            else ()
        )


@pytest.mark.parametrize(
    ("careless", "promise"),
    [
        (SiblingsForgotten, "siblings"),
        (SeatsUneven, "balance"),
        (SeedIgnored, "seed"),
        (NobodyWithdrawn, "withdrawal"),
        (NotJson, "resumption"),
    ],
)
def test_a_format_that_forgets_a_promise_is_found(
    monkeypatch: pytest.MonkeyPatch, careless: type[Format], promise: str
) -> None:
    name = next(name for name, format_ in FORMATS.items() if issubclass(careless, type(format_)))
    monkeypatch.setitem(FORMATS, name, careless())
    (spec, *_) = (spec for spec in SPECS if spec.format == name)

    assert promise in {problem.partition(":")[0] for problem in broken(spec)}
