"""The scene on a game's page: the state of the game, the connections of its bots, and hints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import BoundedSemaphore
from typing import Final

from sqlalchemy import Connection

from arena.base.errors import NotNow
from arena.games.match import Match
from arena.games.rules import View
from arena.service.live import people
from arena.value.review import Option
from arena.value.review.review import both, seed_of
from arena.value.review.values import evaluate
from dashboard.bots.index.connection import ConnectionState as Link
from dashboard.bots.index.connection import connection
from dashboard.matches.detail.sheet import sheet
from dashboard.matches.replay.states import State, at_decision, states
from dashboard.play import offers
from dashboard.play.offers import ButtonGroup, Choice
from dashboard.play.story import Scored, StoryLine, scorings, story
from dashboard.play.table_state import TableState
from dashboard.sources import sources

SLOW_S = 3  # the page names a bot that thinks for longer
SHORT_S = 120  # the page shows the player's clock when less is left
LEFT_STEP_S = 20
LAST_S, LAST_STEP_S = 30, 5  # near the end, the clock is more precise
SAMPLES: Final = 64  # states for an action in each of two halves
AT_ONCE: Final = 2  # in one dashboard process; hints use its CPU
WAIT_S: Final = 2.0
BUSY: Final = "Too many players are asking for hints. Press again in a moment."


@dataclass(frozen=True)
class Scene:
    """The table at one moment. Sequences are by seat."""

    table: TableState
    mark: str  # changes with every event at the table
    links: Sequence[Link | None]  # of the others; None for the player
    left: bool  # the player left the table
    answered: bool  # the player's answer is on its way
    match: Match | None = None
    state: State | None = None
    events: Sequence[StoryLine | Scored] = ()
    scored: Sequence[Scored] = ()  # all rounds that have been scored
    groups: Sequence[ButtonGroup] = ()
    in_hand: dict[str, Choice] | None = None

    @property
    def my_turn(self) -> bool:
        return bool(self.groups) and not self.answered

    @property
    def waiting(self) -> bool:
        return not (self.table.over or self.table.closed or self.my_turn)

    @property
    def thinking(self) -> str | None:
        if self.state is None or self.state.seat in (None, self.table.seat):
            return None
        return self.table.names[self.state.seat or 0]

    @property
    def away(self) -> list[str]:
        """Names of players in the match that have lost their connection."""
        return [
            name
            for name, link in zip(self.table.names, self.links, strict=True)
            if link is not None and link.state in ("away", "offline") and name not in self.forfeited
        ]

    @property
    def forfeited(self) -> list[str]:
        faults = self.match.faults if self.match else ()
        return [self.table.names[fault.seat] for fault in faults if fault.forfeited]

    @property
    def key(self) -> str:
        """Version of the page: changes when the page would look different."""
        return self.key_if(my_turn=self.my_turn)

    def key_if(self, *, my_turn: bool) -> str:
        """The key with or without the player's turn, which an outline does not know."""
        if self.table.over:
            return self.mark
        return f"{self.mark}-{self.left_s if my_turn else self.thinking_s}"

    @property
    def thinking_s(self) -> int:
        """Seconds since the open question was asked, in steps; 0 at first."""
        passed = self.table.question_age_s()
        step = SLOW_S if passed < SHORT_S else LEFT_STEP_S
        return int(passed // step * step)

    @property
    def left_s(self) -> int | None:
        """Seconds left on the player's clock, in steps; None while there is plenty of time."""
        left = self.table.tournament.spec.move_ms / 1000 - self.table.question_age_s()
        step = LEFT_STEP_S if left > LAST_S else LAST_STEP_S
        return None if left > SHORT_S else max(0, round(left / step) * step)


def outline(table: TableState) -> Scene:
    """The part of the scene that shows whether it has changed. Raises redis.RedisError."""
    live = sources().live([bot.player for bot in table.players])
    links = [
        None if seat == table.seat else connection(live, bot.player)
        for seat, bot in enumerate(table.players)
    ]
    client = sources().redis
    left = not table.over and people.has_left(client, table.me.player)
    answered = False
    if table.aside is not None:
        answered = people.answered(client, table.aside.ticket) is not None
    words = [link.state if link else "me" for link in links]
    mark = "-".join([table.mark, *words, f"{left:d}{answered:d}"])
    return Scene(table, mark, links, left, answered)


def full_scene(conn: Connection, scene: Scene) -> Scene:
    table, match = scene.table, scene.table.match(conn)
    if match is None or table.closed:
        return scene
    view = match.decision
    mine = view is not None and view.seat == table.seat and not scene.left
    if match.finished:
        state = states(match, sheet(match), len(match.game.rounds), None)[-1]
    else:
        state = at_decision(match, table.seat)
    places = [
        replace(place, bot=name) for place, name in zip(state.places, table.names, strict=True)
    ]
    return replace(
        scene,
        match=match,
        state=replace(state, places=places),
        answered=scene.answered and mine,
        events=story(match, table.seat, table.names),
        scored=scorings(match),
        groups=offers.groups(view, table.names) if mine and view else (),
        in_hand=offers.in_hand(view) if mine and view else {},
    )


def open_decision(scene: Scene) -> View | None:
    return scene.match.decision if scene.match and scene.groups else None


_free = BoundedSemaphore(AT_ONCE)


def hint_for(view: View) -> list[Option]:
    """The legal actions with their values, best first, computed from the view alone. Raises NotNow
    while too many hints are being computed, and UnknownGame and Unavailable like `evaluate`."""
    if not _free.acquire(timeout=WAIT_S):
        raise NotNow(BUSY)
    try:
        every = [range(len(view.actions))]
        (halves,) = evaluate([view], every, SAMPLES, seed_of(view.match, view.number))
    finally:
        _free.release()
    return list(both(view.actions, halves))
