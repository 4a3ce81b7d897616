"""Decides when a waiting tournament starts, and writes its note for organisers."""

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.base.text import duration
from arena.service.live.player_presence import Presence
from arena.store.tournaments.tournaments import State, Tournament

NOTE_S = 5  # the interval in which the note of a waiting tournament changes


@dataclass(frozen=True, slots=True)
class Absent:
    """The players that cannot play now, each with a description."""

    programs: Mapping[int, str]  # whose authors have to connect them
    hosted: Mapping[int, str]  # that hosts have to connect


def absentees(
    tournament: Tournament, connected: Mapping[int, Presence], by_hosts: Set[int]
) -> Absent:
    """The players of a tournament that cannot play now. Hosts have to connect those in
    `by_hosts`."""
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
    """The new state and note of a waiting tournament.

    It does not start before its start time. After the start grace it starts without absent bots,
    whose matches wait. An interactive match does not start without its hosted bots.
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
    return f"Scheduled for {begin:%Y-%m-%d at %H:%M} UTC, if its bots are connected then."


def _waiting(absent: Absent, left: float) -> str:
    """The note while waiting for `left` more seconds, or with 0 until hosts connect all bots."""
    names = ", ".join([*absent.programs.values(), *absent.hosted.values()])
    sentences = [f"Waiting for {names}."]
    if left:
        rounded = math.ceil(left / NOTE_S) * NOTE_S
        sentences.append(f"Starts without them in {duration(rounded)}.")
    if absent.hosted:
        sentences.append(f"No host has connected {_names(absent.hosted)}.")
    return " ".join(sentences)


def _began(tournament: Tournament, absent: Absent) -> str:
    sentences = []
    if absent.programs:
        names = _names(absent.programs)
        sentences.append(f"Started without {names}. {_unless_they_connect(tournament)}")
    if absent.hosted:
        sentences.append(
            f"Started before a host connected {_names(absent.hosted)}. Their matches wait."
        )
    return " ".join(sentences)


def _unless_they_connect(tournament: Tournament) -> str:
    if tournament.kind != "tournament" or not tournament.spec.start_grace_s:
        return "They forfeit unless they connect."
    more = duration(tournament.spec.start_grace_s)
    return f"Their matches wait for {more}. Then they forfeit unless they connect."


def _names(absent: Mapping[int, str]) -> str:
    return ", ".join(absent.values())
