"""DNS rebinding of webhooks, with the C library's resolver and a name server on loopback.

The connection goes to the address that was checked, and no delivery waits long for a name server.
"""

import socket
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from arena.store import Store
from arena.store.registry.webhooks import deliveries
from dashboard.webhooks import posting
from dashboard.webhooks.posting import post
from tests.integration.dashboard.test_webhooks import (
    HERE,
    Receiver,
    ask_for_test,
    hook_of,
    sender_of,
)
from tests.integration.name_server import A, resolving

PUBLIC, PRIVATE = "8.8.8.8", "127.0.0.1"
NO_ADDRESS = "no public address"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses to which connections are asked for; none is made."""
    found: list[str] = []

    def connect(place: tuple[str, int], timeout: float) -> socket.socket:
        found.append(place[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    return found


def test_a_name_that_changes_at_every_question_leads_where_it_was_checked(
    reached: list[str],
) -> None:
    with resolving(flip_example=lambda turn: [PRIVATE if turn % 2 else PUBLIC]) as server:
        errors = [post("http://flip.example/", b"{}", {}).error for _ in range(6)]

    assert reached == [PUBLIC] * 3
    assert [NO_ADDRESS in error for error in errors] == [False, True] * 3
    assert server.asked["flip.example", A] == 6, "one question for each attempt"


HIDDEN: dict[str, Sequence[str]] = {
    "among many": [*(f"8.8.8.{last}" for last in range(1, 25)), "10.0.0.1"],
    "first of many": ["10.0.0.1", *(f"8.8.8.{last}" for last in range(1, 25))],
    "as IPv6": ["::1"],
    "as IPv4 in IPv6": ["::ffff:127.0.0.1"],
    "as IPv6 next to IPv4": [PUBLIC, "fd00::1"],
    "as IPv4 next to IPv6": ["2606:4700::1111", "169.254.169.254"],
    "behind another name": ["inside.example."],
    "behind two": ["alias.example."],
    "nowhere": [],
}


@pytest.mark.parametrize("where", HIDDEN)
def test_a_private_address_is_found_wherever_it_hides(reached: list[str], where: str) -> None:
    names = {
        "host_example": lambda _: HIDDEN[where],
        "alias_example": lambda _: ["inside.example."],
        "inside_example": lambda _: ["192.168.1.1"],
    }
    with resolving(**names):
        outcome = post("https://host.example/", b"{}", {})

    assert NO_ADDRESS in outcome.error
    assert reached == []


def test_a_redirect_to_a_name_that_changes_is_not_followed(receiver: Receiver) -> None:
    receiver.status, receiver.location = 307, "http://flip.example/"
    with resolving(
        host_example=lambda _: [PRIVATE], flip_example=lambda turn: [PRIVATE if turn else PUBLIC]
    ) as server:
        outcome = post(f"http://host.example:{receiver.server_port}/", b"{}", {}, HERE)

    assert outcome.error == "Answered 307: redirects are not followed."
    assert len(receiver.taken) == 1
    assert not server.asked["flip.example", A]


def test_a_name_server_that_is_silent_holds_a_delivery_for_seconds_only(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "RESOLVE_S", 0.2)
    waiting = hook_of(store, "http://slow.example/")
    quick = hook_of(store, receiver.url, "bob")
    ask_for_test(store, waiting, 10.0)
    ask_for_test(store, quick, 11.0)
    with resolving(slow_example=lambda _: [PRIVATE]) as server:
        server.silent.set()
        assert sender_of(store).send_next(12.0)
        server.silent.clear()
    assert sender_of(store).send_next(12.0)

    with store.read() as conn:
        (late,) = deliveries.of_webhook(conn, waiting.id)
    assert late.error == "The DNS lookup took longer than 0.2 seconds."
    assert late.seconds is not None
    assert len(receiver.taken) == 1


# Receivers that are slow on purpose


def test_some_threads_leave_those_alone_that_answer_slowly(store: Store) -> None:
    slow, well = hook_of(store, "https://a.example"), hook_of(store, "https://b.example", "bob")
    for hook, seconds in ((slow, posting.WITHIN_S - 0.1), (well, 0.2)):
        ask_for_test(store, hook, 10.0)
        with store.write() as conn:
            claimed = deliveries.claim(conn, 11.0)
            assert claimed is not None
            deliveries.settle(conn, claimed[1], deliveries.DeliveryResult(204, seconds), 12.0)
        ask_for_test(store, hook, 13.0)

    with store.write() as conn:
        first = deliveries.claim(conn, 14.0, healthy=True)
        assert first is not None
        assert first[0].id == well.id
        assert deliveries.claim(conn, 14.0, healthy=True) is None
        assert deliveries.claim(conn, 14.0) is not None


def test_an_account_has_one_delivery_under_way_however_many_webhooks(store: Store) -> None:
    mine = [hook_of(store, "https://a.example") for _ in range(4)]
    other = hook_of(store, "https://b.example", "bob")
    for hook in (*mine, other):
        ask_for_test(store, hook)

    with store.write() as conn:
        claimed = [deliveries.claim(conn, 11.0) for _ in range(3)]
        assert [each and each[0].id for each in claimed] == [mine[0].id, other.id, None]
        assert deliveries.claim(conn, 11.0 + deliveries.LEASE_S) is not None


def test_the_time_for_the_name_counts_as_the_deliverys(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.monotonic
    passed = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: real() + passed[0])

    def answers(_: int) -> list[str]:
        passed[0] = 3.0
        return [PRIVATE]

    with resolving(host_example=answers):
        outcome = post(f"http://host.example:{receiver.server_port}/", b"{}", {}, HERE)

    assert outcome.status == 204
    assert outcome.seconds is not None
    assert outcome.seconds >= 3.0
