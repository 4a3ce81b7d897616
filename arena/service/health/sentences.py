"""Findings and numbers as text."""

from collections.abc import Iterable

from arena.base.text import duration
from arena.service.health.facts import Health
from arena.service.health.finding import Finding

DATABASE_WORDS: dict[str | None, str] = {  # whether it stores results
    "ok": "yes",
    "full": "no, its disk is full",
    "read-only": "no, it is read-only",
    "broken": "no",
    "away": "no, it does not answer",
}


def problems(wrong: Iterable[Finding], *, public: bool = False) -> list[str]:
    """The problems with their advice, with commands in backticks. If `public`, they name no hosts,
    users or processes."""
    return [f"{(public and each.public) or each.sentence} {each.advice}".strip() for each in wrong]


def hints(health: Health) -> list[str]:
    """Explanations of normal states that may surprise a reader. They must not come and go every
    second, because that would move the text below them."""
    sentences = []
    if health.gateways and not health.connected:
        sentences.append(
            "No bot is connected. Connect yours with `arena bot connect FILE:CLASS`, or start the "
            "house bots with `arena up`."
        )
    if health.running:
        sentences.append(
            "Elo is updated in schedule order. A finished match waits until all earlier matches "
            "are played."
        )
    return sentences


def numbers(health: Health, now: float) -> list[tuple[str, str]]:
    """The arena's numbers for all visitors, each with its name."""
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
    ]


def inner_numbers(health: Health) -> list[tuple[str, str]]:
    """The arena's numbers for operators, each with its name."""
    return [
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
