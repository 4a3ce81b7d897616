"""The gRPC twin of the control service: same answers, same errors, through a real gateway."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from google.protobuf.message import Message

from arena.base.config import Settings
from arena.base.errors import AlreadyExists, InvalidRequest, NotFound, NotNow, Unavailable
from arena.cli.app import arena
from arena.cli.remote import RemoteControl
from arena.operations.supervise import stack
from arena.operations.supervise.supervisor import Supervisor
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import load_settings
from arena.service.control.service import ControlService
from arena.store import Store, upgrade_store
from arena.store.registry import bots
from tests.integration.played import play, register
from tests.servers import free_port

TOKEN = "the administrator's"


@pytest.fixture(scope="module")
def settings(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    data = tmp_path_factory.mktemp("remote")
    return load_settings(data=data, redis_url=redis_server, port=free_port(), admin_token=TOKEN)


@pytest.fixture(scope="module")
def store(settings: Settings) -> Iterator[Store]:
    """Three bots, a finished tournament (1) and one that runs (2)."""
    store = upgrade_store(settings.database)
    register(store, "ann", "bob", "cho")
    play(store, "ann", "bob", "cho", deals=2)
    play(store, "ann", "bob", deals=5, only=3)
    yield store
    store.dispose()


@pytest.fixture(scope="module")
def gateway(
    settings: Settings, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    logs: Path = tmp_path_factory.mktemp("logs")
    with Supervisor(logs) as supervisor:
        supervisor.start(stack.gateway(settings))
        supervisor.await_ready("gateway")
        yield f"127.0.0.1:{settings.port}"


@pytest.fixture
def remote(gateway: str) -> Iterator[RemoteControl]:
    with RemoteControl(gateway, TOKEN) as remote:
        yield remote


@pytest.fixture
def local(store: Store, redis_server: str) -> ControlService:
    return ControlService(store, redis_server)


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("list_bots", pb.ListBotsRequest()),
        ("get_tournament", pb.TournamentId(id=1)),
        ("get_crosstable", pb.TournamentId(id=1)),
        ("forecast_tournament", pb.TournamentSpec(game="lama", seats=2, bots=["ann", "bob"])),
        ("list_tournaments", pb.ListTournamentsRequest()),
        ("get_ratings", pb.RatingsRequest(game="lama")),
        ("get_pairs", pb.RatingsRequest(game="lama", seats=2, all_versions=True)),
        ("get_pairs", pb.RatingsRequest(game="lama", bot="bob")),
        ("list_faults", pb.ListFaultsRequest(bot="bob")),
        ("get_first_faults", pb.TournamentId(id=1)),
        ("list_games", pb.ListGamesRequest()),
        ("get_rules", pb.GameName(name="lama")),
        ("list_formats", pb.ListFormatsRequest()),
        ("list_matches", pb.ListMatchesRequest(limit=5)),
        ("list_matches", pb.ListMatchesRequest(bot="ann", lost=True, faults=True, worst=True)),
    ],
)
def test_both_twins_read_the_same(
    remote: RemoteControl, local: ControlService, call: str, request_: Message
) -> None:
    assert getattr(remote, call)(request_) == getattr(local, call)(request_)


def test_a_stored_match_is_verified(remote: RemoteControl) -> None:
    match = remote.list_matches(pb.ListMatchesRequest(limit=1)).matches[0].id

    assert remote.verify_match(pb.MatchId(id=match)).right


@pytest.mark.parametrize("command", [("retire",), ("retire", "--back"), ("owner",), ("unbench",)])
def test_the_command_line_changes_bots_of_a_remote_arena(
    gateway: str, store: Store, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", TOKEN)
    name, *flags = command

    ran = CliRunner().invoke(arena, ["bot", name, "cho", *flags, "--url", gateway])

    assert (ran.exit_code, ran.output.split()[0]) == (0, "cho"), ran.output
    with store.read() as conn:
        assert (bots.get(conn, "cho").retired is not None) == (command == ("retire",))


def test_both_twins_give_the_same_record(remote: RemoteControl, local: ControlService) -> None:
    match = pb.MatchId(id=local.list_matches(pb.ListMatchesRequest()).matches[0].id)

    assert remote.get_match_record(match) == local.get_match_record(match)


def test_a_finished_tournament_is_watched_at_once(remote: RemoteControl) -> None:
    (watched,) = remote.watch_tournament(pb.TournamentId(id=1))

    assert watched.state == "finished"


def test_a_bot_is_registered_and_its_token_rotated(remote: RemoteControl) -> None:
    first = remote.register_bot(pb.RegisterBotRequest(name="dee"))
    second = remote.rotate_token(pb.BotName(name="dee"))

    assert (first.name, second.name) == ("dee", "dee")
    assert first.token != second.token


def test_a_bot_gets_a_new_version_and_becomes_the_anchor(remote: RemoteControl) -> None:
    assert remote.new_version(pb.NewVersionRequest(name="Ann")).version == "2"

    assert remote.set_anchor(pb.Anchor(game="lama", bot="ANN")).bot == "ann"
    assert remote.get_ratings(pb.RatingsRequest(game="lama")).anchor == "ann"


def test_a_tournament_is_created_cancelled_and_resumed(remote: RemoteControl) -> None:
    wanted = pb.TournamentSpec(game="lama", seats=2, bots=["ann", "bob"])

    created = remote.create_tournament(wanted)
    cancelled = remote.cancel_tournament(pb.TournamentId(id=created.id))
    resumed = remote.resume_tournament(pb.TournamentId(id=created.id))

    assert [t.state for t in (created, cancelled, resumed)] == ["waiting", "cancelled", "waiting"]


@pytest.mark.parametrize(
    ("call", "request_", "error", "sentence"),
    [
        ("register_bot", pb.RegisterBotRequest(name="ann"), AlreadyExists, 'bot named "ann"'),
        ("register_bot", pb.RegisterBotRequest(name="a b"), InvalidRequest, "not a valid bot name"),
        ("get_tournament", pb.TournamentId(id=999), NotFound, "no tournament 999"),
        ("cancel_tournament", pb.TournamentId(id=1), NotNow, "is finished"),
    ],
)
def test_the_arenas_errors_come_through_as_they_are(
    remote: RemoteControl, call: str, request_: Message, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        getattr(remote, call)(request_)


def test_an_unknown_tournament_cannot_be_watched(remote: RemoteControl) -> None:
    with pytest.raises(NotFound, match="no tournament 999"):
        next(remote.watch_tournament(pb.TournamentId(id=999)))


def test_a_wrong_token_is_refused(gateway: str) -> None:
    with (
        RemoteControl(gateway, "somebody's") as remote,
        pytest.raises(InvalidRequest, match="rejected the token"),
    ):
        remote.list_bots(pb.ListBotsRequest())


def test_an_arena_that_is_not_there_is_unavailable() -> None:
    with (
        RemoteControl("127.0.0.1:1", TOKEN) as remote,
        pytest.raises(Unavailable, match=r"The arena at 127\.0\.0\.1:1 cannot be used"),
    ):
        remote.list_bots(pb.ListBotsRequest())
