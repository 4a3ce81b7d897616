"""Serves a dashboard for browser tests, and signs in to it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from playwright.sync_api import Page
from werkzeug.serving import make_server

from dashboard.events.topics import broadcaster


def sign_in(page: Page, name: str, password: str) -> None:
    """Signs in and waits for the page of the user's bots."""
    page.goto("/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/my/bots")


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Serves the application from a thread; yields its URL."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        broadcaster(app).stop()
        server.shutdown()
        thread.join()
        server.server_close()
