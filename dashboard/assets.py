"""Stylesheets, scripts and pictures: fetched once, not asked for again until they change.

Their addresses have a mark of all the files in them, /static/MARK/arena.css, so that what refers
to a neighbour (a picture in a stylesheet, a script that imports another) has it as well. What
stands at such an address never changes, and browsers need not ask; without the mark, or with one
of another release, the same file is there and is asked for each time.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, send_from_directory

FOLDER = Path(__file__).with_name("static")
LASTS_S = 365 * 86_400
A_MARK = re.compile(r"^[0-9a-f]{12}/")


def register(app: Flask) -> None:
    """Serves them; `url_for("static", filename=...)` gives the address with the mark."""
    app.add_url_rule(f"/static/{mark()}/<path:filename>", "static", lasting)
    app.add_url_rule("/static/<path:filename>", "plain_static", plain)


@lru_cache(maxsize=1)
def mark() -> str:
    """Twelve letters that follow from the names and contents of all files."""
    digest = hashlib.sha256()
    for file in sorted(each for each in FOLDER.rglob("*") if each.is_file()):
        content = hashlib.sha256(file.read_bytes()).digest()
        digest.update(file.relative_to(FOLDER).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()[:12]


def lasting(filename: str) -> Response:
    """A file at the address that has its mark."""
    response = send_from_directory(FOLDER, filename, max_age=LASTS_S)
    response.cache_control.public = True
    response.cache_control.immutable = True
    return response


def plain(filename: str) -> Response:
    """A file at an address without the mark, or with an old one."""
    return send_from_directory(FOLDER, A_MARK.sub("", filename, count=1))
