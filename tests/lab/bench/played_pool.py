"""A few hundred matches actually played, to be stored many times under other names.

Pages that replay a match need a log that fits its seed, and playing a million matches would take
the better part of an hour. So each of a few deals is played several times, and a synthetic match
copies one of these courses with its seed, log, points and faults.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from arena.games import packed_log
from arena.games.match import Match, MatchSetup, Seat
from arena.store.save import FaultNote
from arena.tournaments.formats import deal_seed

DEALS, COURSES = 24, 16
SLIPS = 0.0005  # the share of decisions that time out
BOLD = 0.85  # the share of the others that take the first legal action: play, else draw


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match played on a deal; sequences are by seat, as in MatchResult."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]
    log: bytes
    latencies: tuple[bytes, ...]
    notes: tuple[FaultNote, ...]


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal and several matches played on it."""

    seed: bytes
    ruleset: str
    courses: tuple[PlayedMatch, ...]

    def course(self, strengths: Sequence[float], rng: random.Random) -> PlayedMatch:
        """Of three random courses, the one that best fits these strengths by seat: strong
        players have few points."""
        return min(
            rng.sample(self.courses, 3),
            key=lambda course: sum(
                strength * points for strength, points in zip(strengths, course.points, strict=True)
            ),
        )


def played_deals(game: str, seats: int, rng: random.Random) -> list[PlayedDeal]:
    """Deals of a game, each played several times."""
    return [_played(game, seats, deal_seed(1, deal), rng) for deal in range(DEALS)]


def _played(game: str, seats: int, seed: bytes, rng: random.Random) -> PlayedDeal:
    courses = [_play(game, seats, seed, rng) for _ in range(COURSES)]
    return PlayedDeal(seed, courses[0].game.ruleset, tuple(map(_course, courses)))


def _play(game: str, seats: int, seed: bytes, rng: random.Random) -> Match:
    match = Match(MatchSetup("synthetic", game, seed, tuple(map(Seat, "abcdef"[:seats]))))
    while view := match.decision:
        latency_us = int(rng.lognormvariate(7.0, 0.8))
        if rng.random() < SLIPS:
            match.fail("timeout", "No answer within 2000 ms.", 2_000_000)
        elif rng.random() < BOLD:
            match.answer(view.indices[0], latency_us)
        else:
            match.answer(rng.choice(view.indices), latency_us)
    return match


def _course(match: Match) -> PlayedMatch:
    result = match.result
    return PlayedMatch(
        result.points,
        result.ranks,
        match.fault_counts(),
        tuple(fault is not None for fault in result.faults),
        packed_log.pack(match),
        packed_log.latency_codes(match),
        tuple(FaultNote(f.seat, f.number, f.kind, f.reason, f.instead) for f in match.faults),
    )
