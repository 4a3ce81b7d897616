"""What is wrong with the arena, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.health.facts import Health

STUCK_S = 180.0  # without the end of any match, while there is something to play


def problems(found: Health, now: float, *, runs: bool = True) -> list[str]:
    """The sentences, the gravest first; none when all is well. Commands stand in backticks.

    `runs` is False for a dashboard that was started without an arena.
    """
    if not runs:
        return [
            "This dashboard is not connected to a running arena, so nothing is played: "
            "`arena up` starts one."
        ]
    if not found.redis:
        return [
            "Redis does not answer, so nothing is played and nobody can tell who is connected: "
            "`arena up` brings one along; else check ARENA_REDIS_URL and the server behind it."
        ]
    return [*_missing(found), *_stuck(found, now)]


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
