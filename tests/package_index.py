"""A local package index for tests."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

JSON = "application/vnd.pypi.simple.v1+json"

Answer = Callable[[BaseHTTPRequestHandler], object]


@dataclass
class PackageIndex:
    """Responses by path; `asked` are the requested paths."""

    port: int
    scheme: str = "http"
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/simple"

    def add(self, package: str, files: Mapping[str, bytes], as_json: bool = False) -> str:
        """Adds files of a package; returns lockfile lines for its version 1.0."""
        for name, content in files.items():
            self.answers[f"/files/{name}"] = says(content, "application/zip")
        make = as_a_list if as_json else as_links
        kind = JSON if as_json else "text/html; charset=utf-8"
        self.answers[f"/simple/{package}/"] = says(make(files).encode(), kind)
        return lock_line(package, *files.values())


def lock_line(package: str, *contents: bytes) -> str:
    """A line of a lockfile."""
    hashes = " ".join(f"--hash=sha256:{hashlib.sha256(each).hexdigest()}" for each in contents)
    return f"{package}==1.0 {hashes}\n"


def as_links(files: Mapping[str, bytes]) -> str:
    """A page in the format of PEP 503."""
    links = (
        f'<a href="../../files/{name}#sha256={hashlib.sha256(content).hexdigest()}">{name}</a><br>'
        for name, content in files.items()
    )
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>"


def as_a_list(files: Mapping[str, bytes]) -> str:
    """A page in the format of PEP 691."""
    listed: list[dict[str, Any]] = [
        {
            "filename": name,
            "url": f"/files/{name}",
            "hashes": {"sha256": hashlib.sha256(content).hexdigest()},
        }
        for name, content in files.items()
    ]
    return json.dumps({"meta": {"api-version": "1.0"}, "files": listed})


def says(content: bytes, kind: str = "text/html") -> Answer:
    """A handler that sends this content."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    return answer


def leads_to(url: str) -> Answer:
    """A handler that redirects to the URL."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", url)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


@contextmanager
def package_index(tls: ssl.SSLContext | None = None) -> Iterator[PackageIndex]:
    """Serves an index during the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            index.asked.append(self.path)
            answer = index.answers.get(self.path)
            if answer is None:
                self.send_error(404)
            else:
                answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    index = PackageIndex(server.server_port, "https" if tls else "http")
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    try:
        yield index
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
