"""What is wrong with the arena, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.durations import duration
from arena.health.facts import Health

STUCK_S = 180.0  # without the end of any match, while there is something to play
TROUBLED = 5  # so many tournaments are named
DATABASE_WORDS: dict[str | None, str] = {
    "ok": "yes",
    "full": "no, its disk is full",
    "read-only": "no, it is read-only",
    "broken": "no",
}

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
    health: Health, now: float, *, runs: bool = True, troubled: Mapping[int, str] | None = None
) -> list[str]:
    """The sentences, the gravest first; none when all is well. Commands stand in backticks.

    `runs` is False where no arena runs; `troubled` are tournaments that cannot go on, with the
    reasons.
    """
    if not runs:
        return ["There is no running arena here, so nothing is played: `arena up` starts one."]
    database = [DATABASE[health.database]] if health.database in DATABASE else []
    if not health.redis:
        return [
            *database,
            "Redis does not answer, so nothing is played and nobody can tell who is connected: "
            "`arena up` brings one along; else check ARENA_REDIS_URL and the server behind it.",
        ]
    return [
        *database,
        *_missing(health),
        *_hostless(health),
        *_hanging(health),
        *_troubled(troubled or {}),
        *_stuck(health, now),
    ]


def _missing(health: Health) -> Iterator[str]:
    if not health.gateways:
        yield (
            "No gateway is running, so no bot can connect: `arena gateway` starts one, "
            "`arena up` all there is."
        )
    if not health.workers:
        yield (
            "No worker is running, so no tournament is played: `arena worker` starts one, "
            "`arena up` all there is."
        )
    elif not health.sweeping:
        yield (
            "Nobody looks after the tournaments: `arena beat` does, and exactly one must run. If "
            "it does, the workers are too busy or broken; their log tells."
        )


def _hostless(health: Health) -> Iterator[str]:
    if health.hostless and health.gateways:
        them = "the hosted bot" if health.hosted == 1 else f"the {health.hosted:,} hosted bots"
        what = "look at its log, where a host runs" if health.hosts else "`arena host` starts one"
        yield f"No host is connected, so nobody plays {them} and their matches wait: {what}."
    elif health.uploads_waiting and health.hosts == 0:
        one = health.uploads_waiting == 1
        them = "An upload waits" if one else f"{health.uploads_waiting:,} uploads wait"
        yield f"{them} to be built, and no host is running: `arena host` starts one."


def _hanging(health: Health) -> Iterator[str]:
    if health.hanging:
        some = "A worker hangs" if health.hanging == 1 else f"{health.hanging} workers hang"
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


def _stuck(health: Health, now: float) -> Iterator[str]:
    quiet = health.last_match is not None and now - health.last_match > STUCK_S
    able = health.workers and health.sweeping and not health.hostless
    if health.running and able and quiet:
        yield (
            "A tournament is running, but no match has ended for minutes: its bots may take very "
            "long to answer, else the workers' log tells what is wrong."
        )


def hints(health: Health) -> list[str]:
    """What is in order, but may make a reader wonder; not said and unsaid from one second to the
    next, for that would move what stands below."""
    sentences = []
    if health.gateways and not health.connected:
        sentences.append(
            "No bot is connected. `arena bot connect FILE:CLASS` connects one of yours; "
            "`arena up` brings the bots of the house along."
        )
    if health.running:
        sentences.append(
            "Elo follows the schedule: finished matches wait until those before them are played."
        )
    return sentences


def numbers(health: Health, now: float) -> list[tuple[str, str]]:
    """The arena's numbers for its operator, each with its name."""
    return [
        ("Bots connected", f"{_count(health.connected)} of {health.bots:,}"),
        ("Hosted bots connected", _hosted(health)),
        ("Uploads waiting for a host", f"{health.uploads_waiting:,}"),
        ("Tournaments", f"{health.running:,} running, {health.waiting:,} waiting for their bots"),
        ("Matches per second", f"{health.matches_per_second:.1f} in the last minute"),
        ("Last match ended", _ago(health.last_match, now)),
        ("Matches stored", f"{health.matches:,}, {health.unrated:,} not rated yet"),
        ("Batches", f"{_count(health.queued)} waiting, {_count(health.played)} being played"),
        ("Gateways", _count(health.gateways)),
        ("Hosts", _count(health.hosts)),
        ("Workers", _count(health.workers)),
        ("Workers for interactive work", _count(health.prompt_workers)),
        ("Hanging workers", _count(health.hanging)),
        ("Sweeps running", _yes(health.sweeping)),
        ("Redis answers", _yes(health.redis)),
        ("Database takes results", DATABASE_WORDS.get(health.database, "unknown")),
    ]


def _hosted(health: Health) -> str:
    if not health.hosted:
        return "none"
    return f"{_count(health.hosted_connected)} of {health.hosted:,}"


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _yes(fact: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[fact]


def _ago(moment: float | None, now: float) -> str:
    return "none yet" if moment is None else f"{duration(now - moment)} ago"
