"""Implements the Control API on the store of this process."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict

from arena.base import instant
from arena.base.errors import InvalidRequest, NotNow
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import messages
from arena.service.control.messages import filled, read_spec
from arena.service.control.port import MOST, checked_limit
from arena.service.control.registry import ReferenceService, RegistryService
from arena.service.control.results import ResultsService, SeriesService
from arena.service.control.running import RunningArena
from arena.service.forecast import forecast, left, measured, schedule
from arena.service.forecast.left import Left
from arena.service.forecast.waits import check, in_line, place, spent
from arena.store.archive.catalogue import check_resumable
from arena.store.engine import Connections
from arena.store.registry import bot_lists, bots
from arena.store.registry.audit_log import Actor
from arena.store.reports import leaderboard, match_luck, standings, variance
from arena.store.reports.verdict import verdict_on
from arena.store.tournaments import (
    creation,
    format_state,
    series,
    sign_up,
    tournaments,
    withdrawals,
)
from arena.store.tournaments.bench import BENCH_AFTER
from arena.store.tournaments.tournaments import OVER, Kind, Tournament
from arena.tournaments.formats import check_spec, format_of
from arena.tournaments.formats.priority import check_priority
from arena.tournaments.formats.sign_up import check_open

WATCH_EVERY_S = 0.5
IN_FLIGHT = 512
LISTED_TOURNAMENTS = 200


class ControlService(RegistryService, ResultsService, ReferenceService, SeriesService):
    """One method per RPC of control.proto. Thread-safe."""

    def __init__(
        self,
        store: Connections,
        redis_url: str | None,
        in_flight: int = IN_FLIGHT,
        bench_after: int = BENCH_AFTER,
        actor: Callable[[], Actor | None] = lambda: None,
    ) -> None:
        """`redis_url` is None if the arena is not running: then no tournament can be started.
        Forecasts assume that a worker has `in_flight` matches in flight. A bot is benched after
        `bench_after` forfeited matches in a row. `actor` returns the current caller for the audit
        log, or None for callers that are not logged."""
        super().__init__(store, actor)
        self._running = RunningArena(redis_url)
        self._in_flight = in_flight
        self._bench_after = bench_after

    def close(self) -> None:
        """Closes the connection to Redis, but not the store."""
        self._running.close()

    # Bots

    def list_bots(self, request: pb.ListBotsRequest) -> pb.Bots:
        """A page of the bots by name. Raises InvalidRequest if the page is too long."""
        with self._store.read() as conn:
            registered, following = bot_lists.page(
                conn, checked_limit(request.limit, MOST), request.after
            )
            counts = bot_lists.match_counts(conn, {bot.id for bot in registered})
        connected = self._running.present(bot.player for bot in registered)
        statuses = [
            messages.bot_status(bot, connected.get(bot.player), counts.get(bot.id, 0))
            for bot in registered
        ]
        return pb.Bots(bots=statuses, next=following)

    # Tournaments

    def create_tournament(
        self, request: pb.TournamentSpec, owner: int | None = None, kind: Kind = "tournament"
    ) -> pb.Tournament:
        """Stores a tournament of the account `owner`, and notifies the workers. Raises
        InvalidRequest, NotFound for unknown bots, and Unavailable if the arena is not running."""
        requested, places = read_spec(request), messages.read_sign_up(request)
        spec = check_open(requested, places) if places else check_spec(requested)
        starts_at, recurrence = messages.read_starts_at(request), messages.read_recurrence(request)
        self._running.check()
        with self._store.write() as conn:
            created = creation.create(
                conn,
                spec,
                owner=owner,
                kind=kind,
                bench_after=self._bench_after,
                starts_at=starts_at,
                sign_up=places,
            )
            if recurrence:
                series.begin(conn, created, recurrence)
            if kind == "tournament":
                what = f"{spec.name}: {spec.format}, {spec.game}, {len(spec.bots)} bots"
                self._note(conn, "created", f"tournament {created.id}", what)
        self._running.send_advance(created.id)
        return messages.tournament(created)

    def forecast_tournament(self, request: pb.TournamentSpec) -> pb.Forecast:
        """Estimates how long a tournament would take. Raises InvalidRequest, and NotFound for
        unknown bots."""
        if request.HasField("sign_up"):
            raise InvalidRequest(
                "The duration cannot be estimated. With a sign-up, the entrants are not known yet. "
                "Name the bots instead, or ask again after the start."
            )
        spec = check_spec(read_spec(request))
        messages.read_starts_at(request)
        matches = format_of(spec.format).count(spec)
        with self._store.read() as conn:
            spec, entered = creation.check_entrants(conn, spec, bench_after=self._bench_after)
            facts = measured(conn, spec, [bot.player for bot in entered])
        plan = schedule(spec, matches)
        seen = self._running.seen(facts.players)
        return messages.forecast(forecast(plan, facts, seen, self._in_flight), spec)

    def get_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """A tournament with its standings, and on request the ratings of its bots. Raises
        NotFound."""
        with self._store.read() as conn:
            tournament = tournaments.get(conn, request.id)
            remaining = left.read(conn, tournament, instant.now())
            lines = standings.standings(conn, tournament.id)
            rated = leaderboard.by_player(conn, tournament.spec.game) if request.ratings else {}
            message = messages.tournament(tournament, lines, rated)
            so_far = format_state.get(conn, tournament.id).so_far
            message.MergeFrom(messages.remarks_and_test(tournament, so_far))
            message.series = series.number_of(conn, tournament.id) or 0
            message.luck.CopyFrom(filled(pb.Luck, variance.luck(conn, tournament.id)))
            lucky = match_luck.match_luck(conn, tournament.id)
            wins = match_luck.luckiest_wins(conn, tournament.id)
            message.match_luck.CopyFrom(messages.match_luck(lucky, lines, wins))
            players = bots.by_players(conn, tournament.players)
            authors = tournament.spec.authors or [None] * len(tournament.players)
            withdrawn = withdrawals.times(conn, tournament.id)
            numbered = enumerate(zip(tournament.players, authors, strict=True))
            message.entrants.extend(
                messages.entrant(players[player], author, withdrawn.get(entrant))
                for entrant, (player, author) in numbered
            )
            if not tournament.sign_up:
                message.verdict.CopyFrom(pb.Verdict(**asdict(verdict_on(conn, tournament.id))))
        message.MergeFrom(self._forecast(tournament, remaining))
        return message

    def _forecast(self, tournament: Tournament, remaining: Left | None) -> pb.Tournament:
        """The forecast of the remainder, and a check of the first forecast; to be merged."""
        message, still = pb.Tournament(), None
        runs = tournament.state == "running"
        if remaining is not None:
            live = self._running.seen(remaining.measured.players)
            still = left.estimate(remaining, live, self._in_flight)
            message.forecast.CopyFrom(messages.forecast(still, tournament.spec, left=runs))
        if runs and (queued := self._in_line(tournament.id)):
            return pb.Tournament(forecast=message.forecast, note=tournament.note or queued)
        first = self._running.first_forecast(tournament.id)
        times = spent(tournament, instant.now())
        if checked := check(first, tournament, times, still.seconds if still else None):
            message.forecast_check.CopyFrom(filled(pb.ForecastCheck, checked))
        return message

    def _in_line(self, tournament: int) -> str:
        """A sentence on the tournament's place in the line for a worker; "" if it is not queued."""
        line, workers = self._running.line()
        if tournament not in line.queued:
            return ""
        with self._store.read() as conn:
            return f"Queued. {in_line(place(conn, line, workers, [tournament])[tournament])}"

    def list_tournaments(self, request: pb.ListTournamentsRequest) -> pb.Tournaments:
        """A page of the tournaments, newest first, without standings. Raises InvalidRequest if the
        page is too long."""
        limit = checked_limit(request.limit, LISTED_TOURNAMENTS)
        with self._store.read() as conn:
            page = tournaments.all_tournaments(conn, limit + 1, request.after or None)
        shown = page[:limit]
        following = shown[-1].id if len(page) > limit else 0
        return pb.Tournaments(tournaments=map(messages.tournament, shown), next=following)

    def watch_tournament(self, request: pb.TournamentId) -> Iterator[pb.Tournament]:
        """Yields the tournament now and after each change, until it is finished or cancelled.
        Blocks in between."""
        seen = self.get_tournament(request)
        yield seen
        while seen.state not in OVER:
            time.sleep(WATCH_EVERY_S)
            now = self.get_tournament(request)
            if now != seen:
                seen = now
                yield seen

    def cancel_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """Cancels a tournament, which workers notice. Raises NotFound, NotNow if it is over."""
        with self._store.write() as conn:
            tournament = tournaments.lock(conn, request.id)
            series.follow(conn, tournament, instant.now())
            if tournament.state in OVER:
                raise NotNow(
                    f"Tournament {tournament.id} is {tournament.state}. Only a waiting or running "
                    "one can be cancelled."
                )
            note = "Cancelled by the organiser. It can be resumed."
            tournaments.set_state(conn, tournament.id, "cancelled", note=note)
            self._note(conn, "stopped", f"tournament {tournament.id}", tournament.spec.name)
        return self.get_tournament(request)

    def resume_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """Resumes a cancelled tournament, or starts a scheduled one now. Either waits for its bots
        first.

        Raises NotFound, Unavailable if the arena is not running, and NotNow if the tournament is
        neither cancelled nor scheduled, has too few bots, or needs archived matches.
        """
        self._running.check()
        with self._store.write() as conn:
            tournament = tournaments.lock(conn, request.id)
            now = instant.now()
            early = tournament.scheduled(now)
            if not early:
                if tournament.state != "cancelled":
                    raise NotNow(
                        f"Tournament {tournament.id} is {tournament.state}. Only a cancelled or "
                        "scheduled one can be resumed."
                    )
                check_resumable(conn, tournament.id)
            sign_up.check_begins(conn, tournament, self._bench_after)
            if not early:
                tournaments.set_state(conn, tournament.id, "waiting", now=now)
            tournaments.start_now(conn, tournament.id, now)
            done = "began early" if early else "resumed"
            self._note(conn, done, f"tournament {tournament.id}", tournament.spec.name)
        self._running.send_advance(request.id)
        return self.get_tournament(request)

    def enter_tournament(
        self, request: pb.EnterRequest, author: int | None = None
    ) -> pb.Tournament:
        """Enters a bot in a tournament that is open for sign-up, or in a ladder, where its newest
        version replaces an older one. The limit of bots per author applies to the account `author`;
        None is an organiser.

        Raises NotFound, NotNow if the tournament is over, AlreadyExists if the bot has entered,
        LimitReached if there is no place, and InvalidRequest if bots cannot enter.
        """
        with self._store.write() as conn:
            tournament = tournaments.lock(conn, request.tournament)
            if tournament.state in OVER:
                raise NotNow(
                    f"Tournament {tournament.id} is {tournament.state}. Bots can no longer enter."
                )
            if tournament.sign_up is None:
                creation.enter(conn, tournament, request.bot, self._bench_after)
            else:
                sign_up.enter(conn, tournament, request.bot, self._bench_after, author=author)
            self._note(conn, "entered a bot", f"tournament {tournament.id}", request.bot)
        return self.get_tournament(pb.TournamentId(id=request.tournament))

    def withdraw_from_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """Withdraws a bot from a tournament that is open for sign-up. Raises NotFound if the
        bot has not entered, and NotNow if the sign-up is over."""
        with self._store.write() as conn:
            tournament = tournaments.lock(conn, request.tournament)
            sign_up.withdraw(conn, tournament, request.bot)
            self._note(conn, "withdrew a bot", f"tournament {tournament.id}", request.bot)
        return self.get_tournament(pb.TournamentId(id=request.tournament))

    def set_priority(self, request: pb.PriorityRequest) -> pb.Tournament:
        """Changes the share of the workers that a tournament gets, from its next batches on. Raises
        NotFound, and InvalidRequest for an unknown priority."""
        priority = check_priority(request.priority)
        with self._store.write() as conn:
            tournament = tournaments.lock(conn, request.tournament)
            tournaments.set_priority(conn, tournament.id, priority)
            what = f"{tournament.priority} to {priority}"
            self._note(conn, "changed the priority", f"tournament {tournament.id}", what)
        if tournament.state not in OVER:
            self._running.send_advance(tournament.id)
        return self.get_tournament(pb.TournamentId(id=tournament.id))
