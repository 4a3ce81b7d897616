"""The version stands in one place, and everybody who says it says that one."""

import re
import tomllib
from pathlib import Path

from arena import __version__
from arena.base import compiled
from arena.base.config import Settings
from arena.sdk import Bot
from arena.sdk.declared import hello_of
from arena.store import Store
from dashboard import create_app
from tests.integration.conftest import Run

ROOT = Path(__file__).parents[3]


def test_it_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", __version__)


def test_the_package_takes_it_from_the_code() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert "version" not in pyproject["project"]
    assert "version" in pyproject["project"]["dynamic"]
    assert pyproject["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "arena.__version__"}


def test_the_command_line_says_it(run: Run) -> None:
    assert run("--version").out == f"lama-arena {__version__}, {compiled.description()}\n"


def test_a_bot_says_it_when_it_connects() -> None:
    assert hello_of(Bot()).sdk == f"lama-arena-python/{__version__}"


def test_the_openapi_document_says_it(sqlite_store: Store) -> None:
    browser = create_app(Settings(), sqlite_store, None).test_client()

    assert browser.get("/api/openapi.json").get_json()["info"]["version"] == __version__
