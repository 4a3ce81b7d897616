"""One match of a batch in play: the match, who plays it, and where its open question is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from arena import record
from arena.match import Fault, Match
from arena.pairing import PlannedMatch
from arena.protocol import codec, decisions
from arena.store.results import FaultNote, MatchResult
from workers.in_play import BatchInPlay


@dataclass(slots=True)
class Table:
    """A match in play. Times are Unix seconds, except `sent_at` (monotonic)."""

    batch: BatchInPlay
    planned: PlannedMatch
    players: tuple[int, ...]  # by seat
    match: Match
    started: float
    player: int = field(init=False, default=0)  # whose answer the match waits for
    ticket: int = 0  # of the open question
    asked: float = 0.0  # when it arose
    gateway: str = ""  # that holds the open question; "" while there is nobody to send it to
    sent_at: float = 0.0
    met: set[int] = field(default_factory=set)  # players who were asked in this match
    rounds_told: int = 0

    def __post_init__(self) -> None:
        self.look_who_is_asked()

    def look_who_is_asked(self) -> None:
        """To be called when the match went on."""
        if self.match.decision is not None:
            self.player = self.players[self.match.decision.seat]

    def tell_start(self) -> None:
        """Tells every player that the match begins."""
        for seat, player in enumerate(self.players):
            self.batch.mail.tell(
                [player], "started", partial(codec.encode_started, self.match, seat)
            )

    def tell_fault(self, fault: Fault) -> None:
        """Tells whom it is charged to."""
        told = partial(codec.encode_fault, self.match.setup.id, fault)
        self.batch.mail.tell([self.players[fault.seat]], "faults", told)

    def tell_progress(self) -> None:
        """Tells of rounds that ended since the last time, and of the end."""
        game = self.match.game
        ended = len(game.rounds) - (not game.finished)
        if ended == self.rounds_told and not game.finished:
            return
        mail = self.batch.mail
        for number in range(self.rounds_told + 1, ended + 1):
            mail.tell(self.players, "rounds", partial(codec.encode_round, self.match, number))
        self.rounds_told = ended
        if self.match.finished:
            mail.tell(self.players, "ended", partial(codec.encode_ended, self.match))

    def ask(self) -> None:
        """Sends the open question to the player."""
        assert self.match.decision is not None
        self.met.add(self.player)
        mail = self.batch.mail
        decision = decisions.encode_decision(self.match.decision, self.ticket, mail.time_ms)
        mail.ask(self.player, self.ticket, decision)

    def result(self, tournament: int, finished: float) -> MatchResult:
        """The finished match as the store takes it."""
        match, result = self.match, self.match.result
        return MatchResult(
            id=match.setup.id,
            tournament=tournament,
            batch=self.batch.number,
            position=self.planned.position,
            deal=self.planned.deal,
            game=match.setup.game,
            ruleset=match.game.ruleset,
            options=match.game.options,
            seed=match.setup.seed,
            players=self.players,
            points=result.points,
            ranks=result.ranks,
            faults=match.fault_counts(),
            forfeited=tuple([fault is not None for fault in result.faults]),
            log=record.pack(match),
            latencies=record.latency_codes(match),
            started=self.started,
            finished=finished,
            notes=tuple(
                [
                    FaultNote(fault.seat, fault.number, fault.kind, fault.reason, fault.instead)
                    for fault in match.faults
                ]
            ),
        )
