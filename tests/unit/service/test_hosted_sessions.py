"""The session of a host at a gateway: nothing in it ends by time, and nobody is charged."""

from dataclasses import replace

import pytest

from arena.base.instant import Instant
from arena.games.rules.rows import VERSION
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway.limits import READ_WITHIN_S
from arena.service.gateway.sessions import Login, PlayerSession, SessionRegistry, Stream
from arena.service.gateway.sessions.outputs import GiveUp
from arena.service.gateway.sessions.stalls import TICK_S
from arena.service.live.player_presence import Presence

GRACE_S = 5.0
ADA = Presence(
    player=1, bot="ada", version="2", gateway="g1", session="10", since=0.0, games=("lama",),
    min_seats=2, max_seats=6, max_in_flight=8, sdk="host", packed=VERSION, hosted=True,
)  # fmt: skip
LOGIN = Login(ADA.player, "host_token", names_version=True, host_of="ada@2")


def at(now: float) -> Instant:
    return Instant(now, 1000.0 + now)


def asked(*tickets: int, group: int = 0, **fields: object) -> Delivery:
    """Decisions one by one."""
    decisions = [pb.Decision(ticket=one, time_ms=2000).SerializeToString() for one in tickets]
    return Delivery(
        player=1, reply_to="w", time_ms=2000, group=group, tickets=tickets, decisions=decisions,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def asked_packed(*tickets: int, group: int = 0) -> Delivery:
    return Delivery(
        player=1, reply_to="w", time_ms=2000, group=group, game="lama", seats=3,
        packed_tickets=tickets, rows=bytes(4 * len(tickets)),
    )  # fmt: skip


class Gateway:
    """A registry with one hosted bot connected at time 0."""

    def __init__(self, presence: Presence = ADA) -> None:
        self.registry = SessionRegistry("g1", GRACE_S, 100_000)
        self.session, self.stream = self.registry.connected(presence, LOGIN, at(0.0))
        self.read(0.0)

    def read(self, now: float) -> list[pb.ArenaMessage]:
        return read(self.session, self.stream, now)

    def batch(self, now: float) -> pb.Batch:
        (message,) = self.read(now)
        return message.batch

    def choose(self, now: float, **fields: object) -> None:
        choice = pb.Choice(ticket=1, **fields)  # type: ignore[arg-type]
        self.session.answer(self.stream, pb.Choices(choices=[choice]), now)

    def tick(self, until: float, since: float = 0.0) -> None:
        for step in range(int(since / TICK_S), int(until / TICK_S) + 1):
            self.registry.tick(step * TICK_S)

    def replies(self, now: float = 1e9) -> dict[int, Reply]:
        """All replies so far, with the answers by index among them."""
        buffer = self.registry.outputs.replies
        buffer.release_due(now)
        found: dict[int, Reply] = {}
        for _, bundle in buffer.take_ready():
            found |= {one.ticket: one for one in bundle.others}
            for ticket, us in zip(bundle.tickets, bundle.latencies_us, strict=True):
                found[ticket] = Reply(ticket=ticket, latency_us=us)
        return found


def read(session: PlayerSession, stream: Stream, now: float) -> list[pb.ArenaMessage]:
    found = []
    while (message := session.next_message(stream, now)) is not None:
        found.append(pb.ArenaMessage.FromString(message))
    return found


def test_no_decision_ends_by_time() -> None:
    gateway = Gateway()
    gateway.session.enqueue(asked(1))
    gateway.session.enqueue(asked_packed(2))
    gateway.read(0.0)

    gateway.tick(60.0)

    assert gateway.replies() == {}
    assert gateway.session.in_flight == 2


def test_the_latency_is_the_cpu_time_that_the_host_tells() -> None:
    gateway = Gateway()
    gateway.session.enqueue(asked(1, 2, 3, 4))
    gateway.read(0.0)

    gateway.choose(1.0, index=1, cpu_us=700)
    choices = pb.Choices(tickets=[2, 3, 3], indices=[1, 1, 1], cpu_us=[20, 30, 31])
    gateway.session.answer(gateway.stream, choices, 1.0)
    gateway.session.answer(gateway.stream, pb.Choices(tickets=[4], indices=[1]), 1.0)

    latencies = {ticket: reply.latency_us for ticket, reply in gateway.replies().items()}
    assert latencies == {1: 700, 2: 20, 3: 30, 4: 0}
    latency_ms = gateway.session.current_presence().latency_ms
    assert latency_ms is not None
    assert 0 < latency_ms < 0.7


def test_latency_of_other_bots_is_measured_here() -> None:
    gateway = Gateway(replace(ADA, hosted=False))
    gateway.session.enqueue(asked(1, 2))
    gateway.read(0.0)

    gateway.choose(1.0, index=1, cpu_us=700)
    choices = pb.Choices(tickets=[2], indices=[1], cpu_us=[20])
    gateway.session.answer(gateway.stream, choices, 1.0)

    assert [reply.latency_us for reply in gateway.replies().values()] == [1_000_000] * 2


@pytest.mark.parametrize("hosted", [True, False])
def test_timeouts_of_a_host_are_accepted(hosted: bool) -> None:
    gateway = Gateway(replace(ADA, hosted=hosted))
    gateway.session.enqueue(asked(1))
    gateway.read(0.0)

    gateway.choose(1.0, timeout="2.1 s of CPU time.", cpu_us=2_100_000, forfeits=True)

    reply = gateway.replies()[1]
    assert reply.forfeits
    assert (reply.outcome, reply.error) == (Reply.TIMEOUT, "2.1 s of CPU time.")
    assert reply.latency_us == (2_100_000 if hosted else 1_000_000)


def test_a_host_that_comes_again_gets_all_with_the_full_time() -> None:
    gateway = Gateway()
    gateway.session.enqueue(asked(1))
    gateway.session.enqueue(asked_packed(2))
    gateway.read(0.0)

    for absence in range(1, 5):  # longer than the grace time in all
        gateway.registry.disconnected(gateway.session, gateway.stream, at(4.0 * absence))
        presence = replace(ADA, session=str(10 + absence))
        returned = at(4.0 * absence + 3.0)
        _, gateway.stream = gateway.registry.connected(presence, LOGIN, returned)
        batch = gateway.read(returned.monotonic)[-1].batch

        assert [(one.ticket, one.time_ms) for one in batch.decisions] == [(1, 2000)]
        assert [(list(one.tickets), one.time_ms) for one in batch.packed] == [([2], 2000)]
    assert gateway.replies() == {}


def test_when_it_stays_away_its_decisions_come_back_and_nobody_is_charged() -> None:
    gateway = Gateway()
    gateway.session.enqueue(asked(1, 2))
    gateway.read(0.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.0))

    gateway.tick(1.0 + GRACE_S - 0.1)
    assert GiveUp(gateway.session) not in gateway.registry.outputs.commands
    gateway.tick(1.0 + GRACE_S, since=1.0 + GRACE_S - 0.1)
    assert GiveUp(gateway.session) in gateway.registry.outputs.commands
    gateway.registry.given_up(gateway.session, None, 6.0)

    assert {one.outcome for one in gateway.replies().values()} == {Reply.BOUNCED}
    assert gateway.registry.sessions == {}


def test_a_broken_contract_is_no_fault_of_the_bot() -> None:
    gateway = Gateway()
    gateway.session.enqueue(asked(1, 2))
    gateway.read(0.0)

    gateway.choose(1.0)  # without an answer
    gateway.session.contract_broken("Hello came twice.", 1.0)

    assert {n: one.outcome for n, one in gateway.replies().items()} == {
        1: Reply.BOUNCED,
        2: Reply.BOUNCED,
    }


def test_a_host_that_does_not_read_loses_its_stream_and_nothing_else() -> None:
    gateway = Gateway()
    gateway.session.enqueue(asked(1))
    gateway.read(0.0)
    gateway.stream.write_started(0.0)
    gateway.session.enqueue(asked(2))

    gateway.tick(READ_WITHIN_S + 0.1)

    assert gateway.replies() == {}
    assert gateway.stream.closed
    closed = gateway.read(31.0)[-1].closed
    assert closed.reconnect
    assert closed.reason.startswith("The host did not read")


def test_only_hosts_are_told_groups() -> None:
    delivery = asked(1, group=7, started=[pb.MatchStarted(match="m").SerializeToString()])
    for presence, group in ((ADA, 7), (replace(ADA, hosted=False), 0)):
        gateway = Gateway(replace(presence, notices=True))
        copy = Delivery.FromString(delivery.SerializeToString())
        gateway.session.enqueue(copy)
        gateway.session.enqueue(asked_packed(2, group=7))

        batch = gateway.batch(0.0)

        assert [one.group for one in batch.decisions] == [group]
        assert [one.group for one in batch.packed] == [group]
        assert [(one.match, one.group) for one in batch.started] == [("m", group)]


def test_packed_decisions_of_several_groups_travel_apart() -> None:
    gateway = Gateway()
    for number, group in enumerate((7, 8, 7, 0), 1):
        gateway.session.enqueue(asked_packed(number, group=group))

    packed = gateway.batch(0.0).packed

    assert {one.group: list(one.tickets) for one in packed} == {7: [1, 3], 8: [2], 0: [4]}


def test_a_version_that_is_hosted_now_has_its_program_replaced_by_the_host() -> None:
    gateway = Gateway(replace(ADA, hosted=False))
    gateway.session.enqueue(asked(1))
    gateway.read(0.0)

    session, _ = gateway.registry.connected(replace(ADA, session="11"), LOGIN, at(1.0))

    assert gateway.stream.closed
    assert gateway.replies()[1].outcome == Reply.BOUNCED
    assert gateway.registry.sessions == {1: session}
    assert session.presence.hosted
