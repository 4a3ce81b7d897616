"""Stores tournaments as workers would, their matches played by a die."""

import random
from collections.abc import Callable

from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import latency_codes, pack
from arena.games.rules.view import View
from arena.store import Store
from arena.store.registry import bots
from arena.store.save import FaultNote, MatchResult, save_results
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.tournaments import Kind, State, Tournament
from arena.tournaments.formats import (
    PlannedMatch,
    TournamentSpec,
    check_spec,
    format_of,
)
from tests.made_results import SALT, source_of


def register(store: Store, *names: str) -> None:
    with store.write() as conn:
        for name in names:
            bots.register(conn, name)


def play(
    store: Store,
    *names: str,
    seats: int = 2,
    deals: int = 1,
    only: int | None = None,
    game: str = "lama",
    kind: Kind = "tournament",
) -> Tournament:
    """A tournament of registered bots with shared deals and its matches played, or only the first
    few.

    In every third match the first to be asked commits a fault.
    """
    shared = {"deals": "duplicate"}
    spec = check_spec(
        TournamentSpec(
            game=game,
            bots=names,
            seats=seats,
            deals=deals,
            repeats=7,
            salt=SALT,
            format_options=shared,
            trusted=True,
        )
    )
    with store.write() as conn:
        tournament = creation.create(conn, spec, kind=kind)
        planned = format_of(spec.format).block(tournament.spec, 0)[:only]
        save_results(conn, [played(tournament, match) for match in planned])
        state: State = "finished" if only is None else "running"
        tournaments.set_state(conn, tournament.id, "running")
        tournaments.set_state(conn, tournament.id, state)
        return tournaments.get(conn, tournament.id)


def played(
    tournament: Tournament,
    planned: PlannedMatch,
    choose: Callable[[View, PlannedMatch], str] | None = None,
) -> MatchResult:
    """A match as it is planned; by a die with a fault now and then, or as `choose` says."""
    spec = tournament.spec
    setup = MatchSetup(
        source_of(tournament).match_id(planned.position),
        spec.game,
        source_of(tournament).deal_seed(planned.deal),
        tuple(Seat(spec.bots[entrant]) for entrant in planned.seats),
        spec.options,
        spec.fault_limit,
    )
    match, die = Match(setup), random.Random(planned.position)
    if choose is None and planned.position % 3 == 0:
        match.fail("timeout", "No answer within 2000 ms.")
    while view := match.decision:
        match.answer(choose(view, planned) if choose else die.choice(view.actions))
    notes = [FaultNote(f.seat, f.number, f.kind, f.reason, f.instead) for f in match.faults]
    return MatchResult(
        id=setup.id,
        tournament=tournament.id,
        batch=0,
        position=planned.position,
        deal=planned.deal,
        game=spec.game,
        ruleset=match.game.ruleset,
        options=spec.options,
        seed=setup.seed,
        players=tuple(tournament.players[entrant] for entrant in planned.seats),
        points=match.result.points,
        ranks=match.result.ranks,
        faults=match.fault_counts(),
        forfeited=tuple(fault is not None for fault in match.result.faults),
        log=pack(match),
        latencies=latency_codes(match),
        started=1000.0,
        finished=1001.0 + planned.position,
        notes=tuple(notes),
    )
