"""`arena demo`: run a tournament of six house bots, connected like any other bot."""

import shutil
import sys
import time
from pathlib import Path

import click

from arena.base import folder
from arena.base.config import Settings
from arena.base.errors import InvalidRequest, Unavailable
from arena.base.folder import option
from arena.cli.progress import TournamentProgress
from arena.cli.ratings_text import print_ratings
from arena.cli.screen import note, say
from arena.cli.up import port_options
from arena.cli.where import folder_option
from arena.games.rules import GAMES
from arena.operations.supervise.house import start_house_bots
from arena.operations.supervise.machine import Machine, machine
from arena.operations.supervise.signals import Interrupted
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service, load_settings
from arena.service.control.port import Control
from arena.service.live.connect import connect, place
from arena.service.live.presence import any_gateway
from arena.store import luck, open_store
from arena.store.tournaments.tournaments import OVER
from arena.tournaments.formats.secret import OPEN_SALT

# Generous, because a timeout on a busy machine would change the ratings of a seed.
MOVE_MS = 30_000
LOOK_EVERY_S = 0.2
STALLED_S = 90.0
DEATHS = 5

MARKER = "made-by-arena-demo"  # the file that says that a folder may be emptied
KEPT = {"lock", MARKER}


@click.command()
@click.option(
    "--game",
    type=click.Choice(list(GAMES)),
    default="lama",
    show_default=True,
    help="Game to play.",
)
@click.option(
    "--matches",
    type=click.IntRange(1),
    help="Matches per table of bots, rounded up so that each bot plays every seat equally often.  "
    "[default: ten per seat]",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    help="Seed of all deals; the same seed gives the same ratings.",
)
@click.option(
    "--seats", type=click.IntRange(2, 6), default=4, show_default=True, help="Seats at a table."
)
@folder_option("Folder of the demo.  [default: demo in ARENA_DATA or in .arena]")
@click.option("--keep", is_flag=True, help="Keep the data of earlier demos.")
@port_options
def demo(
    game: str,
    matches: int | None,
    seed: int,
    seats: int,
    data: Path | None,
    keep: bool,
    port: int | None,
    dashboard_port: int | None,
) -> None:
    """Run a demo tournament of six house bots.

    Starts a whole arena, plays a round-robin and prints the ratings. The bots are separate
    processes that connect over gRPC with a token. On a terminal, the arena and its dashboard then
    stay up until Ctrl-C.

    \b
    Examples:
      arena demo
      arena demo --matches 200 --seed 7
      arena demo --game dice --seats 6
    """
    settings = _settings(data, port, dashboard_port)
    spec = pb.TournamentSpec(
        name="Demo", game=game, seats=seats, matches=matches, seed=seed, move_ms=MOVE_MS
    )
    spec.salt = OPEN_SALT
    try:
        _run(settings, spec, keep)
    except Interrupted as interrupted:
        note("Stopped. All processes have ended.")
        sys.exit(interrupted.status)


def _settings(data: Path | None, port: int | None, dashboard_port: int | None) -> Settings:
    """Return settings of a separate arena, without the database and certificates of ARENA_*."""
    base = load_settings(port=port, dashboard_port=dashboard_port)
    return base.model_copy(
        update={
            "data": data or base.data / "demo",
            "database_url": "",
            "tls_cert": None,
            "tls_key": None,
            "house_bots": "all",
        }
    )


def _check_redis(settings: Settings) -> None:
    """Raise Unavailable if Redis already serves an arena: tasks would mix."""
    if "redis_url" not in settings.model_fields_set:
        return
    with connect(settings.redis_url) as client:
        if any_gateway(client):
            raise Unavailable(
                f"Redis at {place(settings.redis_url)} already serves another arena. Unset "
                "ARENA_REDIS_URL, or choose another database in it."
            )


def _run(settings: Settings, spec: pb.TournamentSpec, keep: bool) -> None:
    began = time.monotonic()
    check_folder(settings.data)
    _check_redis(settings)
    with folder.lock(settings.data) as lock:
        prepare_folder(settings.data, keep=keep)
        note("Starting Redis, gateway, worker, scheduler and dashboard")
        with machine(settings, note, lock, give_up_after=DEATHS) as arena:
            _play_and_show(arena, spec)
            note(f"That took {time.monotonic() - began:.0f} s.")
            if sys.stdout.isatty():
                say(f"Dashboard: {arena.running.dashboard}")
                _stay_up(arena)
    if not sys.stdout.isatty():
        note(
            f"The arena has stopped. See its pages with `arena up --detach{option(settings.data)}`."
        )


def _play_and_show(arena: Machine, spec: pb.TournamentSpec) -> None:
    settings = arena.settings
    with control_service(settings, redis_url=settings.redis_url) as control:
        note("Starting the house bots")
        url, key = arena.running.gateway, f"demo {spec.seed}"
        spec.bots.extend(start_house_bots(arena.supervisor, settings, url, all_ours=True, key=key))
        tournament = control.create_tournament(spec)
        tournament = _follow(arena, control, tournament.id)
        if tournament.state != "finished":
            raise Unavailable(
                f"The tournament was {tournament.state} after {tournament.played} matches."
            )
        _wait_for_luck(arena)
        say()
        print_ratings(control.get_ratings(pb.RatingsRequest(game=spec.game)))


def _follow(arena: Machine, control: Control, number: int) -> pb.Tournament:
    """Show the tournament until it is over. Raises Unavailable if it stalls."""
    request, played, moved = pb.TournamentId(id=number), 0, time.monotonic()
    with TournamentProgress() as progress:
        while True:
            tournament = control.get_tournament(request)
            progress.show(tournament)
            if tournament.state in OVER:
                return tournament
            if tournament.played > played:
                played, moved = tournament.played, time.monotonic()
            if time.monotonic() - moved > STALLED_S:
                raise Unavailable(
                    f"No match has finished in the last {STALLED_S:.0f} s. See the logs in "
                    f"{folder.logs(arena.settings.data)}"
                )
            arena.supervisor.pause(LOOK_EVERY_S)


def _wait_for_luck(arena: Machine) -> None:
    """Wait until the luck of all matches is known, so that ratings do not depend on timing.

    Raises Unavailable after STALLED_S."""
    until = time.monotonic() + STALLED_S
    with open_store(arena.settings.database) as store:
        while True:
            with store.read() as conn:
                if not luck.pending(conn, 1):
                    return
            if time.monotonic() > until:
                raise Unavailable(
                    f"The luck of the matches was not computed within {STALLED_S:.0f} s. See the "
                    f"logs in {folder.logs(arena.settings.data)}"
                )
            arena.supervisor.pause(LOOK_EVERY_S)


def _stay_up(arena: Machine) -> None:
    note("The arena is still running. Press Ctrl-C to stop it.")
    try:
        while True:
            arena.supervisor.pause(1.0)
    except Interrupted:
        note("Stopping")


# The folder is emptied at each start. Other folders are never emptied.


def check_folder(data: Path) -> None:
    """Raise InvalidRequest unless the folder is new, empty or a demo's."""
    if not data.exists() or (data / MARKER).is_file():
        return
    if not data.is_dir() or {entry.name for entry in data.iterdir()} - KEPT:
        raise InvalidRequest(
            f"{data} contains files that are not from `arena demo`, which would delete them. "
            "Choose another folder with --data."
        )


def prepare_folder(data: Path, *, keep: bool) -> None:
    """Mark the folder as a demo's and empty it unless `keep`. The caller holds its lock."""
    check_folder(data)
    (data / MARKER).write_text("This folder is emptied when `arena demo` starts.\n")
    if keep:
        return
    for entry in data.iterdir():
        if entry.name in KEPT:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
