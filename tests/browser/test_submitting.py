"""Submitting a bot by drop or editor, and reading its output, in a real browser."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from arena.base.config import Settings
from arena.store import Store, upgrade_store
from arena.store.registry import accounts, bots, runs, submissions
from arena.store.registry.runs import NewRun, OutputPart, RunKind
from dashboard import create_app
from tests.browser.served import served, sign_in
from tests.browser.watch import violations, watched
from tests.integration.people import HASHED, PASSWORD

HERE = "/my/bots/nora/submissions"
PROGRAM = "class MyBot(Bot):\n    pass\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a bot in ada's account."""
    file: Path = tmp_path_factory.mktemp("submitting") / "arena.db"
    store = upgrade_store(f"sqlite:///{file}")
    with store.write() as conn:
        owner = accounts.sign_up(conn, "ada", HASHED)
        bots.register(conn, "nora", owner=owner.id)
    yield store
    store.dispose()


@pytest.fixture(scope="module")
def address(store: Store) -> Iterator[str]:
    with served(create_app(Settings(submission_mb=1), store, None)) as address:
        yield address


@pytest.fixture
def ada(chromium: Browser, address: str) -> Iterator[Page]:
    """A watched page of ada."""
    context = chromium.new_context(base_url=address, reduced_motion="reduce")
    with closing(context), watched(context.new_page()) as page:
        sign_in(page, "ada", PASSWORD)
        yield page


# Drops files with these names and sizes onto the form.
DROP = """([form, files]) => {
  const dropped = new DataTransfer();
  for (const [name, text] of files) dropped.items.add(new File([text], name));
  const event = { dataTransfer: dropped, bubbles: true, cancelable: true };
  for (const kind of ["dragenter", "dragover", "drop"])
    form.dispatchEvent(new DragEvent(kind, event));
}"""


def drop(page: Page, *files: tuple[str, str]) -> None:
    form = page.locator("form[data-drop]").element_handle()
    page.evaluate(DROP, [form, [list(file) for file in files]])


def newest(store: Store) -> tuple[int, bytes]:
    """The number and the content of the newest submission."""
    with store.read() as conn:
        number = submissions.of_bot(conn, bots.get(conn, "nora").id)[0].id
        return number, submissions.source(conn, number)


def test_dropped_file_is_uploaded(ada: Page, store: Store) -> None:
    ada.goto(HERE)
    said = ada.locator("#field-file-said")

    drop(ada, ("nora.py", PROGRAM), ("second.py", "#"))
    expect(said).to_have_text(f"nora.py, {len(PROGRAM)} bytes")
    ada.get_by_role("button", name="Upload").click()

    ada.wait_for_url(re.compile(rf"{HERE}/\d+$"))
    expect(ada.locator("#live .standing")).to_contain_text("Waiting")
    number, source = newest(store)
    assert (ada.url.rpartition("/")[2], source) == (str(number), PROGRAM.encode())


@pytest.mark.parametrize(
    ("name", "size", "wrong"),
    [
        ("nora.exe", 1, "nora.exe is not a .py or .zip file."),
        ("nora.zip", (1 << 20) + 1, "nora.zip is larger than 1 MB."),
    ],
)
def test_invalid_file_is_reported_before_it_is_sent(
    ada: Page, name: str, size: int, wrong: str
) -> None:
    ada.goto(HERE)

    drop(ada, (name, "x" * size))
    ada.get_by_role("button", name="Upload").click()

    expect(ada.locator("#field-file-said")).to_have_text(wrong)
    assert ada.url.endswith(HERE)
    assert ada.locator("#field-file").evaluate("input => input.validationMessage") == wrong
    assert violations(ada) == []
    drop(ada, ("nora.py", PROGRAM))
    assert ada.locator("#field-file").evaluate("input => input.validity.valid")


def test_editor_indents_python_and_releases_the_keyboard(ada: Page, store: Store) -> None:
    ada.goto(f"{HERE}/-/editor")
    editor = ada.locator(".CodeMirror")
    expect(editor).to_be_visible()

    ada.get_by_text("bot.py", exact=True).click()
    ada.keyboard.press("Control+A")
    ada.keyboard.type("class Bot:")
    ada.keyboard.press("Enter")  # indents
    ada.keyboard.type("a = 1")
    ada.keyboard.press("Enter")
    ada.keyboard.press("Tab")
    ada.keyboard.type("# b")
    expect(editor.locator(".cm-keyword")).to_have_text("class")
    assert violations(ada) == []
    ada.keyboard.press("Escape")
    expect(ada.get_by_label("Version name")).to_be_focused()
    ada.keyboard.type("fast")
    ada.get_by_role("button", name="Submit", exact=True).click()

    ada.wait_for_url(re.compile(rf"{HERE}/\d+$"))
    expect(ada.locator(".heading")).to_contain_text("to be version fast")
    assert newest(store)[1] == b"class Bot:\n    a = 1\n        # b\n"


def test_editor_becomes_a_plain_field_for_screen_readers(ada: Page, store: Store) -> None:
    ada.goto(f"{HERE}/-/editor")
    ada.get_by_text("bot.py", exact=True).click()
    ada.keyboard.press("Control+A")
    ada.keyboard.type("class Bot: pass")

    ada.get_by_role("button", name="Use a plain text field").click()

    expect(ada.locator(".CodeMirror")).to_have_count(0)
    expect(ada.get_by_label("bot.py")).to_be_focused()
    expect(ada.get_by_label("bot.py")).to_have_value("class Bot: pass")
    ada.keyboard.press("Control+End")
    ada.keyboard.type("  # plain")
    ada.get_by_role("button", name="Submit", exact=True).click()
    ada.wait_for_url(re.compile(rf"{HERE}/\d+$"))
    assert newest(store)[1] == b"class Bot: pass  # plain\n"


def test_text_typed_before_the_editor_loads_continues_in_it(ada: Page) -> None:
    """On a slow line, the script arrives after typing has started."""
    held: list[Route] = []
    ada.route("**/editor.js", lambda route: held.append(route))
    ada.goto(f"{HERE}/-/editor", wait_until="commit")
    area = ada.locator("#field-program")
    area.fill("class Bot: pass")
    area.evaluate("area => area.setSelectionRange(11, 15)")  # the text after the colon

    while not held:
        ada.wait_for_timeout(10)
    held[0].continue_()
    expect(ada.locator(".CodeMirror-focused")).to_be_visible()

    ada.keyboard.insert_text("a = 1")
    expect(ada.locator(".CodeMirror .CodeMirror-line")).to_have_text("class Bot: a = 1")


def ran(store: Store, kind: RunKind, ending: str = "", *parts: OutputPart) -> None:
    """Stores a host's report of a process run."""
    with store.write() as conn:
        player = bots.get(conn, "nora").player
        runs.add(conn, [NewRun(player, "m1", kind, 1e9, 0.25, 9000, ending, parts)])


def test_process_runs_appear_as_they_are_reported(ada: Page, store: Store) -> None:
    ran(store, RunKind.OTHER)
    ran(store, RunKind.ENDED, "It went on.", OutputPart("unanswered", "thinking\n", "m1", 7, 0))
    ada.goto("/my/bots/nora/runs")
    rows = ada.locator(".runs tbody")
    expect(rows).to_have_count(2)
    expect(ada.locator(".chart canvas")).to_have_count(2)

    ran(store, RunKind.WROTE, "", OutputPart("end", "hm\n", "", 0, 0))
    expect(rows).to_have_count(3)

    ada.get_by_role("link", name="Ended early").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("It went on.")
    rows.get_by_role("link").first.click()
    part = ada.locator(".parts li")
    expect(part).to_contain_text("Decision 7")
    expect(part.locator("pre")).to_have_text("thinking\n")
    with ada.expect_download() as saved:
        ada.get_by_role("link", name="Download output").click()
    assert Path(saved.value.path()).read_text() == "thinking\n"
