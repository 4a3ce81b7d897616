"""The real schedule and the real sessions, under a clock and a network that are simulated."""

from dataclasses import replace
from typing import Any

import pytest

from arena.base.keepalive import SLOWEST_PING_S, SLOWEST_PING_TIMEOUT_S
from arena.games import packed_log
from arena.store.matches.model import MatchResult
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.lab.faults.bots import play_directly
from tests.lab.faults.network import Quality
from tests.lab.faults.search import violations
from tests.lab.faults.world import Setting, SimArena
from workers.playing.lease import HELD_S


def setting(game: str = "lama", matches: int = 36, **changes: Any) -> Setting:
    spec = TournamentSpec(game=game, seats=3, bots=("ada", "bob", "cyd", "dan"), matches=matches)
    return replace(Setting(check_spec(spec)), **changes)


def played(world: SimArena, limit_s: float = 3600.0) -> SimArena:
    assert world.run(limit_s), f"{len(world.store.completed)} of {len(world.planned)} batches"
    return world


def results(world: SimArena) -> list[MatchResult]:
    """What is stored of all tournaments."""
    return [result for stored in world.store.results.values() for result in stored.values()]


def assert_as_played_directly(world: SimArena) -> None:
    """Each planned match is stored, nobody is at fault, and all is as without an arena."""
    for number, tournament in world.tournaments.items():
        planned, stored = tournament.planned, world.store.results[number]
        assert stored.keys() == planned.keys()
        for position, result in stored.items():
            match = play_directly(tournament.factory.setup(planned[position]))
            assert result.faults == (0,) * len(result.players)
            assert not result.notes
            assert (result.points, result.ranks) == (match.result.points, match.result.ranks)
            steps = [(step.action, step.fault) for step in packed_log.unpack(result.log)]
            direct = packed_log.unpack(packed_log.pack(match))
            assert steps == [(step.action, step.fault) for step in direct]


def test_a_tournament_is_played_as_it_would_be_without_an_arena() -> None:
    world = played(SimArena(setting(), seed=1))

    assert_as_played_directly(world)
    assert world.clock.now < 30


@pytest.mark.parametrize("game", ["party", "dice", "kadabra"])
def test_every_game_can_be_simulated(game: str) -> None:
    assert_as_played_directly(played(SimArena(setting(game, matches=24), seed=2)))


def test_tournaments_share_the_workers() -> None:
    """A small one that is under way beside a large one with slow bots is over long before it."""
    small = TournamentSpec(game="lama", seats=2, bots=("eve", "fay"), matches=8)
    large = setting(matches=48, more=(check_spec(small),), workers=1, window=12, think_s=0.1)
    world = played(SimArena(large, seed=3))

    assert_as_played_directly(world)
    assert world.ended[2] < world.clock.now / 3


def test_bots_may_think_for_minutes_longer_than_a_worker_plays() -> None:
    """As bots with language models do: the decisions outlive many slices of the workers."""
    spec = TournamentSpec(game="lama", seats=2, bots=("ada", "bob"), matches=2, move_ms=300_000)
    spec = check_spec(replace(spec, options={"max_rounds": "1"}))
    slow = Setting(spec, think_s=240.0, slice_s=60.0, max_in_flight=1)
    world = played(SimArena(slow, seed=4), limit_s=86_400.0)

    assert_as_played_directly(world)
    assert world.clock.now > 20 * slow.slice_s


def test_what_gets_lost_duplicated_and_overtaken_harms_nobody() -> None:
    lossy = Quality(most_s=0.05, loss=0.02, duplicates=0.05)
    world = played(SimArena(setting(network=lossy, slice_s=7200.0), seed=3))

    assert min(world.network.counts[what] for what in ("lost", "duplicated")) > 5
    assert_as_played_directly(world)


@pytest.mark.parametrize("seed", [6])
def test_crashes_and_cut_streams_harm_nobody(seed: int) -> None:
    faults: dict[str, Any] = {
        "worker_crash_s": 6.0,
        "worker_stop_s": 0.5,
        "gateway_crash_s": 6.0,
        "stream_cut_s": 2.0,  # more often, and grace times would be used up
        "max_in_flight": 2,
        "window": 6,
    }
    world = played(SimArena(setting(matches=36, think_s=0.01, **faults), seed))

    assert len(world.faults) == 4, world.faults
    assert_as_played_directly(world)


@pytest.mark.parametrize(
    ("fault", "every_s", "costs_s"),
    [
        ("worker_crash_s", 1.0, HELD_S + 3.0),  # nobody says so: its leases expire
        ("worker_stop_s", 0.5, 1.0),
        ("gateway_crash_s", 1.5, 6.0),
        ("stream_cut_s", 0.5, 1.5),
    ],
)
@pytest.mark.parametrize("seed", [1])
def test_each_fault_is_over_within_seconds(
    fault: str, every_s: float, costs_s: float, seed: int
) -> None:
    faults: dict[str, Any] = {fault: every_s, "most_faults": 2, "slice_s": 3600.0}
    slowly = setting(matches=24, think_s=0.01, max_in_flight=2, window=6, **faults)
    world = played(SimArena(slowly, seed))

    assert world.faults.total() == 2
    assert world.clock.now < 7.0 + 2 * costs_s
    assert_as_played_directly(world)


@pytest.mark.parametrize("seed", [1])
def test_hosts_that_crash_cost_hosted_bots_nothing_however_long_no_other_comes(seed: int) -> None:
    faults: dict[str, Any] = {"worker_stop_s": 20.0, "gateway_crash_s": 20.0, "slice_s": 20.0}
    hosted = setting(matches=36, window=6, max_in_flight=2, hosted=frozenset({"bob", "dan"}))
    world = played(SimArena(replace(hosted, host_crash_s=2.0, most_faults=8, **faults), seed))

    assert world.faults["host crashed"] >= 4
    assert world.clock.now > 60  # longer than anybody else is waited for
    assert_as_played_directly(world)


def frozen(seed: int) -> SimArena:
    """An arena of which one gateway after the other stands still, for up to 90 s."""
    freezing = setting(matches=96, gateway_freeze_s=0.5, most_faults=3, gateways=4)
    return played(SimArena(freezing, seed))


@pytest.fixture(params=["our SDK", "as slow as docs/protocol.md allows"])
def pings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How soon bots notice."""
    if request.param != "our SDK":
        monkeypatch.setattr("tests.lab.faults.gateway.BOT_PING_S", SLOWEST_PING_S)
        monkeypatch.setattr("tests.lab.faults.gateway.BOT_PING_TIMEOUT_S", SLOWEST_PING_TIMEOUT_S)


@pytest.mark.usefixtures("pings")
@pytest.mark.parametrize("seed", [21])
def test_a_gateway_that_falls_silent_harms_nobody(seed: int) -> None:
    """Bots find out by their pings, long after workers have."""
    world = frozen(seed)

    assert world.faults["gateway frozen"] == 3
    assert_as_played_directly(world)


@pytest.mark.parametrize("pings", ["slow"], indirect=True)
@pytest.mark.usefixtures("pings")
def test_bots_would_be_blamed_if_their_grace_began_before_they_can_notice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it was."""
    monkeypatch.setattr("tests.lab.faults.redis_model.HELD_TTL_S", 0)

    assert sum(sum(result.faults) for result in results(frozen(seed=21))) > 0


def test_a_seed_plays_the_same_history_again() -> None:
    lossy = setting(
        matches=8,
        network=Quality(loss=0.02, duplicates=0.02),
        worker_crash_s=1.0,
        most_faults=4,
        window=4,
    )
    first, again, other = (played(SimArena(lossy, seed)) for seed in (8, 8, 9))

    def history(world: SimArena) -> object:
        stored = [(result.position, result.seed, result.finished) for result in results(world)]
        return world.clock.now, world.network.counts, world.faults, stored

    assert history(first) == history(again)
    assert history(first) != history(other)


def test_a_bot_that_stays_away_is_at_fault_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_connected = SimArena._keep_connected

    def absent(world: SimArena, bot: object) -> None:
        if bot is not world.bots[0]:
            keep_connected(world, bot)  # type: ignore[arg-type]

    monkeypatch.setattr(SimArena, "_keep_connected", absent)
    world = played(SimArena(setting(matches=16, grace_s=3.0), seed=10))

    stored = results(world)
    faults = {result.players[note.seat] for result in stored for note in result.notes}
    assert faults == {world.bots[0].player}
    for result in stored:
        absent_here = [player == world.bots[0].player for player in result.players]
        assert list(result.forfeited) == absent_here


# Bots that are not there


def test_a_late_bot_forfeits_nothing() -> None:
    """It comes when the start grace is over, counted from when it was found to be gone."""
    world = played(SimArena(setting(late={"dan": 35.0}), seed=14))

    assert_as_played_directly(world)
    assert world.clock.now < 60


def test_a_bot_that_never_comes_forfeits_a_few_matches_and_holds_up_nobody_for_long() -> None:
    crashes = setting(late={"dan": 1e9}, withdraw_after=5, worker_crash_s=8.0, most_faults=4)
    world = played(SimArena(crashes, seed=15))
    tournament, stored = world.tournaments[1], world.store.results[1]
    dan = tournament.spec.bots.index("dan")
    own = {position for position, one in tournament.planned.items() if dan in one.seats}

    assert list(violations(world, ended=True, last=0.0)) == []
    assert world.store.withdrawn[1] == {dan}
    assert world.store.cancelled[1] == own - stored.keys()
    # Two workers count each for itself; one that crashed began anew.
    assert 5 <= len(own & stored.keys()) <= 5 * (2 + world.faults["worker crashed"])
    assert world.clock.now < 90
