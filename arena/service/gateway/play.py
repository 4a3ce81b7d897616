"""The Play service: one bidirectional stream per bot, and a call for notes about a match.

Messages are read and written as bytes, so that decisions pass through without being decoded, and a
malformed message gets an explanation.
"""

import asyncio
from typing import Any, TypeAlias

import grpc
import grpc.aio
import redis
import structlog
from google.protobuf.message import DecodeError

from arena.base import instant
from arena.base.errors import ArenaError, InvalidRequest, LimitReached, NotNow
from arena.protocol import services
from arena.protocol.hello import completed
from arena.protocol.v1.play_pb2 import (
    ArenaMessage,
    BotMessage,
    Choices,
    Closed,
    Hello,
    MatchNotes,
    NotesStored,
    Problem,
)
from arena.service.gateway import metrics
from arena.service.gateway.auth import CALLER, AuthInterceptor, CallingBot
from arena.service.gateway.calls import Call, StreamLimit, unary
from arena.service.gateway.limits import (
    CHOICE_BYTES,
    HELLO_WITHIN_S,
    LARGEST_HELLO,
    MOST_CHOICES,
    MOST_STREAMS_OF_A_BOT,
    NOTES_BYTES,
    PAUSE_S,
)
from arena.service.gateway.rate_limiter import LimitExceeded, RateLimiter
from arena.service.gateway.session_io import SessionIO
from arena.service.gateway.sessions import PlayerSession, Stream
from arena.service.gateway.sessions.outputs import PROBLEMS
from arena.service.gateway.sessions.registry import STOPPING, Replaced
from arena.service.gateway.status import code_of, details_of
from arena.store import Store
from arena.store.matches import bot_notes

log = structlog.get_logger(__name__)

HELLO_TWICE = "Hello came twice. Send it once, at the start of a session."

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


class Play:
    """The servicer."""

    def __init__(
        self, store: Store, sessions: SessionIO, auth: AuthInterceptor, limiter: RateLimiter
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._auth = auth
        self._limiter = limiter
        self._streams = StreamLimit(MOST_STREAMS_OF_A_BOT)  # by bot, also before Hello

    def handler(self) -> grpc.GenericRpcHandler:
        # The stubs only know servicers that return an iterator.
        connect: Any = self.connect
        handlers = {
            "Connect": grpc.stream_stream_rpc_method_handler(connect),
            "SendNotes": unary(Call(MatchNotes, self.send_notes, NOTES_BYTES)),
        }
        return grpc.method_handlers_generic_handler(services.PLAY, handlers)

    def send_notes(self, notes: MatchNotes) -> NotesStored:
        """Store notes of the calling bot. Blocks on the database. Raises InvalidRequest, NotFound,
        AlreadyExists."""
        bot = CALLER.get().bot
        texts = {note.number: note.text for note in notes.notes}
        if len(texts) < len(notes.notes):
            raise InvalidRequest("Two notes are about the same decision. Join their texts.")
        with self._store.read() as conn:
            bot_notes.check(conn, bot, notes.match, notes.seat, texts)
        with self._store.write() as conn:
            bot_notes.add(conn, bot.id, notes.match, notes.seat, texts, instant.now())
        return NotesStored()

    async def connect(self, _: object, context: Context) -> None:
        """Serve a session, from Hello to its end."""
        try:
            if self._sessions.registry.draining:
                raise NotNow(STOPPING)
            self._admit(CALLER.get(), context)
            hello = completed(await _first(context))
            caller = await self._auth.in_version(CALLER.get(), hello.version)
            session, stream = await self._open(caller, hello)
        except Replaced as error:
            # As after Welcome: two programs with one token must not replace each other forever.
            message = ArenaMessage(closed=Closed(reason=str(error), reconnect=False))
            await context.write(message.SerializeToString())
            return
        except ArenaError as error:
            # UNAVAILABLE tells clients to retry, unlike FAILED_PRECONDITION.
            unavailable = isinstance(error, NotNow)
            code = grpc.StatusCode.UNAVAILABLE if unavailable else code_of(error)
            await context.abort(code, details_of(error))
        try:
            await self._converse(context, session, stream)
        except InvalidRequest as error:
            self._sessions.contract_broken(session, str(error))
            await context.abort(code_of(error), details_of(error))
        finally:
            self._sessions.disconnected(session, stream)

    def _admit(self, caller: CallingBot, context: Context) -> None:
        """Raises LimitReached if the bot has too many streams."""
        # A host has a stream for each version, all with its token.
        whose = caller.login.limited_as if caller.host_of else caller.bot.id
        if not self._streams.admit(whose, context):
            raise LimitReached(
                f"{caller.bot.name} has {self._streams.most} streams open at this gateway, the"
                " maximum. End the other programs that use this token, and read every stream."
            )

    async def _open(self, caller: CallingBot, hello: Hello) -> tuple[PlayerSession, Stream]:
        try:
            return await self._sessions.open(caller, hello)
        except redis.RedisError as error:
            log.warning("a bot is refused: no Redis", bot=caller.bot.name, error=str(error))
            raise NotNow("The arena cannot reach Redis. Connect again in a moment.") from error

    async def _converse(self, context: Context, session: PlayerSession, stream: Stream) -> None:
        """Read and write until the bot hangs up or the stream is closed."""
        running = (
            self._read(context, session, stream),
            *self._sessions.tasks(stream, context.write),
        )
        tasks = [asyncio.create_task(coroutine) for coroutine in running]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            # Writing to a broken stream raises various errors, which all mean its end.
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, InvalidRequest):
                raise result

    async def _read(self, context: Context, session: PlayerSession, stream: Stream) -> None:
        """Read the bot's messages until it hangs up. Raises InvalidRequest for invalid ones."""
        while message := _decoded(received := await context.read()):
            kind = message.WhichOneof("kind")
            if kind == "hello":
                raise InvalidRequest(HELLO_TWICE)
            if kind is None:
                raise InvalidRequest("The message is empty or of a later protocol. Send Choices.")
            metrics.count_message("from_bot", len(received))
            choices = message.choices
            count = _count(choices)
            excess = stream.received(max(1, count, len(received) // CHOICE_BYTES))
            refused = (
                self._limiter.spare_choices(stream.login.limited_as, excess) if excess else None
            )
            self._sessions.answered(session, stream, choices, explained=refused is None)
            if refused is not None:
                stream.send(_too_many_choices(refused))
                self._sessions.flush()
                # Slow the sender down by not reading.
                await asyncio.sleep(PAUSE_S)


def _count(choices: Choices) -> int:
    """Return the number of choices. Raises InvalidRequest."""
    if len(choices.tickets) != len(choices.indices):
        raise InvalidRequest(
            f"A message has {len(choices.tickets):,} tickets and {len(choices.indices):,} indices."
            " Send one index with each ticket."
        )
    if choices.cpu_us and len(choices.cpu_us) != len(choices.tickets):
        raise InvalidRequest(
            f"A message has {len(choices.tickets):,} tickets and {len(choices.cpu_us):,} CPU times."
            " Send one with each ticket, or none."
        )
    count = len(choices.choices) + len(choices.tickets)
    if count > MOST_CHOICES:
        raise InvalidRequest(f"A message has {count:,} choices. Send at most {MOST_CHOICES:,}.")
    return count


def _too_many_choices(refused: LimitExceeded) -> ArenaMessage:
    sentence = PROBLEMS["too_many_choices"].format(sentence=refused)
    return ArenaMessage(problem=Problem(code="too_many_choices", message=sentence))


async def _first(context: Context) -> Hello:
    """Return the Hello that starts a stream. Raises InvalidRequest without one."""
    # Not wait_for: a read that is cancelled by a timeout would look like the end of the stream.
    reading = asyncio.ensure_future(context.read())
    done, _ = await asyncio.wait({reading}, timeout=HELLO_WITHIN_S)
    if not done:
        reading.cancel()
        raise InvalidRequest(f"No Hello came within {HELLO_WITHIN_S:.0f} s. Send it first.")
    received = reading.result()
    if isinstance(received, bytes) and len(received) > LARGEST_HELLO:
        raise InvalidRequest(
            f"The Hello has {len(received):,} bytes. Send at most {LARGEST_HELLO:,}."
        )
    message = _decoded(received)
    if message is None:
        raise InvalidRequest("The stream ended without a Hello. Send it first.")
    if message.WhichOneof("kind") != "hello":
        raise InvalidRequest("The first message of a session must be a Hello.")
    return message.hello


def _decoded(received: Any) -> BotMessage | None:
    """Return the message, or None at the end of the stream. Raises InvalidRequest."""
    if received is grpc.aio.EOF:
        return None
    try:
        return BotMessage.FromString(received)
    except DecodeError:
        raise InvalidRequest(
            "The message is not an arena.v1.BotMessage. The website has play.proto at /sdk."
        ) from None
