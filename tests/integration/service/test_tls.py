"""Bots, the command line and the house's bots over TLS, with certificates nobody knows."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.base.errors import InvalidRequest, Unavailable
from arena.cli.remote import RemoteControl
from arena.protocol.v1 import control_pb2 as pb
from arena.sdk import Bot, View, client
from arena.service.control.service import ControlService
from arena.store import Store
from tests.certificates import Pair, self_signed
from tests.integration.gateway_world import ADMIN, World, scenario, until, world


class First(Bot):
    def choose(self, view: View) -> str:
        return view.actions[0]


@asynccontextmanager
async def program(w: World, url: str) -> AsyncIterator[None]:
    """A bot's program while it runs."""
    w.register("nora")
    running = asyncio.create_task(client.stay_connected(First(), url, w.tokens["nora"]))
    try:
        yield
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def told(capsys: pytest.CaptureFixture[str], sentence: str) -> None:
    """Waits until a program has said so."""
    said = ""

    def heard() -> bool:
        nonlocal said
        said += capsys.readouterr().err
        return sentence in said

    try:
        await until(heard)
    except AssertionError:
        raise AssertionError(said) from None


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return self_signed(tmp_path, "localhost", "127.0.0.1")


def test_a_bot_trusts_the_certificates_it_is_given(
    sqlite_store: Store, redis_url: str, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            secure = await w.gateway(tls_cert=pair.certificate, tls_key=pair.key)
            monkeypatch.setenv("ARENA_TLS_CA", str(pair.certificate))
            async with program(w, f"grpcs://127.0.0.1:{secure.port}"):
                await until(lambda: w.presence("nora"))

    run()


def test_a_renewed_certificate_is_used_without_a_restart(
    sqlite_store: Store, redis_url: str, pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    new = self_signed(tmp_path / "new", "localhost", "127.0.0.1")

    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            secure = await w.gateway(tls_cert=pair.certificate, tls_key=pair.key)
            url = f"grpcs://127.0.0.1:{secure.port}"
            monkeypatch.setenv("ARENA_TLS_CA", str(pair.certificate))
            async with program(w, url):
                await until(lambda: w.presence("nora"))
            await until(lambda: not w.presence("nora"))

            trusted = tmp_path / "trusted.pem"
            trusted.write_bytes(new.certificate.read_bytes())
            monkeypatch.setenv("ARENA_TLS_CA", str(trusted))
            new.certificate.replace(pair.certificate)
            new.key.replace(pair.key)
            running = asyncio.create_task(client.stay_connected(First(), url, w.tokens["nora"]))
            await until(lambda: w.presence("nora"))
            running.cancel()

    run()


HERE = ("localhost", "127.0.0.1")
# The names the certificate is for, what ARENA_TLS_CA holds, the scheme, and what is said.
REFUSED = {
    "no CA": (HERE, "", "grpcs", "is not trusted (self signed certificate). If you trust the"),
    "wrong CA": (HERE, "other", "grpcs", "does not contain the certificate that signed it"),
    "wrong name": (("arena.example.org",), "own", "grpcs", "is not valid for 127.0.0.1"),
    "expired": (HERE, "own", "grpcs", "is not valid: certificate has expired"),
    "no TLS": (HERE, "", "grpc", "If it speaks TLS, connect to grpcs://127.0.0.1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bot_is_told_what_to_do_about_a_certificate(
    sqlite_store: Store,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    case: str,
) -> None:
    names, trusted, scheme, sentence = REFUSED[case]
    own = self_signed(tmp_path, *names, days=0 if case == "expired" else 1)
    other = self_signed(tmp_path, "other", *names)
    files = {"": "", "own": str(own.certificate), "other": str(other.certificate)}
    monkeypatch.setenv("ARENA_TLS_CA", files[trusted])

    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            secure = await w.gateway(tls_cert=own.certificate, tls_key=own.key)
            url = f"{scheme}://127.0.0.1:{secure.port}"
            async with program(w, url):
                await told(capsys, sentence)
            with RemoteControl(url, ADMIN, Path(files[trusted]) if trusted else None) as remote:
                ask = asyncio.to_thread(remote.list_bots, pb.ListBotsRequest())
                with pytest.raises(Unavailable) as refused:
                    await ask
            assert sentence in str(refused.value)

    run()


def test_tls_to_a_gateway_without_it_is_explained(
    sqlite_store: Store, redis_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @scenario
    async def run() -> None:
        async with (
            world(sqlite_store, redis_url) as w,
            program(w, f"grpcs://127.0.0.1:{w.gateways[0].port}"),
        ):
            await told(capsys, "does not speak TLS. Remove grpcs://")

    run()


def test_the_command_line_trusts_the_certificates_it_is_given(
    sqlite_store: Store, redis_url: str, pair: Pair
) -> None:
    @scenario
    async def run() -> None:
        control = ControlService(sqlite_store, redis_url)
        async with world(sqlite_store, redis_url, control) as w:
            secure = await w.gateway(tls_cert=pair.certificate, tls_key=pair.key)
            w.register("nora")
            url = f"grpcs://localhost:{secure.port}"
            with RemoteControl(url, ADMIN, pair.certificate) as remote:
                answer = await asyncio.to_thread(remote.list_bots, pb.ListBotsRequest())
            assert [bot.name for bot in answer.bots] == ["nora"]
        control.close()

    run()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be used (No such file or directory)"),
        ("no certificate", "cannot be used ("),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "cannot be used ("),
    ],
)
def test_a_file_without_certificates_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    sentence: str,
) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("ARENA_TLS_CA", str(file))
    with pytest.raises(SystemExit) as ended:
        First().run("grpcs://localhost:7420", "token")
    assert ended.value.code == 1
    assert f"Error: ARENA_TLS_CA is {file}, which {sentence}" in capsys.readouterr().err
    with pytest.raises(InvalidRequest, match="Set it to a file of certificates"):
        RemoteControl("grpcs://localhost:7420", ADMIN, file)


def test_without_tls_the_certificates_do_not_matter(tmp_path: Path) -> None:
    with RemoteControl("localhost:7420", ADMIN, tmp_path / "missing.pem"):
        pass
