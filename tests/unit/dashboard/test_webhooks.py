"""Webhooks: signatures, which URLs and addresses may be reached, when it is tried again."""

import base64
import hashlib
import hmac
from ipaddress import ip_address

import pytest

from arena.base.addresses import networks
from arena.base.errors import InvalidRequest
from arena.store.registry.webhooks.deliveries import ATTEMPTS, JITTER, wait_s
from arena.store.registry.webhooks.hooks import secret_of
from dashboard.webhooks.sending import signature, signed_headers
from dashboard.webhooks.targets import (
    LONGEST,
    WebhookTarget,
    check_address,
    check_url,
    is_public,
    unmapped,
)


def test_the_signature_of_the_specifications_example() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'

    found = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)

    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_while_a_key_is_replaced_messages_have_a_signature_by_either_secret() -> None:
    new, old = (secret_of(key, b"salt") for key in ("new", "old"))

    sent = signed_headers([new, old], "evt_1", 10, b"{}")["webhook-signature"]

    assert sent.split(" ") == [signature(each, "evt_1", 10, b"{}") for each in (new, old)]


def test_a_signature_is_over_number_time_and_body() -> None:
    secret = secret_of("key", b"salt")
    sent = signed_headers([secret], "evt_1", 10, b"{}")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.digest(key, b"evt_1.10.{}", hashlib.sha256)).decode()

    assert sent == {
        "webhook-id": "evt_1",
        "webhook-timestamp": "10",
        "webhook-signature": f"v1,{expected}",
    }
    assert 24 <= len(key) <= 64, "as the specification asks"
    others = [
        (secret, "evt_2", 10, b"{}"),
        (secret, "evt_1", 11, b"{}"),
        (secret, "evt_1", 10, b""),
    ]
    assert all(signature(*each) != f"v1,{expected}" for each in others)


def test_each_webhook_and_each_arena_has_secrets_of_its_own() -> None:
    assert len({secret_of(*each) for each in [("a", b"1"), ("a", b"2"), ("b", b"1")]}) == 3


def test_waits_grow_up_to_six_hours_and_all_of_them_take_about_a_day() -> None:
    waits = [wait_s(attempt, 0.5) for attempt in range(1, ATTEMPTS)]

    assert waits[:4] == [10, 40, 160, 640]
    assert max(waits) == 6 * 3600
    assert 20 * 3600 <= sum(waits) * (1 - JITTER) * 1.25 <= 26 * 3600
    assert wait_s(3, 0.0) == pytest.approx(160 * (1 - JITTER))
    assert wait_s(3, 1.0) == pytest.approx(160 * (1 + JITTER))


PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "192.31.195.255",
    "192.31.197.0",
    "192.175.47.255",
    "192.175.49.0",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2001:200::1",
    "2606:4700::1111",
    "2620:4f:7fff::1",
    "2620:4f:8001::1",
    "2a00:1450:4001::200e",
]
FORBIDDEN = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "172.16.0.1",
    "192.168.1.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.175.48.1",
    "192.175.48.255",
    "168.63.129.16",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "::ffff:192.31.196.1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::c0af:3001",
    "64:ff9b:1::1",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:1::1",
    "2001:1::3",
    "2001:2::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:10::1",
    "2001:20::1",
    "2001:30::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2620:4f:8000::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_reached(address: str) -> None:
    assert is_public(unmapped(ip_address(address)))


@pytest.mark.parametrize("address", FORBIDDEN)
def test_any_other_address_may_not(address: str) -> None:
    target = WebhookTarget("https", "host.example", 443, "/")

    with pytest.raises(InvalidRequest, match=r"host\.example has no public address"):
        check_address(ip_address(address), target)


def test_public_addresses_in_ipv6_clothes_count_as_what_they_are() -> None:
    assert is_public(unmapped(ip_address("::ffff:8.8.8.8")))
    assert is_public(unmapped(ip_address("64:ff9b::808:808")))


def test_the_operator_lets_webhooks_reach_networks() -> None:
    allowed = networks("10.20.0.0/16, fd00::/8")
    here = WebhookTarget("http", "host.internal", 9000, "/")

    check_address(ip_address("10.20.1.1"), here, allowed)
    check_address(ip_address("::ffff:10.20.1.1"), here, allowed)
    check_address(ip_address("fd00::1"), here, allowed)
    with pytest.raises(InvalidRequest, match="has no public address"):
        check_address(ip_address("10.21.0.1"), here, allowed)
    with pytest.raises(InvalidRequest, match="Port 9000 is not allowed"):
        check_address(ip_address("8.8.8.8"), here, allowed)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example", WebhookTarget("https", "a.example", 443, "/")),
        ("http://A.example:8080/x?y=1", WebhookTarget("http", "a.example", 8080, "/x?y=1")),
        ("https://[2606:4700::1111]/", WebhookTarget("https", "2606:4700::1111", 443, "/")),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: WebhookTarget) -> None:
    assert check_url(url) == expected


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "ASCII without spaces"),
        ("a.example/hook", "start with https"),
        ("ftp://a.example/", "start with https"),
        ("file:///etc/passwd", "start with https"),
        ("gopher://a.example:80/_x", "start with https"),
        ("https:///path", "has no valid host"),
        ("https://", "has no valid host"),
        ("https://a.example:99999/", "not a URL"),
        ("https://a.example:0/", "Port 0"),
        ("https://a.example:25/", "Port 25"),
        ("https://a.example:6379/", "Port 6379"),
        ("https://user:word@a.example/", "user and password"),
        ("https://a.example@127.0.0.1/", "user and password"),
        ("https://a.example/#part", "after #"),
        ("https://a.example/a b", "without spaces"),
        ("https://a.example/\r\nHost: b", "without spaces"),
        ("https://a.example\\@127.0.0.1/", "without spaces"),
        ("https://é.example/", "must be ASCII"),
        ("http://127.0.0.1/", "no public address"),
        ("http://[::1]/", "no public address"),
        ("http://[::ffff:10.0.0.1]/", "no public address"),
        ("http://[fe80::1%25eth0]/", "no valid host|not a URL|no public"),
        ("https://a.example/" + "x" * LONGEST, "at most"),
    ],
)
def test_invalid_webhook_urls_are_refused(url: str, problem: str) -> None:
    with pytest.raises(InvalidRequest, match=problem):
        check_url(url)
