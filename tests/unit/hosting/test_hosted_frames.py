"""Messages with their lengths, as they go between a host and a bot's process."""

from contextlib import suppress

import pytest
from google.protobuf.internal.decoder import _DecodeVarint32  # type: ignore[attr-defined]
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.inside.frames import Frames, framed


@given(st.lists(st.binary(max_size=400)), st.integers(1, 7))
def test_messages_do_not_depend_on_how_bytes_arrive(messages: list[bytes], step: int) -> None:
    sent = b"".join(map(framed, messages))
    frames = Frames(1000)

    received = [
        message
        for start in range(0, len(sent), step)
        for message in frames.add(sent[start : start + step])
    ]

    assert received == messages


@given(st.integers(0, 300_000))
def test_the_length_is_protobufs(size: int) -> None:
    length, start = _DecodeVarint32(framed(bytes(size)), 0)
    assert (length, start) == (size, len(framed(bytes(size))) - size)


def test_a_message_that_is_too_long_is_refused_before_it_has_come() -> None:
    with pytest.raises(
        InvalidRequest, match="It sent a message of 1,001 bytes. The limit is 1,000"
    ):
        list(Frames(1000).add(framed(bytes(1001))[:2]))


def test_a_length_without_end_is_refused() -> None:
    frames = Frames(1000)
    assert list(frames.add(b"\xff\xff\xff")) == []
    with pytest.raises(InvalidRequest, match="not the length of a message"):
        list(frames.add(b"\xff"))


@given(st.binary(max_size=60))
def test_no_bytes_do_more_harm_than_that(received: bytes) -> None:
    with suppress(InvalidRequest):
        assert all(len(message) <= 20 for message in Frames(20).add(received))
