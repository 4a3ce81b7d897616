"""What is wrong with the arena, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dashboard.system.health.facts import Health

STUCK_S = 180.0  # without the end of any match, while there is something to play
TROUBLED = 5  # so many tournaments are named


DATABASE = {
    "full": (
        "The disk that the database is on is full, so nothing can be stored: make room there. What "
        "is being played is played again until it can be stored, then all goes on by itself."
    ),
    "read-only": (
        "The database can be read only, so nothing can be stored: let the arena write to it (its "
        "file and folder, or the rights of its user), or check that ARENA_DATABASE_URL names the "
        "primary server."
    ),
    "broken": (
        "The database cannot be written to, so nothing can be stored: check the disk that it is "
        "on, and its file; the workers' log says what the error is."
    ),
}


def problems(
    found: Health, now: float, *, runs: bool = True, troubled: Mapping[int, str] | None = None
) -> list[str]:
    """The sentences, the gravest first; none when all is well. Commands stand in backticks.

    `runs` is False for a dashboard that was started without an arena; `troubled` are tournaments
    that cannot go on, with the reasons.
    """
    if not runs:
        return [
            "This dashboard is not connected to a running arena, so nothing is played: "
            "`arena up` starts one."
        ]
    database = [DATABASE[found.database]] if found.database in DATABASE else []
    if not found.redis:
        return [
            *database,
            "Redis does not answer, so nothing is played and nobody can tell who is connected: "
            "`arena up` brings one along; else check ARENA_REDIS_URL and the server behind it.",
        ]
    return [
        *database,
        *_missing(found),
        *_hanging(found),
        *_troubled(troubled or {}),
        *_stuck(found, now),
    ]


def _missing(found: Health) -> Iterator[str]:
    if not found.gateways:
        yield (
            "No gateway is running, so no bot can connect: `arena gateway` starts one, "
            "`arena up` all there is."
        )
    if not found.workers:
        yield (
            "No worker is running, so no tournament is played: `arena worker` starts one, "
            "`arena up` all there is."
        )
    elif not found.sweeping:
        yield (
            "Nobody looks after the tournaments: `arena beat` does, and exactly one must run. If "
            "it does, the workers are too busy or broken; their log tells."
        )


def _hanging(found: Health) -> Iterator[str]:
    if found.hanging:
        some = "A worker hangs" if found.hanging == 1 else f"{found.hanging} workers hang"
        yield (
            f"{some}: tasks wait that it does not begin, or one of its processes makes no "
            "progress. Its log says which process; end it with `kill -9`, or start the worker "
            "again. What it had in hand is played by others."
        )


def _troubled(troubled: Mapping[int, str]) -> Iterator[str]:
    for number, why in sorted(troubled.items())[:TROUBLED]:
        yield (
            f"Tournament {number} cannot go on ({why.rstrip('.')}). The workers' log says more; "
            f"`arena tournament cancel {number}` ends it. The others go on."
        )
    if len(troubled) > TROUBLED:
        more = len(troubled) - TROUBLED
        yield f"{more} more tournaments cannot go on; the workers' log names them."


def _stuck(found: Health, now: float) -> Iterator[str]:
    quiet = found.last_match is not None and now - found.last_match > STUCK_S
    if found.running and found.workers and found.sweeping and quiet:
        yield (
            "A tournament is running, but no match has ended for minutes: its bots may take very "
            "long to answer, else the workers' log tells what is wrong."
        )


def hints(found: Health) -> list[str]:
    """What is in order, but may make a reader wonder; not said and unsaid from one second to the
    next, for that would move what stands below."""
    said = []
    if found.gateways and not found.connected:
        said.append(
            "No bot is connected. `arena bot connect FILE:CLASS` connects one of yours; "
            "`arena up` brings the bots of the house along."
        )
    if found.running:
        said.append(
            "Elo follows the schedule: finished matches wait until those before them are played."
        )
    return said
