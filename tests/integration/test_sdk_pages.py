"""/sdk: what an author needs comes from the arena, and works on a machine without this checkout."""

from __future__ import annotations

import hashlib
import html
import io
import re
import threading
import zipfile
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from werkzeug.serving import make_server

from arena import __version__
from arena.config import Settings
from arena.kit.new.languages import LANGUAGES, files
from arena.protocol.contract import NAMES, contract
from arena.store import Store
from dashboard import create_app
from dashboard.sdk.wheel import authors_wheel
from tests.authors_machine import AuthorsMachine, authors_machine

WHEEL = f"lama_arena-{__version__}-py3-none-any.whl"


@pytest.fixture
def arena_url(sqlite_store: Store) -> Iterator[str]:
    """A dashboard that other programs reach."""
    server = make_server("127.0.0.1", 0, create_app(Settings(), sqlite_store, None), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> AuthorsMachine:
    return authors_machine(tmp_path_factory.mktemp("author"))


def commands(page: str) -> list[str]:
    """What a page shows to be copied."""
    found = re.findall(r"data-copy><pre[^>]*><code>(.*?)</code>", page, re.DOTALL)
    return [html.unescape(each) for each in found]


def test_the_lines_of_the_page_work_on_another_machine(
    arena_url: str, machine: AuthorsMachine
) -> None:
    from urllib.request import urlopen

    with urlopen(f"{arena_url}/sdk") as page:
        install, first, *_ = commands(page.read().decode())
    assert install == f"pip install {arena_url}/sdk/{WHEEL}"
    machine.install("--no-index", install.removeprefix("pip install "))

    made, _, test, compare = first.splitlines()
    assert (made, test) == ("arena new mybot", "python -m unittest")
    assert "mybot/mybot.py is your bot" in machine.say("arena", "new", "mybot")
    tried = machine.say("python", "-m", "unittest", "discover", "mybot")
    assert tried.endswith("OK\n"), tried
    words = compare.replace("mybot.py", "mybot/mybot.py").split()
    compared = machine.say(*words, "--deals", "2", "--jobs", "1")
    assert "lama, 4 seats: 2 deals, 8 matches" in compared, compared
    assert machine.say("arena", "--version") == f"lama-arena {__version__}, pure Python\n"


def test_pip_finds_it_in_the_index(arena_url: str, machine: AuthorsMachine) -> None:
    machine.install(
        "--no-deps", "--force-reinstall", "--index-url", f"{arena_url}/sdk/simple", "lama-arena"
    )
    assert machine.say("arena", "rules").startswith("lama ")


def test_the_wheel_is_the_same_bytes_whenever_it_is_made(browser: FlaskClient) -> None:
    served = browser.get(f"/sdk/{WHEEL}").data
    authors_wheel.cache_clear()
    again = authors_wheel()
    assert again.content == served
    assert again.sha256 == hashlib.sha256(served).hexdigest()
    assert again.sha256 in browser.get("/sdk").text


def test_it_has_nothing_of_the_server(browser: FlaskClient) -> None:
    with zipfile.ZipFile(io.BytesIO(authors_wheel().content)) as archive:
        rooms = {"/".join(name.split("/")[:2]) for name in archive.namelist()}
    assert {"arena/sdk", "arena/rules", "arena/kit", "arena/errors.py"} <= rooms
    assert not rooms & {"arena/store", "arena/gateway", "arena/config.py", "workers/app.py"}


@pytest.mark.parametrize("name", NAMES)
def test_the_contract_is_there(browser: FlaskClient, name: str) -> None:
    shown = browser.get(f"/sdk/{name}")
    assert shown.text == contract(name)
    assert shown.content_type == "text/plain; charset=utf-8"


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_has_its_page_and_its_archive(browser: FlaskClient, name: str) -> None:
    language = LANGUAGES[name]
    page = browser.get(f"/sdk/{name}").text
    assert files(language)[language.main] in commands(page)
    assert f"/sdk/mybot-{name}.zip" in page
    with zipfile.ZipFile(io.BytesIO(browser.get(f"/sdk/mybot-{name}.zip").data)) as archive:
        found = {entry: archive.read(entry).decode() for entry in archive.namelist()}
    assert found == {f"mybot/{file}": text for file, text in files(language).items()}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("rust", "the languages are: python, node, cpp, go"),
        ("mybot-rust.zip", "the languages are: python, node, cpp, go"),
        ("lama_arena-9-py3-none-any.whl", f"this arena's package is {WHEEL}"),
        ("relay.proto", "the contract is in play.proto, control.proto, submissions.proto"),
        ("simple/numpy", "This index has lama-arena only"),
    ],
)
def test_what_is_not_there_says_what_is(browser: FlaskClient, path: str, says: str) -> None:
    answer = browser.get(f"/sdk/{path}")
    assert answer.status_code == 404
    assert says in html.unescape(answer.text)


def test_each_contract_says_whom_it_is_for(browser: FlaskClient) -> None:
    text = browser.get("/sdk").text
    listed = re.findall(r"<li><a href=.[^>]*/sdk/(\w+)\.proto.>[^<]*</a>, ([^<]+)</li>", text)

    assert sorted(name for name, _ in listed) == ["control", "play", "submissions"]
    assert len({about for _, about in listed}) == 3
