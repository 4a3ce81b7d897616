"""Questions and answers: windows, clocks, absences, mistakes. The test plays the worker."""

import asyncio
import socket
import struct
import time
from contextlib import ExitStack
from typing import Any

import grpc
import pytest

from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway import session_io, stream_writer
from arena.service.gateway.sessions.stalls import TICK_S
from arena.service.live import keys
from arena.store import Store
from tests.integration.gateway_world import BotStream, scenario, until, world
from tests.load import http2

CONNECT = "/arena.v1.Play/Connect"


@scenario
async def test_answers_reach_the_worker_with_their_latency(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, 2)
        first, second = await stream.decisions(2)
        assert (first.ticket, first.time_ms) == (1, 2000)
        assert list(first.view.actions) == ["draw", "quit"]
        await asyncio.sleep(0.05)
        await stream.say(
            choices=pb.Choices(
                choices=[
                    pb.Choice(ticket=second.ticket, action="draw"),
                    pb.Choice(ticket=first.ticket, index=0),
                ]
            )
        )
        replies = await w.replies(2)
        assert replies[1].outcome == replies[2].outcome == Reply.ANSWER
        assert replies[1].index == 0
        assert replies[2].action == "draw"
        assert 50_000 <= replies[1].latency_us < 1_000_000
        presence = w.gateways[0].sessions.registry.sessions[w.players["nora"]].current_presence()
        assert presence.latency_ms is not None
        assert presence.latency_ms >= 50


@scenario
async def test_replies_go_to_the_worker_that_asked(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, reply_to="worker-a")
        w.ask("nora", 2, reply_to="worker-b")
        await stream.decisions(2)
        await stream.answer(1, 2)
        assert set(await w.replies(1, "worker-a")) == {1}
        assert set(await w.replies(1, "worker-b")) == {2}


@scenario
async def test_no_more_questions_are_out_than_the_bot_takes(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora", max_in_flight=2)
        w.ask("nora", 1, 2, 3, 4)
        assert [d.ticket for d in await stream.decisions(2)] == [1, 2]
        await w.no_reply()
        assert w.gateways[0].sessions.registry.sessions[w.players["nora"]].in_flight == 2
        await stream.answer(2)
        assert [d.ticket for d in await stream.decisions(1)] == [3]
        await stream.answer(1, 3)
        assert [d.ticket for d in await stream.decisions(1)] == [4]


@scenario
async def test_waiting_for_the_window_costs_no_time(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora", max_in_flight=1)
        w.ask("nora", 1, 2, time_ms=300)
        for ticket in (1, 2):
            assert [d.ticket for d in await stream.decisions(1)] == [ticket]
            await asyncio.sleep(0.2)
            await stream.answer(ticket)
        replies = await w.replies(2)
        assert {reply.outcome for reply in replies.values()} == {Reply.ANSWER}


@scenario
async def test_the_move_clock_ends_only_what_is_overdue(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=5000)
        w.ask("nora", 2, time_ms=100)
        await stream.decisions(2)
        began = time.monotonic()
        replies = await w.replies(1)
        assert replies[2].outcome == Reply.TIMEOUT
        assert 0.05 < time.monotonic() - began < 4  # the other one has five seconds
        assert replies[2].latency_us >= 100_000
        await stream.answer(2)
        problem = (await stream.read()).problem
        assert (problem.code, problem.ticket) == ("unknown_ticket", 2)
        await stream.answer(1)
        assert (await w.replies(1))[1].outcome == Reply.ANSWER


@scenario
async def test_the_move_clock_runs_after_a_pause_of_the_gateway(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_io, "WATCH_S", TICK_S)
    async with world(sqlite_store, redis_url) as w:
        stream, (gateway,) = await w.connect("nora"), w.gateways
        await until(lambda: not gateway.sessions.ticking.is_set())
        w.ask("nora", 1, time_ms=100)
        await stream.decisions(1)
        assert gateway.sessions.ticking.is_set()
        assert (await w.replies(1))[1].outcome == Reply.TIMEOUT


@scenario
async def test_a_timeout_makes_room_for_the_next_question(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora", max_in_flight=1)
        w.ask("nora", 1, 2, time_ms=100)
        assert [d.ticket for d in await stream.decisions(2)] == [1, 2]
        replies = await w.replies(2)
        assert {reply.outcome for reply in replies.values()} == {Reply.TIMEOUT}


@scenario
async def test_unknown_and_old_tickets_harm_nobody(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        nora, otto = await w.connect("nora"), await w.connect("otto")
        w.ask("nora", 1)
        w.ask("otto", 2)
        await nora.decisions(1)
        await otto.decisions(1)
        await nora.answer(2, 99, 1)  # otto's, nobody's, her own
        assert [(await nora.read()).problem.ticket for _ in range(2)] == [2, 99]
        assert set(await w.replies(1)) == {1}
        await nora.answer(1)
        assert (await nora.read()).problem.code == "unknown_ticket"
        await otto.answer(2)
        assert (await w.replies(1))[2].outcome == Reply.ANSWER


@scenario
async def test_a_choice_without_an_answer_is_an_error(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, 2)
        await stream.decisions(2)
        choices = [pb.Choice(ticket=1), pb.Choice(ticket=2, error="ValueError: " + "x" * 9999)]
        await stream.say(choices=pb.Choices(choices=choices))
        problem = (await stream.read()).problem
        assert (problem.code, problem.ticket) == ("malformed_choice", 1)
        replies = await w.replies(2)
        assert replies[1].outcome == replies[2].outcome == Reply.ERROR
        assert "has no answer" in replies[1].error
        assert replies[2].error.startswith("ValueError")
        assert len(replies[2].error) == 500


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (pb.BotMessage(hello=pb.Hello(games=["lama"], protocol=1)).SerializeToString(), "twice"),
        (b"\xff\xff\xff", "BotMessage"),
        (b"", "empty"),
    ],
)
def test_breaking_the_contract_ends_the_session_and_errs(
    sqlite_store: Store, redis_url: str, raw: bytes, word: str
) -> None:
    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            other = await w.connect("other")
            w.register("nora")
            stream = RawStream(w.gateways[0].port, w.tokens["nora"])
            w.streams.append(stream)
            hello = pb.BotMessage(hello=pb.Hello(games=["lama"], protocol=1))
            await stream.write(hello.SerializeToString())
            await stream.call.read()
            w.ask("nora", 1)
            await stream.call.read()
            await stream.write(raw)
            code, details = await stream.status()
            assert code is grpc.StatusCode.INVALID_ARGUMENT
            assert word in details
            reply = (await w.replies(1))[1]
            assert reply.outcome == Reply.ERROR
            assert word in reply.error
            w.ask("other", 2)
            assert await other.decisions(1)

    run()


class RawStream(BotStream):
    """A bot that sends whatever bytes it likes."""

    def __init__(self, port: int, token: str) -> None:
        super().__init__(port, token)
        self.call.cancel()
        connect: Any = self.channel.stream_stream("/arena.v1.Play/Connect")
        self.call = connect(metadata=(("authorization", f"Bearer {token}"),))

    async def write(self, message: bytes) -> None:
        raw: Any = self.call
        await raw.write(message)


@scenario
async def test_an_oversized_message_ends_only_its_sender(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream, other = await w.connect("nora"), await w.connect("other")
        w.ask("nora", 1)
        await stream.decisions(1)
        choice = pb.Choice(ticket=1, action="x" * (4 * 1024 * 1024))
        await stream.say(choices=pb.Choices(choices=[choice]))
        code, details = await stream.status()
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "larger than max" in details
        again = await w.connect("nora")
        assert [d.ticket for d in await again.decisions(1)] == [1]
        w.ask("other", 2)
        assert await other.decisions(1)


@scenario
async def test_a_bot_that_comes_back_gets_its_questions_and_their_clock(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=5) as w:
        stream = await w.connect("nora", max_in_flight=2)
        w.ask("nora", 1, 2, 3, time_ms=3000)
        await stream.decisions(2)
        await asyncio.sleep(0.5)
        await stream.hang_up()
        await until(lambda: not w.presence("nora").connected)  # type: ignore[union-attr]
        w.ask("nora", 4)
        back = await w.connect("nora", max_in_flight=2)
        first, second = await back.decisions(2)
        assert [first.ticket, second.ticket] == [1, 2]
        assert 1000 <= first.time_ms < 3000
        assert first.view.actions == ["draw", "quit"]
        await back.answer(1, 2)
        third, fourth = await back.decisions(2)
        assert (third.ticket, third.time_ms, fourth.ticket) == (3, 3000, 4)
        await back.answer(3, 4)
        assert set(await w.replies(4)) == {1, 2, 3, 4}


@scenario
async def test_a_bot_that_comes_back_has_at_least_a_second(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=5) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=1500)
        await stream.decisions(1)
        await asyncio.sleep(1.0)
        back = await w.connect("nora")
        (decision,) = await back.decisions(1)
        # Less what passes while a busy machine writes Welcome: the bot is not reading for so long.
        assert 900 < decision.time_ms <= 1000
        await back.answer(1)


@scenario
async def test_coming_and_going_buys_no_time(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, grace_s=1) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=1000)
        await stream.decisions(1)
        for _ in range(20):  # each time it would gain what it thought since
            await asyncio.sleep(0.25)
            if w.client.llen(w.reply_list):
                break
            await w.connect("nora")
        assert (await w.replies(1))[1].outcome == Reply.TIMEOUT


def connect_unread(port: int, token: str) -> socket.socket:
    """Connects a bot that lets the gateway send nothing."""
    hello = pb.BotMessage(hello=pb.Hello(games=["lama"], protocol=1, max_in_flight=1))
    message = hello.SerializeToString()
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(
        http2.PREFACE
        + http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", http2.INITIAL_WINDOW_SIZE, 0))
        + http2.frame(http2.HEADERS, http2.END_HEADERS, 1, http2.request(CONNECT, token))
        + http2.frame(http2.DATA, 0, 1, b"\0" + struct.pack(">I", len(message)) + message)
    )
    return connection


@scenario
async def test_streams_that_are_not_read_buy_no_time(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, grace_s=1) as w:
        stream = await w.connect("nora", max_in_flight=1)
        w.ask("nora", 1, time_ms=1000)
        await stream.decisions(1)
        with ExitStack() as connections:
            while not w.client.llen(w.reply_list):
                connection = connect_unread(w.gateways[0].port, w.tokens["nora"])
                connections.enter_context(connection)
                await asyncio.sleep(0.8)
        assert (await w.replies(1))[1].outcome == Reply.TIMEOUT


def test_a_bot_that_does_not_read_writes_no_errors_to_the_log(
    sqlite_store: Store,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(stream_writer, "CLOSE_WITHIN_S", 0.2)

    @scenario
    async def replaced_unread() -> None:
        async with world(sqlite_store, redis_url) as w:
            first = await w.connect("nora")
            with connect_unread(w.gateways[0].port, w.tokens["nora"]):
                await first.read()  # that it is replaced
                await w.connect("nora")
                await asyncio.sleep(0.5)

    replaced_unread()
    assert [line.getMessage() for line in caplog.records if line.levelname == "ERROR"] == []


@scenario
async def test_remaining_grace_time_is_known_at_another_gateway(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=5) as w:
        second = await w.gateway()
        stream = await w.connect("nora")
        w.ask("nora", 1)
        await stream.decisions(1)
        await stream.hang_up()
        await asyncio.sleep(0.5)
        await w.connect("nora")
        left = w.gateways[0].sessions.registry.sessions[w.players["nora"]].allowance.left
        assert 3.0 < left < 4.6

        def noted() -> str:  # "left since", with the session's grace time
            value = w.client.get(keys.allowance(w.players["nora"])) or b""
            assert isinstance(value, bytes)
            return value.decode()

        await until(lambda: noted().endswith(" inf"))  # it is connected
        await w.streams[-1].hang_up()
        await until(lambda: not noted().endswith(" inf"))
        await w.connect("nora", second)

        there = second.sessions.registry.sessions[w.players["nora"]].allowance.left
        assert left - 1.5 < there < left
        await until(lambda: noted() == f"{there} inf")


@scenario
async def test_a_bot_gone_too_long_is_at_fault_for_what_was_open(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=0.4) as w:
        stream = await w.connect("nora", max_in_flight=1)
        gateway_id = w.gateways[0].id
        w.ask("nora", 1, 2)
        await stream.decisions(1)
        await stream.hang_up()
        began = time.monotonic()
        replies = await w.replies(2)
        assert time.monotonic() - began >= 0.35
        assert {reply.outcome for reply in replies.values()} == {Reply.DISCONNECT}
        w.ask("nora", 3, gateway_id=gateway_id)
        assert (await w.replies(1))[3].outcome == Reply.BOUNCED


@scenario
async def test_the_clock_stands_still_while_the_bot_is_away(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=0.6) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=100)
        await stream.decisions(1)
        await stream.hang_up()
        assert (await w.replies(1))[1].outcome == Reply.DISCONNECT


@scenario
async def test_questions_follow_the_bot_to_another_gateway(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora", max_in_flight=1)
        w.ask("nora", 1, 2)
        await stream.decisions(1)
        second = await w.gateway()
        moved = await w.connect("nora", second)
        replies = await w.replies(2)
        assert {reply.outcome for reply in replies.values()} == {Reply.BOUNCED}
        w.ask("nora", 1, 2)
        assert (await moved.decisions(2))[0].ticket == 1


@scenario
async def test_mail_for_a_bot_that_is_not_here_comes_back(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register("absent")
        w.ask("absent", 1, 2)
        replies = await w.replies(2)
        assert {reply.outcome for reply in replies.values()} == {Reply.BOUNCED}


@scenario
async def test_a_question_asked_twice_is_put_once_and_answered_to_the_later_asker(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, reply_to="dead-worker")
        w.ask("nora", 1, 2)
        assert [d.ticket for d in await stream.decisions(2)] == [1, 2]
        await stream.answer(1, 2)
        assert set(await w.replies(2)) == {1, 2}
        assert not w.client.exists("dead-worker")


@scenario
async def test_notices_come_to_those_who_asked_and_faults_to_all(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        curious = await w.connect("curious", notices=True)
        plain = await w.connect("plain")
        mail: dict[str, Any] = {
            "started": [pb.MatchStarted(match="m").SerializeToString()],
            "rounds": [pb.RoundEnded(match="m", round=1).SerializeToString()],
            "faults": [pb.Fault(match="m", kind="timeout").SerializeToString()],
            "ended": [pb.MatchEnded(match="m").SerializeToString()],
        }
        w.ask("curious", 1, **mail)
        w.ask("plain", 2, **mail)
        told = (await curious.read()).batch
        counts = [len(told.started), len(told.rounds), len(told.faults), len(told.ended)]
        assert counts == [1, 1, 1, 1]
        assert told.decisions[0].ticket == 1
        told = (await plain.read()).batch
        counts = [len(told.started), len(told.rounds), len(told.faults), len(told.ended)]
        assert counts == [0, 0, 1, 0]


@scenario
async def test_thousands_of_questions_come_in_messages_of_bounded_size(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora", max_in_flight=4096)
        w.ask("nora", *range(1, 3001), time_ms=20_000)
        asked: list[int] = []
        while len(asked) < 3000:
            batch = (await stream.read()).batch
            assert len(batch.decisions) <= 512
            asked += [decision.ticket for decision in batch.decisions]
        assert asked == list(range(1, 3001))
        await stream.answer(*asked)
        assert len(await w.replies(3000)) == 3000


@scenario
async def test_a_gateway_that_stood_still_charges_nobody(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, time_ms=500)
        await stream.decisions(1)
        await stream.answer(1)
        time.sleep(0.8)  # noqa: ASYNC251  # the process is stopped, the answer lies in the socket
        assert (await w.replies(1))[1].outcome == Reply.ANSWER
