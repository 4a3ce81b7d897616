"""Stylesheets, scripts and pictures are fetched once, and again after a change."""

import re
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
from flask.testing import FlaskClient

from dashboard import assets


def test_static_files_of_a_page_are_cached(browser: FlaskClient) -> None:
    text = browser.get("/").text
    addresses = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)

    assert len(addresses) >= 4
    for address in addresses:
        answer = browser.get(address, buffered=True)
        assert answer.status_code == 200, address
        assert answer.cache_control.max_age == 365 * 86_400
        assert answer.cache_control.immutable
        assert answer.cache_control.public


def test_a_picture_that_a_stylesheet_refers_to_lasts_as_long(browser: FlaskClient) -> None:
    (stylesheet,) = re.findall(r'href="(/static/[^"]+/arena\.css)"', browser.get("/").text)
    (picture, *_) = re.findall(r"url\((\w+\.svg)\)", browser.get(stylesheet, buffered=True).text)

    answer = browser.get(f"{stylesheet.rpartition('/')[0]}/{picture}", buffered=True)

    assert answer.cache_control.immutable


@pytest.mark.parametrize("before", ["", "0123456789ab/"])
def test_another_address_gives_the_file_of_today_and_is_asked_for_each_time(
    browser: FlaskClient, before: str
) -> None:
    answer = browser.get(f"/static/{before}arena.css", buffered=True)
    known = {"If-None-Match": answer.headers["ETag"]}
    again = browser.get(f"/static/{before}arena.css", headers=known, buffered=True)

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-cache"
    assert again.status_code == 304


def test_nothing_outside_the_folder_is_served(browser: FlaskClient) -> None:
    for path in ("../app.py", "..%2Fapp.py", f"{assets.mark()}/../../app.py"):
        assert browser.get(f"/static/{path}").status_code == 404


def test_the_mark_changes_with_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vendor").mkdir()
    (tmp_path / "one.css").write_text("a")
    (tmp_path / "vendor" / "two.js").write_text("b")
    monkeypatch.setattr(assets, "FOLDER", tmp_path)

    def mark() -> str:
        assets.mark.cache_clear()
        return assets.mark()

    marks = [mark()]
    (tmp_path / "vendor" / "two.js").write_text("c")
    marks.append(mark())
    (tmp_path / "one.css").rename(tmp_path / "three.css")
    marks.append(mark())
    assets.mark.cache_clear()

    assert len(set(marks)) == 3


def test_standard_root_files_exist(browser: FlaskClient) -> None:
    robots, icon = (browser.get(path, buffered=True) for path in ("/robots.txt", "/favicon.ico"))

    assert (robots.status_code, icon.status_code) == (200, 200)
    assert robots.mimetype == "text/plain"
    assert icon.data[:4] == b"\0\0\1\0"  # an icon, of which the two bytes after say how many
    for answer in (robots, icon):
        assert answer.cache_control.max_age == assets.A_DAY_S

    rules = RobotFileParser()
    rules.parse(robots.text.splitlines())
    open_to_all = ("/", "/bots/ada", "/tournaments/1", "/docs", "/ratings?game=lama", "/api")
    assert all(rules.can_fetch("*", path) for path in open_to_all)
    closed = ("/api/bots", "/my/bots", "/search?q=a", "/account/export", "/events")
    assert not any(rules.can_fetch("*", path) for path in closed)
