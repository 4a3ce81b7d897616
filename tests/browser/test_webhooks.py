"""Adding a webhook, trying it and switching it off, in a real browser."""

import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.base.addresses import networks
from arena.base.config import Settings
from arena.store import Store, upgrade_store
from arena.store.registry import accounts
from arena.store.registry.webhooks import deliveries, hooks
from dashboard import create_app
from dashboard.webhooks.sending import WebhookSender
from tests.browser.served import served, sign_in
from tests.browser.watch import OF_COLOURS, violations, watched, wider_than_the_screen
from tests.integration.people import HASHED, PASSWORD

SETTINGS = Settings(secret_key="key of the tests", webhook_networks="127.0.0.0/8")
PAGE = "/account/webhooks"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    with store.write() as conn:
        accounts.sign_up(conn, "ada", HASHED)
    yield store
    store.dispose()


@pytest.fixture
def sender(store: Store) -> WebhookSender:
    return WebhookSender(store, "", [SETTINGS.secret_key], networks(SETTINGS.webhook_networks))


@pytest.fixture
def ada(chromium: Browser, store: Store) -> Iterator[Page]:
    """A watched page of ada."""
    with served(create_app(SETTINGS, store, None)) as address:
        context = chromium.new_context(base_url=address, reduced_motion="reduce")
        with closing(context), watched(context.new_page()) as page:
            sign_in(page, "ada", PASSWORD)
            yield page


class Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook"
        server.shutdown()
        thread.join()


def test_a_webhook_is_added_tried_switched_off_and_deleted(
    ada: Page, receiver: str, sender: WebhookSender
) -> None:
    ada.goto("/account")
    ada.get_by_role("link", name="Webhooks").click()
    ada.get_by_label("URL").fill(receiver)
    ada.get_by_role("button", name="Add webhook").click()
    expect(ada.get_by_text("it is shown only once")).to_be_visible()
    expect(ada.locator("code", has_text="whsec_")).to_have_count(1)
    assert violations(ada) == []

    ada.get_by_role("button", name="Send test").click()
    expect(ada.get_by_role("status")).to_contain_text("A test is on its way")
    expect(ada.get_by_text("whsec_")).to_have_count(0)
    assert sender.send_next(1e10)
    ada.get_by_role("link", name="Reload").click()
    expect(ada.get_by_role("row", name="test 200")).to_be_visible()

    ada.get_by_role("button", name="Switch off").click()
    expect(ada.get_by_role("status")).to_contain_text("Webhook 1 is switched off.")
    expect(ada.get_by_role("button", name="Send test")).to_have_count(0)
    ada.get_by_role("button", name="Delete").click()
    expect(ada.get_by_role("status")).to_contain_text("Webhook deleted.")
    expect(ada.get_by_role("heading", name=receiver)).to_have_count(0)


def test_page_full_of_webhooks_is_accessible_and_fits(ada: Page, store: Store) -> None:
    url = "https://" + "w" * 60 + ".example/" + "x" * 200
    with store.write() as conn:
        account = accounts.by_name(conn, "ada").id
        for _ in range(4):
            hook = hooks.add(conn, account, url, 1.0, 5, finished=True, offline=True)
            deliveries.add_test(conn, hook, 2.0)
            _, delivery = deliveries.claim(conn, 3.0) or pytest.fail("No delivery is due.")
            failed = deliveries.DeliveryResult(
                None, 10.0, f"{'w' * 60}.example has no public address."
            )
            deliveries.settle(conn, delivery, failed, 4.0)
        deliveries.settle(conn, delivery, deliveries.DeliveryResult(410, 0.2, "Answered 410."), 5.0)
    ada.goto(PAGE)
    for width in (360, 1440):
        ada.set_viewport_size({"width": width, "height": 900})
        assert wider_than_the_screen(ada) == []
        assert violations(ada) == []
    ada.emulate_media(color_scheme="dark")
    assert violations(ada, *OF_COLOURS) == []
