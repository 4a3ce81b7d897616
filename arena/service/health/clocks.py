"""Compares the clocks of all machines with the database's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from arena.base.durations import duration
from arena.service.health.finding import Finding, fine, wrong
from arena.service.live.clocks import REDIS, MachineClock

ABOUT = "clocks"
MOST_APART_S = 2.0  # as in deploy/prometheus/rules.yaml
ADVICE = (
    "Set up NTP on that machine (`timedatectl set-ntp true`). Stored times are not affected, "
    "because they come from the database's clock."
)


def check_clocks(found: Sequence[MachineClock]) -> Iterator[Finding]:
    """Compares the reported clocks, one machine at a time."""
    by_host = defaultdict[str, list[MachineClock]](list)
    for clock in found:
        by_host[clock.host].append(clock)
    apart = {host: _largest(clocks) for host, clocks in by_host.items()}
    bad = {host: ahead for host, ahead in apart.items() if abs(ahead) > MOST_APART_S}
    # Redis often shares a machine with other processes, so it does not count as one more.
    ours = {clock.host: apart[clock.host] for clock in found if clock.process != REDIS}
    named = sorted(bad.items())
    if len(ours) > 1 and ours.keys() <= bad.keys() and _agree(ours):
        ahead = next(iter(ours.values()))
        yield _of_the_database(ahead)
        named = [(host, each) for host, each in named if not _agree({"": ahead, host: each})]
    yield from (_of_host(host, by_host[host], ahead) for host, ahead in named)
    if found and not bad:
        yield fine(ABOUT, "The clocks of all machines agree with the database's.")


def _largest(clocks: Sequence[MachineClock]) -> float:
    return max((clock.ahead_s for clock in clocks), key=abs)


def _agree(apart: Mapping[str, float]) -> bool:
    return max(apart.values()) - min(apart.values()) <= MOST_APART_S


def _of_host(host: str, clocks: Sequence[MachineClock], ahead: float) -> Finding:
    processes = ", ".join(sorted(clock.process for clock in clocks))
    says = f"is {_apart(ahead)} the database's."
    return wrong(
        ABOUT,
        f"The clock of {host} ({processes}) {says}",
        ADVICE,
        depends=("Redis", "database"),
        public=f"The clock of a machine {says}",
    )


def _of_the_database(ahead: float) -> Finding:
    sentence = f"The clock of the database's machine is {_apart(-ahead)} all other clocks."
    advice = (
        "Set up NTP on that machine (`timedatectl set-ntp true`). Stored times come from its clock."
    )
    return wrong(ABOUT, sentence, advice, depends=("Redis", "database"), public=sentence)


def _apart(ahead: float) -> str:
    return f"{duration(abs(ahead))} {'ahead of' if ahead > 0 else 'behind'}"
