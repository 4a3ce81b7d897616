"""Formats whose blocks follow from results, planned and played by a worker."""

from typing import Any

import pytest

from arena.base.errors import AlreadyExists, InvalidRequest, NotFound
from arena.protocol.internal.relay_pb2 import Reply
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.reports import standings
from arena.store.tournaments import batches, creation, format_state, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, format_of
from arena.tournaments.formats.swiss import Swiss
from tests.integration.worker_world import FakeGateway, World
from tests.made_results import entered, result, save
from workers.advancing.advance import plan, plan_ahead
from workers.playing import lease
from workers.schedule import RunOutcome

NAMES = tuple("abcdefgh")
KNOCKOUT: dict[str, Any] = {"format": "knockout", "seats": 2, "cycles": 1}


@pytest.fixture(autouse=True)
def short_matches(gateway: FakeGateway) -> None:
    """All bots quit as soon as possible, because these tests are about the schedule."""
    gateway.answer = lambda decision: {"index": decision.view.indices[-1]}


def stored(world: World, tournament: Tournament) -> list[Any]:
    with world.store.read() as conn:
        return list(matches.iterate_matches(conn, tournament.id))


def table(world: World, tournament: Tournament) -> list[standings.Standing]:
    with world.store.read() as conn:
        return standings.standings(conn, tournament.id)


def kept(world: World, tournament: Tournament) -> format_state.FormatState:
    with world.store.read() as conn:
        return format_state.get(conn, tournament.id)


@pytest.mark.parametrize(
    ("spec", "played"),
    [
        ({"format": "gauntlet", "seats": 3, "cycles": 1}, 21 * 3),
        ({"format": "knockout", "seats": 4, "cycles": 2}, 3 * 2 * 4),
        ({"format": "swiss", "seats": 2, "cycles": 1, "format_options": {"rounds": "3"}}, 24),
        ({"format": "ladder", "seats": 4, "cycles": 1, "format_options": {"matches": "150"}}, 148),
        ({"format": "versus", "seats": 3, "cycles": 5, "format_options": {"max_deals": "23"}}, 24),
    ],
    ids=lambda value: value["format"] if isinstance(value, dict) else "",
)
def test_every_format_is_played_to_its_end(
    world: World, gateway: FakeGateway, spec: dict[str, Any], played: int
) -> None:
    tournament = world.tournament(NAMES, **spec)
    gateway.connect(*tournament.players)

    ended = world.play_all(tournament)

    assert (ended.state, ended.played, ended.planned) == ("finished", played, played)
    assert len(stored(world, tournament)) == played
    lines = table(world, tournament)
    assert [line.rank for line in lines] == sorted(line.rank for line in lines)


def test_a_block_waits_until_all_before_it_is_finished(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(NAMES, **KNOCKOUT)
    gateway.connect(*tournament.players)
    numbers = world.advance(tournament)
    assert len(numbers) > 1

    *others, last = [world.run(tournament, number) for number in numbers]
    for run in others:
        assert run.play() is RunOutcome.DONE
        assert world.advance(tournament) == []
    assert kept(world, tournament).blocks == 0
    assert last.play() is RunOutcome.DONE

    following = world.advance(tournament)
    assert following
    assert min(following) > max(numbers)
    assert (kept(world, tournament).blocks, kept(world, tournament).matches) == (1, 8)


def test_a_block_is_planned_once_however_often_it_is_asked_for(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(NAMES, **KNOCKOUT)
    gateway.connect(*tournament.players)
    for number in world.advance(tournament):
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()

    following = world.advance(tournament)
    for number in following:
        lease.unqueue(world.client, tournament.id, number)
    assert world.advance(tournament) == following

    with world.store.read() as conn:
        planned = [m for batch in batches.open_batches(conn, tournament.id) for m in batch.matches]
    assert [match.position for match in planned] == [8, 9, 10, 11]


def play_what_is_due(world: World, tournament: Tournament) -> None:
    for number in world.advance(tournament):
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()


def test_others_can_write_while_the_next_round_is_worked_out(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = world.tournament(NAMES, format="swiss", seats=4, cycles=1)
    gateway.connect(*tournament.players)
    play_what_is_due(world, tournament)
    draw, drawn = Swiss.draw, []

    def draw_while_another_writes(self: Swiss, *about: Any) -> list[list[int]]:
        with world.store.write() as conn:  # would wait forever for the holder of the lock
            tournaments.lock(conn, tournament.id)
        drawn.append(draw(self, *about))
        return drawn[-1]

    monkeypatch.setattr(Swiss, "draw", draw_while_another_writes)

    assert world.advance(tournament)
    assert len(drawn) == 1


def test_a_block_worked_out_too_early_is_worked_out_again(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(NAMES, format="swiss", seats=2, cycles=1)
    gateway.connect(*tournament.players)
    play_what_is_due(world, tournament)
    early = plan_ahead(world.store, tournament.id)
    play_what_is_due(world, tournament)

    with world.store.write() as conn:
        plan(conn, tournaments.lock(conn, tournament.id), early)
        planned = [m for batch in batches.open_batches(conn, tournament.id) for m in batch.matches]

    assert early is not None
    assert early.matches[0].position == 8
    assert [match.position for match in planned] == list(range(16, 24))


def test_the_knockout_ends_with_one_winner_who_stands_first(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(NAMES, **KNOCKOUT)
    gateway.connect(*tournament.players)

    world.play_all(tournament)

    last = stored(world, tournament)[-1]
    lines = table(world, tournament)
    assert [line.rank for line in lines] == list(range(1, 9))
    assert {line.bot for line in lines[:2]} == {seat.bot for seat in last.seats}
    (said,) = format_of("knockout").remarks(tournament.spec, kept(world, tournament).so_far)
    assert said == f"Final played; {lines[0].bot} has won."


@pytest.mark.parametrize("seats", [3, 6])
def test_a_program_against_itself_among_others_is_found_indistinguishable(
    world: World, gateway: FakeGateway, seats: int
) -> None:
    tournament = world.tournament(
        NAMES[: seats + 1], format="versus", seats=seats, deals=6, repeats=6,
        format_options={"elo1": "150", "deals": "duplicate"},
    )  # fmt: skip
    gateway.connect(*tournament.players)

    ended = world.play_all(tournament)

    verdict = format_of("versus").verdict(tournament.spec, kept(world, tournament).so_far)
    assert verdict is not None
    assert (ended.state, verdict.state) == ("finished", "indistinguishable")
    assert ended.played == 2 * 6 * -(-verdict.deals // 6)
    candidate, baseline = [line for line in table(world, tournament) if line.bot in NAMES[:2]]
    assert (candidate.mean_points, candidate.score) == (baseline.mean_points, baseline.score)
    assert candidate.wins == baseline.wins > 0


def test_versus_against_an_absent_bot_stops_undecided_with_a_reduced_plan(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(("newer", "old"), format="versus", seats=2, cycles=10)
    assert tournament.planned == 10_000
    gateway.connect(tournament.players[0])  # the other one forfeits every match

    ended = world.play_all(tournament)

    assert ended.state == "finished"
    assert ended.played == ended.planned == 20
    so_far = kept(world, tournament).so_far
    verdict = format_of("versus").verdict(tournament.spec, so_far)
    assert verdict is not None
    assert verdict.state == "undecided"
    said = format_of("versus").remarks(tournament.spec, so_far)[1]
    assert said.startswith("Undecided: old forfeited in 3 of 3 deals")


@pytest.mark.parametrize("format_name", ["knockout", "swiss", "ladder", "versus"])
def test_if_all_bots_forfeit_it_still_ends_with_a_table(
    world: World, gateway: FakeGateway, format_name: str
) -> None:
    options = {"ladder": {"matches": "128"}, "swiss": {"rounds": "2"}}.get(format_name, {})
    tournament = world.tournament(
        NAMES[:2] if format_name == "versus" else NAMES[:4],
        format=format_name, seats=2, cycles=20, fault_limit=1, format_options=options,
    )  # fmt: skip
    gateway.connect(*tournament.players)
    gateway.answer = lambda decision: {"outcome": Reply.TIMEOUT}

    ended = world.play_all(tournament)

    assert ended.state == "finished"
    lines = table(world, tournament)
    assert sum(line.wins for line in lines) <= sum(line.matches for line in lines)
    assert sum(line.forfeits for line in lines) > 0
    assert all(0.0 <= line.score <= 1.0 for line in lines)


def test_one_cancelled_in_the_middle_of_a_block_carries_on_with_the_same_schedule(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(NAMES, format="swiss", seats=2, cycles=2)
    gateway.connect(*tournament.players)
    for number in world.advance(tournament)[:2]:
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()
    with world.store.write() as conn:
        tournaments.set_state(conn, tournament.id, "cancelled")
    assert world.advance(tournament) == []
    shown = table(world, tournament)
    assert sum(line.matches for line in shown) == 2 * world.read(tournament).played > 0

    with world.store.write() as conn:
        tournaments.set_state(conn, tournament.id, "waiting")
        for number in batches.open_numbers(conn, tournament.id):
            lease.unqueue(world.client, tournament.id, number)
    ended = world.play_all(tournament)

    assert (ended.state, ended.played) == ("finished", ended.planned)
    positions = [match.position for match in stored(world, tournament)]
    assert positions == list(range(format_of("swiss").count(tournament.spec)))


def test_a_tournament_keeps_the_versions_it_began_with(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(NAMES[:4], **KNOCKOUT)
    gateway.connect(*tournament.players)
    for number in world.advance(tournament):
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()
    with world.store.write() as conn:
        newer = bots.new_version(conn, "a", "")
    gateway.disconnect(tournament.players[0])
    gateway.connect(newer.player)

    ended = world.play_all(tournament)

    # The version that entered is no longer connected, so it forfeits its remaining matches.
    assert ended.state == "finished"
    assert ended.players == tournament.players
    played = [match for match in stored(world, tournament) if match.position >= 4]
    mine = [seat for match in played for seat in match.seats if seat.bot == "a"]
    assert {seat.version for seat in mine} <= {"1"}
    assert all(seat.forfeited for seat in mine)


# Ladders take new bots


def test_a_bot_joins_a_ladder_under_way_and_is_seated_in_the_next_block(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(
        NAMES[:4], format="ladder", seats=2, cycles=1, format_options={"matches": "240"}
    )
    gateway.connect(*tournament.players)
    numbers = world.advance(tournament)
    with world.store.write() as conn:
        newcomer, _ = bots.register(conn, "zoe")
        creation.enter(conn, tournaments.lock(conn, tournament.id), "ZOE")
    gateway.connect(newcomer.player)
    for number in numbers:
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()

    ended = world.play_all(tournament)

    assert ended.spec.bots == (*NAMES[:4], "zoe")
    assert ended.players[-1] == newcomer.player
    assert (ended.state, ended.played) == ("finished", 240)
    (line,) = [line for line in table(world, tournament) if line.bot == "zoe"]
    assert line.matches > 240 * 2 / 5 / 4


def test_a_new_version_takes_the_place_of_the_old_one_in_a_ladder(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(
        NAMES[:3], format="ladder", seats=2, cycles=1, format_options={"matches": "256"}
    )
    gateway.connect(*tournament.players)
    for number in world.advance(tournament):
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()
    before = {line.bot: line.matches for line in table(world, tournament)}
    with world.store.write() as conn:
        newer = bots.new_version(conn, "b", "")
        creation.enter(conn, tournaments.lock(conn, tournament.id), "b")
    gateway.connect(newer.player)

    world.play_all(tournament)

    lines = {line.version: line for line in table(world, tournament) if line.bot == "b"}
    assert lines["1"].matches == before["b"]
    assert lines[newer.version].matches > 20


def test_refused_entry_gives_the_reason(store: Store) -> None:
    ladder = entered(store, ["ada", "bob"], format="ladder", seats=2)
    league = entered(store, ["ada", "bob"], seats=2)

    with store.write() as conn:
        with pytest.raises(AlreadyExists, match="ada 1 is already in tournament 1"):
            creation.enter(conn, ladder, "Ada")
        with pytest.raises(NotFound, match="zoe"):
            creation.enter(conn, ladder, "zoe")
        with pytest.raises(InvalidRequest, match="is a round-robin, not a ladder"):
            creation.enter(conn, league, "ada")


# What the store keeps of results, on both databases


@pytest.mark.parametrize("format_name", ["knockout", "swiss", "ladder", "versus"])
def test_stored_state_equals_results_folded_in_memory(store: Store, format_name: str) -> None:
    options = {"ladder": {"matches": "900"}}.get(format_name, {})
    made = entered(
        store, ["ada", "bob", "cyd", "dan", "eve"][: 2 if format_name == "versus" else 5],
        format=format_name, seats=2, matches=6, format_options=options,
    )  # fmt: skip
    format_, first = format_of(format_name), 0
    so_far: SoFar = {}
    for number in range(3):
        block = format_.block(made.spec, number, so_far)
        if not block:
            break
        save(store, [result(made, one, [7 * e + one.deal % 9 for e in one.seats]) for one in block])

        with store.write() as conn:
            played = format_state.played_from(conn, made, first)
            plan = format_state.fold(conn, tournaments.lock(conn, made.id))
            assert format_state.fold(conn, made) == plan, "a second time there is nothing new"

        assert [one.match for one in played] == list(block)
        so_far, first = dict(format_.fold(made.spec, so_far, played)), first + len(block)
        assert (plan.blocks, plan.matches, plan.so_far) == (number + 1, first, so_far)
        with store.read() as conn:
            assert format_state.get(conn, made.id) == plan
            places = format_.places(made.spec, plan.so_far)
            lines = standings.standings(conn, made.id)
            if format_name == "knockout":
                firsts = [places[made.players.index(line.player)].first for line in lines]
                assert firsts == sorted(firsts)


def test_results_that_end_a_tournament_early_take_what_was_planned_back(store: Store) -> None:
    made = entered(store, ["ada", "bob"], format="versus", seats=2, matches=6)
    block = format_of("versus").block(made.spec, 0)
    save(store, [result(made, one, one.seats) for one in block])

    with store.write() as conn:
        tournaments.end(conn, tournaments.lock(conn, made.id))

    with store.read() as conn:
        found = tournaments.get(conn, made.id)
    assert (found.state, found.planned, found.played) == ("finished", 6, 6)


# Seeds


def test_seeding_by_elo_enters_the_best_first(store: Store) -> None:
    first = entered(store, ["ada", "bob", "cyd"], seats=2, matches=2)
    for planned in format_of("round-robin").block(first.spec, 0):
        save(store, [result(first, planned, [9 - entrant for entrant in planned.seats])])

    cup = entered(
        store, ["ada", "bob", "cyd", "dan"], format="knockout", seats=2,
        format_options={"seeding": "elo"},
    )  # fmt: skip

    # cyd has beaten both, dan counts as 1500, and bob lost to the stronger after he had won.
    assert cup.spec.bots == ("cyd", "dan", "bob", "ada")
    with store.read() as conn:
        named = {bot.player: bot.name for bot in bots.all_bots(conn)}
    assert tuple(named[player] for player in cup.players) == cup.spec.bots
