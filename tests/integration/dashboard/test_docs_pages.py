"""/docs: the documentation on the website, where every link leads somewhere."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from flask.testing import FlaskClient

from arena import __version__
from dashboard.docs.contents import ENTRIES, MOVED

PAGES = ["/docs", *(f"/docs/{name}" for name in ENTRIES), "/docs/search?q=view"]
SITE = "http://localhost"


class Links(HTMLParser):
    """The ids of a page, its links, and the files that a browser fetches to show it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if "src" in given:
            self.fetched.add(given["src"])
        if tag == "link" and given.get("rel") == "stylesheet":
            self.fetched.add(given["href"])


def read(browser: FlaskClient, address: str) -> Links:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return Links(answer.text)


def test_every_link_of_every_page_leads_somewhere(browser: FlaskClient) -> None:
    pages = {address: read(browser, address) for address in PAGES}
    links = {
        urlsplit(urljoin(f"{SITE}{page}", link))
        for page, found in pages.items()
        for link in [*found.links, *found.fetched]
    }
    dead = []
    for netloc, path, query, anchor in {(x.netloc, x.path, x.query, x.fragment) for x in links}:
        address = f"{path}?{query}" if query else path
        if netloc != "localhost":
            continue
        if address not in pages:
            answer = browser.get(address, buffered=True)
            is_page = answer.mimetype == "text/html"
            pages[address] = Links(answer.text if is_page else "")
            dead += [address] if answer.status_code != 200 else []
        dead += [f"{address}#{anchor}"] if anchor and anchor not in pages[address].ids else []

    assert dead == []
    assert {"/docs/protocol", "/sdk/play.proto"} <= pages.keys()


@pytest.mark.parametrize("address", PAGES)
def test_a_page_brings_everything_along(browser: FlaskClient, address: str) -> None:
    page = read(browser, address)

    assert all(each.startswith("/") and not each.startswith("//") for each in page.fetched)
    assert len(page.ids) == len(set(page.ids))


def test_a_page_has_its_sections_and_its_neighbours(browser: FlaskClient) -> None:
    text = browser.get("/docs/bots").text

    assert text.count("<h1") == 1
    assert '<h2 id="in-python">In Python</h2>' in text
    assert '<a href="#in-python">In Python</a>' in text
    assert '<a href="/docs/first-tournament" rel="prev">' in text
    assert '<a href="/docs/testing" rel="next">' in text
    assert re.search(r"data-copy><pre [^>]+><code>from arena.sdk import Bot\n", text)
    assert "<!--" not in text.partition("<article")[2].partition("</article>")[0]


@pytest.mark.parametrize("old", ["/docs/bots.md", "/docs/bots.html"])
def test_names_of_files_lead_to_the_page(browser: FlaskClient, old: str) -> None:
    answer = browser.get(old)

    assert (answer.status_code, answer.location) == (301, "/docs/bots")


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_a_page_that_has_moved_is_found_at_its_old_address(
    browser: FlaskClient, old: str, new: str
) -> None:
    answer = browser.get(f"/docs/{old}")

    assert (answer.status_code, answer.location) == (301, f"/docs/{new}")
    assert new in ENTRIES


@pytest.mark.parametrize(
    "address",
    [
        *("/docs/gone", "/docs/gone.md", "/docs/images/overview.png", "/docs/screenshots.py"),
        *("/docs/generators/proto_tables.py", "/docs/../pyproject.toml", "/docs/%2e%2e/Makefile"),
    ],
)
def test_nothing_else_is_served(browser: FlaskClient, address: str) -> None:
    assert browser.get(address).status_code == 404


def test_a_page_is_sent_once(browser: FlaskClient) -> None:
    """Pages in the browser's cache are not sent again."""
    answer = browser.get("/docs/reference/commands")

    again = browser.get(
        "/docs/reference/commands", headers={"If-None-Match": answer.headers["ETag"]}
    )

    assert again.status_code == 304
    assert again.data == b""


def test_links_stay_within_a_website_below_a_prefix(browser: FlaskClient) -> None:
    text = browser.get("/docs/bots", environ_overrides={"SCRIPT_NAME": "/lama"}).text

    assert 'href="/lama/docs/protocol"' in text
    assert 'href="/docs/' not in text


@pytest.mark.parametrize("address", ["/docs/bots", "/docs/llms-full.txt", "/docs/learning"])
def test_commands_name_this_arena(browser: FlaskClient, address: str) -> None:
    text = browser.get(address).text

    assert f"{SITE}/sdk/lama_arena-{__version__}-py3-none-any.whl" in text
    assert "http://HOST" not in text


# Search


def found(browser: FlaskClient, words: str) -> Iterator[tuple[str, str]]:
    text = browser.get("/docs/search", query_string={"q": words}).text
    yield from re.findall(r'<li><a href="(/docs/[^"]+)">([^<]+)</a>', text)


def test_search_leads_to_the_section(browser: FlaskClient) -> None:
    assert next(found(browser, "RECONNECTING")) == ("/docs/protocol#reconnecting", "Reconnecting")
    assert dict(found(browser, "sample_states rng"))
    assert not list(found(browser, "no-such-word-anywhere"))


def test_words_are_marked_and_markup_is_not_believed(browser: FlaskClient) -> None:
    text = browser.get("/docs/search?q=amp <b>").text
    shown = browser.get("/docs/search?q=unauthenticated").text

    assert "<b>&lt;" not in text
    assert 'value="amp &lt;b&gt;"' in text
    assert "<mark>UNAUTHENTICATED</mark>" in shown


def test_an_empty_search_shows_the_field(browser: FlaskClient) -> None:
    text = browser.get("/docs/search").text

    assert "Nothing found" not in text
    assert 'placeholder="Search the documentation"' in text


# Found from elsewhere


def test_the_documentation_says_its_version(browser: FlaskClient) -> None:
    assert f"lama-arena {__version__}" in browser.get("/docs").text


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/ratings", "/docs"),
        ("/", "/docs/tutorial"),
        ("/sdk", "/docs/bots"),
        ("/sdk/node", "/docs/protocol"),
        ("/help/reviews", "/docs/luck"),
        ("/json", "/docs/api"),
        ("/rules", "/docs/rules"),
    ],
)
def test_other_pages_lead_to_it(browser: FlaskClient, address: str, page: str) -> None:
    assert page in read(browser, address).links


def test_assistants_find_everything_in_one_file(browser: FlaskClient) -> None:
    short = browser.get("/llms.txt")
    full = browser.get("/docs/llms-full.txt")

    assert (short.mimetype, full.mimetype) == ("text/plain", "text/plain")
    assert f"{SITE}/docs/llms-full.txt" in short.text
    assert f"- [Your first bot]({SITE}/docs/tutorial): " in short.text
    assert f"({SITE}/docs/limits)" in full.text
