"""The findings and the numbers in words."""

from __future__ import annotations

from collections.abc import Iterable

from arena.base.durations import duration
from arena.service.health.facts import Health
from arena.service.health.finding import Finding

DATABASE_WORDS: dict[str | None, str] = {
    "ok": "yes",
    "full": "no, its disk is full",
    "read-only": "no, it is read-only",
    "broken": "no",
    "away": "no, it does not answer",
}


def problems(wrong: Iterable[Finding], *, public: bool = False) -> list[str]:
    """The sentences on what is wrong and what to do. Commands stand in backticks. Those for the
    `public` name no hosts, users and processes."""
    return [f"{(public and each.public) or each.sentence} {each.advice}".strip() for each in wrong]


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
        ("Bots connected", f"{_count(health.connected)} of {_count(health.bots)}"),
        ("Hosted bots connected", _hosted(health)),
        ("Uploads waiting for a host", _count(health.uploads_waiting)),
        (
            "Tournaments",
            f"{_count(health.running)} running, {_count(health.waiting)} waiting for their bots",
        ),
        ("Matches per second", _pace(health.matches_per_second)),
        ("Last match ended", _ago(health, now)),
        ("Matches stored", f"{_count(health.matches)}, {_count(health.unrated)} not rated yet"),
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
    if health.hosted == 0:
        return "none"
    return f"{_count(health.hosted_connected)} of {_count(health.hosted)}"


def _pace(number: float | None) -> str:
    return "unknown" if number is None else f"{number:.1f} in the last minute"


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _yes(fact: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[fact]


def _ago(health: Health, now: float) -> str:
    if health.last_match is None:
        return "none yet" if health.matches is not None else "unknown"
    return f"{duration(now - health.last_match)} ago"
