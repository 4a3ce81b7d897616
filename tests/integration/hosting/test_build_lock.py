"""Locks: packages that a build fetches from the organiser's index."""

import asyncio
import gc
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building import wheels
from arena.hosting.hosted.building.wheels import fitting
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.sandbox.sandbox import Sandbox
from arena.hosting.submission.files import MB, File, built
from arena.hosting.submission.lock import parse
from tests.certificates import self_signed
from tests.integration.hosting.test_build import ALLOWED, build, games_of
from tests.integration.hosting.test_build_wheels import DEEP, THEIRS
from tests.made_uploads import upload, wheel
from tests.package_index import (
    JSON,
    PackageIndex,
    leads_to,
    lock_line,
    package_index,
    says,
)

WHEEL = wheel("deep", DEEP)
NAME = "deep-1.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with package_index() as found:
        yield found


def fetched(
    sandbox: Sandbox, index: PackageIndex, lock: str, megabytes: int = 64
) -> tuple[list[str], str]:
    """The wheels that are fetched, and the log."""
    pins = parse(File("requirements.lock", lock.encode()))
    found, log = asyncio.run(wheels.fetched(sandbox, pins, index.url, built(megabytes)))
    return [file.name for file in found], log


def test_packages_of_a_lock_are_installed_and_played(
    sandbox: Sandbox, index: PackageIndex, open_folder: Path
) -> None:
    lock = index.add("deep", {NAME: WHEEL})
    allowed = replace(ALLOWED, index=index.url)
    files, log = build(sandbox, upload(THEIRS, {"requirements.lock": lock}), allowed)

    assert f"Fetched: {NAME}.\nInstalled: deep 1.0.\nCompiled: 3 of 3 Python files.\n" in log
    assert games_of(sandbox, files, open_folder) == ["dice"]
    assert f"wheels/{NAME}" not in files


@pytest.mark.parametrize("as_json", [False, True])
def test_best_fitting_wheel_of_the_lock_is_used(
    sandbox: Sandbox, index: PackageIndex, as_json: bool
) -> None:
    best = f"deep-1.0-{fitting()[0]}.whl"
    files = {
        "deep-1.0-cp39-cp39-win_amd64.whl": b"x",
        best: b"native",
        NAME: WHEEL,
        "deep-1.0.tar.gz": b"y",
        "deep-1.1-py3-none-any.whl": b"z",
    }
    lock = index.add("deep", files, as_json)
    gc.collect()  # what other tests left open is closed now or later
    before = len(os.listdir("/proc/self/fd"))

    assert fetched(sandbox, index, lock) == ([f"wheels/{best}"], f"Fetched: {best}.\n")
    assert index.asked == ["/simple/deep/", f"/files/{best}"]
    assert fetched(sandbox, index, lock_line("deep", WHEEL))[0] == [f"wheels/{NAME}"]
    assert len(os.listdir("/proc/self/fd")) <= before


def test_an_index_with_a_certificate_is_asked_over_tls(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = self_signed(tmp_path, "127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with package_index(context) as index:
        lock = index.add("deep", {NAME: WHEEL})
        assert "CERTIFICATE_VERIFY_FAILED" in refused(sandbox, index, lock)
        monkeypatch.setattr(wheels, "authorities", pair.certificate.read_text)
        assert fetched(sandbox, index, lock)[0] == [f"wheels/{NAME}"]


def test_a_condition_says_for_which_python_a_package_is(
    sandbox: Sandbox, index: PackageIndex
) -> None:
    lock = index.add("deep", {NAME: WHEEL})
    other = lock.replace("==1.0", "==0.9 ; python_version < '3'") + lock.replace(
        "==1.0", "==1.0 ; python_version >= '3' and sys_platform == 'linux'"
    )
    assert fetched(sandbox, index, other)[0] == [f"wheels/{NAME}"]
    said = refused(sandbox, index, lock.replace("==1.0", "==1.0 ; python = 3"))
    assert said == "Invalid environment marker for deep in the lockfile: python = 3"


def test_a_redirect_on_the_same_server_is_followed(sandbox: Sandbox, index: PackageIndex) -> None:
    lock = index.add("deep", {NAME: WHEEL})
    index.answers["/mirror"] = index.answers[f"/files/{NAME}"]
    index.answers[f"/files/{NAME}"] = leads_to("/mirror")
    assert fetched(sandbox, index, lock)[0] == [f"wheels/{NAME}"]


def test_nothing_is_fetched_where_the_organiser_names_no_index(sandbox: Sandbox) -> None:
    lock = {"requirements.txt": lock_line("deep", WHEEL)}
    with pytest.raises(InvalidRequest) as refused:
        build(sandbox, upload(files=lock))
    assert str(refused.value) == (
        "This arena does not download packages, so it cannot use requirements.txt. Include the "
        "wheels (`pip download --only-binary :all: --dest wheels --requirement requirements.txt`) "
        "and add requirements.txt to .botignore."
    )


# An index that does harm


def refused(sandbox: Sandbox, index: PackageIndex, lock: str, megabytes: int = 64) -> str:
    with pytest.raises(InvalidRequest) as error:
        fetched(sandbox, index, lock, megabytes)
    return str(error.value)


def test_another_file_than_the_lock_means_is_refused(sandbox: Sandbox, index: PackageIndex) -> None:
    lock = index.add("deep", {NAME: WHEEL})
    index.answers[f"/files/{NAME}"] = says(WHEEL + b"more")
    assert refused(sandbox, index, lock) == (
        f"The downloaded {NAME} has a different hash than in the lockfile. Lock it again."
    )
    assert "has no wheel of deep 1.0 that fits this Python and platform and has a hash of" in (
        refused(sandbox, index, lock_line("deep", b"another"))
    )
    assert (
        refused(sandbox, index, lock_line("no-such", WHEEL))
        == "The package index has no package no-such."
    )


def test_no_other_server_is_talked_to(sandbox: Sandbox, index: PackageIndex) -> None:
    lock = index.add("deep", {NAME: WHEEL})
    with package_index() as other:
        other.add("deep", {NAME: WHEEL})
        index.answers["/simple/deep/"] = leads_to(f"{other.url}/deep/")
        assert f"redirects to another server, 127.0.0.1:{other.port}" in (
            refused(sandbox, index, lock)
        )
        page = f'<a href="http://127.0.0.1:{other.port}/files/{NAME}">{NAME}</a>'
        index.answers["/simple/deep/"] = says(page.encode())
        assert f"Builds may not connect to 127.0.0.1:{other.port}. It is neither the" in (
            refused(sandbox, index, lock)
        )
        for address in ("https://[::1]/x", "https://169.254.169.254/x"):
            index.answers["/simple/deep/"] = says(f'<a href="{address}/{NAME}">x</a>'.encode())
            assert "is neither the arena's package index nor a public" in refused(
                sandbox, index, lock
            )
        index.answers["/simple/deep/"] = says(f'<a href="file:///etc/{NAME}">x</a>'.encode())
        assert "returned an invalid URL: file:///etc/" in refused(sandbox, index, lock)
        assert not other.asked


def test_an_answer_without_end_is_read_no_further_than_a_tree_may_be(
    sandbox: Sandbox, index: PackageIndex
) -> None:
    sent = 0

    def endless(request: BaseHTTPRequestHandler) -> None:
        nonlocal sent
        request.send_response(200)
        request.end_headers()
        try:
            while True:
                sent += request.wfile.write(bytes(1 << 16))
        except OSError:
            pass

    lock = index.add("deep", {NAME: WHEEL})
    index.answers[f"/files/{NAME}"] = endless
    said = refused(sandbox, index, lock, megabytes=1)
    assert said.endswith(f"{NAME} is larger than 1 MB, the limit.")
    assert sent < 64 * MB


def test_a_server_that_says_nothing_ends_the_build_and_not_the_host(
    sandbox: Sandbox, index: PackageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "FETCHING_S", 0.7)
    over = threading.Event()
    index.answers["/simple/deep/"] = lambda request: over.wait(60)
    said = refused(sandbox, index, lock_line("deep", WHEEL))
    over.set()
    assert said == ("Downloading the locked packages took longer than 0.7 s. Submit again later.")


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (b"\xff\xfe", "text/html"),
        (b"<a href='http://[::1'><a href>", "text/html"),
        (b"[" * 100_000, JSON),
        (b'{"files": [{"filename": 7}]}', JSON),
    ],
)
def test_pages_that_make_no_sense_are_told(
    sandbox: Sandbox, index: PackageIndex, page: bytes, kind: str
) -> None:
    index.answers["/simple/deep/"] = says(page, kind)
    said = refused(sandbox, index, lock_line("deep", WHEEL))
    assert said == "The package index returned an invalid page for deep."


def test_an_index_that_is_not_there_is_told(sandbox: Sandbox) -> None:
    with package_index() as index:
        lock = index.add("deep", {NAME: WHEEL})
    assert refused(sandbox, index, lock) == (
        "The build host cannot reach 127.0.0.1. Submit again later."
    )


@pytest.mark.parametrize(
    "asked",
    [b"{", b"[]", b"[" * 1000, b'{"host": "a"}', b'{"host": "a", "port": 70000}',
     b'{"host": "a\\u0000b", "port": 443}', b'{"host": "127.0.0.1", "port": 443}'],
)  # fmt: skip
def test_compromised_sandbox_opens_no_other_connection(asked: bytes) -> None:
    async def answers() -> list[bytes]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            theirs.setblocking(False)
            serving = asyncio.create_task(wheels.Openings("http://127.0.0.1:9/simple").serve(ours))
            said = []
            for _ in range(wheels.MOST_CONNECTIONS + 2):
                theirs.send(asked)
                answer, ancillary, _, _ = await received(theirs)
                assert not ancillary
                said.append(answer)
            serving.cancel()
            return said

    said = asyncio.run(answers())
    refusals = b"invalid connection", b"cannot reach", b"may not connect"
    assert any(refusal in said[0] for refusal in refusals)
    assert said[-1] == b"The build requested more than 32 connections."


async def received(connection: socket.socket) -> Any:
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    loop.add_reader(connection, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(connection)
    return connection.recvmsg(4096, 1024)
