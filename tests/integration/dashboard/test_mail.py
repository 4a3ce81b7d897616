"""E-mail: addresses, passwords that were forgotten, notices, and how it all is sent."""

import re
import socketserver
import threading
import time
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import SMTP

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.service.live.player_presence import Presence
from arena.service.live.reader import UNKNOWN, Live
from arena.store import Store, tables
from arena.store.registry import accounts, bots, invitations
from arena.store.registry.mail import absences, addresses, links, outbox
from arena.store.tournaments import creation, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard import create_app
from dashboard.keys import Switch, read, signed
from dashboard.mail.delivery import MailServer, Message, Undelivered, email_message, mail_server
from dashboard.mail.messages import Writer
from dashboard.mail.sending import Lookout, Sender
from tests.integration.people import HASHED, PASSWORD, person, send

KEY = "key of the tests"
NEW = "another horse battery"
SENDS = Settings(
    smtp_url="smtp://mail.example:587",
    mail_from="arena@arena.example",
    public_url="https://arena.example",
    secret_key=KEY,
)


class Post:
    """A mail server that keeps what it is given, or refuses it."""

    def __init__(self, store: Store) -> None:
        self.messages: list[Message] = []
        self.refusal: Undelivered | None = None
        self.live = UNKNOWN
        writer = Writer(SENDS.public_url, KEY)
        self.sender = Sender(store, writer, self._take)
        self.lookout = Lookout(store, lambda _: self.live)

    def send(self, now: float = 0.0) -> list[Message]:
        """Sends what is due, and gives it."""
        before = len(self.messages)
        while self.sender.send_next(now or time.time()):
            pass
        return self.messages[before:]

    def _take(self, message: Message) -> None:
        if self.refusal:
            raise self.refusal
        self.messages.append(message)


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(SENDS, sqlite_store, None)


@pytest.fixture
def post(sqlite_store: Store) -> Post:
    return Post(sqlite_store)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    """Signed in, with a confirmed address."""
    browser = person(app, sqlite_store, "ada")
    with sqlite_store.write() as conn:
        number = accounts.by_name(conn, "ada").id
        addresses.confirm(conn, number, "ada@mail.example", 1.0)
    return browser


def path_in(message: Message) -> str:
    (found,) = re.findall(r"https://arena\.example(/\S*token=\S+)", message.text)
    return str(found)


def follow(browser: FlaskClient, message: Message, **fields: str) -> int:
    """Sends the form of the page that a message's link leads to."""
    page = browser.get(path_in(message)).text
    hidden = dict(re.findall(r'name="(csrf_token|token)" value="([^"]+)"', page))
    (action,) = re.findall(r'<form method="post" action="([^"]+)" class="form', page)
    return browser.post(action, data=hidden | fields).status_code


def email_of(store: Store, name: str) -> addresses.Email | None:
    with store.read() as conn:
        return addresses.of_account(conn, accounts.by_name(conn, name).id)


# Addresses


def test_an_address_counts_once_the_link_that_was_sent_there_is_followed(
    app: Flask, sqlite_store: Store, post: Post
) -> None:
    bob = person(app, sqlite_store, "bob")

    asked = send(bob, "/account/email", "/account", address="Bob@mail.example", old=PASSWORD)
    (message,) = post.send()

    assert asked.location == "/account?done=sent"
    assert message.to == "Bob@mail.example"
    assert email_of(sqlite_store, "bob") is None
    assert bob.get(path_in(message)).status_code == 200
    assert email_of(sqlite_store, "bob") is None, "programs that look through mail follow links"
    assert follow(app.test_client(), message) == 200
    found = email_of(sqlite_store, "bob")
    assert found is not None
    assert (found.address, found.finished, found.offline) == ("Bob@mail.example", True, True)
    assert "Bob@mail.example" in bob.get("/account").text


def test_an_address_takes_the_password_and_has_to_be_one(ada: FlaskClient, post: Post) -> None:
    wrong = send(ada, "/account/email", "/account", address="a@b.example", old="not it")
    none = send(ada, "/account/email", "/account", address="a@b\r\nBcc: x@y.example", old=PASSWORD)

    assert "not your current password" in wrong.text
    assert "is not an e-mail address" in none.text
    assert (wrong.status_code, none.status_code) == (400, 400)
    assert post.send() == []


def test_another_address_is_told_to_the_one_before(
    ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    send(ada, "/account/email", "/account", address="new@mail.example", old=PASSWORD)
    (confirm,) = post.send()
    follow(ada, confirm)
    (moved,) = post.send()

    assert (moved.to, moved.subject) == ("ada@mail.example", "Your e-mail address was changed")
    found = email_of(sqlite_store, "ada")
    assert found is not None
    assert found.address == "new@mail.example"


def test_an_address_can_be_removed(ada: FlaskClient, sqlite_store: Store) -> None:
    assert send(ada, "/account/email/remove", "/account", old="no").status_code == 400
    assert send(ada, "/account/email/remove", "/account", old=PASSWORD).status_code == 303
    assert email_of(sqlite_store, "ada") is None


@pytest.mark.parametrize(
    "address", ["", "ada", "a@b", "a b@c.d", "<a@b.c>", "a@b.c,d@e.f", "é@b.c"]
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(InvalidRequest, match="not an e-mail address"):
        addresses.check_address(address)


def test_an_arena_without_a_mail_server_says_so(sqlite_store: Store) -> None:
    app = create_app(Settings(), sqlite_store, None)
    browser = person(app, sqlite_store, "ada")

    assert "does not send e-mail" in browser.get("/reset-password").text
    assert "Forgot your password" not in app.test_client().get("/sign-in").text
    assert 'name="address"' not in browser.get("/account").text
    assert send(browser, "/account/email", "/account", address="a@b.example").status_code == 404
    assert send(browser, "/reset-password", "/account", who="ada").status_code == 404


# Forgotten passwords


def test_a_password_is_reset_by_a_link_that_works_once_and_ends_all_sessions(
    app: Flask, ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    browser = app.test_client()
    send(browser, "/reset-password", "/reset-password", who="ADA")
    (message,) = post.send()

    assert message.to == "ada@mail.example"
    assert follow(browser, message, new="short") == 400
    assert follow(browser, message, new=NEW) == 303
    assert browser.get("/account").status_code == 200, "signed in here"
    assert ada.get("/account").status_code == 303, "and nowhere else"
    assert "no longer works" in browser.get(path_in(message)).text
    assert [each.subject for each in post.send()] == ["Your password was changed"]
    answer = send(app.test_client(), "/sign-in", name="ada", password=NEW)
    assert answer.status_code == 303


def test_reset_does_not_reveal_whether_an_account_exists(
    app: Flask, ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    person(app, sqlite_store, "bob")  # who has no address
    answers = [
        send(app.test_client(), "/reset-password", "/reset-password", who=who)
        for who in ("ada", "ada@mail.example", "bob", "nobody", "no@body.example")
    ]

    assert len({(each.status_code, each.location, each.text) for each in answers}) == 1
    assert [each.to for each in post.send()] == ["ada@mail.example"] * 2
    assert post.sender.outcomes["sent"] == 2, "messages for unknown accounts are never sent"


def test_all_accounts_at_an_address_have_their_links_in_one_message(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    """One message for each had all of them sent again when one failed, with new links."""
    person(app, sqlite_store, "bob")
    with sqlite_store.write() as conn:
        addresses.confirm(conn, accounts.by_name(conn, "bob").id, "ada@mail.example", 1.0)
        outbox.add(conn, "reset", None, "ada@mail.example", 100.0)
    tried: list[Message] = []

    def fails_once(message: Message) -> None:
        tried.append(message)
        if len(tried) == 1:
            raise Undelivered("away")

    sender = Sender(sqlite_store, Writer(SENDS.public_url, KEY), fails_once)
    assert sender.send_next(101.0)
    assert sender.send_next(400.0)

    (_, message) = tried
    assert not sender.send_next(100_000.0)
    assert [line for line in message.text.splitlines() if line in ("ada", "bob")] == ["ada", "bob"]
    with sqlite_store.read() as conn:
        found = [links.find(conn, "reset", secret, 401.0) for secret in message.secrets]
        whose = [accounts.get(conn, link.account).name for link in found if link]
    assert whose == ["ada", "bob"]


def test_a_newer_link_voids_the_older_and_a_day_ends_both(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        number = accounts.by_name(conn, "ada").id
        first = links.make(conn, "reset", number, "ada@mail.example", 10.0)
        second = links.make(conn, "reset", number, "ada@mail.example", 20.0)

        assert links.find(conn, "reset", first, 21.0) is None
        assert links.find(conn, "reset", second, 21.0) == (number, "ada@mail.example")
        assert links.find(conn, "confirm", second, 21.0) is None
        assert links.use(conn, "reset", second, 20.0 + links.DAY_S) is None
        assert links.use(conn, "reset", second, 19.0 + links.DAY_S) is not None
        assert links.use(conn, "reset", second, 19.0 + links.DAY_S) is None


def test_an_address_gets_only_so_many_links_a_day(
    ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    for _ in range(links.MOST_A_DAY + 2):
        with sqlite_store.write() as conn:
            outbox.add(conn, "reset", None, "ada", 100.0)

    assert len(post.send(200.0)) == links.MOST_A_DAY
    with sqlite_store.write() as conn:
        outbox.add(conn, "reset", None, "ada", 100_000.0)
    assert len(post.send(100_000.0)) == 1, "the next day"


def test_asking_for_links_is_limited(sqlite_store: Store) -> None:
    alone = SENDS.model_copy(update={"people_per_address": 1})
    browser = create_app(alone, sqlite_store, None).test_client()
    answers = [
        send(browser, "/reset-password", "/reset-password", who="ada").status_code for _ in range(6)
    ]

    assert answers == [303] * 5 + [429]


def test_no_secret_is_stored_nor_in_what_waits(
    ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    send(ada, "/reset-password", "/account", who="ada")
    (message,) = post.send()
    secret = path_in(message).partition("token=")[2]

    with sqlite_store.read() as conn:
        dump = "\n".join(conn.connection.iterdump())
    assert secret not in dump


# Notices


def running(store: Store, *names: str, owner: str = "") -> int:
    with store.write() as conn:
        spec = check_spec(TournamentSpec(name="Cup", seats=2, matches=2, bots=names))
        of = accounts.by_name(conn, owner).id if owner else None
        made = creation.create(conn, spec, owner=of).id
        tournaments.set_state(conn, made, "running")
    return made


@pytest.fixture
def entered(ada: FlaskClient, sqlite_store: Store) -> int:
    """A tournament in which ada has a bot."""
    with sqlite_store.write() as conn:
        bots.register(conn, "hers", owner=accounts.by_name(conn, "ada").id)
        bots.register(conn, "other")
    return running(sqlite_store, "hers", "other")


def test_authors_are_told_once_that_their_tournament_is_finished(
    entered: int, sqlite_store: Store, post: Post
) -> None:
    with sqlite_store.write() as conn:
        outbox.add_finished(conn, entered, 5.0)
    (message,) = post.send(6.0)

    assert (message.to, message.subject) == ("ada@mail.example", "Cup is finished")
    assert f"https://arena.example/tournaments/{entered}" in message.text
    assert "1. hers" in message.text
    assert "Cup is finished after 0 matches." in message.text
    assert post.send(7.0) == []


def test_a_single_match_is_counted_in_the_singular(
    entered: int, sqlite_store: Store, post: Post
) -> None:
    with sqlite_store.write() as conn:
        conn.execute(update(tables.tournaments).values(played=1))
        outbox.add_finished(conn, entered, 5.0)
    (message,) = post.send(6.0)

    assert "Cup is finished after 1 match." in message.text


def test_a_notice_can_be_switched_off_by_the_link_in_it_without_signing_in(
    app: Flask, entered: int, sqlite_store: Store, post: Post
) -> None:
    with sqlite_store.write() as conn:
        outbox.add_finished(conn, entered, 5.0)
    (message,) = post.send(6.0)
    path = message.unsubscribe.removeprefix("https://arena.example")
    mail_program = app.test_client()

    assert "when a tournament finishes" in mail_program.get(path).text
    found = email_of(sqlite_store, "ada")
    assert found is not None
    assert found.finished, "reading changes nothing"
    assert mail_program.post(path, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    found = email_of(sqlite_store, "ada")
    assert found is not None
    assert (found.finished, found.offline) == (False, True)
    with sqlite_store.write() as conn:
        outbox.add_finished(conn, entered, 7.0)
    assert post.send(8.0) == []


def test_a_link_that_somebody_made_up_switches_nothing_off(app: Flask, ada: FlaskClient) -> None:
    assert read([KEY], signed(KEY, Switch(1, "finished"))) == Switch(1, "finished")
    assert read([KEY, "new key"], signed(KEY, Switch(1, "finished"))) == Switch(1, "finished")
    assert read(["other key"], signed(KEY, Switch(1, "finished"))) is None
    assert app.test_client().post("/unsubscribe?token=made.up").status_code == 400
    assert app.test_client().get("/unsubscribe").status_code == 400


def test_notices_are_chosen_on_the_account_page(ada: FlaskClient, sqlite_store: Store) -> None:
    send(ada, "/account/notices", "/account", offline="yes")

    found = email_of(sqlite_store, "ada")
    assert found is not None
    assert (found.finished, found.offline) == (False, True)


def connected(store: Store, *names: str) -> Live:
    with store.read() as conn:
        there = {bots.get(conn, name).player for name in names}
    return Live(True, True, dict.fromkeys(there, Presence.__new__(Presence)))


def test_an_author_is_told_once_when_a_bot_is_gone_for_two_minutes(
    entered: int, sqlite_store: Store, post: Post
) -> None:
    post.live = connected(sqlite_store)
    post.lookout.look(1000.0)
    post.lookout.look(1100.0)
    assert post.send(1101.0) == []
    post.lookout.look(1121.0)
    post.lookout.look(1200.0)

    (message,) = post.send(1201.0)
    assert message.subject == "hers went offline"
    assert "https://arena.example/my/bots/hers" in message.text


def test_a_bot_that_comes_and_goes_is_told_of_at_most_once_an_hour(
    entered: int, sqlite_store: Store, post: Post
) -> None:
    for second in range(0, 3 * 3600, 300):
        post.live = connected(sqlite_store, *(["hers"] if second % 600 else []))
        post.lookout.look(float(second + 1))
        if not second % 600:
            post.lookout.look(float(second + 150))

    assert 1 <= len(post.send(3 * 3600.0)) <= 3


def test_no_notification_while_the_arena_itself_is_down(
    entered: int, sqlite_store: Store, post: Post
) -> None:
    for live in (UNKNOWN, Live(True, False, {})):
        post.live = live
        for now in (0.0, 1000.0, 2000.0):
            post.lookout.look(now)

    assert post.send(2001.0) == []


# Sending


def test_failed_messages_are_retried_and_finally_given_up(
    ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    with sqlite_store.write() as conn:
        outbox.add(conn, "reset", None, "ada", 0.0)
    post.refusal = Undelivered("away")
    assert post.send(1.0) == []
    post.refusal = None
    assert post.send(30.0) == [], "not at once"
    assert len(post.send(62.0)) == 1

    with sqlite_store.write() as conn:
        outbox.add(conn, "reset", None, "ada", 0.0)
    post.refusal = Undelivered("no such mailbox", lasting=True)
    post.send(100.0)
    post.refusal = None
    assert post.send(100_000.0) == []


def test_a_link_that_was_never_sent_does_not_count(
    ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    post.refusal = Undelivered("away")
    with sqlite_store.write() as conn:
        outbox.add(conn, "reset", None, "ada", 0.0)
    for now in (1.0, 62.0, 400.0, 2300.0, 9600.0):
        post.send(now)
    post.refusal = None

    assert len(post.send(40_000.0)) == 1


def test_claimed_message_is_only_taken_over_from_a_dead_sender(
    store: Store,
) -> None:
    with store.write() as conn:
        outbox.add(conn, "reset", None, "ada", 0.0)
    with store.write() as conn:
        first = outbox.claim(conn, 1.0)
        assert first is not None
        assert first.attempts == 1
        assert outbox.claim(conn, 1.0) is None
        again = outbox.claim(conn, 1.0 + outbox.LEASE_S)
        assert again is not None
        assert (again.id, again.attempts) == (first.id, 2)
        outbox.done(conn, again)
        assert not outbox.is_due(conn, 1e9)


def test_notices_of_tournaments_and_absent_bots_are_queued_on_both_databases(store: Store) -> None:
    with store.write() as conn:
        number = accounts.sign_up(conn, "ada", HASHED).id
        addresses.confirm(conn, number, "ada@mail.example", 1.0)
        hers, _ = bots.register(conn, "hers", owner=number)
        bots.register(conn, "other")
    made = running(store, "hers", "other", owner="ada")
    with store.write() as conn:
        assert absences.expected(conn) == {hers.player: hers.id}
        outbox.add_finished(conn, made, 5.0)
        absences.note(conn, [], [hers.id], 10.0)
        absences.note(conn, [], [hers.id], 200.0)
        absences.note(conn, [hers.id], [], 210.0)
        absences.note(conn, [], [], 9_000.0)
        kinds = [outbox.claim(conn, now) for now in (201.0, 202.0, 203.0)]
    assert [each and each.kind for each in kinds] == ["finished", "offline", None]


def test_the_settings_of_a_mail_server(sqlite_store: Store) -> None:
    assert mail_server(Settings()) is None
    with pytest.raises(InvalidRequest, match="ARENA_MAIL_FROM or ARENA_PUBLIC_URL"):
        mail_server(Settings(smtp_url="smtp://mail.example"))
    found = mail_server(SENDS.model_copy(update={"smtp_url": "smtps://a%40b:p%23w@mail.example"}))
    assert found == MailServer("smtps", "mail.example", 465, "a@b", "p#w", "arena@arena.example")
    assert "p#w" not in repr(found)


def test_words_of_a_message_add_no_header() -> None:
    with pytest.raises(ValueError, match="linefeed"):
        email_message(
            Message("a@b.example", "Cup\r\nBcc: x@y.example", "text"), "arena@arena.example"
        )


@pytest.mark.parametrize("word", ["x=0D=0AYour_account", "x=0D=0ABcc:_v@e.example", "Finals"])
def test_encoded_words_in_a_subject_are_text(word: str) -> None:
    subject = f"=?utf-8?q?{word}?= is finished"
    sent = email_message(Message("a@b.example", subject, "text"), "arena@arena.example").as_bytes()

    arrived = message_from_bytes(sent)
    assert str(make_header(decode_header(arrived["Subject"]))) == subject
    assert arrived["Bcc"] is None
    assert arrived.get_content_type() == "text/plain"
    assert arrived.get_payload() == "text\r\n"


class Dialogue(socketserver.StreamRequestHandler):
    """One conversation with a mail server of few words."""

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                body = iter(self.rfile.readline, b".\r\n")
                self.server.taken.append(b"".join(body))  # type: ignore[attr-defined]
            refused = word == b"RCPT" and b"nobody" in line
            self.wfile.write(b"550 no such mailbox\r\n" if refused else b"250 ok\r\n")
            if word == b"QUIT":
                return


@pytest.mark.parametrize("name", ["Ä", "春", "🦙", "a", "für "])
def test_a_long_subject_is_folded_and_the_unsubscribe_address_is_not(name: str) -> None:
    subject = f"{name * 120} is finished"
    off = f"https://arena.example/unsubscribe?token={'x' * 300}"
    message = email_message(Message("a@b.example", subject, "text", off), "arena@arena.example")

    sent = message.as_bytes()

    lines = sent.split(b"\r\n")
    assert [line for line in lines if len(line) > 76] == [f"List-Unsubscribe: <{off}>".encode()]
    words = re.findall(rb"=\?[^?]+\?[bq]\?[^?]*\?=", sent)
    assert max(map(len, words), default=0) <= 75
    assert message_from_bytes(sent, policy=SMTP)["Subject"] == subject


@pytest.fixture
def smtp() -> Iterator[socketserver.TCPServer]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Dialogue) as server:
        server.taken = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_message_goes_through_a_mail_server(smtp: socketserver.TCPServer) -> None:
    host, port = smtp.server_address[:2]
    settings = SENDS.model_copy(update={"smtp_url": f"smtp+plain://{host!s}:{port}"})
    server = mail_server(settings)
    assert server is not None

    off = f"https://arena.example/unsubscribe?token={'x' * 300}"
    server.send(Message("ada@mail.example", "Hello", "Text", off))

    (taken,) = smtp.taken  # type: ignore[attr-defined]
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in taken
    assert f"List-Unsubscribe: <{off}>\r\n".encode() in taken
    assert b"Subject: Hello" in taken
    with pytest.raises(Undelivered) as refused:
        server.send(Message("nobody@mail.example", "Hello", "Text"))
    assert refused.value.lasting
    with pytest.raises(Undelivered) as unsafe:
        mail_server(SENDS.model_copy(update={"smtp_url": f"smtp://{host!s}:{port}"})).send(  # type: ignore[union-attr]
            Message("ada@mail.example", "Hello", "Text")
        )
    assert not unsafe.value.lasting, "a server that offers no STARTTLS gets nothing"


# Invitations


def test_a_new_password_does_not_wait_for_many_invitations(
    ada: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    now = time.time()
    with sqlite_store.write() as conn:
        names = [f"eve{number}@mail.example" for number in range(50)]
        invitations.invite(conn, "Class", names, 1, 7, now, mailed=True)
        outbox.add(conn, "reset", None, "ada", now + 1)
    sent = [message.subject for message in post.send(now + 1)]
    assert sent == ["Invitation: Class", "Choose a new password"]
    assert len(post.send(now + 100)) == 49


def test_an_invited_address_gets_a_link_that_works_once_and_is_forgotten(
    app: Flask, sqlite_store: Store, olga: FlaskClient, post: Post
) -> None:
    asked = {"title": "Class 3b", "names": "eve@mail.example fay", "places": "1", "days": "7"}
    assert send(olga, "/invitations", "/invitations", **asked).status_code == 303

    (message,) = post.send()
    assert (message.to, message.subject) == ("eve@mail.example", "Invitation: Class 3b")
    (link,) = re.findall(r"https://arena\.example(/join/\S+)", message.text)
    assert "eve@" not in app.test_client().get(link).text
    form = {"name": "evelyn", "password": PASSWORD}
    assert send(app.test_client(), link, link, **form).status_code == 303
    assert app.test_client().get(link).status_code == 409
    with sqlite_store.read() as conn:
        assert [each.name for each in invitations.newest(conn, 10)] == ["fay", ""]
        assert addresses.accounts_at(conn, "eve@mail.example") == []  # the organiser had the link
    assert post.send() == []


@pytest.mark.parametrize("late", ["ended", "expired"])
def test_no_invitation_is_sent_that_no_longer_works(
    sqlite_store: Store, post: Post, late: str
) -> None:
    with sqlite_store.write() as conn:
        invitations.invite(conn, "Class", ["eve@mail.example"], 1, 1, 0.0, mailed=True)
        if late == "ended":
            invitations.end(conn, 1, 1.0)
    assert post.send(2.0 if late == "ended" else 86_400.0) == []
    with sqlite_store.write() as conn:
        invitations.invite(conn, "Class", ["fay"], 1, 1, 86_400.0)
        assert [each.name for each in invitations.newest(conn, 10)] == ["fay", ""]
