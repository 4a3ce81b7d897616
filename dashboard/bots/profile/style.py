"""How a bot plays: what it chooses where it has a choice, next to the others at its tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial

from sqlalchemy import Connection

from arena.base.errors import ArenaError
from arena.games.match import Match
from arena.games.packed_log import unpack
from arena.games.rules.view import PLAY
from arena.store.database_cache import DatabaseCache
from arena.store.matches import matches
from arena.store.matches.rows import StoredMatch

AMONG = 20  # its latest matches that are not locked


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
        """Count a decision to quit with these penalty points in hand."""
        self.quits += 1
        self.quit_points += penalty

    def had_playable(self, *, drew: bool) -> None:
        """Count a decision with a fitting card."""
        self.might_play += 1
        self.draws += drew

    def scored(self, penalty: int) -> None:
        """Count a round."""
        self.rounds += 1
        self.points += penalty
        self.clean += penalty == 0

    @property
    def quit_share(self) -> float | None:
        """The share of rounds that it quits."""
        return _ratio(self.quits, self.rounds)

    @property
    def mean_quit_points(self) -> float | None:
        """The mean penalty points in hand when it quits."""
        return _ratio(self.quit_points, self.quits)

    @property
    def draw_share(self) -> float | None:
        """The share of the turns with a fitting card in which it draws instead."""
        return _ratio(self.draws, self.might_play)

    @property
    def clean_share(self) -> float | None:
        """The share of rounds without penalty points."""
        return _ratio(self.clean, self.rounds)

    @property
    def mean_points(self) -> float | None:
        """The mean penalty points of a round."""
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
    """Return the actions that play a card."""
    return frozenset(action for action, name in enumerate(notation) if name.startswith(PLAY))


def _count(stored: StoredMatch, habits: Sequence[Habits]) -> None:
    """Replay a match and add it to the habits of each seat."""
    match = Match(stored.setup)
    game = match.game
    plays = _plays(game.notation)
    for step in unpack(stored.log):
        if match.finished:
            break
        if step.fault is not None:
            match.fail(step.fault, "", forfeit=step.forfeited)
            continue
        action, own = game.notation[step.action], habits[game.seat]
        if action == "quit" and (decision := match.decision) is not None:
            own.quit(decision.penalty)
        if not plays.isdisjoint(game.legal_actions):
            own.had_playable(drew=action == "draw")
        match.answer(step.action)
    for log in game.rounds:
        if log.points:  # it ended
            for each, penalty in zip(habits, log.penalties, strict=True):
                each.scored(penalty)
