"""The worker's side of the message exchange: deliveries to gateways, and their replies."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self, TypeAlias, cast

import redis

from arena.protocol.internal.relay_pb2 import Delivery, InboxMessage, Replies
from arena.service.live import keys
from arena.service.live.connect import LONGEST_WAIT_S

MAIL_TTL_S = 60  # after which the reader of a message counts as gone
POP_COUNT = 256  # elements popped from a list at once; each holds many messages
POLL_S = 0.002  # pause between polls, each of which costs as much as a few decisions

RedisCommand: TypeAlias = tuple[Any, ...]

# Pops from all lists in one call. A run may have a hundred, most of which are empty.
_POP = """
local popped = {}
for index, list in ipairs(KEYS) do
  local some = redis.call('LPOP', list, ARGV[1])
  if some then
    popped[#popped + 1] = index
    popped[#popped + 1] = some
  end
end
return popped
"""


def deliver(client: redis.Redis, by_gateway: Mapping[str, Sequence[Delivery]]) -> None:
    """Puts each gateway's deliveries into its inbox as one message, in one round trip."""
    _execute(client, _pushes(by_gateway))


def _pushes(by_gateway: Mapping[str, Sequence[Delivery]]) -> list[RedisCommand]:
    commands: list[RedisCommand] = []
    for gateway_id, deliveries in by_gateway.items():
        if deliveries:
            inbox = keys.inbox(gateway_id)
            message = InboxMessage(deliveries=deliveries).SerializeToString()
            commands += [("RPUSH", inbox, message), ("EXPIRE", inbox, MAIL_TTL_S)]
    return commands


def _execute(client: redis.Redis, commands: Sequence[RedisCommand]) -> None:
    with client.pipeline(transaction=False) as pipeline:
        queue: Any = pipeline  # whose stubs lack this method
        for command in commands:
            queue.execute_command(*command)
        pipeline.execute()


class Outgoing:
    """A context manager that delivers without waiting for Redis. The replies of Redis are read
    before the next delivery and at the end, so an error may belong to the delivery before.

    After a lost connection, unconfirmed deliveries are sent again. Gateways ignore decisions that
    they hold already.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._connection: Any = None  # the stubs have no common type
        self._unconfirmed: list[RedisCommand] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Reads the last replies, unless the block failed."""
        try:
            if kind is None:
                self._send([])
        finally:
            self._drop()

    def deliver(self, by_gateway: Mapping[str, Sequence[Delivery]]) -> None:
        """Puts each gateway's deliveries into its inbox as one message."""
        self._send(_pushes(by_gateway))

    def _send(self, commands: list[RedisCommand]) -> None:
        try:
            self._confirm()
            if commands:
                if self._connection is None:
                    self._connection = self._client.connection_pool.get_connection()
                connection = self._connection
                self._unconfirmed = commands
                connection.send_packed_command(connection.pack_commands(commands))
        except (redis.ConnectionError, redis.TimeoutError):
            lost = self._unconfirmed
            self._drop()
            self._unconfirmed = []
            _execute(self._client, lost if lost is commands else [*lost, *commands])

    def _confirm(self) -> None:
        errors = []
        while self._unconfirmed:
            try:
                self._connection.read_response()
            except redis.ResponseError as error:
                errors.append(error)
            del self._unconfirmed[0]
        if errors:
            raise errors[0]

    def _drop(self) -> None:
        if self._connection is not None:
            if self._unconfirmed:  # otherwise the next user would read these replies
                self._connection.disconnect()
            self._client.connection_pool.release(self._connection)
            self._connection = None


def collect(
    client: redis.Redis,
    reply_lists: Sequence[str],
    first_wait_s: float,
    want: int,
    gather_s: float,
) -> Iterator[tuple[str, Replies]]:
    """Yields replies with their lists as they arrive, gathered so that the worker's next messages
    are large.

    Waits up to `first_wait_s` (at most 5 s; 0 for not at all) for the first reply, then until there
    are `want` in total or `gather_s` have passed. May yield more, because replies arrive while the
    caller works.
    """
    got = 0
    for reply_list, replies in _wait(client, reply_lists, first_wait_s):
        yield reply_list, replies
        got += count(replies)
    limit = time.monotonic() + gather_s
    while 0 < got < want:
        for reply_list, replies in _pop_all(client, reply_lists):
            yield reply_list, replies
            got += count(replies)
        if got >= want or (left := limit - time.monotonic()) <= 0:
            return
        # Not BLPOP, because Redis wakes waiting clients only ten times a second.
        time.sleep(min(left, POLL_S))


def count(replies: Replies) -> int:
    return len(replies.tickets) + len(replies.others)


def _wait(
    client: redis.Redis, reply_lists: Sequence[str], wait_s: float
) -> list[tuple[str, Replies]]:
    if wait_s <= 0:
        return _pop_all(client, reply_lists)
    # To Redis, 0 means forever, and it rounds a millisecond down to 0.
    first = client.blpop(list(reply_lists), timeout=min(max(wait_s, 0.005), LONGEST_WAIT_S))
    if first is None:
        return []
    reply_list, encoded = cast("tuple[bytes, bytes]", first)
    return [(reply_list.decode(), Replies.FromString(encoded))]


def _pop_all(client: redis.Redis, reply_lists: Sequence[str]) -> list[tuple[str, Replies]]:
    names = list(reply_lists)
    popped = cast("list[Any]", client.eval(_POP, len(names), *names, str(POP_COUNT)))
    return [
        (names[index - 1], Replies.FromString(one))
        for index, some in zip(popped[::2], popped[1::2], strict=True)
        for one in some
    ]
