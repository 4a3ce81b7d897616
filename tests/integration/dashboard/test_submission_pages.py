"""Submitting a bot on the dashboard: by a form, in the editor, and what becomes of it."""

import html
import io
import re
from threading import BoundedSemaphore

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from waitress.adjustments import Adjustments
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from arena.base.config import Settings
from arena.hosting.submission.files import MB
from arena.hosting.submission.manifest import Manifest
from arena.sdk import play
from arena.store import Store
from arena.store.registry import bots, building, submissions
from arena.store.registry.building import LONGEST_LOG
from arena.store.registry.built import FAILED_REBUILDS, FAILING_S, not_built_again, prune
from arena.store.registry.submissions import Submission
from arena.store.tables import submissions as rows
from dashboard import create_app
from dashboard.account.guard import FORM, body_limit
from dashboard.bots.submissions import taking
from dashboard.bots.submissions.editor.view import LONGEST
from dashboard.system.http_server import UPLOAD_WITHIN_S, BodyLimit, Request
from tests.integration.people import bot_of, csrf, person, send

HERE = "/my/bots/nora/submissions"
EDITOR = f"{HERE}/-/editor"
PROGRAM = b"class MyBot(Bot): ...\n"
ZIP = b"PK\x03\x04 and more"


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(submission_mb=1), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    browser = person(app, sqlite_store, "ada")
    bot_of(sqlite_store, "ada", "nora")
    return browser


def upload(browser: FlaskClient, content: bytes = PROGRAM, **fields: str) -> TestResponse:
    file = FileStorage(io.BytesIO(content), filename="nora.py")
    boundary, body = encode_multipart({"csrf_token": csrf(browser, HERE), "file": file, **fields})
    return browser.post(HERE, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def write(browser: FlaskClient, program: str, **fields: str) -> TestResponse:
    data = {"csrf_token": csrf(browser, EDITOR), "program": program, **fields}
    return browser.post(EDITOR, data=data, content_type="multipart/form-data")


def stored(store: Store, number: int = 1) -> tuple[Submission, bytes]:
    with store.read() as conn:
        return submissions.get(conn, number), submissions.source(conn, number)


def count(store: Store) -> int:
    with store.read() as conn:
        return len(submissions.of_bot(conn, bots.get(conn, "nora").id))


def built(store: Store, log: str = "", reason: str = "", now: float = 1e9) -> None:
    """A host takes what waits, and accepts it, or refuses it for a reason."""
    with store.write() as conn:
        taken = building.claim(conn, "h", now, 60.0)
        assert taken is not None
        building.note(conn, taken.id, "h", log)
        if reason:
            building.refuse(conn, taken.id, "h", reason)
        else:
            building.accept(conn, taken.id, "h", b"tree", Manifest(entry="bot.py"), b"hello")


def written(page: str) -> str:
    """The content of the editor."""
    (found,) = re.findall(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.S)
    return html.unescape(found)


def test_an_upload_leads_to_what_becomes_of_it(ada: FlaskClient, sqlite_store: Store) -> None:
    answer = upload(ada, label="2.1")

    assert (answer.status_code, answer.location) == (303, f"{HERE}/1")
    item, source = stored(sqlite_store)
    assert (item.bot, item.label, item.state, source) == ("nora", "2.1", "waiting", PROGRAM)
    assert "Waiting" in ada.get(f"{HERE}/1").text
    listed = ada.get(HERE).text
    assert 'href="/my/bots/nora/submissions/1"' in listed
    assert "2.1 if accepted" in listed


def test_the_limits_are_said_before(ada: FlaskClient) -> None:
    assert "At most 1 MB" in ada.get(HERE).text
    assert "20 submissions in 24 hours; 20 left." in ada.get(HERE).text
    upload(ada)
    assert "20 submissions in 24 hours; 19 left." in ada.get(HERE).text


def test_the_limit_of_a_day_is_said_when_it_refuses(sqlite_store: Store) -> None:
    app = create_app(Settings(submissions_per_day=1), sqlite_store, None)
    ada = person(app, sqlite_store, "ada")
    bot_of(sqlite_store, "ada", "nora")
    upload(ada)

    answer = upload(ada, label="again")

    assert answer.status_code == 409
    assert "nora has had 1 submissions in 24 hours, the maximum" in answer.text
    assert 'value="again"' in answer.text
    assert count(sqlite_store) == 1


@pytest.mark.parametrize("more", [1, 10 * MB])
def test_a_file_that_is_too_large_is_refused_with_the_limit(
    ada: FlaskClient, sqlite_store: Store, more: int
) -> None:
    answer = upload(ada, b"x" * (MB + more))

    assert answer.status_code in (409, 413)
    assert "larger than the limit of 1 MB" in answer.text
    assert count(sqlite_store) == 0


def test_the_largest_upload_there_may_be_is_taken(ada: FlaskClient, sqlite_store: Store) -> None:
    assert upload(ada, b"x" * MB).status_code == 303
    assert stored(sqlite_store)[0].size == MB


class Sent(io.BytesIO):
    """A body that counts what is read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        self.taken += len(content)
        return content


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("who", ["owner", "stranger"])
def test_too_large_bodies_are_not_read(
    app: Flask, ada: FlaskClient, announced: bool, who: str
) -> None:
    token = csrf(ada, HERE)
    head = (
        f'--b\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{token}\r\n'
        '--b\r\nContent-Disposition: form-data; name="file"; filename="n.py"\r\n\r\n'
    ).encode()
    body = Sent(head + b"x" * (20 * MB) + b"\r\n--b--\r\n")
    length = len(body.getvalue())
    most = MB + 256 * 1024 if who == "owner" else 256 * 1024
    browser = ada if who == "owner" else app.test_client()

    answer = browser.open(
        HERE,
        method="POST",
        input_stream=body,
        content_type="multipart/form-data; boundary=b",
        content_length=length if announced else None,
        environ_overrides={"wsgi.input_terminated": not announced},
    )

    assert answer.status_code == 413
    assert body.taken <= (0 if announced else most + 64 * 1024)


def test_only_so_many_uploads_are_in_memory_at_once(
    ada: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = BoundedSemaphore(1)
    busy.acquire()
    monkeypatch.setattr(taking, "transfers", busy)

    refused = upload(ada)
    busy.release()

    assert refused.status_code == 409
    assert "Try again in a moment" in refused.text
    assert upload(ada).status_code == 303
    assert upload(ada).status_code == 303, "it is given back each time"


def test_a_form_without_a_file_says_what_is_missing(ada: FlaskClient) -> None:
    nothing = send(ada, HERE, HERE)
    empty = upload(ada, b"")

    assert (nothing.status_code, empty.status_code) == (400, 400)
    assert "No file selected" in nothing.text
    assert "The upload is empty" in empty.text


def test_a_label_that_cannot_be_is_told(ada: FlaskClient) -> None:
    taken, wrong = upload(ada, label="1"), upload(ada, label="<b>")

    assert (taken.status_code, wrong.status_code) == (409, 400)
    assert "nora already has a version 1" in taken.text
    assert "<b>" not in wrong.text


def test_while_one_is_built_the_next_must_wait(ada: FlaskClient, sqlite_store: Store) -> None:
    upload(ada)
    with sqlite_store.write() as conn:
        building.claim(conn, "h", 1e9, 60.0)

    answer = upload(ada)

    assert answer.status_code == 409
    assert "Its submission 1 is being built" in answer.text


def test_nothing_is_submitted_for_a_retired_bot(ada: FlaskClient, sqlite_store: Store) -> None:
    token = csrf(ada, HERE)
    with sqlite_store.write() as conn:
        bots.retire(conn, "nora")

    data = {"csrf_token": token, "file": (io.BytesIO(PROGRAM), "nora.py")}
    answer = ada.post(HERE, data=data)

    assert answer.status_code == 409
    assert "nora is retired" in answer.text
    assert 'type="file"' not in ada.get(HERE).text
    assert "<textarea" not in ada.get(EDITOR).text
    assert count(sqlite_store) == 0


def test_refused_submission_shows_reason_and_log(ada: FlaskClient, sqlite_store: Store) -> None:
    upload(ada)
    built(sqlite_store, log="<script>window.owned=1</script>\nNameError", reason="It <b>ended</b>.")

    shown = ada.get(f"{HERE}/1").text

    assert "Refused" in shown
    assert "It &lt;b&gt;ended&lt;/b&gt;." in shown
    assert "&lt;script&gt;window.owned=1&lt;/script&gt;\nNameError" in shown
    assert 'data-live="' not in shown, "it is over"
    assert f'action="{HERE}/1/rollback"' not in shown


def mark(browser: FlaskClient) -> str:
    (found,) = re.findall(r'data-mark="([^"]+)"', browser.get(f"{HERE}/1").text)
    return str(found)


def test_the_page_has_a_new_mark_whenever_something_becomes_of_it(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    upload(ada)
    marks = [mark(ada)]
    with sqlite_store.write() as conn:
        building.claim(conn, "h", 1e9, 60.0)
    marks.append(mark(ada))
    for _ in range(2):
        with sqlite_store.write() as conn:
            building.note(conn, 1, "h", "x" * LONGEST_LOG)
        marks.append(mark(ada))
    with sqlite_store.write() as conn:
        building.renew(conn, 1, "h", 1e9 + 5, 60.0)
    marks.append(mark(ada))
    with sqlite_store.write() as conn:
        building.validating(conn, 1, "h")
    marks.append(mark(ada))

    # A log that is full has the same length: the renewed lease tells of it.
    assert len(set(marks)) == len(marks) - 1
    assert marks[2] == marks[3]
    assert 'data-live="submissions-nora"' in ada.get(f"{HERE}/1/live").text


def test_the_mark_tells_nothing_to_others(ada: FlaskClient, sqlite_store: Store) -> None:
    upload(ada)
    before = mark(ada)
    with sqlite_store.write() as conn:
        conn.execute(update(rows).values(key=b"another"))

    assert mark(ada) != before


@pytest.mark.parametrize(("content", "ending"), [(PROGRAM, "py"), (ZIP, "zip")])
def test_the_source_is_a_file_to_be_saved(ada: FlaskClient, content: bytes, ending: str) -> None:
    upload(ada, content)

    answer = ada.get(f"{HERE}/1/source")

    assert answer.data == content
    assert answer.headers["Content-Disposition"] == f'attachment; filename="nora-1.{ending}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.mimetype == "application/octet-stream"


def test_submissions_of_others_are_not_found(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    upload(ada)
    built(sqlite_store)
    bob = person(app, sqlite_store, "bob")
    bot_of(sqlite_store, "bob", "his")
    token = csrf(bob, "/my/bots/his/submissions")

    for path in ("1", "1/live", "1/source", "-/editor?submission=1"):
        found = bob.get(f"/my/bots/his/submissions/{path}")
        missing = bob.get(f"/my/bots/his/submissions/{path.replace('1', '77')}")
        assert found.status_code == missing.status_code == 404
        assert found.text.replace("submission 1.", "submission 77.") == missing.text
    answer = bob.post("/my/bots/his/submissions/1/rollback", data={"csrf_token": token})
    assert answer.status_code == 404
    assert "his has no submission 1." in answer.text
    assert count(sqlite_store) == 1


def go_back(browser: FlaskClient, number: int) -> TestResponse:
    data = {"csrf_token": csrf(browser, f"{HERE}/{number}")}
    return browser.post(f"{HERE}/{number}/rollback", data=data, follow_redirects=True)


def test_an_accepted_one_is_made_the_current_version_again(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    for content in (b"one", b"two"):
        upload(ada, content)
        built(sqlite_store)
    assert f'action="{HERE}/1/rollback"' in ada.get(f"{HERE}/1").text
    assert "This is the current version" in ada.get(f"{HERE}/2").text

    shown = go_back(ada, 1)

    assert shown.status_code == 200
    assert "nora is version 2-again now, with the files of submission 1." in shown.text
    assert stored(sqlite_store, 3)[1] == b"one"
    with sqlite_store.read() as conn:
        newest = bots.get(conn, "nora")
    assert (newest.version, newest.hosted) == ("2-again", True)


def test_the_page_tells_that_a_version_cannot_be_built_again(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    upload(ada)
    built(sqlite_store)
    with sqlite_store.write() as conn:
        for failed in range(FAILED_REBUILDS):
            not_built_again(conn, 1, "The index has no <b>deep</b>.", failed * FAILING_S)

    shown = ada.get(f"{HERE}/1").text

    assert "The index has no &lt;b&gt;deep&lt;/b&gt;." in shown
    assert "Not hosted" in shown
    assert "This is the current version" not in shown
    answer = ada.post(f"{HERE}/1/rollback", data={"csrf_token": csrf(ada, HERE)})
    assert (answer.status_code, count(sqlite_store)) == (409, 1)


def test_going_back_to_what_was_never_accepted_is_refused_in_words(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    upload(ada)
    token = csrf(ada, HERE)

    answer = ada.post(f"{HERE}/1/rollback", data={"csrf_token": token})

    assert answer.status_code == 409
    assert "Choose an accepted one" in answer.text
    assert count(sqlite_store) == 1


def test_the_editor_begins_with_a_bot_that_plays(ada: FlaskClient) -> None:
    names: dict[str, type] = {"__name__": "bot"}  # type: ignore[dict-item]
    exec(written(ada.get(EDITOR).text), names)

    record = play([names["MyBot"](), names["MyBot"]()], seed=1)

    assert record["result"]["faults"] == [None, None]


def test_editor_submits_its_text_as_a_file(ada: FlaskClient, sqlite_store: Store) -> None:
    answer = write(ada, "class MyBot(Bot):\r\n    pass\r\n\r\n", label="ä".encode().hex())

    assert (answer.status_code, answer.location) == (303, f"{HERE}/1")
    assert stored(sqlite_store)[1] == b"class MyBot(Bot):\n    pass\n"


def test_the_editor_goes_on_from_the_newest_single_file(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    write(ada, "# <one>\n")
    write(ada, "# two </textarea>\n")
    upload(ada, ZIP)
    upload(ada, b"\xff\xfe no text")
    upload(ada, b"#" * (LONGEST + 1))

    shown = ada.get(EDITOR).text

    assert written(shown) == "# two </textarea>\n"
    assert "submission 2" in shown
    assert written(ada.get(f"{EDITOR}?submission=1").text) == "# <one>\n"
    assert f'href="{EDITOR}?submission=1"' in ada.get(f"{HERE}/1").text
    for number in (3, 4, 5):
        assert "Open in the editor" not in ada.get(f"{HERE}/{number}").text
        assert ada.get(f"{EDITOR}?submission={number}").status_code == 400


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        (" \n", 400, "The program is empty"),
        ("#" * LONGEST, 409, "limit of 128.0 kB"),
        ("#" * 300_000, 413, "larger than"),
    ],
)
def test_editor_reports_programs_it_cannot_submit(
    ada: FlaskClient, sqlite_store: Store, program: str, status: int, said: str
) -> None:
    answer = write(ada, program)

    assert answer.status_code == status
    assert said in answer.text
    assert count(sqlite_store) == 0


def test_refused_program_stays_in_the_editor(ada: FlaskClient) -> None:
    answer = write(ada, "# my work\n", label="1")

    assert answer.status_code == 409
    assert written(answer.text) == "# my work\n"
    assert "nora already has a version 1" in answer.text


def test_pruned_upload_is_reported(ada: FlaskClient, sqlite_store: Store) -> None:
    upload(ada)
    built(sqlite_store, reason="It ended.")
    with sqlite_store.write() as conn:
        assert prune(conn, [], 1e12, 9) == 1

    shown = ada.get(f"{HERE}/1")

    assert "is no longer stored" in shown.text
    assert f'href="{HERE}/1/source"' not in shown.text
    assert ada.get(f"{HERE}/1/source").status_code == 404
    assert ada.get(EDITOR).status_code == 200
    assert ada.get(f"{EDITOR}?submission=1").status_code == 400


def test_only_a_stored_upload_is_offered_for_a_rollback(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    for _ in range(2):
        upload(ada)
        built(sqlite_store)
    assert "Roll back to this" in ada.get(f"{HERE}/1").text
    with sqlite_store.write() as conn:
        assert prune(conn, [], 0.0, 1) == 1

    shown = ada.get(f"{HERE}/1").text
    assert "Roll back to this" not in shown
    assert "It is no longer stored." in shown


def test_the_list_has_pages(ada: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.bots.submissions.view.LISTED", 2)
    for _ in range(3):
        upload(ada)

    first = ada.get(HERE).text
    (older,) = re.findall(r'href="([^"]+\?before=\d+)"', first)

    assert f'href="{HERE}/1"' not in first
    assert f'href="{HERE}/1"' in ada.get(older).text


# Before the application is asked


def arriving(path: str, cookie: str) -> Request:
    request = Request(Adjustments(), limit=lambda _: BodyLimit(0, 0))
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nContent-Length: 1"
    request.parse_header(head.encode("latin-1"))
    return request


def test_only_who_has_signed_in_may_send_much(app: Flask, ada: FlaskClient) -> None:
    cookie = ada.get_cookie("arena_session")
    assert cookie is not None
    ours = f"arena_session={cookie.value}"

    assert body_limit(app, arriving(HERE, ours)) == BodyLimit(MB + 256 * 1024, UPLOAD_WITHIN_S)
    for path, cookies in [
        (HERE, ""),
        (HERE, "arena_session=made.up.cookie"),
        (HERE, "arena_session=\xff\xfe"),
        (HERE, ours[:-1]),
        ("/sign-in", ours),
        ("/nowhere", ours),
    ]:
        assert body_limit(app, arriving(path, cookies)) == FORM
