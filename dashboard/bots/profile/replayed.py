"""What replays of a bot's matches show: its view at each fault, and how it plays, compared with the
others at its tables."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial

from sqlalchemy import Connection

from arena.base.errors import ArenaError
from arena.games.match import Match
from arena.games.packed_log import PackedDecision, unpack
from arena.games.rules import View
from arena.games.rules.view import PLAY
from arena.store.cache import DatabaseCache
from arena.store.matches import matches
from arena.store.matches.rows import StoredMatch, read_one
from arena.store.reports.faults import FaultRow

AMONG = 20  # its latest matches that are not locked


def logged(match: Match, log: bytes) -> Iterator[PackedDecision]:
    """Yield each logged answer while the match is at its decision, then play it."""
    for step in unpack(log):
        if match.finished:
            break
        yield step
        if step.fault is None:
            match.answer(step.action, step.latency_us)
        else:
            match.fail(step.fault, "", step.latency_us, step.forfeited)


@dataclass
class Habits:
    """Counts over rounds, and over decisions with more than one legal action and without faults."""

    rounds: int = 0  # that were scored
    points: int = 0  # penalty points scored in them
    clean: int = 0  # of them without penalty points
    quits: int = 0
    quit_points: int = 0  # penalty points in hand, over all `quits`
    draws: int = 0  # decisions in which it drew although a card fits
    might_play: int = 0

    def quit(self, penalty: int) -> None:
        self.quits += 1
        self.quit_points += penalty

    def had_playable(self, *, drew: bool) -> None:
        self.might_play += 1
        self.draws += drew

    def scored(self, penalty: int) -> None:
        self.rounds += 1
        self.points += penalty
        self.clean += penalty == 0

    @property
    def quit_share(self) -> float | None:
        return _ratio(self.quits, self.rounds)

    @property
    def mean_quit_points(self) -> float | None:
        return _ratio(self.quit_points, self.quits)

    @property
    def draw_share(self) -> float | None:
        """The share of the turns with a fitting card in which it draws instead."""
        return _ratio(self.draws, self.might_play)

    @property
    def clean_share(self) -> float | None:
        return _ratio(self.clean, self.rounds)

    @property
    def mean_points(self) -> float | None:
        return _ratio(self.points, self.rounds)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class Style:
    """The habits of a bot and of the others at its tables, over some matches."""

    matches: int
    own: Habits = field(default_factory=Habits)
    others: Habits = field(default_factory=Habits)


# Matches never change, so the numbers of the matches are the version.
_styles: DatabaseCache[Style] = DatabaseCache(200)


def style_of(conn: Connection, bot: str, game: str) -> Style:
    """Return the style of a bot in a game, over its latest tournament matches."""
    rows, _ = matches.list_matches(conn, bot=bot, game=game, limit=AMONG)
    shown = [row.number for row in rows if not row.locked]
    return _styles.get(
        conn,
        (bot, game),
        lambda _: tuple(shown),
        partial(matches.whole_matches, numbers=shown),
        partial(_style, bot=bot),
    )


def _style(played: Sequence[StoredMatch], bot: str) -> Style:
    found = Style(len(played))
    for match in played:
        habits = [found.own if seat.bot == bot else found.others for seat in match.seats]
        with suppress(ArenaError):  # the match's page shows the error
            _count(match, habits)
    return found


@cache
def _plays(notation: tuple[str, ...]) -> frozenset[int]:
    return frozenset(action for action, name in enumerate(notation) if name.startswith(PLAY))


def _count(stored: StoredMatch, habits: Sequence[Habits]) -> None:
    match = Match(stored.setup)
    game = match.game
    plays = _plays(game.notation)
    for step in logged(match, stored.log):
        if step.fault is not None:
            continue
        action, own = game.notation[step.action], habits[game.seat]
        if action == "quit" and (decision := match.decision) is not None:
            own.quit(decision.penalty)
        if not plays.isdisjoint(game.legal_actions):
            own.had_playable(drew=action == "draw")
    for log in game.rounds:
        if log.points:  # it ended
            for each, penalty in zip(habits, log.penalties, strict=True):
                each.scored(penalty)


# Matches never change, so cached views stay valid.
_seen: DatabaseCache[Mapping[int, View]] = DatabaseCache(500)


@dataclass(frozen=True)
class SeenFault:
    """A fault with the bot's view; None while the match is locked."""

    row: FaultRow
    view: View | None


def seen_faults(conn: Connection, faults: Sequence[FaultRow]) -> list[SeenFault]:
    """Return the faults with their views. Each match is replayed once, up to its last fault."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for fault in faults:
        if not fault.locked:
            wanted[fault.match].add(fault.note.number)
    views = {
        match: _seen.get(
            conn,
            (match, frozenset(numbers)),
            lambda _: None,
            partial(read_one, match=match),
            partial(_views, numbers=numbers),
        )
        for match, numbers in wanted.items()
    }
    nothing: Mapping[int, View] = {}
    return [
        SeenFault(fault, views.get(fault.match, nothing).get(fault.note.number)) for fault in faults
    ]


def _views(stored: StoredMatch | None, numbers: Collection[int]) -> Mapping[int, View]:
    """Return the views at these decisions, as far as the log can be replayed."""
    views: dict[int, View] = {}
    if stored is None:
        return views
    with suppress(ArenaError):  # the match's page shows the error
        match, last = Match(stored.setup), max(numbers)
        for _ in logged(match, stored.log):
            view = match.decision
            if view is None or view.number > last:
                break
            if view.number in numbers:
                views[view.number] = view
    return views
