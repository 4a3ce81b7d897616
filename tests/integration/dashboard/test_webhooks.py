"""Webhooks: deliveries to a real receiver, retries, and blocked addresses."""

import base64
import hmac
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client import CollectorRegistry

from arena.base.addresses import networks
from arena.base.config import Settings
from arena.base.errors import InvalidRequest, LimitReached, NotFound
from arena.service.live.player_presence import Presence
from arena.service.live.reader import Live
from arena.store import Store
from arena.store.registry import accounts, bots
from arena.store.registry.mail import absences
from arena.store.registry.webhooks import deliveries, hooks
from arena.store.registry.webhooks.deliveries import Delivery
from arena.store.registry.webhooks.hooks import Webhook, secret_of
from arena.store.reports.own_data import own_data
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.departure import delete_account
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard import create_app
from dashboard.mail.sending import Lookout
from dashboard.system.metrics import Sending
from dashboard.webhooks import posting, targets
from dashboard.webhooks.posting import post
from dashboard.webhooks.sending import WebhookSender
from tests.certificates import self_signed
from tests.integration.people import HASHED, person, send
from workers.advancing import advance as advancing

KEY = "key of the tests"
HERE = networks("127.0.0.0/8,::1")
PAGE = "/account/webhooks"


BOTH = pytest.mark.parametrize("store", ["sqlite_store", "postgres_store"], indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    """SQLite, except where a test is about what the database does: those are marked BOTH."""
    found = request.getfixturevalue(getattr(request, "param", "sqlite_store"))
    assert isinstance(found, Store)
    return found


class Request:
    """A received delivery."""

    def __init__(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.path, self.headers, self.body = path, headers, body

    @property
    def said(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


class Receiver(ThreadingHTTPServer):
    """A web server that keeps what it is sent and answers as told."""

    daemon_threads = True

    def __init__(self) -> None:
        self.taken: list[Request] = []
        self.status = 204
        self.location = ""
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook?a=1"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.taken.append(Request(self.path, headers, body))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def sender_of(store: Store) -> WebhookSender:
    return WebhookSender(store, "https://arena.example", [KEY], HERE)


def hook_of(store: Store, url: str, owner: str = "ada", **wanted: bool) -> Webhook:
    with store.write() as conn:
        account = accounts.find(conn, owner) or accounts.sign_up(conn, owner, HASHED)
        chosen = {"finished": True, "offline": True, **wanted}
        return hooks.add(conn, account.id, url, 1.0, 5, **chosen)


def again(store: Store, hook: Webhook) -> Webhook:
    with store.read() as conn:
        return hooks.get(conn, hook.account, hook.id)


def sent_to(store: Store, hook: Webhook) -> list[Delivery]:
    with store.read() as conn:
        return deliveries.of_webhook(conn, hook.id)


def ask_for_test(store: Store, hook: Webhook, now: float = 10.0) -> None:
    with store.write() as conn:
        deliveries.add_test(conn, hook, now)


def running(store: Store, *names: str) -> int:
    """A tournament under way; ada has the first of the bots."""
    with store.write() as conn:
        ada = accounts.by_name(conn, "ada").id
        for name in names:
            bots.register(conn, name, owner=ada if name == names[0] else None)
        spec = check_spec(TournamentSpec(name="Cup", seats=2, matches=2, bots=names))
        made = creation.create(conn, spec).id
        tournaments.set_state(conn, made, "running")
    return made


def finish(store: Store, number: int, now: float = 10.0) -> None:
    with store.write() as conn:
        deliveries.add_finished(conn, number, now)


# What is sent


@BOTH
def test_a_finished_tournament_is_sent_signed_and_once(store: Store, receiver: Receiver) -> None:
    hook = hook_of(store, receiver.url)
    number = running(store, "hers", "other")
    finish(store, number)
    sender = sender_of(store)

    assert sender.send_next(11.0)
    assert not sender.send_next(1e6)

    (request,) = receiver.taken
    assert request.path == "/hook?a=1"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == f"127.0.0.1:{receiver.server_port}"
    event, at = request.headers["webhook-id"], request.headers["webhook-timestamp"]
    assert abs(int(at) - time.time()) < 60
    key = base64.b64decode(secret_of(KEY, hook.salt).removeprefix("whsec_"))
    signed = hmac.digest(key, f"{event}.{at}.".encode() + request.body, "sha256")
    assert request.headers["webhook-signature"] == "v1," + base64.b64encode(signed).decode()
    assert request.said["id"] == event
    assert request.said["type"] == "tournament.finished"
    assert request.said["timestamp"] == "1970-01-01T00:00:10+00:00"
    data = request.said["data"]
    assert (data["tournament"], data["name"], data["seats"]) == (number, "Cup", 2)
    assert data["url"] == f"https://arena.example/tournaments/{number}"
    assert {each["bot"]: each["yours"] for each in data["standings"]} == {
        "hers": True,
        "other": False,
    }
    (delivery,) = sent_to(store, hook)
    assert (delivery.status, delivery.error, delivery.due) == (204, "", None)
    assert sender.outcomes == {"sent": 1}


def test_only_those_concerned_who_want_to_know_are_told(store: Store, receiver: Receiver) -> None:
    hers = hook_of(store, receiver.url)
    hook_of(store, receiver.url, "bob")
    hook_of(store, receiver.url, finished=False)
    off = hook_of(store, receiver.url)
    with store.write() as conn:
        hooks.switch(conn, off, on=False)
    finish(store, running(store, "hers", "other"))

    with store.read() as conn:
        assert deliveries.count_waiting(conn) == 1
    assert len(sent_to(store, hers)) == 1


def test_an_author_with_a_webhook_and_no_address_is_told_of_an_absent_bot(
    store: Store, receiver: Receiver
) -> None:
    hook_of(store, receiver.url, finished=False)
    running(store, "hers", "other")
    lookout = Lookout(store, lambda _: Live(True, True, dict[int, Presence]()))
    for now in (1000.0, 1121.0, 1200.0):
        lookout.look(now)

    assert sender_of(store).send_next(1201.0)
    (request,) = receiver.taken
    assert request.said["type"] == "bot.offline"
    assert request.said["data"] == {
        "bot": "hers",
        "since": "1970-01-01T00:16:40+00:00",
        "url": "https://arena.example/my/bots/hers",
    }


def test_without_webhooks_nothing_is_queued(
    store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hook_of(store, "https://ada.example")
    number = running(store, "hers", "other")
    lookout = Lookout(store, lambda _: Live(True, True, dict[int, Presence]()), webhooks=False)
    for now in (1000.0, 1121.0, 1200.0):
        lookout.look(now)
    with store.write() as conn:
        hers = bots.get(conn, "hers").id
        for at in (1000.0, 1121.0):  # as where she has an e-mail address
            absences.note(conn, [], [hers], at, webhooks=False)
    monkeypatch.setattr(advancing, "plan", lambda *_: [])  # all is played

    assert not advancing.advance(store, redis_client, number, webhooks=False)

    with store.read() as conn:
        assert tournaments.get(conn, number).state == "finished"
    assert sent_to(store, hook) == []


def test_a_body_stays_as_it_was_first_sent(store: Store, receiver: Receiver) -> None:
    hook_of(store, receiver.url)
    number = running(store, "hers", "other")
    finish(store, number)
    receiver.status = 500
    sender = sender_of(store)
    sender.send_next(11.0)
    sender.public_url = "https://elsewhere.example"
    receiver.status = 200
    assert sender.send_next(1e10)

    first, second = receiver.taken
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


# When that fails


def test_a_failure_is_tried_again_later_and_given_up_after_ten_attempts(
    store: Store, receiver: Receiver
) -> None:
    hook = hook_of(store, receiver.url)
    finish(store, running(store, "hers", "other"))
    receiver.status = 503
    sender, now = sender_of(store), time.time()
    sender.send_next(now)
    assert not sender.send_next(now + 7), "not at once"

    (delivery,) = sent_to(store, hook)
    assert (delivery.status, delivery.error, delivery.attempts) == (503, "Answered 503.", 1)
    assert again(store, hook).failing_since is not None
    for day in range(1, 12):
        sender.send_next(now + day * 86_400)
    assert len(receiver.taken) == deliveries.ATTEMPTS
    (delivery,) = sent_to(store, hook)
    assert delivery.due is None
    assert sender.outcomes == {"failed": 9, "given_up": 1}
    assert again(store, hook).enabled, "one delivery is not enough"


def test_a_webhook_that_fails_for_days_is_switched_off_and_comes_back_clean(
    store: Store, receiver: Receiver
) -> None:
    hook = hook_of(store, receiver.url)
    number = running(store, "hers", "other")
    receiver.status = 500
    sender, now = sender_of(store), time.time()
    for day in range(40):
        finish(store, number, now + day * 86_400)
        while sender.send_next(now + day * 86_400):
            pass
    found = again(store, hook)
    assert (found.enabled, found.note) == (False, deliveries.FAILED)
    with store.read() as conn:
        assert deliveries.count_waiting(conn) == 0
    assert len(sent_to(store, hook)) <= deliveries.KEPT

    with store.write() as conn:
        hooks.switch(conn, found, on=True)
    found = again(store, hook)
    assert (found.enabled, found.note, found.failing_since, found.given_up) == (True, "", None, 0)


def test_success_clears_the_record(store: Store, receiver: Receiver) -> None:
    hook = hook_of(store, receiver.url)
    finish(store, running(store, "hers", "other"))
    sender = sender_of(store)
    receiver.status = 500
    sender.send_next(11.0)
    receiver.status = 200
    sender.send_next(1e10)

    assert again(store, hook).failing_since is None


def test_gone_switches_off_at_once(store: Store, receiver: Receiver) -> None:
    hook = hook_of(store, receiver.url)
    finish(store, running(store, "hers", "other"))
    receiver.status = 410
    sender_of(store).send_next(11.0)

    found = again(store, hook)
    assert (found.enabled, found.note) == (False, deliveries.ASKED_TO_STOP)


def test_a_test_is_sent_once_and_does_not_count(store: Store, receiver: Receiver) -> None:
    hook = hook_of(store, receiver.url)
    receiver.status = 500
    ask_for_test(store, hook)
    sender = sender_of(store)
    sender.send_next(11.0)

    assert not sender.send_next(1e10)
    assert again(store, hook).failing_since is None
    (request,) = receiver.taken
    assert (request.said["type"], request.said["data"]) == ("webhook.test", {})


@BOTH
def test_only_so_much_waits_for_a_webhook(store: Store, receiver: Receiver) -> None:
    hook = hook_of(store, receiver.url)
    for _ in range(deliveries.MOST_WAITING + 5):
        ask_for_test(store, hook)

    with store.read() as conn:
        assert deliveries.count_waiting(conn) == deliveries.MOST_WAITING


# Slow receivers do not delay others


@BOTH
def test_one_delivery_of_a_webhook_is_under_way_at_a_time(store: Store, receiver: Receiver) -> None:
    slow, quick = hook_of(store, receiver.url), hook_of(store, receiver.url, "bob")
    for hook in (slow, slow, quick):
        ask_for_test(store, hook)
    with store.write() as conn:
        first = deliveries.claim(conn, 11.0)
        second = deliveries.claim(conn, 11.0)
        third = deliveries.claim(conn, 11.0)
        assert first is not None
        assert second is not None
        assert third is None
        assert (first[0].id, second[0].id) == (slow.id, quick.id)
        after = deliveries.claim(conn, 11.0 + deliveries.LEASE_S)
        assert after is not None, "whoever had it has died"


@BOTH
def test_some_threads_leave_those_alone_that_fail(store: Store, receiver: Receiver) -> None:
    failing, well = hook_of(store, receiver.url), hook_of(store, receiver.url, "bob")
    finish(store, running(store, "hers", "other"))
    receiver.status = 500
    sender_of(store).send_next(11.0)
    receiver.status = 200
    ask_for_test(store, failing, 12.0)
    ask_for_test(store, well, 13.0)

    with store.write() as conn:
        first = deliveries.claim(conn, 1e10, healthy=True)
        assert first is not None
        assert first[0].id == well.id
        assert deliveries.claim(conn, 1e10, healthy=True) is None
        assert deliveries.claim(conn, 1e10) is not None


def test_a_webhook_that_is_deleted_while_it_is_called_is_gone(
    store: Store, receiver: Receiver
) -> None:
    hook = hook_of(store, receiver.url)
    ask_for_test(store, hook)
    with store.write() as conn:
        claimed = deliveries.claim(conn, 11.0)
        assert claimed is not None
        hooks.remove(conn, hook)
        deliveries.settle(
            conn, claimed[1], deliveries.DeliveryResult(500, 0.1, "Answered 500."), 12.0
        )
        with pytest.raises(NotFound):
            hooks.get(conn, hook.account, hook.id)


def test_a_webhook_that_is_switched_off_while_it_is_called_drops_the_delivery(
    store: Store, receiver: Receiver
) -> None:
    hook = hook_of(store, receiver.url)
    finish(store, running(store, "hers", "other"))
    with store.write() as conn:
        claimed = deliveries.claim(conn, 11.0)
        assert claimed is not None
        hooks.switch(conn, hook, on=False)
        failed = deliveries.DeliveryResult(500, 0.1, "Answered 500.")
        assert not deliveries.settle(conn, claimed[1], failed, 12.0)
        hooks.switch(conn, hook, on=True)
        assert deliveries.count_waiting(conn) == 0
        assert not deliveries.is_due(conn, 1e10)


class Tarpit:
    """A server that says something else now and then, and never ends."""

    def __init__(self, said: bytes, then: bytes) -> None:
        self._said, self._then = said, then
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            taken, _ = self._server.accept()
            with taken:
                taken.sendall(self._said)
                while True:
                    taken.sendall(self._then)
                    time.sleep(0.02)
        except OSError:
            pass

    def close(self) -> None:
        self._server.close()


@pytest.mark.parametrize(
    ("said", "then"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"),
        (b"HTTP/1.1 200 OK\r\n", b"a"),
    ],
)
def test_an_endless_answer_is_cut_off(
    said: bytes, then: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "WITHIN_S", 0.5)
    begun = time.monotonic()
    with closing(Tarpit(said, then)) as server:
        outcome = post(server.url, b"{}", {}, HERE)

    assert time.monotonic() - begun < 5
    assert outcome.status is None
    assert outcome.error


def test_an_endless_body_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "WITHIN_S", 5.0)
    begun = time.monotonic()
    with closing(Tarpit(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000)) as server:
        outcome = post(server.url, b"{}", {}, HERE)

    assert (outcome.status, outcome.error) == (200, "")
    assert time.monotonic() - begun < 4


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status, receiver.location = 302, receiver.url
    outcome = post(receiver.url, b"{}", {}, HERE)

    assert outcome.error == "Answered 302: redirects are not followed."
    assert len(receiver.taken) == 1


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    outcome = post(f"http://127.0.0.1:{port}/", b"{}", {}, HERE)
    assert outcome.error == "The connection was refused."


def test_no_proxy_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert post(receiver.url, b"{}", {}, HERE).status == 204


# Blocked addresses


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ],
)
def test_no_way_of_writing_this_machine_reaches_it(
    host: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "PORTS", (receiver.server_port,))

    outcome = post(f"http://{host}:{receiver.server_port}/", b"{}", {})

    assert "no public address" in outcome.error
    assert (outcome.status, outcome.seconds) == (None, None)
    assert receiver.taken == []


def answer(monkeypatch: pytest.MonkeyPatch, *rounds: list[str]) -> list[str]:
    """A name server that says something else each time; what it was asked."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def lookup(host: str, port: Any, *args: Any, **kwargs: Any) -> list[Any]:
        if host != "rebound.example":
            return list(real(host, port, *args, **kwargs))
        addresses = rounds[min(len(asked), len(rounds) - 1)]
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    return asked


def test_a_name_that_changes_between_check_and_connection_gains_nothing(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answer(monkeypatch, ["8.8.8.8"], ["127.0.0.1"])
    reached: list[tuple[str, int]] = []

    def connect(place: tuple[str, int], timeout: float) -> socket.socket:
        reached.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    post("http://rebound.example/", b"{}", {})

    assert asked == ["rebound.example"]
    assert reached == [("8.8.8.8", 80)]


def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, ["8.8.8.8", "10.0.0.1"])

    assert "no public address" in post("https://rebound.example/", b"{}", {}).error


def test_the_checked_address_is_reached_under_the_urls_name(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, ["127.0.0.1"])

    assert post(f"http://rebound.example:{receiver.server_port}/", b"{}", {}, HERE).status == 204
    assert receiver.taken[0].headers["host"] == f"rebound.example:{receiver.server_port}"


def test_tls_is_checked_against_the_urls_name(
    receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, ["127.0.0.1"])
    right, other = (self_signed(tmp_path, name) for name in ("rebound.example", "other.example"))
    url = f"https://rebound.example:{receiver.server_port}/"
    said = []
    plain = receiver.socket
    for pair, trusted in ((right, right), (other, other), (right, None)):
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(*pair)
        receiver.socket = server.wrap_socket(
            plain.dup(), server_side=True, do_handshake_on_connect=False
        )
        context = ssl.create_default_context(cafile=trusted and str(trusted.certificate))
        said.append(post(url, b"{}", {}, HERE, context))
        receiver.socket.close()
    receiver.socket = plain

    assert (said[0].status, said[0].error) == (204, "")
    assert "certificate is not valid" in said[1].error
    assert "certificate is not valid" in said[2].error
    assert len(receiver.taken) == 1


def test_private_and_missing_names_look_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, ["10.0.0.1"], [])

    assert post("https://rebound.example/", b"{}", {}) == post(
        "https://rebound.example/", b"{}", {}
    )


# The page


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(secret_key=KEY), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    return person(app, sqlite_store, "ada")


def add(browser: FlaskClient, url: str = "https://ada.example/hook", **fields: str) -> Any:
    return send(browser, PAGE, PAGE, url=url, **({"finished": "yes"} | fields))


def only(store: Store, owner: str = "ada") -> Webhook:
    with store.read() as conn:
        (found,) = hooks.of_account(conn, accounts.by_name(conn, owner).id)
    return found


def secrets_on(text: str) -> list[str]:
    return re.findall(r"whsec_[A-Za-z0-9+/=]+", text)


def test_a_secret_is_shown_once(ada: FlaskClient, sqlite_store: Store) -> None:
    assert add(ada).status_code == 303
    hook = only(sqlite_store)
    assert secrets_on(ada.head(PAGE).text) == []
    first = ada.get(PAGE)

    assert set(secrets_on(first.text)) == {secret_of(KEY, hook.salt)}
    assert first.headers["Cache-Control"] == "no-store"
    assert secrets_on(ada.get(PAGE).text) == []
    assert send(ada, f"{PAGE}/{hook.id}/secret", PAGE).status_code == 303
    (second,) = set(secrets_on(ada.get(PAGE).text))
    assert second != secret_of(KEY, hook.salt)
    with sqlite_store.read() as conn:
        assert second not in "\n".join(conn.connection.iterdump())


def test_form_reports_problems(ada: FlaskClient, sqlite_store: Store) -> None:
    for url, problem in (
        ("http://127.0.0.1/", "127.0.0.1 has no public address"),
        ("ftp://a.example/", "must start with https"),
        ("https://a.example:22/", "Port 22 is not allowed"),
    ):
        refused = add(ada, url)
        assert refused.status_code == 400
        assert problem in refused.text
    none = add(ada, finished="no")
    assert "Choose at least one event." in none.text
    for _ in range(5):
        assert add(ada).status_code == 303
    assert "You have 5 webhooks, which is the limit" in add(ada).text


def test_a_test_is_asked_for_and_its_outcome_shown(
    ada: FlaskClient, sqlite_store: Store, receiver: Receiver
) -> None:
    hook = hook_of(sqlite_store, receiver.url)
    answer = send(ada, f"{PAGE}/{hook.id}/test", PAGE)
    assert "A test is on its way" in ada.get(answer.location).text
    sender_of(sqlite_store).send_next(time.time())
    assert ">204</span>" in ada.get(PAGE).text

    send(ada, f"{PAGE}/{hook.id}/switch", PAGE, on="no")
    refused = send(ada, f"{PAGE}/{hook.id}/test", PAGE)
    assert refused.status_code == 400
    assert "before you send a test" in refused.text


def test_the_page_says_why_a_webhook_is_off(ada: FlaskClient, sqlite_store: Store) -> None:
    hook = hook_of(sqlite_store, "https://ada.example/")
    with sqlite_store.write() as conn:
        deliveries._note(conn, hook.id, enabled=False, note=deliveries.FAILED)

    assert "nothing could be delivered for three days" in ada.get(PAGE).text
    send(ada, f"{PAGE}/{hook.id}/switch", PAGE, on="yes")
    assert "nothing could be delivered" not in ada.get(PAGE).text


def test_webhooks_of_others_cannot_be_changed(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    hook = hook_of(sqlite_store, "https://ada.example/secret-path")
    bob = person(app, sqlite_store, "bob")

    for act in ("test", "switch", "secret", "delete"):
        assert send(bob, f"{PAGE}/{hook.id}/{act}", PAGE).status_code == 404
    assert "secret-path" not in bob.get(PAGE).text
    assert app.test_client().get(PAGE).status_code == 303
    assert send(ada, f"{PAGE}/{hook.id}/delete", PAGE).status_code == 303
    with sqlite_store.read() as conn:
        assert hooks.of_account(conn, hook.account) == []


def test_an_arena_without_webhooks_says_so(sqlite_store: Store) -> None:
    browser = person(
        create_app(Settings(webhooks_per_account=0), sqlite_store, None), sqlite_store, "ada"
    )

    assert browser.get(PAGE).status_code == 404
    assert PAGE not in browser.get("/account").text


# Around it


def test_webhooks_are_taken_along_and_leave_with_the_account(
    store: Store, receiver: Receiver
) -> None:
    hook = hook_of(store, receiver.url)
    ask_for_test(store, hook)
    with store.write() as conn:
        account = accounts.by_name(conn, "ada")
        (taken,) = own_data(conn, account)["account"]["webhooks"]
        assert (taken["url"], len(taken["deliveries"])) == (receiver.url, 1)
        assert "salt" not in taken
        delete_account(conn, account.id, 50.0)
        assert deliveries.count_waiting(conn) == 0


@BOTH
def test_a_webhook_needs_an_event_and_an_account_has_only_so_many(store: Store) -> None:
    with pytest.raises(InvalidRequest, match="at least one event"):
        hook_of(store, "https://a.example", finished=False, offline=False)
    for _ in range(5):
        hook_of(store, "https://a.example")
    with pytest.raises(LimitReached, match="5 webhooks"):
        hook_of(store, "https://a.example")


def test_sent_messages_are_counted(app: Flask, sqlite_store: Store, receiver: Receiver) -> None:
    hook = hook_of(sqlite_store, receiver.url)
    ask_for_test(sqlite_store, hook)
    ask_for_test(sqlite_store, hook)
    sender = sender_of(sqlite_store)
    sender.send_next(time.time())
    registry = CollectorRegistry()
    registry.register(Sending(app.extensions["arena"], sender.outcomes, sender.outcomes))

    calls = {"outcome": "sent"}
    assert registry.get_sample_value("arena_webhook_calls_total", calls) == 1
    assert registry.get_sample_value("arena_mails_total", {"outcome": "given_up"}) == 0
    assert registry.get_sample_value("arena_webhook_calls_waiting") == 1
    assert registry.get_sample_value("arena_mails_waiting") == 0
