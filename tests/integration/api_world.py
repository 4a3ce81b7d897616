"""An arena to ask questions of under /api, and its document made strict."""

from typing import Any

from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from tests.integration.played import play, register

NAMES = ("ada", "bob", "cyd")


def browser_on(store: Store) -> FlaskClient:
    """A browser on the dashboard of an arena that does not run."""
    return create_app(Settings(), store, None).test_client()


def filled(store: Store) -> Tournament:
    """A finished tournament, and after it one under way whose only match is locked."""
    register(store, *NAMES)
    finished = play(store, *NAMES)
    play(store, *NAMES, only=1)
    return finished


def data(browser: FlaskClient, path: str, status: int = 200) -> dict[str, Any]:
    """The JSON of an answer with this status."""
    answer = browser.get(path)
    assert answer.status_code == status, answer.text
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


def closed(schema: Any) -> Any:
    """The same schema, in which an object has the fields that are described and no others."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(value) for name, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        made["additionalProperties"] = False
    return made
