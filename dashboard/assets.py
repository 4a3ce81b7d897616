"""Static files, which browsers cache until they change.

Their URLs contain a digest of all files, /static/MARK/arena.css, so that relative references in
stylesheets and scripts have it, too. Files at such URLs never change, so browsers do not
revalidate them. Without the digest, or with that of another release, the file is revalidated.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, request, send_from_directory
from werkzeug.security import safe_join

from dashboard.system import headers

FOLDER = Path(__file__).with_name("static")
LASTS_S = 365 * 86_400
COMPRESSIBLE = (".css", ".js", ".svg")
A_DAY_S = 86_400
A_MARK = re.compile(r"^[0-9a-f]{12}/")


def register(app: Flask) -> None:
    """Serve static files; `url_for("static", filename=...)` returns the URL with the digest."""
    app.add_url_rule(f"/static/{mark()}/<path:filename>", "static", lasting)
    app.add_url_rule("/static/<path:filename>", "plain_static", plain)
    app.add_url_rule("/favicon.ico", "favicon", lambda: _file("favicon.ico", A_DAY_S))
    app.add_url_rule("/robots.txt", "robots", lambda: _file("robots.txt", A_DAY_S))


@lru_cache(maxsize=1)
def mark() -> str:
    digest = hashlib.sha256()
    for file in sorted(each for each in FOLDER.rglob("*") if each.is_file()):
        content = hashlib.sha256(file.read_bytes()).digest()
        digest.update(file.relative_to(FOLDER).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()[:12]


def lasting(filename: str) -> Response:
    response = _file(filename, LASTS_S)
    response.cache_control.public = True
    response.cache_control.immutable = True
    return response


def plain(filename: str) -> Response:
    """A file at a URL without the digest, or with an old one."""
    return _file(A_MARK.sub("", filename, count=1))


def _file(filename: str, max_age: int | None = None) -> Response:
    """Return a file, compressed if the browser supports it and it saves space."""
    response = send_from_directory(FOLDER, filename, max_age=max_age)
    if not filename.endswith(COMPRESSIBLE):
        return response
    response.vary.add("Accept-Encoding")
    path, etag = safe_join(str(FOLDER), filename), response.get_etag()[0]
    if path is None or etag is None or response.status_code != 200 or not headers.taken():
        return response
    body = _compressed(path, etag)
    small = Response(body, headers=response.headers)
    small.headers["Content-Encoding"] = "gzip"
    small.content_length = len(body)
    small.set_etag(f"{etag}-gzip")
    response.close()
    small.make_conditional(request)
    return small


@lru_cache(maxsize=256)
def _compressed(path: str, etag: str) -> bytes:
    """Return the compressed file; the ETag is part of the cache key."""
    return headers.packed(Path(path).read_bytes(), 9)
