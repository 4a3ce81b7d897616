"""What the Control contract offers, on a real store and a real Redis."""

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis
import redis.asyncio

from arena.base.errors import (
    AlreadyExists,
    InvalidRequest,
    LimitReached,
    NotFound,
    NotNow,
    Unavailable,
)
from arena.games.record import verify
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.service.live import ready
from arena.service.live.player_presence import Presence
from arena.service.live.presence import claim
from arena.service.live.queues import ADVANCE
from arena.store import Store
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from arena.tournaments.formats.secret import repeatable
from tests.integration.played import play, register


@pytest.fixture
def control(sqlite_store: Store, redis_url: str) -> Iterator[ControlService]:
    """The control of an arena that runs."""
    service = ControlService(sqlite_store, redis_url)
    yield service
    service.close()


@pytest.fixture
def stopped(sqlite_store: Store) -> ControlService:
    """The control of an arena that does not run."""
    return ControlService(sqlite_store, None)


def spec(*names: str, **rest: Any) -> pb.TournamentSpec:
    rest = {"game": "lama", "seats": 2, **rest}
    return pb.TournamentSpec(bots=names, **rest)


def connect_bot(store: Store, url: str, name: str) -> None:
    with store.read() as conn:
        bot = bots.get(conn, name)
    presence = Presence(bot.player, name, "1", "g", "", 0.0, ("lama",), 2, 6, 1, "sdk/1")

    async def say() -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await claim(client, presence)

    asyncio.run(say())


def test_a_registered_bot_can_connect_with_the_token_given(
    control: ControlService, sqlite_store: Store
) -> None:
    answer = control.register_bot(pb.RegisterBotRequest(name="Nora"))

    assert answer.name == "Nora"
    with sqlite_store.read() as conn:
        found = bots.by_token(conn, answer.token)
    assert found is not None
    assert found.name == "Nora"


def test_a_taken_name_is_refused(control: ControlService) -> None:
    control.register_bot(pb.RegisterBotRequest(name="Nora"))

    with pytest.raises(AlreadyExists, match='already a bot named "nora"'):
        control.register_bot(pb.RegisterBotRequest(name="nora"))


def test_a_rotated_token_replaces_the_old_one(control: ControlService, sqlite_store: Store) -> None:
    old = control.register_bot(pb.RegisterBotRequest(name="Nora")).token

    answer = control.rotate_token(pb.BotName(name="nora"))

    assert answer.name == "Nora"
    with sqlite_store.read() as conn:
        assert bots.by_token(conn, old) is None
        found = bots.by_token(conn, answer.token)
    assert found is not None
    assert found.name == "Nora"


def test_bots_are_listed_with_their_connection_and_matches(
    control: ControlService, sqlite_store: Store, redis_url: str
) -> None:
    register(sqlite_store, "bob", "ann")
    play(sqlite_store, "ann", "bob")
    connect_bot(sqlite_store, redis_url, "ann")

    ann, bob = control.list_bots(pb.ListBotsRequest()).bots

    assert (ann.name, ann.connected, ann.sdk, list(ann.games)) == ("ann", True, "sdk/1", ["lama"])
    assert (bob.name, bob.connected, bob.sdk, bob.matches) == ("bob", False, "", 2)


def test_a_tournament_is_stored_with_the_contracts_defaults_and_the_workers_are_told(
    control: ControlService, sqlite_store: Store, redis_client: redis.Redis
) -> None:
    register(sqlite_store, "ann", "bob")

    created = control.create_tournament(spec("ann", "bob"))

    assert (created.id, created.state, created.planned, created.played) == (1, "waiting", 20, 0)
    assert not created.HasField("started")
    wanted = created.spec
    assert (wanted.format, wanted.matches, wanted.deals) == ("round-robin", 20, 0)
    assert wanted.move_ms == 2000
    assert (wanted.start_grace_s, wanted.fault_limit) == (30, 3)
    (task,) = redis_client.lrange(ADVANCE, 0, -1)
    assert json.loads(task)["headers"]["task"] == "arena.advance"


def test_each_tournament_has_a_secret_of_its_own_that_is_not_told(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")

    made = [control.create_tournament(spec("ann", "bob")) for _ in range(3)]

    assert len({one.commitment for one in made}) == 3
    assert {(one.secret, one.repeatable, one.spec.HasField("seed")) for one in made} == {
        ("", False, False)
    }


def test_settings_of_the_organiser_are_kept_even_zero(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")

    asked = spec("ann", "bob", seed=0, start_grace_s=0, matches=6, trusted=True)
    created = control.create_tournament(asked)

    assert (created.spec.start_grace_s, created.planned, created.repeatable) == (0, 6, True)
    assert not created.spec.HasField("seed")
    assert not created.spec.salt
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, created.id, "finished")
    over = control.get_tournament(pb.TournamentId(id=created.id))
    assert over.spec.HasField("seed")
    assert over.spec.seed == 0
    assert over.secret == repeatable(0, bytes.fromhex(over.spec.salt)).hex()


def test_the_largest_seed_survives(control: ControlService, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")

    asked = spec("ann", "bob", seed=2**64 - 1, trusted=True)
    created = control.create_tournament(asked)

    with sqlite_store.read() as conn:
        assert tournaments.get(conn, created.id).spec.repeats == 2**64 - 1


def test_a_seed_that_strangers_could_guess_is_refused(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")

    with pytest.raises(InvalidRequest, match=r"seed and salt .* nor house bots: ann, bob\."):
        control.create_tournament(spec("ann", "bob", seed=1))


def test_unknown_bots_are_named_and_nothing_is_stored(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann")

    with pytest.raises(NotFound, match="bob"):
        control.create_tournament(spec("ann", "bob"))

    assert not control.list_tournaments(pb.ListTournamentsRequest()).tournaments


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "chess"}, "chess"),
        ({"seats": 7}, "7"),
        ({"seats": 0}, "0"),
        ({"seats": 3}, "3 seats, but only 2 bots"),
        ({"format": "swish"}, "swish"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"name": "two\nlines"}, "one line"),
    ],
)
def test_a_tournament_that_cannot_be_played_is_refused(
    control: ControlService, sqlite_store: Store, change: dict[str, Any], sentence: str
) -> None:
    register(sqlite_store, "ann", "bob")

    with pytest.raises(InvalidRequest, match=sentence):
        control.create_tournament(spec("ann", "bob", **change))


def test_a_bot_cannot_enter_twice(control: ControlService, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")

    with pytest.raises(InvalidRequest, match="entered twice"):
        control.create_tournament(spec("ann", "ANN"))


def test_without_a_running_arena_no_tournament_is_begun(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")

    with pytest.raises(Unavailable, match="arena up"):
        stopped.create_tournament(spec("ann", "bob"))

    assert not stopped.list_tournaments(pb.ListTournamentsRequest()).tournaments


def test_without_a_running_arena_everything_can_be_read(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    played = play(sqlite_store, "ann", "bob")

    assert len(stopped.list_bots(pb.ListBotsRequest()).bots) == 2
    assert stopped.get_tournament(pb.TournamentId(id=played.id)).played == 2
    assert len(stopped.get_ratings(pb.RatingsRequest(game="lama")).ratings) == 2


def test_when_redis_is_gone_bots_are_listed_as_not_connected(sqlite_store: Store) -> None:
    register(sqlite_store, "ann")
    service = ControlService(sqlite_store, "redis://127.0.0.1:1/0")

    assert not service.list_bots(pb.ListBotsRequest()).bots[0].connected
    with pytest.raises(Unavailable, match="127.0.0.1:1"):
        service.create_tournament(spec("ann", "bob"))


def test_a_tournament_has_its_standings_best_first(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    played = play(sqlite_store, "ann", "bob", "cho", deals=4)

    tournament = stopped.get_tournament(pb.TournamentId(id=played.id))

    assert (tournament.state, tournament.played, tournament.planned) == ("finished", 24, 24)
    assert tournament.started <= tournament.finished
    scores = [line.score for line in tournament.standings]
    assert scores == sorted(scores, reverse=True)
    assert sum(line.matches for line in tournament.standings) == 48
    assert sum(line.faults for line in tournament.standings) == 8


def test_tournaments_are_listed_newest_first_without_standings(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob")

    listed = stopped.list_tournaments(pb.ListTournamentsRequest()).tournaments

    assert [tournament.id for tournament in listed] == [2, 1]
    assert not any(tournament.standings for tournament in listed)


def test_a_running_tournament_is_cancelled_once(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    running = pb.TournamentId(id=play(sqlite_store, "ann", "bob", deals=5, only=3).id)

    cancelled = control.cancel_tournament(running)

    assert cancelled.state == "cancelled"
    assert cancelled.note == "Cancelled by the organiser. It can be resumed."
    with pytest.raises(NotNow, match="is cancelled"):
        control.cancel_tournament(running)


def test_a_tournament_that_waits_for_a_worker_says_its_place_in_line(
    control: ControlService, sqlite_store: Store, redis_url: str
) -> None:
    register(sqlite_store, "ann", "bob")
    one, other = (play(sqlite_store, "ann", "bob", deals=5, only=3).id for _ in range(2))
    assert control.get_tournament(pb.TournamentId(id=other)).note == ""
    with redis.Redis.from_url(redis_url) as client:
        for each in (one, other):
            ready.add(client, each, [0], matches=10, weight=1)
        ready.note_queued(client, time.time() - 60)

    note = control.get_tournament(pb.TournamentId(id=other)).note
    assert note.startswith("Queued. Second in line, behind lama round-robin")
    assert note.endswith("; no worker is running.")

    control.cancel_tournament(pb.TournamentId(id=other))
    assert control.get_tournament(pb.TournamentId(id=other)).note.startswith("Cancelled")


def test_a_cancelled_tournament_is_resumed_and_the_workers_are_told(
    control: ControlService, sqlite_store: Store, redis_client: redis.Redis
) -> None:
    register(sqlite_store, "ann", "bob")
    request = pb.TournamentId(id=play(sqlite_store, "ann", "bob", deals=5, only=3).id)
    control.cancel_tournament(request)

    resumed = control.resume_tournament(request)

    assert (resumed.state, resumed.note, resumed.played) == ("waiting", "", 3)
    assert not resumed.HasField("finished")
    assert redis_client.llen(ADVANCE) == 1


def test_only_a_cancelled_tournament_can_be_resumed(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    finished = play(sqlite_store, "ann", "bob")

    with pytest.raises(NotNow, match="is finished. Only a cancelled or scheduled one"):
        control.resume_tournament(pb.TournamentId(id=finished.id))


def test_a_tournament_is_watched_until_it_is_over(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    running = play(sqlite_store, "ann", "bob", deals=5, only=3)

    watched = control.watch_tournament(pb.TournamentId(id=running.id))
    assert next(watched).state == "running"
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, running.id, "finished")

    assert [tournament.state for tournament in watched] == ["finished"]


@pytest.mark.parametrize("call", ["get", "cancel", "resume"])
def test_a_tournament_that_does_not_exist_is_not_found(control: ControlService, call: str) -> None:
    with pytest.raises(NotFound, match="no tournament 9"):
        getattr(control, f"{call}_tournament")(pb.TournamentId(id=9))


def test_a_tournament_that_does_not_exist_cannot_be_watched(control: ControlService) -> None:
    with pytest.raises(NotFound, match="no tournament 9"):
        next(control.watch_tournament(pb.TournamentId(id=9)))


def test_ratings_are_listed_for_all_seats_or_one_number(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", seats=3)
    play(sqlite_store, "ann", "bob", seats=2)

    overall = stopped.get_ratings(pb.RatingsRequest(game="lama"))
    at_three = stopped.get_ratings(pb.RatingsRequest(game="lama", seats=3))

    assert sum(line.matches for line in overall.ratings) == 3 * 3 + 2 * 2
    assert sum(line.matches for line in at_three.ratings) == 3 * 3
    assert sum(line.elo for line in overall.ratings) == pytest.approx(3 * 1500)


@pytest.mark.parametrize(("game", "seats"), [("chess", 0), ("", 0), ("lama", 7), ("lama", 1)])
def test_a_rating_table_that_cannot_be_is_refused(
    stopped: ControlService, game: str, seats: int
) -> None:
    with pytest.raises(InvalidRequest):
        stopped.get_ratings(pb.RatingsRequest(game=game, seats=seats))


def test_matches_are_listed_newest_first_page_by_page(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)

    first = stopped.list_matches(pb.ListMatchesRequest(limit=10))
    second = stopped.list_matches(pb.ListMatchesRequest(limit=10, after=first.next))

    found = [*first.matches, *second.matches]
    assert len({match.id for match in found}) == 12
    assert second.next == ""
    times = [match.finished for match in found]
    assert times == sorted(times, reverse=True)


def test_matches_are_listed_by_bot_and_tournament(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "cho")

    of_cho = stopped.list_matches(pb.ListMatchesRequest(bot="cho")).matches
    of_first = stopped.list_matches(pb.ListMatchesRequest(tournament=1)).matches

    assert {match.tournament for match in of_cho} == {2}
    assert {seat.bot for match in of_first for seat in match.seats} == {"ann", "bob"}


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (pb.ListMatchesRequest(bot="nobody"), NotFound),
        (pb.ListMatchesRequest(tournament=9), NotFound),
        (pb.ListMatchesRequest(limit=1001), InvalidRequest),
        (pb.ListMatchesRequest(after="yesterday"), InvalidRequest),
    ],
)
def test_a_list_of_matches_that_cannot_be_is_refused(
    stopped: ControlService, request_: pb.ListMatchesRequest, error: type[Exception]
) -> None:
    with pytest.raises(error):
        stopped.list_matches(request_)


def test_the_record_of_each_match_follows_from_its_seed_and_moves(
    stopped: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)

    for match in stopped.list_matches(pb.ListMatchesRequest()).matches:
        record = json.loads(stopped.get_match_record(pb.MatchId(id=match.id)).json)
        verify(record)
        assert record["id"] == match.id
        assert record["result"]["points"] == [seat.points for seat in match.seats]


def test_the_record_of_a_match_that_does_not_exist_is_not_found(stopped: ControlService) -> None:
    with pytest.raises(NotFound, match="nonsense"):
        stopped.get_match_record(pb.MatchId(id="nonsense"))


def test_a_scheduled_tournament_is_begun_early_by_resuming_it(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    at = time.time() + 3600
    made = control.create_tournament(spec("ann", "bob", starts_at=at))
    assert (made.state, made.starts_at) == ("waiting", at)

    begun = control.resume_tournament(pb.TournamentId(id=made.id))

    assert begun.state == "waiting"
    assert at - 3600 <= begun.starts_at <= time.time()
    with pytest.raises(NotNow, match="Only a cancelled or scheduled one"):
        control.resume_tournament(pb.TournamentId(id=made.id))


@pytest.mark.parametrize(
    ("ahead", "sentence"),
    [
        (-1.0, "is in the past. Choose a later one"),
        (400 * 86_400.0, "more than 366 days ahead. Choose an earlier one"),
        (float("nan"), "is not a number. Give Unix seconds"),
    ],
)
def test_a_start_time_that_cannot_be_is_refused(
    control: ControlService, sqlite_store: Store, ahead: float, sentence: str
) -> None:
    register(sqlite_store, "ann", "bob")

    with pytest.raises(InvalidRequest, match=sentence):
        control.create_tournament(spec("ann", "bob", starts_at=time.time() + ahead))


def test_bots_enter_a_tournament_that_is_open_and_withdraw(
    control: ControlService, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    at = time.time() + 3600
    made = control.create_tournament(spec(starts_at=at, sign_up=pb.SignUp(max_bots=2)))
    assert (made.planned, list(made.spec.bots)) == (0, [])
    assert (made.sign_up.max_bots, made.sign_up.bots_per_author) == (2, 3)

    with pytest.raises(NotNow, match="no bot has entered"):
        control.resume_tournament(pb.TournamentId(id=made.id))
    for bot in ("ann", "bob"):
        control.enter_tournament(pb.EnterRequest(tournament=made.id, bot=bot))
    with pytest.raises(LimitReached, match="All 2 places"):
        control.enter_tournament(pb.EnterRequest(tournament=made.id, bot="cho"))
    left = control.withdraw_from_tournament(pb.EnterRequest(tournament=made.id, bot="ann"))
    assert [entrant.bot for entrant in left.entrants] == ["bob"]
    entered = control.enter_tournament(pb.EnterRequest(tournament=made.id, bot="cho"))

    assert list(entered.spec.bots) == ["bob", "cho"]
    control.retire_bot(pb.BotName(name="cho"))
    seen = control.get_tournament(pb.TournamentId(id=made.id))
    assert list(seen.spec.bots) == ["bob"]


def test_a_sign_up_needs_an_end_and_has_no_forecast(control: ControlService) -> None:
    asked = spec(sign_up=pb.SignUp())
    with pytest.raises(InvalidRequest, match="needs an end"):
        control.create_tournament(asked)
    with pytest.raises(InvalidRequest, match="the entrants are not known yet"):
        control.forecast_tournament(asked)
