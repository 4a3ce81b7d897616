"""When a tournament begins that waits for its bots, and what organisers read about it till then."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.base.durations import duration
from arena.service.live.presence import Presence
from arena.store.tournaments.tournaments import State, Tournament

NOTE_S = 5  # what is said of a tournament that waits changes so often


@dataclass(frozen=True, slots=True)
class Absent:
    """The players who cannot play now, each with a description: those whose `programs` are to
    connect, and those whom a host is to connect, `hosted`."""

    programs: Mapping[int, str]
    hosted: Mapping[int, str]


def absentees(
    tournament: Tournament, connected: Mapping[int, Presence], by_hosts: Set[int]
) -> Absent:
    """Who of a tournament's players cannot play now. Those `by_hosts` are to be connected by
    hosts."""
    spec = tournament.spec
    programs, hosted = dict[int, str](), dict[int, str]()
    for player, name in zip(tournament.players, spec.bots, strict=True):
        here = connected.get(player)
        if here is None:
            (hosted if player in by_hosts else programs)[player] = name
        elif not here.plays(spec.game, spec.seats):
            programs[player] = f"{name} (connected, but not for {spec.game} at {spec.seats} seats)"
    return Absent(programs, hosted)


def begins(tournament: Tournament, absent: Absent, now: float) -> tuple[State, str]:
    """The state of a tournament that waits for its bots, and what organisers read about it.

    It does not begin before its start time, if it has one. It begins without those who are late,
    since their matches can wait. Where somebody waits for the only match, it does not begin without
    a hosted bot.
    """
    if tournament.scheduled(now):
        return "waiting", _scheduled(tournament.starts_at or now)
    if not absent.programs and not absent.hosted:
        return "running", ""
    since = max(tournament.waiting_since, tournament.starts_at or 0.0)
    left = since + tournament.spec.start_grace_s - now
    waits = bool(absent.hosted) and tournament.kind != "tournament"
    if left > 0 or waits:
        return "waiting", _waiting(absent, 0.0 if waits else left)
    return "running", _began(tournament, absent)


def _scheduled(at: float) -> str:
    begin = datetime.fromtimestamp(at, UTC)
    return f"Scheduled: it begins on {begin:%Y-%m-%d at %H:%M} UTC, if its bots are connected then."


def _waiting(absent: Absent, left: float) -> str:
    """For so many more seconds, or with 0 for as long as no host has the hosted bots."""
    names = ", ".join([*absent.programs.values(), *absent.hosted.values()])
    sentences = [f"Waiting for {names}."]
    if left:
        rounded = math.ceil(left / NOTE_S) * NOTE_S
        sentences = [f"Waiting for {names}; without them it begins in {duration(rounded)}."]
    if absent.hosted:
        sentences.append(f"No host has {_names(absent.hosted)}.")
    return " ".join(sentences)


def _began(tournament: Tournament, absent: Absent) -> str:
    sentences = []
    if absent.programs:
        names = _names(absent.programs)
        sentences.append(f"Began without {names}: {_unless_they_connect(tournament)}.")
    if absent.hosted:
        sentences.append(
            f"Began while no host had {_names(absent.hosted)}: their matches wait until one has."
        )
    return " ".join(sentences)


def _unless_they_connect(tournament: Tournament) -> str:
    if tournament.kind != "tournament" or not tournament.spec.start_grace_s:
        return "forfeit unless they connect"
    more = duration(tournament.spec.start_grace_s)
    return f"their matches wait for {more}, then they forfeit unless they connect"


def _names(absent: Mapping[int, str]) -> str:
    return ", ".join(absent.values())
