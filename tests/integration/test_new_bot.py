"""`arena new`: what it writes works as it is, connects, plays without a fault and is rated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena import record
from arena.bench.pipeline import start_bots
from arena.bench.temporary_arena import temporary_arena
from arena.bootstrap import control_service
from arena.errors import InvalidRequest
from arena.kit import commands
from arena.kit.new.languages import LANGUAGES
from arena.protocol.v1 import control_pb2 as pb
from arena.store import open_store
from arena.store.matches import matches
from arena.store.reports import leaderboard
from arena.submission.manifest import Manifest
from arena.submission.pack import pack
from arena.supervise.child import ChildSpec
from tests.certificates import self_signed

MATCHES = 3  # of each table


def present(language: str) -> bool:
    """Whether this machine has what the language needs."""
    if not all(shutil.which(program) for program in PROGRAMS[language]):
        return False
    if language == "cpp":
        asked = ["pkg-config", "--exists", "grpc++"]
        return subprocess.run(asked, check=False).returncode == 0
    return language != "go" or Path(GO_PACKAGES, "src/google.golang.org/grpc").is_dir()


GO_PACKAGES = "/usr/share/gocode"  # where Debian puts them; modules would be fetched from elsewhere
GO = f"rm go.mod; export GO111MODULE=off GOPATH=$(cd ../.. && pwd):{GO_PACKAGES};"
PROGRAMS = {
    "python": (),
    "node": ("node", "npm"),
    "cpp": ("cmake", "c++", "pkg-config", "protoc"),
    "go": ("go", "protoc", "protoc-gen-go", "protoc-gen-go-grpc"),
}
BUILD = {
    "python": (sys.executable, "-m", "unittest"),
    "node": ("sh", "-c", "npm install --silent --no-audit --no-fund && npm test"),
    "cpp": ("sh", "-c", "cmake -B build && cmake --build build && ctest --test-dir build"),
    "go": ("sh", "-c", f"{GO} go generate && go test && go build"),
}
START = {
    "python": (sys.executable, "mine.py"),
    "node": ("node", "mine.js"),
    "cpp": ("build/mine",),
    "go": ("./mine",),
}


def test_a_hosted_bot_can_be_submitted_as_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "fast_one"
    assert commands.run("new", [str(folder), "--hosted"]) == 0

    packed = pack(folder)

    assert packed.manifest == Manifest(entry="fast_one.py:FastOne", memory_mb=256)
    assert [file.name for file in packed.files] == ["bot.toml", "fast_one.py", "requirements.txt"]
    assert "arena bot submit .\n" in capsys.readouterr().out


def test_of_other_languages_nothing_is_written_for_hosts(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"in Go no bot\.toml is ready"):
        commands.run("new", [str(tmp_path / "mine"), "--language", "go", "--hosted"])
    assert not (tmp_path / "mine").exists()


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Path]:
    """A new bot in each language for which there is a toolchain, built and tested."""
    folders = {}
    for language in filter(present, LANGUAGES):
        folder = tmp_path / language / "src/mine"
        assert commands.run("new", [str(folder), "--language", language]) == 0
        run(BUILD[language], folder)
        folders[language] = folder
    return folders


def run(command: Sequence[str], folder: Path) -> None:
    """Raises AssertionError with all that it said, if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(300)
def test_a_new_bot_connects_plays_and_is_rated(
    written: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By TLS, with a certificate that nobody but its readers trusts."""
    pair = self_signed(tmp_path, "localhost", "127.0.0.1")
    monkeypatch.setenv("ARENA_TLS_CA", str(pair.certificate))
    tls = {"tls_cert": pair.certificate, "tls_key": pair.key}
    with temporary_arena(lambda _: None, workers=1, window=16, **tls) as arena:
        assert arena.running.gateway.startswith("grpcs://")
        settings = arena.settings
        with control_service(settings, redis_url=settings.redis_url) as control:
            others = start_bots(arena, control, 64)[:2]
            for language, folder in written.items():
                token = control.register_bot(pb.RegisterBotRequest(name=language)).token
                env = {"ARENA_URL": arena.running.gateway, "ARENA_TOKEN": token}
                program, *words = START[language]
                place = str(folder / program) if "/" in program else program
                words = [str(folder / word) for word in words]
                arena.supervisor.start(ChildSpec(language, (place, *words), env))
            spec = pb.TournamentSpec(
                game="lama", seats=3, bots=[*written, *others], matches=MATCHES, trusted=True
            )
            request = pb.TournamentId(id=control.create_tournament(spec).id)
            while (found := control.get_tournament(request)).state != "finished":
                arena.supervisor.pause(0.1)
        store = open_store(settings.database)
        with store.read() as conn:
            logs = [each.log for each in matches.iterate_matches(conn, found.id)]
            rated = {row.bot for row in leaderboard.table(conn, "lama") if row.rating}
        store.dispose()
        assert not [one for log in logs for one in record.unpack(log) if one.fault]
        assert set(written) <= rated


def test_what_is_there_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/mine.py").write_text("precious")
    with pytest.raises(Exception, match=r"mine is there already: choose another name\."):
        commands.run("new", [str(tmp_path / "mine")])
    assert (tmp_path / "mine/mine.py").read_text() == "precious"


@pytest.mark.parametrize("name", ["2fast", "a-b", "", "ä", "x" * 41, "a b"])
def test_a_name_is_one_that_a_program_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(Exception, match="cannot be a program's name"):
        commands.run("new", [f"{tmp_path}/bots/{name}" if name else "/"])
    assert not (tmp_path / "bots").exists()
