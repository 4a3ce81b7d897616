"""An arena on six hosts that have a network between them: `python -m tests.hosts`, or
`make hosts-test`.

Plays tournaments across the hosts. A host of workers joins in, cables are cut and slowed and
healed, a gateway is drained: every match must be stored once, no bot be blamed, and play go on as
before soon afterwards. Prints what it cost, and exits with 1 if one of these broke that. Takes root
and iproute2; nothing is left running, also after Ctrl-C.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena.protocol.v1 import control_pb2 as pb
from tests.chaos import stored, table
from tests.chaos.deployment import Deployment
from tests.chaos.faults import Fault
from tests.chaos.hosts import ISOLATED, isolate
from tests.chaos.run import in_a_folder, try_one
from tests.chaos.trial import create, measure_pace
from tests.hosts.deployment import Site, site

WATCHED_S = 8.0
SETTLING_S = 3.0
FASTER = 1.5  # with twice the workers, at least


@click.command(help=__doc__)
def main() -> None:
    isolate(sys.argv[1:], "tests.hosts")
    if ISOLATED not in os.environ:
        raise click.ClickException(
            "Hosts take namespaces of the network: run it as root, on Linux."
        )
    in_a_folder("arena-hosts-", try_all)


def try_all(folder: Path) -> bool:
    """Whether all that is promised held."""
    with site(folder) as found:
        return all([grows(found), moves(found), *outlives(found)])


def grows(found: Site) -> bool:
    """A second host of workers joins in while a tournament is played: whether that is faster."""
    arena = found.arena
    tournament = create(arena, 100_000)
    arena.pause(SETTLING_S)
    before = _pace(arena, tournament)
    found.start_worker(2)
    arena.pause(2 * SETTLING_S)
    after = _pace(arena, tournament)
    arena.control.cancel_tournament(pb.TournamentId(id=tournament))
    click.echo(
        f"One host of workers plays {before:.0f} matches a second, two play {after:.0f}:"
        f" {after / before:.2f} times as many, while the bots think."
    )
    return after > FASTER * before


def _pace(arena: Deployment, tournament: int) -> float:
    """Matches a second, from now on for some seconds."""
    before = stored.played(arena.store, tournament)
    arena.pause(WATCHED_S)
    return (stored.played(arena.store, tournament) - before) / WATCHED_S


def moves(found: Site) -> bool:
    """A gateway is told to stop; whether its bots are at the other one then, and none is blamed."""
    moved: list[str] = []

    @contextmanager
    def drained(arena: Deployment, _: int) -> Iterator[None]:
        before = found.gateways_of_bots()
        spec = arena.supervisor.end("gateway-gateway-1")
        try:
            yield
        finally:
            after = found.gateways_of_bots()
            moved.extend(bot for bot in before if after.get(bot) not in (None, before[bot]))
            arena.supervisor.start(spec)

    click.echo(f"\n{table.heading()}")
    pace = measure_pace(found.arena)
    held = try_one(found.arena, Fault("gateway-1 drained", 8, drained, goes_on=True), pace)
    click.echo(f"Bots that moved to gateway-2 then: {', '.join(moved)}.")
    return held and bool(moved)


def outlives(found: Site) -> Iterator[bool]:
    """Cables are slowed and cut; whether each of these was held."""

    def cut(host: str, seconds: float) -> Fault:
        return Fault(f"{host} cut off", seconds, lambda *_: found.network.cut(host), goes_on=True)

    def slow(host: str, rate: str) -> Fault:
        deed = found.network.slow
        return Fault(f"{host} at {rate}/s", 8, lambda *_: deed(host, rate), goes_on=True)

    faults = (
        *(slow("worker-2", "256kbit"), slow("gateway-2", "1mbit"), slow("data", "2mbit")),
        *(cut("worker-1", 25), cut("gateway-2", 25), cut("data", 12)),
    )
    pace = measure_pace(found.arena)
    click.echo(f"{pace:.0f} matches a second before any of these.")
    for fault in faults:
        yield try_one(found.arena, fault, pace)


if __name__ == "__main__":
    main()
