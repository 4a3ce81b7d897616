"""The Submissions service at a real gateway: who may do what, limits, uploads that are cut off."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.message import Message

from arena.hosting.submission.manifest import Manifest
from arena.protocol.v1 import submissions_pb2 as pb
from arena.service.gateway import submissions as servicer
from arena.service.gateway.calls import MALFORMED
from arena.store import Store
from arena.store.registry import audit_log, bots, building, runs
from arena.store.registry.runs import NewRun, OutputPart, RunKind
from tests.integration.gateway_world import ADMIN, World, scenario, until, world

CODE = grpc.StatusCode
MB = 1 << 20


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    """One database: tests/integration/test_store_*.py run these statements on both."""
    return sqlite_store


class Author:
    """Calls the service with a token."""

    def __init__(self, w: World, token: str) -> None:
        target = f"127.0.0.1:{w.gateways[0].port}"
        self.channel = grpc.aio.insecure_channel(target)
        small = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 64 * 1024))
        self.slow_channel = grpc.aio.insecure_channel(target, options=small)
        self._metadata = (("authorization", f"Bearer {token}"),)

    async def submit(self, *parts: bytes, bot: str = "", label: str = "") -> pb.Submission:
        first, *rest = parts
        messages = [pb.SubmitPart(bot=bot, label=label, content=first)]
        return await self.send([*messages, *(pb.SubmitPart(content=part) for part in rest)])

    async def send(self, messages: Iterable[Message] | AsyncIterator[Message]) -> pb.Submission:
        method: Any = self.channel.stream_unary(
            "/arena.v1.Submissions/Submit",
            lambda message: message.SerializeToString(),
            pb.Submission.FromString,
        )
        return await method(messages, metadata=self._metadata)  # type: ignore[no-any-return]

    async def ask(self, name: str, request: Message, answer: type[Any] = pb.Submission) -> Any:
        method: Any = self.channel.unary_unary(
            f"/arena.v1.Submissions/{name}",
            lambda message: message.SerializeToString(),
            answer.FromString,
        )
        return await method(request, metadata=self._metadata)

    async def listed(self, **request: Any) -> pb.SubmissionList:
        asked = pb.ListSubmissionsRequest(**request)
        return await self.ask("ListSubmissions", asked, pb.SubmissionList)  # type: ignore[no-any-return]

    async def source(self, number: int) -> bytes:
        method: Any = self.channel.unary_stream("/arena.v1.Submissions/GetSource")
        call = method(pb.SubmissionId(id=number).SerializeToString(), metadata=self._metadata)
        return b"".join([pb.SourcePart.FromString(part).content async for part in call])

    async def stalled_download(self, number: int) -> grpc.aio.Call:
        """A download of which only the first part is read."""
        method: Any = self.slow_channel.unary_stream("/arena.v1.Submissions/GetSource")
        call = method(pb.SubmissionId(id=number).SerializeToString(), metadata=self._metadata)
        await call.read()
        return call  # type: ignore[no-any-return]


def submit_blocking(
    w: World, token: str, messages: Iterator[pb.SubmitPart]
) -> tuple[grpc.StatusCode, str]:
    """How an upload by the blocking client ends."""
    with grpc.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel:
        method: Any = channel.stream_unary(
            "/arena.v1.Submissions/Submit", pb.SubmitPart.SerializeToString
        )
        call = method.future(messages, metadata=(("authorization", f"Bearer {token}"),))
        return call.code(), call.details()


async def author_of(w: World, name: str) -> Author:
    if name not in w.tokens:
        await asyncio.to_thread(w.register, name)
    return Author(w, w.tokens[name])


def accept(store: Store, number: int) -> None:
    """As a host does."""
    with store.write() as conn:
        assert building.claim(conn, "h", 0.0, 60.0)
        building.note(conn, number, "h", "It works.\n")
        building.accept(conn, number, "h", b"tree", Manifest(entry="bot.py"), b"hello")


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value.code(), error.value.details() or ""


@scenario
async def test_a_bots_token_uploads_lists_reads_and_rolls_back(
    store: Store, redis_url: str
) -> None:
    async with world(store, redis_url) as w:
        nora = await author_of(w, "nora")
        source = bytes(range(256)) * 4096

        made = await nora.submit(source[:300_000], source[300_000:], label="fast")
        assert (made.bot, made.state, made.label) == ("nora", "waiting", "fast")
        assert (made.size, made.sha256) == (MB, hashlib.sha256(source).hexdigest())
        assert await nora.source(made.id) == source

        accept(store, made.id)
        found = await nora.ask("GetSubmission", pb.SubmissionId(id=made.id))
        assert (found.state, found.version, found.log) == ("accepted", "fast", "It works.\n")
        back = await nora.ask("Rollback", pb.SubmissionId(id=made.id))
        assert (back.state, back.version, back.files_of) == ("accepted", "fast-again", made.id)

        page = await nora.listed(limit=1)
        assert [each.id for each in page.submissions] == [back.id]
        last = await nora.listed(bot="Nora", limit=1, before=page.next)
        assert ([(each.id, each.log) for each in last.submissions], last.next) == (
            [(made.id, "")],
            0,
        )


@scenario
async def test_others_submissions_are_as_if_they_did_not_exist(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        nora, olaf = await author_of(w, "nora"), await author_of(w, "olaf")
        hers = await nora.submit(b"x")

        for number in (hers.id, 999):
            none = (CODE.NOT_FOUND, f"There is no submission {number}")
            named = pb.SubmissionId(id=number)
            for call in (olaf.ask("GetSubmission", named), olaf.ask("Rollback", named)):
                code, sentence = await refused(call)
                assert (code, sentence[: len(none[1])]) == none
            code, sentence = await refused(olaf.source(number))
            assert (code, sentence[: len(none[1])]) == none
        for bot in ("nora", "nobody"):
            for call in (olaf.listed(bot=bot), olaf.submit(b"x", bot=bot)):
                code, sentence = await refused(call)
                assert code == CODE.NOT_FOUND
                assert sentence.startswith(f'This token belongs to olaf, not to "{bot}".')


def ran(store: Store, name: str, *kinds: RunKind) -> None:
    """A host reports processes of the bot, each of which wrote something."""
    parts = (OutputPart("decision", "hm\n", "m1", 7, 1),)
    with store.write() as conn:
        player = bots.get(conn, name).player
        new = [NewRun(player, "m1", kind, 5.0, 0.25, 9000, "", parts, 2.5) for kind in kinds]
        runs.add(conn, new)


@scenario
async def test_a_bots_token_reads_what_became_of_its_processes(
    store: Store, redis_url: str
) -> None:
    async with world(store, redis_url) as w:
        nora = await author_of(w, "nora")
        ran(store, "nora", RunKind.ENDED, RunKind.WROTE, RunKind.WROTE)

        first = await nora.ask("ListRuns", pb.ListRunsRequest(limit=2), pb.RunList)
        rest = await nora.ask("ListRuns", pb.ListRunsRequest(before=first.next), pb.RunList)
        ended = await nora.ask("ListRuns", pb.ListRunsRequest(ended=True), pb.RunList)
        one = await nora.ask("GetRun", pb.RunId(id=rest.runs[0].id), pb.Run)

        assert [each.ended for each in (*first.runs, *rest.runs)] == [False, False, True]
        assert (list(ended.runs), rest.next) == (list(rest.runs), 0)
        assert (one.bot, one.version, one.match) == ("nora", "1", "m1")
        assert (one.cpu_s, one.wall_s) == (0.25, 2.5)
        (written,) = one.written
        assert (written.when, written.text, written.decision) == ("decision", "hm\n", 7)
        assert (rest.runs[0].size, list(rest.runs[0].written)) == (3, [])


@scenario
async def test_others_runs_are_as_if_they_did_not_exist(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        await author_of(w, "nora")
        olaf = await author_of(w, "olaf")
        ran(sqlite_store, "nora", RunKind.ENDED)

        for number in (1, 999, -1, 2**63 - 1):
            code, sentence = await refused(olaf.ask("GetRun", pb.RunId(id=number), pb.Run))
            assert (code, f"There is no run {number}" in sentence) == (CODE.NOT_FOUND, True)
        named = pb.ListRunsRequest(bot="nora")
        assert (await refused(olaf.ask("ListRuns", named, pb.RunList)))[0] == CODE.NOT_FOUND
        assert not (await olaf.ask("ListRuns", pb.ListRunsRequest(), pb.RunList)).runs
        admin = Author(w, ADMIN)
        assert (await admin.ask("GetRun", pb.RunId(id=1), pb.Run)).bot == "nora"
        assert len((await admin.ask("ListRuns", named, pb.RunList)).runs) == 1
        code, _ = await refused(Author(w, "wrong").ask("GetRun", pb.RunId(id=1), pb.Run))
        assert code == CODE.UNAUTHENTICATED


@scenario
async def test_the_administrator_does_it_for_any_bot_and_that_is_noted(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        await author_of(w, "nora")
        admin = Author(w, ADMIN)

        made = await admin.submit(b"x", bot="NORA")
        accept(sqlite_store, made.id)
        await admin.ask("Rollback", pb.SubmissionId(id=made.id))

        assert await admin.source(made.id) == b"x"
        code, sentence = await refused(admin.submit(b"x"))
        assert (code, sentence) == (
            CODE.NOT_FOUND,
            "No bot is named. With the admin token, name one.",
        )
        with sqlite_store.read() as conn:
            noted = audit_log.entries(conn, 10)
        assert [(e.who, e.action, e.subject, e.details) for e in noted] == [
            ("administrator", "rolled back", "bot nora", f"submission {made.id + 1}"),
            ("administrator", "submitted", "bot nora", f"submission {made.id}"),
        ]


@scenario
async def test_missing_token_and_retired_bot_are_refused(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        nora = await author_of(w, "nora")
        with sqlite_store.write() as conn:
            bots.retire(conn, "nora")

        for author, said in (
            (nora, "nora is retired"),
            (Author(w, "wrong"), "belongs to no bot"),
            (Author(w, ""), "carries no token"),
        ):
            for call in (author.submit(b"x"), author.listed(), author.source(1)):
                code, sentence = await refused(call)
                assert (code, said in sentence) == (CODE.UNAUTHENTICATED, True), sentence


@scenario
async def test_wrong_tokens_are_limited_and_looking_often_is_not_taken_for_reconnecting(
    sqlite_store: Store, redis_url: str
) -> None:
    strangers: dict[str, Any] = {"exempt_addresses": "", "people_per_address": 1}
    async with world(
        sqlite_store, redis_url, failed_logins_per_minute=2, reconnects_per_minute=1, **strangers
    ) as w:
        nora = await author_of(w, "nora")
        for _ in range(5):
            await nora.listed()
        codes = [(await refused(Author(w, "wrong").listed()))[0] for _ in range(3)]
        assert codes == [CODE.UNAUTHENTICATED, CODE.UNAUTHENTICATED, CODE.RESOURCE_EXHAUSTED]
        await nora.listed()  # who was in before is let in, from the same address


@scenario
async def test_an_upload_is_read_no_further_than_it_may_be(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, submission_mb=1) as w:
        nora, sent = await author_of(w, "nora"), 0

        def endless() -> Iterator[pb.SubmitPart]:
            nonlocal sent
            while sent < 1000:
                sent += 1
                yield pb.SubmitPart(content=bytes(MB // 4))

        # The asynchronous client loses the status of a call that ends while it writes.
        code, sentence = await asyncio.to_thread(submit_blocking, w, w.tokens["nora"], endless())
        assert code == CODE.RESOURCE_EXHAUSTED
        assert sentence.startswith("The upload is larger than 1 MB, the maximum")
        assert sent < 100
        assert (await nora.listed()).submissions == []
        assert (await nora.submit(bytes(MB))).size == MB


@scenario
async def test_upload_that_will_be_refused_is_not_read(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, submissions_per_day=1) as w:
        nora = await author_of(w, "nora")
        assert (await refused(nora.submit(b"x", label="1")))[0] == CODE.ALREADY_EXISTS
        assert (await refused(nora.submit(b"x", label="?")))[0] == CODE.INVALID_ARGUMENT
        assert (await refused(nora.submit(b"")))[0] == CODE.INVALID_ARGUMENT
        made, released = await nora.submit(b"x"), asyncio.Event()

        async def waiting() -> AsyncIterator[pb.SubmitPart]:
            yield pb.SubmitPart(content=b"x")
            await released.wait()

        code, sentence = await refused(nora.send(waiting()))
        released.set()
        assert (code, sentence[:37]) == (
            CODE.RESOURCE_EXHAUSTED,
            "nora has had 1 submissions in 24 hours"[:37],
        )
        accept(sqlite_store, made.id)
        rollback = nora.ask("Rollback", pb.SubmissionId(id=made.id))
        assert (await refused(rollback))[0] == CODE.RESOURCE_EXHAUSTED


@scenario
async def test_an_upload_that_does_not_come_is_given_up(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servicer, "TRANSFER_WITHIN_S", 0.1)
    async with world(sqlite_store, redis_url) as w:
        nora, released = await author_of(w, "nora"), asyncio.Event()

        async def slow() -> AsyncIterator[pb.SubmitPart]:
            yield pb.SubmitPart(content=b"x")
            await released.wait()

        code, sentence = await refused(nora.send(slow()))
        released.set()
        assert (code, sentence) == (
            CODE.INVALID_ARGUMENT,
            "The upload did not end within 0 s.",
        )
        code, sentence = await refused(nora.send([]))
        assert (code, sentence) == (CODE.INVALID_ARGUMENT, "The upload has no part.")
        assert (await nora.listed()).submissions == []


@scenario
async def test_an_author_has_so_many_transfers_at_a_time(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        nora, olaf = await author_of(w, "nora"), await author_of(w, "olaf")
        released = asyncio.Event()

        async def slow() -> AsyncIterator[pb.SubmitPart]:
            yield pb.SubmitPart(content=b"x")
            await released.wait()

        under_way = [asyncio.ensure_future(nora.send(slow())) for _ in range(2)]
        served = w.gateways[0]._submissions
        await until(lambda: served._transfers == 2)

        for call in (nora.submit(b"y"), nora.source(1)):
            code, sentence = await refused(call)
            assert (code, sentence.startswith("Too many uploads")) == (
                CODE.RESOURCE_EXHAUSTED,
                True,
            )
        assert (await olaf.submit(b"z")).state == "waiting"
        released.set()
        await asyncio.gather(*under_way)
        await until(lambda: not served._transfers and not served._of_authors.open)
        assert (await nora.submit(b"y")).state == "waiting"


@pytest.mark.long
@scenario
async def test_unread_downloads_do_not_block_other_authors(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servicer, "MOST_TRANSFERS", 1)
    monkeypatch.setattr(servicer, "TRANSFER_WITHIN_S", 0.5)
    async with world(sqlite_store, redis_url) as w:
        nora, olaf = await author_of(w, "nora"), await author_of(w, "olaf")
        made = await nora.submit(*[bytes(MB)] * 4)
        stalled = [await nora.stalled_download(made.id)]
        assert (await refused(olaf.submit(b"z")))[0] == CODE.RESOURCE_EXHAUSTED

        served = w.gateways[0]._submissions
        await until(lambda: not served._transfers)
        assert (await olaf.submit(b"z")).state == "waiting"

        # An unread end of a stream takes memory, so it counts for its author.
        stalled.append(await nora.stalled_download(made.id))
        await until(lambda: not served._transfers)
        assert (await refused(nora.source(made.id)))[0] == CODE.RESOURCE_EXHAUSTED
        for call in stalled:
            call.cancel()
        await until(lambda: not served._of_authors.open)


@scenario
async def test_cancelled_download_is_not_logged_as_an_error(
    sqlite_store: Store, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(sqlite_store, redis_url) as w:
        nora = await author_of(w, "nora")
        made = await nora.submit(*[bytes(MB)] * 4)
        (await nora.stalled_download(made.id)).cancel()
        await until(lambda: not w.gateways[0]._submissions._of_authors.open)
        assert [one.getMessage() for one in caplog.records if one.levelno > logging.INFO] == []


@scenario
async def test_invalid_message_is_refused(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        nora = await author_of(w, "nora")
        metadata = (("authorization", f"Bearer {w.tokens['nora']}"),)
        upload: Any = nora.channel.stream_unary("/arena.v1.Submissions/Submit")
        read: Any = nora.channel.unary_stream("/arena.v1.Submissions/GetSource")
        answer: Any = nora.channel.unary_unary("/arena.v1.Submissions/GetSubmission")

        async def read_all() -> None:
            async for _ in read(b"\xff", metadata=metadata):
                pass

        for call, kind in (
            (upload([b"\xff"], metadata=metadata), "SubmitPart"),
            (read_all(), "SubmissionId"),
            (answer(b"\xff", metadata=metadata), "SubmissionId"),
        ):
            code, sentence = await refused(call)
            assert (code, sentence) == (
                CODE.INVALID_ARGUMENT,
                MALFORMED.format(f"arena.v1.{kind}"),
            )
