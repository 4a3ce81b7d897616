"""The answers of /api match its OpenAPI document for any request.

Schemathesis is imported late: it takes a second, which the collection of every process would take.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import jsonschema_rs
import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings

from arena.games.rules import GAMES
from arena.store import Store
from arena.store.matches import matches
from dashboard.api.answer import answer_behind
from dashboard.api.document import address, routes
from tests.integration.api_world import browser_on, closed, data, filled
from tests.integration.played import play, register

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.schemas import APIOperation, BaseSchema

    Operation: TypeAlias = APIOperation[Any, Any, Any, Any]

# Two of the filters of matches need a bot.
OWN_LIMITS = ("/api/matches",)
EXAMPLES = 5  # for each address and kind of question


@pytest.fixture(scope="module")
def browser(module_store: Store) -> FlaskClient:
    filled(module_store)
    return browser_on(module_store)


@pytest.fixture(scope="module")
def document(browser: FlaskClient) -> dict[str, Any]:
    return data(browser, "/api/openapi.json")


def schema_of(document: dict[str, Any]) -> BaseSchema:
    import schemathesis

    return schemathesis.openapi.from_dict(document)


def operations(browser: FlaskClient, document: dict[str, Any]) -> Iterator[Operation]:
    from schemathesis.core.result import Ok

    schema = schema_of(closed(document))
    schema.app = browser.application
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found.err()
        yield found.ok()


def ask(operation: Operation, mode: Literal["POSITIVE", "NEGATIVE"], **chosen: Any) -> None:
    """Asks questions of one address, the same ones each time, and checks every answer."""
    from schemathesis import GenerationMode
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    without: list[Any] = [positive_data_acceptance] if operation.path in OWN_LIMITS else []
    settled = settings(
        max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip

    @settled
    @given(case=operation.as_strategy(generation_mode=GenerationMode[mode], **chosen))
    def asked(case: Case[Any]) -> None:
        # Schemathesis does not unpack what an application in the same process has packed.
        plain = {"Accept-Encoding": "identity"}
        case.call_and_validate(headers=plain, excluded_checks=without)

    asked()


def test_every_route_is_in_the_document_and_says_what_it_gives(
    browser: FlaskClient, document: dict[str, Any]
) -> None:
    app = browser.application
    silent = [
        rule.rule
        for rule in routes(app)
        if answer_behind(app.view_functions[rule.endpoint]) is None
    ]

    assert list(document["paths"]) == [address(rule) for rule in routes(app)]
    assert not silent, f"decorate with @answers (dashboard/api/answer.py): {silent}"


def test_the_document_is_openapi(browser: FlaskClient, document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")

    schema_of(document).validate()

    names = [operation["get"]["operationId"] for operation in document["paths"].values()]
    assert len(set(names)) == len(names)
    assert all(item["get"]["summary"].endswith(".") for item in document["paths"].values())


def test_the_documentation_lists_every_address(document: dict[str, Any]) -> None:
    page = Path(__file__).parents[3].joinpath("docs/api.md").read_text()
    lines = dict(re.findall(r"^\| `(/api[^`]*)` \|.*\|(.*)\|$", page, re.MULTILINE))

    for path in document["paths"]:
        table = path.removesuffix(".csv")
        assert table in lines, path
        assert (lines[table].strip() == "yes") == (f"{table}.csv" in document["paths"]), path


def test_no_object_has_a_field_that_gives_secrets_away(document: dict[str, Any]) -> None:
    # Fields of the store's dataclasses are exported automatically, so their types are checked here.
    objects = document["components"]["schemas"]
    with_seed = {name for name, each in objects.items() if "seed" in each.get("properties", {})}

    assert with_seed == {"TournamentSpec", "MatchRecord"}
    assert "seed" not in objects["TournamentSpec"]["required"]
    for name, each in objects.items():
        assert not {"token", "token_digest", "session", "log"} & set(each.get("properties", {})), (
            name
        )


def test_valid_requests_are_answered_as_documented(
    browser: FlaskClient, document: dict[str, Any]
) -> None:
    for operation in operations(browser, document):
        ask(operation, "POSITIVE")


def test_invalid_requests_are_refused_as_documented(
    browser: FlaskClient, document: dict[str, Any]
) -> None:
    for operation in operations(browser, document):
        if operation.definition.raw.get("parameters"):
            ask(operation, "NEGATIVE")


def test_existing_addresses_answer_as_documented(
    browser: FlaskClient, document: dict[str, Any], module_store: Store
) -> None:
    with module_store.read() as conn:
        locked, *_, first = [row.id for row in matches.list_matches(conn)[0]]
    there: dict[str, list[Any]] = {
        "name": ["ada"],
        "number": [1, 2],
        "match": [first, locked],
        "game": ["lama", "dice"],
    }
    for operation in operations(browser, document):
        names = [each["name"] for each in operation.definition.raw.get("parameters", ())]
        for name in {*names} & there.keys():
            if f"{{{name}}}" in operation.path:
                for value in there[name]:
                    ask(operation, "POSITIVE", path_parameters={name: value})


@pytest.mark.parametrize("game", list(GAMES))
def test_the_matches_of_every_game_are_told_as_described(sqlite_store: Store, game: str) -> None:
    register(sqlite_store, "ada", "bob")
    play(sqlite_store, "ada", "bob", game=game, deals=2)
    browser = browser_on(sqlite_store)
    schema = schema_of(closed(data(browser, "/api/openapi.json")))
    record = schema["/api/matches/{match}"]["GET"]
    replay = schema["/api/matches/{match}/replay"]["GET"]

    for row in data(browser, "/api/matches")["matches"]:
        address = f"/api/matches/{row['id']}"
        record.validate_response(browser.get(address))
        for asked in ("", "?drawn=1&seat=1"):
            replay.validate_response(browser.get(f"{address}/replay{asked}"))


def test_the_examples_are_answers_that_there_could_be(document: dict[str, Any]) -> None:
    schemas = closed(document["components"]["schemas"])
    shown = [
        content["application/json"]
        for operation in document["paths"].values()
        for content in [operation["get"]["responses"]["200"]["content"]]
        if "application/json" in content
    ]
    assert len(shown) > 15
    for each in shown:
        whole = {**each["schema"], "components": {"schemas": schemas}}
        jsonschema_rs.validator_for(whole).validate(each["example"])
