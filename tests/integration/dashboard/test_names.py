"""Reserved names."""

import pytest
from werkzeug.routing import Map

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.bots import HOUSE
from arena.store import Store
from arena.store.registry.names import (
    NAME,
    check_free_to_take,
    check_version,
    is_reserved,
    looks,
)
from dashboard import create_app


@pytest.fixture
def addresses(sqlite_store: Store) -> Map:
    return create_app(Settings(), sqlite_store, None).url_map


def words_at(place: tuple[str, ...], paths: list[list[str]]) -> set[str]:
    """The fixed words that come next in addresses that begin so."""
    depth = len(place)
    found = {path[depth] for path in paths if tuple(path[:depth]) == place and path[depth:]}
    return {word for word in found if NAME.fullmatch(word)}


def test_no_word_beside_a_name_in_an_address_can_be_a_name(addresses: Map) -> None:
    paths = [rule.rule.split("/")[1:] for rule in addresses.iter_rules()]
    beside_names = {
        tuple(path[:at]) for path in paths for at, part in enumerate(path) if ":name>" in part
    }
    ours = {("authors",), ("bots",), ("my", "bots"), ("api", "authors"), ("api", "bots")}
    assert beside_names == ours

    words = set[str]().union(
        *(words_at(place, paths) for place in (*beside_names, (), ("my",), ("api",)))
    )

    assert {"api", "bots", "tournaments", "sign-in"} <= words
    assert [word for word in words if not is_reserved(word)] == []


TAKEN = """
    admin ADMIN Adm1n ad-min a.d.m.i.n adrnin 4dmin new api API bots root r00t arena Arena_ system
    house Organiser 0rganizer support moderator anonymous guest guest-ada Guest-7
    n-u-l-l ada.csv
"""
FREE = """
    ada nora bot1 my-first-bot lama llama2 newton apiary houseboat guesswork a A1 ada.2 csv
    bot5 bot-5 bot.5 nano newt0n 2nd-admin
"""


@pytest.mark.parametrize("name", TAKEN.split())
def test_names_that_nobody_can_take(name: str) -> None:
    assert NAME.fullmatch(name)
    with pytest.raises(InvalidRequest, match="reserved for the arena. Choose another name"):
        check_free_to_take(name)


@pytest.mark.parametrize(
    "name", ["NaN", "nan", "NULL", "None", "NA", "inf", "Infinity", "true", "FALSE", "nil"]
)
def test_values_of_tables_are_neither_names_nor_versions(name: str) -> None:
    assert NAME.fullmatch(name)
    with pytest.raises(InvalidRequest, match="a missing value, a truth value or a number"):
        check_free_to_take(name)
    with pytest.raises(InvalidRequest, match=f'"{name}" cannot be a name or version'):
        check_version(name)


@pytest.mark.parametrize("name", ["7", "007", "1e5", "1.50"])
def test_numbers_are_versions_but_not_names(name: str) -> None:
    with pytest.raises(InvalidRequest, match="mistake it for a number"):
        check_free_to_take(name)
    assert check_version(name) == name


@pytest.mark.parametrize("name", FREE.split())
def test_names_that_are_free(name: str) -> None:
    assert check_free_to_take(name) == name


def test_the_bots_of_the_house_are_no_reserved_names() -> None:
    assert not [name for name in HOUSE if is_reserved(name)]


def test_what_looks_alike() -> None:
    assert looks("Five") == looks("f1ve") == looks("FI_VE")
    assert looks("five") != looks("fire")
