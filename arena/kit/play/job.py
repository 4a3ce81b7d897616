"""What the processes that play are given and return, and how long they wait for bots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from arena.base.text import latency
from arena.games.match import FaultKind, MatchSetup, Seat
from arena.kit.players import Player
from arena.tournaments.formats import FromSecret, PlannedMatch, Played

HANG_S = 60.0  # for a decision without --move-time
MARGIN_S = 2.0  # after --move-time, in which an answer is only late
START_S = 120.0  # until a bot is loaded and prepared, or its program has connected
MOST_UNANSWERED = 6  # decisions, after which the run stops if half of the bot's matches have one


def patience_s(move_ms: int | None) -> float:
    """Return the seconds after which the bot's process is ended."""
    return HANG_S if move_ms is None else move_ms / 1000 + MARGIN_S


def no_answer(move_ms: int | None) -> str:
    """Return the reason of the fault."""
    return f"No answer within {latency(1e6 * patience_s(move_ms))}. The bot's process was ended."


@dataclass(frozen=True, slots=True)
class Portion:
    """Matches that a process plays with new bots. `unanswered` maps the position of a match to the
    decisions (entrant, number) at which a bot's process was ended in an earlier attempt."""

    matches: tuple[PlannedMatch, ...]
    unanswered: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)


Keep = Literal["all", "faulty"]


@dataclass(frozen=True, slots=True)
class Job:
    """Settings shared by all matches. `keep` selects the records to keep."""

    players: tuple[Player, ...]
    game: str
    seats: int
    options: Mapping[str, str]
    source: FromSecret
    keep: Keep
    move_ms: int | None = None
    start_s: float = START_S
    sandbox: bool = False  # all but house bots play in sandboxes, limited by CPU time
    built: Mapping[Path, Path] = field(default_factory=dict)  # build artifact, by bot folder

    def is_apart(self, player: Player) -> bool:
        """Whether a player has its own process, which measures its time: a program, or a bot in a
        sandbox."""
        return player.program or (self.sandbox and not player.house)

    @property
    def together(self) -> bool:
        """Whether a process may play several matches at once: all players are programs or
        (stateless) house bots."""
        return all(player.program or player.house for player in self.players) and any(
            player.program for player in self.players
        )

    def setup(self, planned: PlannedMatch) -> MatchSetup:
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=self.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple(Seat(self.players[entrant].name) for entrant in planned.seats),
            options=self.options,
        )


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A fault, or an exception in a hook (kind None), which is not a fault."""

    position: int  # of the match in the schedule
    match: str
    entrant: int
    kind: FaultKind | None
    number: int  # of the decision; 0 for a hook
    reason: str
    traceback: str  # of an exception, from the bot's own code on; else ""
    place: str  # of the exception; faults of one bot, kind and place form a group
    view: str  # of the bot, in short
    unanswered: bool = False  # the bot's process had to be ended, or ended by itself


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match. Sequences are by seat; times in nanoseconds."""

    played: Played
    winners: Sequence[int]  # seats
    penalties: Sequence[int]  # for cards, over all rounds
    rounds: int
    decisions: Sequence[int]
    thought_ns: Sequence[int]
    faults: Sequence[FaultReport] = field(default_factory=tuple)
    record: str = ""  # as JSON, if it is kept

    @property
    def planned(self) -> PlannedMatch:
        """The match as it was planned."""
        return self.played.match
