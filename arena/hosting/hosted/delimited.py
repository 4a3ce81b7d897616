"""The messages of Python bots: protobuf, each with its length before it."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import DecodeError

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.inside.frames import Frames, framed
from arena.protocol.v1 import play_pb2 as pb


class Delimited:
    """See Codec."""

    def __init__(self, longest: int) -> None:
        self._frames = Frames(longest)

    def encode(self, batch: pb.Batch) -> bytes:
        return framed(pb.ArenaMessage(batch=batch).SerializeToString())

    def decode(self, received: bytes) -> Iterator[pb.BotMessage]:
        for frame in self._frames.add(received):
            try:
                yield pb.BotMessage.FromString(frame)
            except DecodeError:
                raise InvalidRequest("Bytes came that are not a BotMessage.") from None
