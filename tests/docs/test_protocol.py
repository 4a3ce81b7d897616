"""docs/protocol.md agrees with the proto files and the gateway."""

import re
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FileDescriptor

from arena.base import keepalive
from arena.base.config import Settings
from arena.base.errors import InvalidRequest, LimitReached, Unavailable
from arena.protocol import codec, hello
from arena.protocol.v1 import control_pb2, play_pb2, submissions_pb2
from arena.sdk import client
from arena.service.gateway import limits
from arena.service.gateway.sessions.outputs import PROBLEMS
from arena.service.gateway.status import CODES
from tests.docs.blocks import ROOT
from tests.docs.generators import generator

proto = generator("proto_tables")
PAGE = (ROOT / "docs/protocol.md").read_text()
SETTINGS = Settings(_env_file=None)


@pytest.mark.parametrize(
    "contract",
    [play_pb2.DESCRIPTOR, control_pb2.DESCRIPTOR, submissions_pb2.DESCRIPTOR],
    ids=("play", "control", "submissions"),
)
def test_every_message_field_and_call_is_listed(contract: FileDescriptor) -> None:
    source = proto.ROOT / "proto" / contract.name
    found = {block.name: block for block in proto.parse(source.read_text())}

    told = {
        name: [(member.name, member.number) for member in block.members]
        for name, block in found.items()
    }
    messages: dict[str, Any] = dict(contract.message_types_by_name)
    services: dict[str, Any] = dict(contract.services_by_name)
    assert told == {
        **{name: [(f.name, f.number) for f in one.fields] for name, one in messages.items()},
        **{name: [(call.name, 0) for call in one.methods] for name, one in services.items()},
    }
    assert all(member.about for block in found.values() for member in block.members)


def test_text_that_is_not_a_table_is_rejected() -> None:
    with pytest.raises(ValueError, match="extend View"):
        proto.parse("message A {\n}\nextend View {\n}")


def rows(heading: str) -> list[list[str]]:
    """The cells of all tables in a section."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (.+) \|$", section, re.MULTILINE)
    return [line.split(" | ") for line in lines]


def test_every_status_that_a_bot_can_get_is_explained() -> None:
    met = {CODES[kind].name for kind in (InvalidRequest, LimitReached, Unavailable)}
    met |= {code.name for code in client.FATAL} - {grpc.StatusCode.PERMISSION_DENIED.name}

    told = {first.strip("`") for first, *_ in rows("How a session ends")}

    assert met <= told


def test_every_problem_is_explained_here_and_in_the_proto_file() -> None:
    codes = set(PROBLEMS) - {"unknown_tickets"}  # another message for unknown_ticket
    (field,) = (
        b for b in proto.parse((proto.CONTRACT / "play.proto").read_text()) if b.name == "Problem"
    )

    told = {first.strip("`") for first, *_ in rows("How a session ends")}

    assert codes <= told
    assert codes == set(re.findall(r'"(\w+)":', field.members[0].about))


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("Pings", f"every {keepalive.BOT_PING_S:g} s | {keepalive.BOT_PING_TIMEOUT_S:g} s"),
        ("Pings", f"every {keepalive.SLOWEST_PING_S:g} s | {keepalive.SLOWEST_PING_TIMEOUT_S:g} s"),
        ("Pings", f"every {keepalive.LEAST_PING_S:g} s; after two more"),
        ("Pings", f"every {keepalive.GATEWAY_PING_S:g} s | {keepalive.GATEWAY_PING_TIMEOUT_S:g} s"),
        ("Reconnecting", f"from {client.FIRST_PAUSE_S:g} s to {client.LONGEST_PAUSE_S:g} s"),
        ("Reconnecting", f"{SETTINGS.reconnects_per_minute:g} streams a minute"),
        ("Clocks", f"{SETTINGS.grace_s:g} s by default"),
        ("Limits", f"{limits.HELLO_WITHIN_S:g} s; {limits.LARGEST_HELLO // 1024} kB; "),
        ("Limits", f"kB; {hello.MOST_GAMES} |"),
        ("Limits", f"{hello.LONGEST_SDK_NAME} characters"),
        ("Limits", f"`max_in_flight` | {hello.MOST_IN_FLIGHT} |"),
        ("Limits", f"{SETTINGS.max_message // 1024**2} MB, {limits.MOST_CHOICES} choices"),
        ("Limits", f"{limits.MOST_IN_A_MESSAGE} decisions and {limits.MOST_IN_A_MESSAGE} notices"),
        ("Limits", f"{codec.LONGEST_ACTION} and {codec.LONGEST_ERROR} characters"),
        ("Limits", f"{limits.MOST_STREAMS_OF_A_BOT} at a gateway"),
        ("Limits", f"{SETTINGS.spare_choices_per_minute:,.0f} a minute"),
        ("Limits", f"answer nothing | {limits.MOST_EXPLAINED} |"),
    ],
)  # fmt: skip
def test_number_is_the_gateways(section: str, sentence: str) -> None:
    assert sentence in PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]


def test_shares_and_minimum_times_are_the_gateways() -> None:
    assert (keepalive.REGAINED, keepalive.LEAST_AFTER_ABSENCE_S) == (0.01, 1.0)
    assert "a hundredth of the time for its move" in " ".join(PAGE.split())
    assert "but at least a second" in " ".join(PAGE.split())
