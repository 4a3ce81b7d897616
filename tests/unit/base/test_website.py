"""Where an author's machine finds the arena's pages, documentation and package."""

import json
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from arena import __version__
from arena.base import folder, website

WHEEL = f"lama_arena-{__version__}-py3-none-any.whl"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without an arena, where no variable names one."""
    monkeypatch.chdir(tmp_path)
    for name in ("ARENA_DASHBOARD", "ARENA_DATA"):
        monkeypatch.delenv(name, raising=False)


def installed_from(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PathDistribution, "read_text", lambda *_: json.dumps({"url": url}))


@pytest.mark.parametrize("named", ["https://other.example/", " https://other.example\r\n"])
def test_a_named_website_wins(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed_from(f"https://arena.example/sdk/{WHEEL}", monkeypatch)
    monkeypatch.setenv("ARENA_DASHBOARD", named)

    assert website.address() == "https://other.example"


def test_the_arena_in_the_folder_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / ".arena"
    installed_from(f"https://arena.example/sdk/{WHEEL}", monkeypatch)
    with folder.lock(data):
        folder.announce(data, folder.Running(1, "127.0.0.1:1", "http://127.0.0.1:2", "", "", ""))

        assert website.address() == "http://127.0.0.1:2"
    assert website.address() == "https://arena.example", "it no longer runs"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (f"http://10.0.0.1:7421/sdk/{WHEEL}", "http://10.0.0.1:7421"),
        (f"https://arena.example/games/sdk/{WHEEL}", "https://arena.example/games"),
        ("file:///home/ada/lama-arena", website.DEFAULT),
        (f"https://files.example/packages/{WHEEL}", website.DEFAULT),
    ],
)
def test_pip_records_where_the_package_came_from(
    url: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_from(url, monkeypatch)

    assert website.address() == found


def test_addresses_of_pages_and_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DASHBOARD", "https://arena.example")

    assert website.docs("submitting#packages") == "https://arena.example/docs/submitting#packages"
    assert website.install() == f"pip install https://arena.example/sdk/{WHEEL}"
    assert website.install("server") == (
        f'pip install "lama-arena[server] @ https://arena.example/sdk/{WHEEL}"'
    )
