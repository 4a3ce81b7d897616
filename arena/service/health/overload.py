"""Whether bots run out of time because the arena's machine is overloaded."""

from __future__ import annotations

from collections.abc import Iterator

from arena.service.health.finding import Finding, fine, wrong

ABOUT = "overload"


def check_overload(share: float) -> Iterator[Finding]:
    """Workers play this `share` of their matches at once (`arena.service.live.overload.share`)."""
    if share >= 1:
        yield fine(ABOUT, "Bots have enough time: the machine is not overloaded.")
        return
    yield wrong(
        ABOUT,
        "The gateway's machine is overloaded, so most bots ran out of time. They got the time "
        f"back, and workers play {share:.0%} of their usual matches at once.",
        "Run bots on other machines, or fewer bots or workers on this one. Or use a longer move "
        "time.",
        depends=("Redis",),
        public="The arena is overloaded, so it plays fewer matches at once.",
    )
