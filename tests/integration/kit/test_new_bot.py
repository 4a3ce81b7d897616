"""`arena new`: what it writes works as it is, connects, plays without a fault and is rated."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena import __version__
from arena.base import folder
from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.games import packed_log
from arena.hosting.submission.manifest import Manifest
from arena.hosting.submission.pack import pack
from arena.kit import commands
from arena.kit.new.languages import LANGUAGES, files
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.store import open_store
from arena.store.matches import matches
from arena.store.reports import leaderboard
from tests import nursery
from tests.certificates import self_signed
from tests.integration.operations.test_supervise import wait_for

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
# test_llm_bot.py has the tests of bots that ask a language model.
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
    assert [file.name for file in packed.files] == ["bot.toml", "fast_one.py"]
    assert "arena bot submit .\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("language", "says"),
    [("go", "template for Go.*#programs-in-other-languages"), ("llm", "bots have no network")],
)
def test_languages_without_a_template_for_hosted_bots_say_why(
    tmp_path: Path, language: str, says: str
) -> None:
    with pytest.raises(InvalidRequest, match=says):
        commands.run("new", [str(tmp_path / "mine"), "--language", language, "--hosted"])
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("language", ["node", "cpp"])
def test_a_hosted_program_leaves_its_sources_and_tests_at_home(
    tmp_path: Path, language: str
) -> None:
    folder = tmp_path / "fast_one"
    assert commands.run("new", [str(folder), "--hosted", "--language", language]) == 0
    for name in ("fast_one", "fast_one_test") if language == "cpp" else ():
        (folder / name).touch(0o755)  # as if it were built

    packed = pack(folder)

    command, *names = {
        "node": (("node", "fast_one.mjs"), "bot.toml", "choose.mjs", "fast_one.mjs"),
        "cpp": (("./fast_one",), "bot.toml", "fast_one"),
    }[language]
    assert packed.manifest.command == command
    assert [file.name for file in packed.files] == names


def test_a_hosted_program_is_played_and_checked_on_its_authors_machine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not shutil.which("node"):
        return  # tests/integration/hosting/test_hosted_program.py has a program in Python
    folder = tmp_path / "fast_one"
    assert commands.run("new", [str(folder), "--hosted", "--language", "node"]) == 0

    for command in (
        ["play", "careful", "--deals", "2", "--jobs", "1"],
        ["check", "--matches", "2"],
    ):
        name, *rest = command
        assert commands.run(name, [str(folder / "fast_one.py"), *rest]) == 0
        said = capfd.readouterr()
        assert "fault" not in said.err, said.err


def test_a_new_bot_names_its_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_DASHBOARD", "https://play.test")
    monkeypatch.setenv("ARENA_URL", "grpcs://play.test:443")
    for language in LANGUAGES:
        for hosted in ([], ["--hosted"]) if LANGUAGES[language].hosted else ([],):
            folder = tmp_path / f"my bots/{language}{len(hosted)}"
            assert commands.run("new", [str(folder), "--language", language, *hosted]) == 0
            assert f"  cd '{folder}'\n" in capsys.readouterr().out
            written = "\n".join(file.read_text() for file in folder.iterdir())
            assert "https://play.test/my/bots" in written
            assert "grpcs://play.test:443" in written
            for unknown in ("arena.example", "HOST:7420", "VERSION-py3", "arena bot add"):
                assert unknown not in written


def test_the_website_can_be_named() -> None:
    found = files(LANGUAGES["python"], site="http://other.test/", gateway="other.test:1")
    assert f"http://other.test/sdk/lama_arena-{__version__}-py3" in found["README.md"]
    assert "ARENA_URL=other.test:1\n" in found["README.md"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_tells_a_name_that_it_cannot_have(language: str) -> None:
    names = {
        "python": ["arena", "class", "grpc", "test", "unittest", "random", "true", "test_it"],
        "llm": ["chat", "arena"],
        "node": ["test", "my_test", "choose", "node_modules"],
        "cpp": ["test", "all", "contract", "Testing"],
        "go": ["fmt", "main", "choose", "contract", "fast_linux", "fast_test"],
    }
    for name in names[language]:
        with pytest.raises(InvalidRequest, match=f"'{name}' cannot be .* Choose another") as error:
            files(LANGUAGES[language], name)
        other = str(error.value).rpartition("such as ")[2].rstrip(".")
        assert files(LANGUAGES[language], other)


def test_a_hosted_program_has_a_python_file_so_python_has_a_say() -> None:
    with pytest.raises(InvalidRequest, match="'grpc' cannot be the name of a bot in Python"):
        files(LANGUAGES["node"], "grpc", hosted=True)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A new bot in each language for which there is a toolchain, built and tested."""
    folders = {}
    for language in filter(present, PROGRAMS):
        folder = tmp_path_factory.mktemp(language) / language / "src/mine"
        assert commands.run("new", [str(folder), "--language", language]) == 0
        run(BUILD[language], folder)
        folders[language] = folder
    return folders


def run(command: Sequence[str], folder: Path) -> None:
    """Raises AssertionError with all that it said, if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[tuple[Settings, str]]:
    """The settings of an arena and its address, of TLS."""
    pair = self_signed(tmp_path, "localhost", "127.0.0.1")
    env = {
        "ARENA_DATA": str(tmp_path),
        "ARENA_WORKERS": "1",
        "ARENA_TLS_CERT": str(pair.certificate),
        "ARENA_TLS_KEY": str(pair.key),
        "ARENA_TLS_CA": str(pair.certificate),
    }
    words = ("--no-house-bots", "--port", "0", "--dashboard-port", "0")
    up = nursery.start("arena.cli", "up", *words, env=env)
    try:
        wait_for(lambda: folder.find_running(tmp_path) is not None, 60)
        running = folder.find_running(tmp_path)
        assert running is not None
        assert running.gateway.startswith("grpcs://")
        settings = Settings(data=tmp_path, redis_url=running.redis_url, tls_ca=pair.certificate)
        yield settings, running.gateway
    finally:
        up.terminate()
        up.communicate(timeout=60)


@pytest.mark.timeout(300)
def test_a_new_bot_connects_plays_and_is_rated(
    written: dict[str, Path], arena: tuple[Settings, str]
) -> None:
    """By TLS, with a certificate that nobody but its readers trusts."""
    settings, address = arena
    with (
        ExitStack() as stack,
        control_service(settings, redis_url=settings.redis_url) as control,
    ):

        def variables(name: str, space: str = "") -> dict[str, str]:
            token = control.register_bot(pb.RegisterBotRequest(name=name)).token
            env = {"ARENA_URL": address, "ARENA_TOKEN": token + space}
            return {**env, "ARENA_TLS_CA": str(settings.tls_ca)}

        for name in (others := ["five", "random"]):
            stack.callback(end, nursery.start("arena.bots", name, env=variables(name)))
        for language, place in written.items():
            space = "" if language == "python" else "\r\n"  # as a file may have it
            env = os.environ | variables(language, space)
            stack.callback(end, subprocess.Popen(START[language], cwd=place, env=env, text=True))
        spec = pb.TournamentSpec(
            game="lama", seats=3, bots=[*written, *others], matches=MATCHES, trusted=True
        )
        request = pb.TournamentId(id=control.create_tournament(spec).id)
        wait_for(lambda: control.get_tournament(request).state == "finished", 120)
    store = open_store(settings.database)
    with store.read() as conn:
        logs = [each.log for each in matches.iterate_matches(conn, request.id)]
        rated = {row.bot for row in leaderboard.table(conn, "lama") if row.rating}
    store.dispose()
    assert not [one for log in logs for one in packed_log.unpack(log) if one.fault]
    assert set(written) <= rated


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.mark.timeout(300)
def test_invalid_token_is_refused_and_not_printed(written: dict[str, Path]) -> None:
    for language in written.keys() - {"python"}:
        program, *words = START[language]
        for token in ("", "secret one", "s\u00e9cret"):
            done = subprocess.run(
                [program, *words],
                cwd=written[language],
                env={"PATH": os.environ["PATH"], "ARENA_TOKEN": token},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 2, done.stderr
            assert done.stderr.startswith("Error: ARENA_TOKEN is not a token. Copy it from http")
            assert "cret" not in done.stdout + done.stderr


def test_existing_folder_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/mine.py").write_text("precious")
    with pytest.raises(Exception, match=r"mine already exists\. Choose another name\."):
        commands.run("new", [str(tmp_path / "mine")])
    assert (tmp_path / "mine/mine.py").read_text() == "precious"


@pytest.mark.parametrize("name", ["2fast", "a-b", "", "ä", "x" * 41, "a b"])
def test_a_name_is_one_that_a_program_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(Exception, match="cannot be the name of a bot. A name has"):
        commands.run("new", [f"{tmp_path}/bots/{name}" if name else "/"])
    assert not (tmp_path / "bots").exists()
