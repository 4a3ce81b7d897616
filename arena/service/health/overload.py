"""Checks whether bots run out of time because the gateway's machine is overloaded."""

from __future__ import annotations

from collections.abc import Iterator

from arena.service.health.finding import Finding, fine, wrong

ABOUT = "overload"


def check_overload(share: float) -> Iterator[Finding]:
    """Workers play this `share` of their matches at once (`arena.service.live.overload.share`)."""
    if share >= 1:
        yield fine(ABOUT, "The gateway's machine is not overloaded.")
        return
    yield wrong(
        ABOUT,
        "The gateway's machine is overloaded, so most bots ran out of time. Their clocks were "
        f"extended, and workers play {share:.0%} of their usual matches at once.",
        "Move bots to other machines, run fewer bots or workers, or use a longer move time.",
        depends=("Redis",),
        public="The arena is overloaded, so it plays fewer matches at once.",
    )
