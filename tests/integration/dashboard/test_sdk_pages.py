"""/sdk: the package, the contract and a first bot in each language. tests/author tries them."""

import hashlib
import html
import io
import re
import zipfile
from importlib.metadata import metadata

import pytest
from flask.testing import FlaskClient

from arena.kit.new.languages import LANGUAGES, files
from arena.protocol.contract import NAMES, contract
from dashboard.sdk.wheel import NAME, PROJECT, REQUIRES_PYTHON


def commands(page: str) -> list[str]:
    """The texts to copy on a page."""
    found = re.findall(r"data-copy><pre[^>]*><code>(.*?)</code>", page, re.DOTALL)
    return [html.unescape(each) for each in found]


def test_the_package_has_a_digest_and_a_place_in_the_index(browser: FlaskClient) -> None:
    served = browser.get(f"/sdk/{NAME}").data
    digest = hashlib.sha256(served).hexdigest()

    assert browser.get("/sdk/SHA256SUMS").text == f"{digest}  {NAME}\n"
    assert f'href="/sdk/simple/{PROJECT}/"' in browser.get("/sdk/simple/").text
    (link,) = re.findall(r"<a (.*)</a>", browser.get(f"/sdk/simple/{PROJECT}/").text)
    assert html.unescape(link) == (
        f'href="/sdk/{NAME}#sha256={digest}" data-requires-python="{REQUIRES_PYTHON}">{NAME}'
    )


def test_the_index_asks_for_the_python_that_the_package_asks_for() -> None:
    assert metadata(PROJECT)["Requires-Python"] == REQUIRES_PYTHON


@pytest.mark.parametrize("name", NAMES)
def test_the_contract_is_there(browser: FlaskClient, name: str) -> None:
    shown = browser.get(f"/sdk/{name}")
    assert shown.text == contract(name)
    assert shown.content_type == "text/plain; charset=utf-8"


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_has_its_page_and_its_archive(browser: FlaskClient, name: str) -> None:
    language = LANGUAGES[name]
    page = browser.get(f"/sdk/{name}").text
    written = files(language, site="http://localhost", gateway="127.0.0.1:7420")
    assert written[language.main] in commands(page)
    assert f"/sdk/mybot-{name}.zip" in page
    with zipfile.ZipFile(io.BytesIO(browser.get(f"/sdk/mybot-{name}.zip").data)) as archive:
        found = {entry: archive.read(entry).decode() for entry in archive.namelist()}
    assert found == {f"mybot/{file}": text for file, text in written.items()}
    assert "http://localhost/docs/" in written["README.md"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("rust", "Languages: python, llm, node, cpp, go"),
        ("mybot-rust.zip", "Languages: python, llm, node, cpp, go"),
        ("lama_arena-9-py3-none-any.whl", f"This arena's package is {NAME}"),
        ("relay.proto", "The files are play.proto, control.proto, submissions.proto"),
        ("simple/numpy", "This index only has lama-arena"),
    ],
)
def test_missing_objects_list_the_existing_ones(browser: FlaskClient, path: str, says: str) -> None:
    answer = browser.get(f"/sdk/{path}")
    assert answer.status_code == 404
    assert says in html.unescape(answer.text)


def test_each_contract_says_whom_it_is_for(browser: FlaskClient) -> None:
    text = browser.get("/sdk").text
    listed = re.findall(r"<li><a href=.[^>]*/sdk/(\w+)\.proto.>[^<]*</a>, ([^<]+)</li>", text)

    assert sorted(name for name, _ in listed) == ["control", "play", "submissions"]
    assert len({about for _, about in listed}) == 3
