"""`arena bot submit` and its like, against a gateway; the test stands in for the host."""

import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.hosting.submission import manifest, unpack
from arena.kit.submissions import submit
from arena.kit.submissions.arena_client import SubmissionsClient
from arena.operations.supervise import stack
from arena.operations.supervise.supervisor import Supervisor
from arena.protocol.v1 import submissions_pb2 as pb
from arena.service.bootstrap import load_settings
from arena.store import Store, upgrade_store
from arena.store.registry import bots, building, runs
from arena.store.registry import submissions as registry
from arena.store.registry.runs import NewRun, OutputPart, RunKind
from tests.integration.conftest import Run
from tests.servers import free_port

ADMIN = "the administrator's"
PROGRAM = "from arena.sdk import Bot\n"


@pytest.fixture(scope="module")
def settings(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    data = tmp_path_factory.mktemp("hosted")
    return load_settings(data=data, redis_url=redis_server, port=free_port(), admin_token=ADMIN)


@pytest.fixture(scope="module")
def store(settings: Settings) -> Iterator[Store]:
    store = upgrade_store(settings.database)
    yield store
    store.dispose()


@pytest.fixture(scope="module")
def gateway(
    settings: Settings, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    with Supervisor(tmp_path_factory.mktemp("logs")) as supervisor:
        supervisor.start(stack.gateway(settings))
        supervisor.await_ready("gateway")
        yield f"127.0.0.1:{settings.port}"


@pytest.fixture
def author(gateway: str, store: Store, run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """Somebody with a bot of their own, whose name this is, in an empty folder."""
    monkeypatch.setattr(submit, "POLL_S", 0.01)
    with store.write() as conn:
        name = f"bot{len(bots.all_bots(conn))}"
        _, token = bots.register(conn, name)
    monkeypatch.setenv("ARENA_URL", gateway)
    monkeypatch.setenv("ARENA_TOKEN", token)
    return name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "mybot"
    made.mkdir()
    (made / "bot.toml").write_text('entry = "mybot.py"\n')
    (made / "mybot.py").write_text(PROGRAM)
    return made


def build(store: Store, number: int, source: bytes) -> None:
    """Accepts what can be unpacked, as a host does."""
    files = unpack.unpack(source)
    with store.write() as conn:
        building.note(conn, number, "h", f"{len(files)} files\n")
    with store.write() as conn:
        building.validating(conn, number, "h")
        building.note(conn, number, "h", "plays lama\n")
    with store.write() as conn:
        building.accept(conn, number, "h", b"tree", manifest.of_files(files), b"hello")


def refuse(store: Store, number: int, source: bytes) -> None:
    with store.write() as conn:
        building.note(conn, number, "h", "Traceback ...\n")
        building.refuse(conn, number, "h", "The bot ended as soon as it began.")


@contextmanager
def host(store: Store, does: Callable[[Store, int, bytes], None] = build) -> Iterator[None]:
    """Takes what waits, until the block ends."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.01):
            with store.write() as conn:
                found = building.claim(conn, "h", time.time(), 60.0)
                source = registry.source(conn, found.id) if found else b""
            if found:
                does(store, found.id, source)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def newest(store: Store, bot: str) -> registry.Submission:
    with store.read() as conn:
        return registry.of_bot(conn, bots.get(conn, bot).id)[0]


def test_a_folder_is_submitted_and_followed_until_it_is_accepted(
    store: Store, author: str, folder: Path, run: Run
) -> None:
    with host(store):
        ran = run("bot", "submit", "mybot", "--version", "fast")

    number = newest(store, author).id
    assert ran.status == 0, ran.err
    head, *log = ran.out.splitlines()
    assert head.startswith("mybot: 2 files (bot.toml, mybot.py), 45 bytes, ")
    assert log == ["2 files", "plays lama"]
    assert ran.err.splitlines()[-1] == (
        f"Submission {number} was accepted. {author} is now version fast."
    )
    with store.read() as conn:
        version = bots.get(conn, author)
    assert (version.version, version.hosted) == ("fast", True)


def test_a_refusal_is_told_with_log_and_reason(
    store: Store, author: str, folder: Path, run: Run
) -> None:
    with host(store, refuse):
        ran = run("bot", "submit", "mybot/mybot.py")

    number = newest(store, author).id
    assert ran.status == 1
    assert ran.out.splitlines()[1:] == ["Traceback ..."]
    assert ran.err.splitlines()[-1] == (
        f"Submission {number} of {author} was refused. The bot ended as soon as it began."
    )


def test_invalid_folder_is_reported_before_the_upload(
    store: Store, author: str, folder: Path, run: Run
) -> None:
    (folder / "bot.toml").write_text('entri = "mybot.py"\n')

    ran = run("bot", "submit", "mybot")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == 'Error: Unknown key "entri" in bot.toml. Did you mean "entry"?\n'
    with store.read() as conn:
        assert registry.of_bot(conn, bots.get(conn, author).id) == []


def test_author_lists_downloads_and_rolls_back_later(
    store: Store, author: str, folder: Path, run: Run
) -> None:
    assert (
        run("bot", "submissions").out
        == "There are no uploads yet. Submit one with `arena bot submit DIR`.\n"
    )
    large = bytes(range(256)) * 3000  # more than one message
    with zipfile.ZipFile("mybot.zip", "w") as archive:
        archive.writestr("bot.toml", 'entry = "mybot.py"\n')
        archive.writestr("mybot.py", PROGRAM)
        archive.writestr("weights", large)
    ran = run("bot", "submit", "mybot.zip", "--no-wait")
    first = ran.out.splitlines()[-1]
    assert (ran.status, first) == (0, str(newest(store, author).id))
    second = run("bot", "submit", "mybot/mybot.py", "--no-wait").out.splitlines()[-1]
    with host(store):
        while newest(store, author).state != "accepted":
            time.sleep(0.005)

    listed = [line.split()[:2] for line in run("bot", "submissions").out.splitlines()]
    assert listed == [["number", "state"], [second, "accepted"], [first, "withdrawn"]]
    assert len(run("bot", "submissions", "--limit", "1").out.splitlines()) == 2

    assert run("bot", "source", first, "--output", "old.zip").status == 0
    assert Path("old.zip").read_bytes() == Path("mybot.zip").read_bytes()
    assert run("bot", "source", second).out == f"submission-{second}.py: 26 bytes\n"
    again = run("bot", "source", second)
    assert (again.status, again.err) == (
        2,
        f"Error: submission-{second}.py already exists. Choose another file.\n",
    )
    back = run("bot", "rollback", second)
    assert (back.status, back.out) == (
        0,
        f"Submission {int(second) + 1} was accepted. {author} is now version 2-again.\n",
    )
    assert f"rollback to {second}" in run("bot", "submissions").out


def test_the_administrator_says_which_bot(
    store: Store, author: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", ADMIN)
    assert run("bot", "submit", "mybot", "--no-wait").err == (
        "Error: No bot is named. With the admin token, name one.\n"
    )
    assert run("bot", "submit", "mybot", "--bot", author, "--no-wait").status == 0
    assert newest(store, author).state == "waiting"


def test_output_of_a_bot_is_printed_by_decision(store: Store, author: str, run: Run) -> None:
    assert run("bot", "runs").out == "There are no runs yet.\n"
    parts = (
        OutputPart("start", "ready\n", "", 0, 0),
        OutputPart("decision", "hm\n", "m1", 7, 0),
        OutputPart("decision", "both", "m2", 8, 1),
        OutputPart("unanswered", "oh\n", "m1", 9, 0),
    )
    with store.write() as conn:
        player = bots.get(conn, author).player
        plain = NewRun(player, "m0", RunKind.OTHER, 5.0, 0.25, 0, "")
        slow = NewRun(player, "m1", RunKind.ENDED, 5.0, 1.5, 9000, "It ended.", parts, wall_s=28.25)
        runs.add(conn, [plain, slow])
        number = runs.of_bot(conn, bots.get(conn, author).id)[0].id

    ended = run("bot", "runs", "--ended").out.splitlines()
    listed = run("bot", "runs").out.splitlines()
    output = run("bot", "output", str(number))

    assert ended[1].split()[:3] == [str(number), "1", "m1"]
    assert ended[1].endswith("1.500 s  28.250 s  8.8 MB  16 bytes  It ended.")
    assert (len(ended), len(listed)) == (2, 3)
    assert output.out == "ready\nhm\nboth\noh\n"
    assert output.err.splitlines() == [
        f"Run {number}: {author} 1, match m1, 1.500 s of CPU time, 28.250 s of wall time.",
        "--- before it was ready",
        "--- in decision 7",
        "--- in decision 8 of m2 and 1 more",
        "--- in decision 9, without an answer",
        "It ended.",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("output", "0"), "'0' is not the number of a run"),
        (("output", "9223372036854775807"), "There is no run 9223372036854775807"),
        (("source", "0"), "'0' is not the number of a submission"),
        (("source", "99999999999"), "is not the number of a submission"),
        (("rollback", "x"), "'x' is not the number of a submission"),
        (("source", "4000000000"), "There is no submission 4000000000"),
        (("submit", "nothing"), "nothing is not a folder, .py file or .zip file"),
        (("submissions", "--token", "wrong"), "rejected the token"),
        (("submissions", "--url", "127.0.0.1:1"), "The arena at 127.0.0.1:1 cannot be used"),
        (("submissions", "--bot", "nobody"), 'not to "nobody"'),
    ],
)
def test_errors_are_one_sentence(
    author: str, folder: Path, run: Run, words: tuple[str, ...], said: str
) -> None:
    ran = run("bot", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_without_a_token_it_says_where_one_comes_from(
    author: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_TOKEN")
    ran = run("bot", "submissions")
    assert (ran.status, "/my/bots" in ran.err) == (2, True)


class Away(SubmissionsClient):
    """An arena that answers so, one after the other; None: it is away."""

    def __init__(self, *answers: pb.Submission | None) -> None:
        self._answers = iter(answers)

    def get(self, number: int) -> pb.Submission:
        answer = next(self._answers)
        if answer is None:
            raise Unavailable("The arena cannot be used.")
        return answer


def at(state: str, log: str = "") -> pb.Submission:
    return pb.Submission(id=7, bot="nora", version="2", state=state, log=log)


def test_an_arena_that_is_away_for_a_moment_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(submit, "POLL_S", 0.0)
    monkeypatch.setattr(submit, "NO_HOST_S", 0.0)
    short, cut = "a\nb\n", "[earlier lines were removed]\nc\n"
    client = Away(
        None, at("waiting"), at("building", short), at("validating", cut), at("accepted", cut)
    )

    assert submit.follow(client, at("waiting")).state == "accepted"

    told = capsys.readouterr()
    assert told.out == short + cut
    assert told.err.splitlines() == [
        "Submission 7 of nora is waiting for a bot host.",
        "No bot host has taken it yet. It stays in the queue if you press Ctrl-C.",
        "Submission 7 of nora is being built.",
        "Submission 7 of nora is being tested.",
        "Submission 7 was accepted. nora is now version 2.",
    ]


def test_one_that_stays_away_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "POLL_S", 0.0)
    monkeypatch.setattr(submit, "PATIENCE_S", -1.0)
    with pytest.raises(Unavailable):
        submit.follow(Away(None), at("waiting"))
