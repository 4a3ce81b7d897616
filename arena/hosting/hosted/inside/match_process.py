"""A bot's process for one match, or for all matches of a tournament.

It sends Hello when it is ready, then answers one batch at a time. It does over descriptor 3 what
the SDK does over gRPC.
"""

import inspect
import os
import random
import socket
import sys
from collections.abc import Awaitable, Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arena.base.errors import InvalidRequest
from arena.games.decisions import Decisions
from arena.hosting.hosted.inside.frames import Frames, framed
from arena.hosting.submission.packages import FOLDER
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.answer import checked, checked_batch, describe, offered, print_error
from arena.sdk.bot import Bot
from arena.sdk.declared import declared, hello_of
from arena.sdk.load import load_bot
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded
from arena.sdk.received import decisions_of, views_of

if TYPE_CHECKING:
    import asyncio

CONNECTION = 3
LARGEST_MESSAGE = 16 * 1024 * 1024
RECEIVED_AT_ONCE = 1 << 16


def play(entry: str, key: bytes) -> int:
    """Play as this bot of the working directory until the host hangs up. Return the exit status."""
    seed_with(key)
    if os.path.isdir(FOLDER):  # not in the fork server, which must not import the author's code
        sys.path.insert(0, os.path.abspath(FOLDER))
    try:
        bot = load_bot(entry)()
        declared(bot)
    except Exception as error:
        return _failed(error)
    bot.key = key
    MatchProcess(bot).run(socket.socket(fileno=CONNECTION))
    return 0


def _failed(error: Exception) -> int:
    cause = error.__cause__ if isinstance(error, InvalidRequest) else error
    if cause is None:
        sys.stderr.write(f"Error: {error}\n")
    else:
        print_error(cause)
    return 1


def seed_with(key: bytes) -> None:
    """Seed `random`, and NumPy's generator if it is imported, with a key."""
    number = int.from_bytes(sha256(key).digest(), "big")
    random.seed(number)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(number % 2**32)


class MatchProcess:
    """A bot and its connection to the host."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._runner: asyncio.Runner | None = None
        self._seeded = False

    def run(self, connection: socket.socket) -> None:
        """Send Hello, and answer until the host hangs up. Raises the errors of `prepare`."""
        self._settled(self._bot.prepare())
        self._bot.is_prepared = True
        connection.sendall(encoded(pb.BotMessage(hello=hello_of(self._bot))))
        frames = Frames(LARGEST_MESSAGE)
        while received := connection.recv(RECEIVED_AT_ONCE):
            for frame in frames.add(received):
                message = pb.ArenaMessage.FromString(frame)
                if message.HasField("batch"):
                    self._notified(message.batch)
                    if message.batch.decisions or message.batch.packed:
                        choices = self.choices(message.batch)
                        connection.sendall(encoded(pb.BotMessage(choices=choices)))

    def _settled(self, result: Any) -> Any:
        """Return the result of a bot's method, awaited if necessary."""
        # The most common results need no further check.
        if result is None or isinstance(result, (int, str)) or not inspect.isawaitable(result):
            return result
        if self._runner is None:
            import asyncio  # here, to save the memory in processes that do not need it

            self._runner = asyncio.Runner()
        return self._runner.run(_awaited(result))

    # What comes

    def _notified(self, batch: pb.Batch) -> None:
        bot = self._bot
        self._seed(batch)
        for started in batch.started:
            self._notify(bot.on_match_started, MatchStarted.decode(started))
        for round_ended in batch.rounds:
            self._notify(bot.on_round_ended, RoundEnded.decode(round_ended))
        for fault in batch.faults:
            self._notify(bot.on_fault, Fault.decode(fault))
        for ended in batch.ended:
            self._notify(bot.on_match_ended, MatchEnded.decode(ended))

    def _seed(self, batch: pb.Batch) -> None:
        """Seed chance from the first match and the bot's key, so that the same match is played in
        the same way."""
        if self._seeded:
            return
        match = next(_matches(batch, self._bot.key), None)
        if match is not None:
            self._seeded = True
            seed_with(self._bot.key + match.encode())

    def _notify(self, hook: Any, notice: Any) -> None:
        try:
            self._settled(hook(notice))
        except Exception as error:
            # As with a connected bot: the error is printed, and the bot plays on.
            describe(error)

    def choices(self, batch: pb.Batch) -> pb.Choices:
        """Return the bot's answers to all decisions of a batch."""
        choices, together = pb.Choices(), self._bot.answers_batches()
        for packed in batch.packed if together else ():
            self._answer_all(choices, packed.tickets[:], decisions_of(packed, self._bot.key))
        rest = () if together else batch.packed
        for ticket, view in views_of(batch.decisions, rest, self._bot.key):
            try:
                _add(choices, ticket, checked(self._settled(self._bot.choose(offered(view)))))
            except Exception as error:
                choices.choices.add(ticket=ticket, error=describe(error))
        return choices

    def _answer_all(
        self, choices: pb.Choices, tickets: Iterable[int], decisions: Decisions
    ) -> None:
        try:
            result = self._settled(self._bot.choose_batch(decisions))
            answers = checked_batch(result, len(decisions))
        except Exception as error:
            said = describe(error)
            for ticket in tickets:
                choices.choices.add(ticket=ticket, error=said)
        else:
            for ticket, answer in zip(tickets, answers, strict=True):
                _add(choices, ticket, answer)


def encoded(message: pb.BotMessage) -> bytes:
    """Return the message with its length prefix."""
    return framed(message.SerializeToString())


def _add(choices: pb.Choices, ticket: int, answer: str | int) -> None:
    if isinstance(answer, str):
        choices.choices.add(ticket=ticket, action=answer)
    else:
        choices.tickets.append(ticket)
        choices.indices.append(answer)


def _matches(batch: pb.Batch, key: bytes) -> Iterator[str]:
    """Yield the matches of a batch, the first one first."""
    yield from (started.match for started in batch.started)
    yield from (view.match for _, view in views_of(batch.decisions, batch.packed, key))


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result
