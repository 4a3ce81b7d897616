"""Bots built on the contract as it was earlier still play, beside those of today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena import record
from arena.bench.pipeline import start_bots
from arena.bench.temporary_arena import temporary_arena
from arena.bootstrap import control_service
from arena.config import Settings
from arena.live import presence
from arena.live.connect import connect
from arena.protocol.v1 import control_pb2 as pb
from arena.rules.rows import VERSION
from arena.store import open_store
from arena.store.matches import matches
from arena.supervise.child import ChildSpec

EARLIER = Path(__file__).with_name("earlier")
MATCHES = 42


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A folder with the stubs of the earlier contract."""
    command = [sys.executable, "-m", "grpc_tools.protoc"]
    where = [f"-I{EARLIER}", f"--python_out={tmp_path}", "play.proto"]
    subprocess.run([*command, *where], check=True)
    return tmp_path


def test_a_bot_of_before_decisions_were_packed_plays_a_tournament(stubs: Path) -> None:
    with temporary_arena(lambda _: None, workers=1, window=16) as arena:
        settings = arena.settings
        assert settings.port != Settings.model_fields["port"].default  # several run at once
        with control_service(settings, redis_url=settings.redis_url) as control:
            new = start_bots(arena, control, 64)[:2]
            earlier = control.register_bot(pb.RegisterBotRequest(name="earlier"))
            program = [str(EARLIER / "bot.py"), str(stubs), arena.running.gateway, earlier.token]
            arena.supervisor.start(ChildSpec("earlier", (sys.executable, *program), {}))
            spec = pb.TournamentSpec(
                game="lama", seats=3, bots=[*new, "earlier"], matches=MATCHES, trusted=True
            )
            request = pb.TournamentId(id=control.create_tournament(spec).id)
            while (found := control.get_tournament(request)).state != "finished":
                arena.supervisor.pause(0.1)
            assert found.played == MATCHES
            with connect(settings.redis_url) as client:
                connected = presence.present(client, range(1, 10))
            reads = {each.bot: each.packed for each in connected.values()}
        assert reads["earlier"] == 0
        assert {reads[name] for name in new} == {VERSION}
        store = open_store(settings.database)
        with store.read() as conn:
            logs = [each.log for each in matches.iterate_matches(conn, found.id)]
        store.dispose()
        assert not [one for log in logs for one in record.unpack(log) if one.fault]
