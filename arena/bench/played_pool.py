"""A few hundred matches really played, to be stored under many names.

Pages that replay a match need a log that fits its seed, and playing a million matches would take
the better part of an hour. So of each of some deals several courses are played; a made-up match
takes one of them over, with its seed, log, points and faults.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from arena import record
from arena.match import Match, MatchSetup, Seat
from arena.pairing import deal_seed
from arena.store.results import FaultNote

DEALS, COURSES = 24, 16
SLIPS = 0.0005  # of decisions that are answered wrongly
BOLD = 0.85  # of decisions that take the first action offered: play if possible, else draw


@dataclass(frozen=True, slots=True)
class Course:
    """How a match of some deal went; sequences are by seat, as in MatchResult."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]
    log: bytes
    notes: tuple[FaultNote, ...]


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal and several courses that it took."""

    seed: bytes
    ruleset: str
    courses: tuple[Course, ...]

    def course(self, strengths: Sequence[float], chance: random.Random) -> Course:
        """Of three courses at random the one that suits these strengths by seat the best: the
        strong ones have few points."""
        return min(
            chance.sample(self.courses, 3),
            key=lambda course: sum(
                strength * points for strength, points in zip(strengths, course.points, strict=True)
            ),
        )


def played_deals(game: str, seats: int, chance: random.Random) -> list[PlayedDeal]:
    """Deals of a game, each played several times."""
    return [_played(game, seats, deal_seed(1, deal), chance) for deal in range(DEALS)]


def _played(game: str, seats: int, seed: bytes, chance: random.Random) -> PlayedDeal:
    courses = [_play(game, seats, seed, chance) for _ in range(COURSES)]
    return PlayedDeal(seed, courses[0].game.ruleset, tuple(map(_course, courses)))


def _play(game: str, seats: int, seed: bytes, chance: random.Random) -> Match:
    match = Match(MatchSetup("made-up", game, seed, tuple(map(Seat, "abcdef"[:seats]))))
    while view := match.decision:
        took_us = int(chance.lognormvariate(7.0, 0.8))
        if chance.random() < SLIPS:
            match.fail("timeout", "No answer within 2000 ms.", 2_000_000)
        elif chance.random() < BOLD:
            match.answer(view.indices[0], took_us)
        else:
            match.answer(chance.choice(view.indices), took_us)
    return match


def _course(match: Match) -> Course:
    result = match.result
    return Course(
        result.points,
        result.ranks,
        match.fault_counts(),
        tuple(fault is not None for fault in result.faults),
        record.pack(match),
        tuple(FaultNote(f.seat, f.number, f.kind, f.reason, f.instead) for f in match.faults),
    )
