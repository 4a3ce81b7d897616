"""The sessions of a gateway: events and the time in, messages, replies and claims out."""

from dataclasses import replace
from math import inf

import pytest

from arena.base.errors import NotNow
from arena.base.instant import Instant
from arena.games.rules.rows import VERSION
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway.limits import READ_WITHIN_S
from arena.service.gateway.sessions import Login, PlayerSession, SessionRegistry, Stream
from arena.service.gateway.sessions.batches import MOST_FORGIVEN_S
from arena.service.gateway.sessions.outputs import (
    GATHER_S,
    MANY,
    Bundle,
    Command,
    GiveUp,
    NoteAllowance,
    RefreshPresence,
    ReleasePresence,
    ReplyBuffer,
)
from arena.service.gateway.sessions.stalls import ECHO_S, MOST_SILENCE_S, STALL_S, TICK_S
from arena.service.live.player_presence import Presence

ADA = Presence(
    player=1, bot="ada", version="1", gateway="g1", session="10", since=0.0, games=("lama",),
    min_seats=2, max_seats=6, max_in_flight=2, sdk="test", packed=VERSION,
)  # fmt: skip
LOGIN = Login(ADA.player, "token")


@pytest.fixture(params=["one by one", "packed"], autouse=True)
def delivered_packed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test is of both: workers pack decisions for bots that read them so."""
    if request.param == "packed":
        monkeypatch.setitem(globals(), "asked", asked_packed)
        monkeypatch.setitem(globals(), "answer", answer_by_lists)


def at(now: float) -> Instant:
    return Instant(now, 1000.0 + now)


def decision(ticket: int) -> bytes:
    return pb.Decision(ticket=ticket, time_ms=2000).SerializeToString()


def asked(*tickets: int, time_ms: int = 2000, reply_to: str = "w") -> Delivery:
    return Delivery(
        player=1,
        reply_to=reply_to,
        time_ms=time_ms,
        tickets=tickets,
        decisions=map(decision, tickets),
    )


def row(ticket: int) -> bytes:
    """Not a real one, but it says how long its moves are, and whose it is."""
    return (ticket % 5).to_bytes(2, "little") + ticket.to_bytes(4, "little")


def moves(ticket: int) -> bytes:
    return bytes([ticket]) * (ticket % 5)


def asked_packed(*tickets: int, time_ms: int = 2000, reply_to: str = "w") -> Delivery:
    return Delivery(
        player=1,
        reply_to=reply_to,
        time_ms=time_ms,
        game="lama",
        seats=3,
        options={"max_rounds": "7"},
        packed_tickets=tickets,
        rows=b"".join(map(row, tickets)),
        moves=b"".join(map(moves, tickets)),
    )


def messages(session: PlayerSession, stream: Stream, now: float) -> list[pb.ArenaMessage]:
    found = []
    while (message := session.next_message(stream, now)) is not None:
        found.append(pb.ArenaMessage.FromString(message))
    return found


def times(message: pb.ArenaMessage) -> list[tuple[int, int]]:
    """The tickets of a message, with their milliseconds."""
    found = [(one.ticket, one.time_ms) for one in message.batch.decisions]
    for packed in message.batch.packed:
        assert (packed.game, packed.seats, dict(packed.options)) == ("lama", 3, {"max_rounds": "7"})
        assert packed.rows == b"".join(map(row, packed.tickets))
        assert packed.moves == b"".join(map(moves, packed.tickets))
        found += [(ticket, packed.time_ms) for ticket in packed.tickets]
    return found


def tickets(session: PlayerSession, stream: Stream, now: float) -> list[int]:
    return [one for message in messages(session, stream, now) for one, _ in times(message)]


def answer(session: PlayerSession, stream: Stream, now: float, *given: int) -> None:
    choices = [pb.Choice(ticket=ticket, index=1) for ticket in given]
    session.answer(stream, pb.Choices(choices=choices), now)


def answer_by_lists(session: PlayerSession, stream: Stream, now: float, *given: int) -> None:
    session.answer(stream, pb.Choices(tickets=given, indices=[1] * len(given)), now)


class Gateway:
    """A registry with one bot connected at time 0."""

    def __init__(self, grace_s: float = 5.0, in_flight: int = 2) -> None:
        self.registry = SessionRegistry("g1", grace_s, 100_000)
        ada = replace(ADA, max_in_flight=in_flight)
        self.session, self.stream = self.registry.connected(ada, LOGIN, at(0.0))
        self.welcome = messages(self.session, self.stream, 0.0)

    def replies(self, now: float) -> dict[int, Reply.Outcome]:
        buffer = self.registry.outputs.replies
        buffer.release_due(now)
        bundles = [bundle for _, bundle in buffer.take_ready()]
        return {
            **{ticket: Reply.ANSWER for bundle in bundles for ticket in bundle.tickets},
            **{other.ticket: other.outcome for bundle in bundles for other in bundle.others},
        }

    def bounced_us(self) -> dict[int, int]:
        """The decisions that come back, with the time that the bot used of each."""
        buffer = self.registry.outputs.replies
        buffer.release_due(1e9)
        others = [other for _, bundle in buffer.take_ready() for other in bundle.others]
        assert {other.outcome for other in others} == {Reply.BOUNCED}
        return {other.ticket: other.latency_us for other in others}

    def commands(self) -> list[Command]:
        found = list(self.registry.outputs.commands)
        self.registry.outputs.commands.clear()
        return found


def test_a_bot_is_welcomed_and_its_stream_is_woken_for_what_comes() -> None:
    gateway = Gateway()
    assert gateway.welcome[0].welcome.grace_ms == 5000
    gateway.registry.outputs.woken.clear()

    gateway.registry.delivered(asked(1), 1.0)

    assert gateway.registry.outputs.woken == {gateway.stream}
    assert tickets(gateway.session, gateway.stream, 1.0) == [1]


def test_no_more_decisions_are_out_than_the_bot_takes() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2, 3), 1.0)

    assert tickets(gateway.session, gateway.stream, 1.0) == [1, 2]
    answer(gateway.session, gateway.stream, 1.5, 2)

    assert tickets(gateway.session, gateway.stream, 1.5) == [3]
    assert gateway.replies(2.0) == {2: Reply.ANSWER}


def test_a_clock_starts_when_the_decision_is_sent_and_ends_only_what_is_overdue() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 1.0)
    gateway.registry.delivered(asked(2, time_ms=5000), 1.0)
    assert tickets(gateway.session, gateway.stream, 10.0) == [1, 2]

    assert gateway.session.tick(10.499)
    assert gateway.replies(10.499) == {}
    assert gateway.session.tick(10.5)

    assert gateway.replies(11.0) == {1: Reply.TIMEOUT}
    assert gateway.session.in_flight == 1


def test_a_stall_of_the_process_is_given_back_to_every_clock() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    gateway.registry.tick(1.0)

    gateway.registry.tick(3.0)
    assert gateway.replies(3.0) == {}
    for now in (3.0 + TICK_S + STALL_S / 2, 3.3, 3.47):  # 0.5 s and the stall, but for one tick
        gateway.registry.tick(now)
        assert gateway.replies(now) == {}
    gateway.registry.tick(3.49)

    assert gateway.replies(3.49) == {1: Reply.TIMEOUT}


def heard(gateway: Gateway, now: float, sent: float) -> None:
    """Two echoes in turn: what was sent before the first of them has been read."""
    gateway.registry.echoed(sent)
    gateway.registry.echoed(now)


def ticked(gateway: Gateway, since: float, until: float) -> None:
    while since < until:
        gateway.registry.tick(since)
        since += TICK_S


def test_a_decision_ends_only_when_all_that_came_in_time_has_been_read() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    heard(gateway, 1.4, sent=1.35)
    ticked(gateway, 1.0, 1.55)
    assert gateway.replies(1.55) == {}

    answer(gateway.session, gateway.stream, 1.55, 1)  # sent in time, and read now
    heard(gateway, 1.6, sent=1.56)
    ticked(gateway, 1.56, 1.62)

    assert gateway.replies(1.7) == {1: Reply.ANSWER}


def test_a_decision_ends_only_when_redis_was_reached_after_its_time_was_up() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    gateway.registry.beaten(1.4)
    ticked(gateway, 1.4, 1.7)
    assert gateway.replies(1.7) == {}

    gateway.registry.beaten(1.7)
    ticked(gateway, 1.7, 1.75)

    assert gateway.replies(1.75) == {1: Reply.TIMEOUT}


def test_outage_of_redis_costs_bots_no_time() -> None:
    """It may have cut them off, too. Their clocks ran on, and what came of that was delivered."""
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2, time_ms=500), 1.0)
    assert tickets(gateway.session, gateway.stream, 1.0) == [1, 2]
    gateway.registry.beaten(1.1)

    ticked(gateway, 1.1, 26.1)
    gateway.registry.beaten(26.1)
    answer(gateway.session, gateway.stream, 26.2, 1)
    ticked(gateway, 26.1, 26.45)
    assert gateway.replies(26.45) == {1: Reply.ANSWER}
    gateway.registry.beaten(26.55)
    ticked(gateway, 26.55, 26.6)

    assert gateway.replies(26.7) == {2: Reply.TIMEOUT}


def test_a_stall_outside_the_loop_is_given_back_while_ticks_go_on() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    heard(gateway, 1.0, sent=1.0)

    ticked(gateway, 1.0, 4.7)  # no echo comes back, as if gRPC's threads stood still
    assert gateway.replies(4.7) == {}
    now = 4.7
    while not (ended := gateway.replies(now)):
        heard(gateway, now, sent=now - ECHO_S)
        gateway.registry.tick(now)
        now += TICK_S

    assert ended == {1: Reply.TIMEOUT}
    # It had what was left when the stall began, about when the first echo was overdue.
    assert 4.7 + 0.3 < now < 4.7 + 0.5


def test_ticks_may_pause_while_nothing_can_run_out_of_time() -> None:
    gateway = Gateway()
    idle = [gateway.registry.idle]
    gateway.registry.delivered(asked(1), 1.0)
    idle.append(gateway.registry.idle)
    tickets(gateway.session, gateway.stream, 1.0)
    idle.append(gateway.registry.idle)
    answer(gateway.session, gateway.stream, 1.5, 1)
    idle.append(gateway.registry.idle)
    gateway.stream.write_started(1.5)
    idle.append(gateway.registry.idle)
    gateway.stream.write_finished()
    idle.append(gateway.registry.idle)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(2.0))
    idle.append(gateway.registry.idle)

    assert idle == [True, False, False, True, False, True, False]


def test_a_pause_of_ticks_and_echoes_is_not_a_stall() -> None:
    gateway = Gateway()
    heard(gateway, 1.0, sent=1.0)
    ticked(gateway, 1.0, 1.1)

    gateway.registry.resumed(9.0)
    gateway.registry.delivered(asked(1, time_ms=500), 9.0)
    tickets(gateway.session, gateway.stream, 9.0)
    ticked(gateway, 9.0, 9.1)
    heard(gateway, 9.1, sent=9.05)
    ticked(gateway, 9.1, 9.4)
    (decision,) = gateway.session._open.batches()
    assert decision.ends == pytest.approx(9.5)

    heard(gateway, 9.6, sent=9.55)
    ticked(gateway, 9.6, 9.65)
    assert gateway.replies(9.7) == {1: Reply.TIMEOUT}


def test_a_stall_is_noticed_after_a_pause() -> None:
    gateway = Gateway()
    heard(gateway, 1.0, sent=1.0)
    gateway.registry.resumed(9.0)
    gateway.registry.delivered(asked(1, time_ms=500), 9.0)
    tickets(gateway.session, gateway.stream, 9.0)

    ticked(gateway, 9.0, 11.0)  # no echo comes back
    assert gateway.replies(11.0) == {}
    heard(gateway, 11.0, sent=10.99)
    gateway.registry.tick(11.0)

    (decision,) = gateway.session._open.batches()
    assert decision.ends == pytest.approx(11.0 + 0.5 - 2 * ECHO_S - TICK_S)


def test_two_signs_of_one_stall_give_its_time_back_once() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    heard(gateway, 1.0, sent=1.0)
    gateway.registry.tick(1.0)
    gateway.registry.tick(3.0)  # the process stood still, and so did the echo
    heard(gateway, 3.02, sent=3.01)
    gateway.registry.tick(3.02)

    (decision,) = gateway.session._open.batches()
    assert 3.4 < decision.ends < 3.53


def test_a_decision_sent_in_a_stall_gets_back_what_it_lost_and_no_more() -> None:
    gateway = Gateway()
    heard(gateway, 1.0, sent=1.0)
    ticked(gateway, 1.0, 2.0)
    gateway.registry.delivered(asked(1, time_ms=500), 2.0)
    tickets(gateway.session, gateway.stream, 2.0)
    ticked(gateway, 2.0, 3.0)
    heard(gateway, 3.0, sent=2.99)
    gateway.registry.tick(3.0)

    (decision,) = gateway.session._open.batches()
    assert decision.ends == pytest.approx(3.5)


def test_stalls_give_back_a_minute_at_most() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=5000), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    for now in range(0, 200, 2):
        gateway.registry.tick(float(now))  # late
        gateway.registry.tick(now + TICK_S)
        if ended := gateway.replies(float(now)):
            break

    assert ended == {1: Reply.TIMEOUT}
    assert MOST_FORGIVEN_S < now < MOST_FORGIVEN_S + 8


def test_an_echo_that_is_broken_stops_no_clock_for_ever() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=500), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    heard(gateway, 0.0, sent=0.0)

    ticked(gateway, 0.0, MOST_SILENCE_S + 0.2)
    assert gateway.replies(31.0) == {}
    ticked(gateway, MOST_SILENCE_S + 0.2, MOST_SILENCE_S + 1.5)

    assert gateway.replies(32.0) == {1: Reply.TIMEOUT}


def test_an_absence_is_not_paid_for_while_the_gateway_stalls() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    gateway.registry.tick(1.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.0))
    gateway.registry.tick(4.0)

    gateway.registry.connected(replace(ADA, session="11"), LOGIN, at(4.0))

    assert gateway.session.allowance.left > 4.9


def test_clocks_stand_still_while_the_bot_is_away_and_it_has_a_second_at_least_then() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.9))
    refresh, note = gateway.commands()
    assert isinstance(refresh, RefreshPresence)
    assert refresh.presence.away_since == 1001.9
    assert note == NoteAllowance(refresh.presence, left_s=5.0, at=1001.9)

    gateway.registry.tick(4.0)
    back = replace(ADA, session="11")
    session, stream = gateway.registry.connected(back, LOGIN, at(5.0))

    assert session is gateway.session
    _, received = messages(session, stream, 5.0)
    assert times(received) == [(1, 1000)]
    assert gateway.replies(5.0) == {}


def test_coming_and_going_buys_no_more_than_the_grace_time() -> None:
    gateway = Gateway(grace_s=2.0)
    gateway.registry.delivered(asked(1), 0.0)
    stream, now = gateway.stream, 0.0
    for number in range(11, 20):
        tickets(gateway.session, stream, now)
        gateway.registry.disconnected(gateway.session, stream, at(now + 1.5))
        now += 2.0
        back = replace(ADA, session=str(number))
        _, stream = gateway.registry.connected(back, LOGIN, at(now))
        if not gateway.session.open:
            break

    assert gateway.replies(now) == {1: Reply.DISCONNECT}
    assert now < 10.0


def late(gateway: Gateway, ticket: int, now: float, away_s: float, session: int) -> None:
    """The bot is asked, goes away, comes back and answers."""
    gateway.registry.delivered(asked(ticket), now)
    stream = gateway.session.stream
    assert stream is not None
    tickets(gateway.session, stream, now)
    gateway.registry.disconnected(gateway.session, stream, at(now))
    back = replace(ADA, session=str(session))
    _, stream = gateway.registry.connected(back, LOGIN, at(now + away_s))
    if ticket in tickets(gateway.session, stream, now + away_s):
        answer(gateway.session, stream, now + away_s, ticket)


def test_all_absences_share_one_allowance() -> None:
    """Each decision had the whole grace time: ten times the time for a move, without a fault."""
    gateway = Gateway(grace_s=5.0)
    replies: dict[int, Reply.Outcome] = {}
    for number in range(4):
        late(gateway, number, 10.0 * number, away_s=3.5, session=11 + number)
        replies |= gateway.replies(10.0 * number + 5.0)

    # Of the second absence the allowance pays what is left of it; the rest goes off the clock.
    assert replies == {
        0: Reply.ANSWER, 1: Reply.ANSWER, 2: Reply.DISCONNECT, 3: Reply.DISCONNECT,
    }  # fmt: skip


def test_answers_give_back_what_absences_took() -> None:
    gateway = Gateway(grace_s=5.0)
    late(gateway, 0, 0.0, away_s=4.5, session=11)
    assert gateway.session.allowance.left == pytest.approx(0.52)

    for ticket in range(1, 101):
        gateway.registry.delivered(asked(ticket), 10.0)
        assert gateway.session.stream is not None
        tickets(gateway.session, gateway.session.stream, 10.0)
        answer(gateway.session, gateway.session.stream, 10.0, ticket)

    assert gateway.session.allowance.left == pytest.approx(2.52)


def test_while_nobody_waits_for_a_bot_its_absence_costs_nothing() -> None:
    gateway = Gateway(grace_s=5.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(0.0))
    gateway.registry.tick(4.9)
    gateway.registry.connected(replace(ADA, session="11"), LOGIN, at(4.9))

    assert gateway.session.allowance.left == 5.0


def test_a_bot_that_is_back_has_no_more_allowance_at_another_gateway() -> None:
    gateway = Gateway(grace_s=5.0)
    late(gateway, 0, 0.0, away_s=4.5, session=11)

    *_, note = gateway.commands()

    assert isinstance(note, NoteAllowance)
    assert (note.presence.session, note.at) == ("11", inf)
    assert note.left_s == pytest.approx(0.5)


def test_remaining_allowance_moves_to_another_gateway() -> None:
    gateway = Gateway(grace_s=5.0)
    gateway.session, _ = SessionRegistry("g2", 5.0, 100_000).connected(
        ADA, LOGIN, at(0.0), allowance_s=0.5
    )

    assert gateway.session.allowance.left == 0.5


def test_a_player_who_stays_away_is_given_up_once_redis_has_agreed() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.0))
    gateway.commands()

    for now in (5.8, 6.0, 6.02):
        gateway.registry.tick(now - 0.01)
        gateway.registry.tick(now)
    assert gateway.commands() == [GiveUp(gateway.session)]
    assert gateway.replies(6.0) == {}
    gateway.registry.given_up(gateway.session, None, 6.1)

    assert gateway.replies(6.1) == {1: Reply.DISCONNECT}
    assert not gateway.registry.sessions


def test_a_player_found_elsewhere_is_not_charged() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.0))

    gateway.registry.given_up(gateway.session, "11", 7.0)

    assert gateway.replies(7.0) == {1: Reply.BOUNCED}


def test_decisions_of_a_bot_at_another_gateway_tell_the_time_it_had() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2, 3), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)

    gateway.registry.replaced(1, "11", 1.5)

    assert gateway.bounced_us() == {1: 1_500_000, 2: 1_500_000, 3: 0}


def test_an_absence_before_a_bot_comes_to_another_gateway_is_no_time_it_had() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(0.5))

    gateway.registry.replaced(1, "11", 3.0)

    assert gateway.bounced_us() == {1: 500_000}


@pytest.mark.parametrize("sign", ["tick", "heartbeat", "echo"])
def test_a_stall_before_a_bot_comes_to_another_gateway_is_no_time_it_had(sign: str) -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=9000), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    gateway.registry.beaten(1.5)
    if sign == "echo":
        gateway.registry.echoed(1.45)
        gateway.registry.echoed(1.5)
    last = 1.5 if sign == "tick" else 4.0
    for tick in range(50, round(50 * last) + 1):
        gateway.registry.tick(tick / 50)
        if sign != "heartbeat":
            gateway.registry.beaten(tick / 50)

    gateway.registry.replaced(1, "11", last + 0.4)

    assert gateway.bounced_us()[1] == pytest.approx(500_000, abs=51_000)


def test_decisions_that_a_gateway_gives_back_when_it_stops_cost_no_time() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    gateway.registry.start_draining()

    gateway.registry.close_all(1.0)

    assert gateway.bounced_us() == {1: 0}


def test_reconnecting_while_given_up_keeps_the_session() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.0))
    gateway.registry.connected(replace(ADA, session="11"), LOGIN, at(6.5))

    gateway.registry.given_up(gateway.session, "11", 7.0)

    assert gateway.registry.sessions == {1: gateway.session}


def test_a_replaced_stream_is_closed_and_has_no_say_any_more() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    session, newer = gateway.registry.connected(replace(ADA, session="11"), LOGIN, at(1.0))

    (closed,) = messages(session, gateway.stream, 1.0)
    assert not closed.closed.reconnect
    assert gateway.stream.closed
    assert tickets(session, newer, 1.0) == [1]
    answer(session, gateway.stream, 1.1, 1)
    assert session.in_flight == 1
    with pytest.raises(NotNow):
        gateway.registry.connected(replace(ADA, session="10"), LOGIN, at(2.0))


def test_a_stream_nobody_reads_is_closed_unless_the_bot_is_thinking() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=100_000), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)
    gateway.stream.write_started(0.0)

    gateway.session.tick(READ_WITHIN_S)
    assert not gateway.stream.closed
    answer(gateway.session, gateway.stream, READ_WITHIN_S + 1, 1)
    gateway.session.tick(2 * READ_WITHIN_S)
    assert gateway.stream.closed


def test_a_clock_runs_while_a_bot_that_has_room_does_not_read() -> None:
    """It stood still, and with it the tournament, for as long as the bot liked."""
    gateway = Gateway()
    gateway.stream.write_started(1.0)
    gateway.registry.delivered(asked(1, 2, 3), 1.0)

    gateway.session.tick(1.1)
    gateway.session.tick(3.0)
    assert gateway.replies(3.0) == {}
    gateway.session.tick(3.1)

    assert gateway.replies(3.2) == {1: Reply.TIMEOUT, 2: Reply.TIMEOUT}
    assert gateway.stream.closed
    assert gateway.session.open == 1, "the third had to wait for the others"


def test_a_bot_that_reads_in_time_has_what_is_left() -> None:
    gateway = Gateway()
    gateway.stream.write_started(1.0)
    gateway.registry.delivered(asked(1), 1.0)
    gateway.session.tick(1.1)
    gateway.session.tick(2.6)

    gateway.stream.write_finished()
    (message,) = messages(gateway.session, gateway.stream, 2.6)

    assert times(message) == [(1, 500)]
    gateway.session.tick(3.05)
    assert gateway.replies(3.05) == {}
    gateway.session.tick(3.1)
    assert gateway.replies(3.2) == {1: Reply.TIMEOUT}


def read_nothing(gateway: Gateway, session: int, now: float) -> Stream:
    """The bot reconnects with a stream that it does not read for half a second."""
    back = replace(ADA, session=str(session))
    _, stream = gateway.registry.connected(back, LOGIN, at(now))
    assert gateway.session.next_message(stream, now)
    stream.write_started(now)
    ticked(gateway, now, now + 0.5)
    return stream


def test_reconnecting_without_reading_buys_no_time() -> None:
    """The clock started again with each stream, so a bot could think for ever."""
    gateway = Gateway(grace_s=1.0)
    gateway.registry.delivered(asked(1), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)

    now = 0.0
    while gateway.session.open and now < 20.0:
        read_nothing(gateway, 11 + round(2 * now), now)
        now += 0.5

    assert gateway.replies(now) == {1: Reply.TIMEOUT}
    assert now <= 2.0 + 1.0 + 0.5


def test_a_bot_that_did_not_read_and_comes_back_has_a_second_at_least() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, time_ms=1400), 0.0)
    stream = read_nothing(gateway, 11, 0.0)
    gateway.registry.disconnected(gateway.session, stream, at(0.5))

    session, stream = gateway.registry.connected(replace(ADA, session="12"), LOGIN, at(3.0))

    _, received = messages(session, stream, 3.0)
    assert times(received) == [(1, 1000)]
    assert session.allowance.left == pytest.approx(2.4, abs=0.03)


def test_time_for_which_a_bot_did_not_read_is_known_at_another_gateway() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1), 0.0)
    read_nothing(gateway, 11, 0.0)
    read_nothing(gateway, 12, 0.5)

    gateway.registry.replaced(1, "13", 1.0)

    assert gateway.bounced_us()[1] == pytest.approx(1_000_000, abs=51_000)


def test_while_a_bot_holds_all_it_takes_nothing_more_is_offered() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2, time_ms=60_000), 1.0)
    gateway.registry.delivered(asked(3), 1.0)
    assert tickets(gateway.session, gateway.stream, 1.0) == [1, 2]
    gateway.stream.write_started(1.0)

    for second in range(2, 20):
        gateway.session.tick(float(second))

    assert gateway.replies(20.0) == {}
    assert not gateway.stream.closed


def test_presences_of_players_whose_session_is_over_are_not_refreshed() -> None:
    gateway = Gateway()

    assert gateway.registry.presences([ADA.player, ADA.player + 1]) == [ADA]


def test_a_draining_gateway_lets_nobody_in_and_gives_back_what_was_not_sent() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2, 3), 0.0)
    tickets(gateway.session, gateway.stream, 0.0)

    assert gateway.registry.start_draining() == [ADA]
    gateway.registry.announce_drain(3.0, 1.0)

    assert gateway.replies(1.0) == {3: Reply.BOUNCED}
    assert messages(gateway.session, gateway.stream, 1.0)[0].drain.within_ms == 3000
    with pytest.raises(NotNow):
        gateway.registry.connected(replace(ADA, session="11"), LOGIN, at(1.0))
    assert isinstance(gateway.commands()[-1], ReleasePresence)
    assert gateway.registry.open_decisions() == 2
    gateway.registry.close_all(4.0)
    assert gateway.replies(4.0) == {1: Reply.BOUNCED, 2: Reply.BOUNCED}


def test_delivery_for_an_unknown_player_comes_back() -> None:
    registry = SessionRegistry("g1", 5.0, 1000)

    registry.delivered(asked(1, 2), 0.0)

    ((reply_to, bundle),) = registry.outputs.replies.take_ready()
    assert reply_to == "w"
    assert [other.outcome for other in bundle.others] == [Reply.BOUNCED] * 2


# Decisions that came together


def answers(gateway: Gateway, now: float) -> list[tuple[str, list[tuple[int, int, int]]]]:
    """What is pushed by then: lists, and the answers on each with their latencies in us."""
    buffer = gateway.registry.outputs.replies
    buffer.release_due(now)
    return [
        (to, list(zip(bundle.tickets, bundle.indices, bundle.latencies_us, strict=True)))
        for to, bundle in buffer.take_ready()
    ]


def test_answers_that_come_together_to_decisions_that_did_not() -> None:
    gateway = Gateway(in_flight=8)
    gateway.registry.delivered(asked(1, 2, 3), 1.0)
    gateway.registry.delivered(asked(4, 5, reply_to="v"), 1.0)
    assert tickets(gateway.session, gateway.stream, 1.0) == [1, 2, 3, 4, 5]

    answer(gateway.session, gateway.stream, 1.5, 5, 3, 1)
    assert gateway.session.in_flight == 2
    answer(gateway.session, gateway.stream, 2.0, 4, 2)

    late = [(5, 1, 500_000), (4, 1, 1_000_000)]
    assert dict(answers(gateway, 9.0)) == {
        "w": [(3, 1, 500_000), (1, 1, 500_000), (2, 1, 1_000_000)],
        "v": late,
    }
    assert gateway.session.open == 0


def test_a_ticket_that_comes_twice_counts_once() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)

    answer(gateway.session, gateway.stream, 1.5, 1, 1, 9)

    problems = [one.problem for one in messages(gateway.session, gateway.stream, 1.5)]
    assert [(one.code, one.ticket) for one in problems] == [
        ("unknown_ticket", 1),
        ("unknown_ticket", 9),
    ]
    assert gateway.replies(2.0) == {1: Reply.ANSWER}
    assert gateway.session.in_flight == 1


def test_unsent_decision_cannot_be_answered() -> None:
    gateway = Gateway()
    gateway.registry.delivered(asked(1, 2, 3), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)

    answer(gateway.session, gateway.stream, 1.5, 3)

    assert gateway.replies(2.0) == {}
    assert gateway.session.open == 3


def test_the_rest_comes_again_with_the_time_that_is_left() -> None:
    gateway = Gateway(in_flight=8)
    gateway.registry.delivered(asked(1, 2, 3, 4), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    answer(gateway.session, gateway.stream, 1.2, 3)
    gateway.registry.disconnected(gateway.session, gateway.stream, at(1.5))

    back = replace(ADA, session="11", max_in_flight=2)
    session, stream = gateway.registry.connected(back, LOGIN, at(1.6))

    _, first = messages(session, stream, 1.6)
    assert times(first) == [(1, 1500), (2, 1500)]
    answer(session, stream, 1.7, 1, 2)
    assert [times(one) for one in messages(session, stream, 1.7)] == [[(4, 1500)]]
    answer(session, stream, 1.8, 4)
    assert session.open == 0


def test_another_worker_carries_on_with_some_of_them() -> None:
    gateway = Gateway(in_flight=3)
    gateway.registry.delivered(asked(1, 2, 3, 4, 5), 1.0)
    tickets(gateway.session, gateway.stream, 1.0)
    answer(gateway.session, gateway.stream, 1.2, 1)

    gateway.registry.delivered(asked(2, 5, 6, reply_to="v"), 1.4)

    assert tickets(gateway.session, gateway.stream, 1.4) == [4]
    answer(gateway.session, gateway.stream, 1.5, 2, 3, 4)
    assert tickets(gateway.session, gateway.stream, 1.5) == [5, 6]
    answer(gateway.session, gateway.stream, 1.6, 5, 6)
    got: dict[str, set[int]] = {}
    for reply_to, found in answers(gateway, 9.0):
        got.setdefault(reply_to, set()).update(ticket for ticket, _, _ in found)
    assert got == {"w": {1, 3, 4}, "v": {2, 5, 6}}
    assert not gateway.registry.outputs.replies._expected


def test_a_bot_that_takes_one_at_a_time_gets_all_in_turn() -> None:
    gateway = Gateway(in_flight=1)
    gateway.registry.delivered(asked(*range(1, 40)), 1.0)

    for ticket in range(1, 40):
        now = 1.0 + ticket / 100
        assert tickets(gateway.session, gateway.stream, now) == [ticket]
        answer(gateway.session, gateway.stream, now, ticket)
    assert gateway.session.open == 0


def test_the_latency_is_as_if_each_answer_had_come_by_itself() -> None:
    one, many = Gateway(in_flight=8), Gateway(in_flight=8)
    for gateway in (one, many):
        gateway.registry.delivered(asked(1, 2, 3, 4), 1.0)
        tickets(gateway.session, gateway.stream, 1.0)
        answer(gateway.session, gateway.stream, 1.1, 1)
    for ticket in (2, 3, 4):
        answer(one.session, one.stream, 1.5, ticket)
    answer(many.session, many.stream, 1.5, 2, 3, 4)

    expected = one.session.current_presence().latency_ms
    assert many.session.current_presence().latency_ms == pytest.approx(expected)
    assert many.session.allowance.left == one.session.allowance.left


# Replies


def test_replies_wait_for_many_others_for_a_moment_and_for_few_not_at_all() -> None:
    buffer = ReplyBuffer()
    buffer.expect("slow", MANY + 5)
    buffer.expect("quick", 3)

    buffer.add("slow", Bundle([1], [0], [9]), 1.0)
    buffer.add("quick", Bundle([2], [0], [9]), 1.0)

    assert buffer.next_due() == 1.0
    buffer.release_due(1.0)
    assert [reply_to for reply_to, _ in buffer.take_ready()] == ["quick"]
    assert buffer.next_due() == 1.0 + GATHER_S
    buffer.release_due(1.0 + GATHER_S)
    assert [reply_to for reply_to, _ in buffer.take_ready()] == ["slow"]
    assert not buffer


def test_the_last_reply_takes_all_others_along() -> None:
    buffer = ReplyBuffer()
    buffer.expect("w", MANY + 1)
    for ticket in range(MANY + 1):
        assert not buffer.ready
        buffer.add("w", Bundle([ticket], [0], [9]), 1.0)

    ((_, bundle),) = buffer.take_ready()
    assert bundle.tickets == list(range(MANY + 1))
    assert buffer.next_due() is None
