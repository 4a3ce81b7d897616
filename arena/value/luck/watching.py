"""Values the chance events in a batch of matches as they are played."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Index, Int, Int16, UInt8, UInt64, next_seats
from arena.games.batch.chance import Chance
from arena.games.rules.shedding import DRAW
from arena.value.luck.beliefs import Beliefs, log_likelihoods
from arena.value.luck.chances import Branches, branches, chance_decides, deals
from arena.value.luck.model import DRAW as CARD
from arena.value.luck.model import KINDS, ROLL
from arena.value.luck.valuing import LuckNet, settled_values
from arena.value.network import Floats

NO_SEAT = -1
ENOUGH = 2048  # events valued together
CARD_NUMBER, ROLL_NUMBER, DEAL_NUMBER = KINDS.index(CARD), KINDS.index(ROLL), KINDS.index("deal")


class Events(NamedTuple):
    """Chance events, in the order of matches and decisions."""

    match: Index  # (E,): the number of the match
    round: Int  # (E,)
    decision: Int  # (E,)
    kind: Int  # (E,): an index into KINDS
    seat: Int  # (E,): -1 for a deal
    pairs: Floats  # (E, P): for each pair of seats, V of the actual branch less the mean of V


class _Event(NamedTuple):
    """Chance events of one kind that are not valued yet."""

    match: Index
    decision: Int
    seat: Int
    games: Games  # before it; for a deal, after it
    actions: UInt8
    faces: Int
    styles: Floats  # (N, seats, S): from `Beliefs`


class _Decided(NamedTuple):
    """A decision in each of some games, and the chance events that follow."""

    match: Index
    decision: Int
    games: Games  # before it
    actions: UInt8
    events: Index  # (E,): rows
    seat: Int  # (E,)
    faces: Int  # (E, 3)


class _Dealt(NamedTuple):
    """Rounds that have just started."""

    match: Index
    decision: Int
    games: Games


class Watch:
    """Steps games and records their chance events. Call `events` when all are finished."""

    def __init__(self, net: LuckNet, games: Games, seeds: UInt64) -> None:
        """Watch new `games`; other deals of match i come from `seeds[i]`."""
        self._net, self._seeds = net, seeds
        self.games, self.match = games, np.arange(len(games))
        self.decision = np.ones(len(games), np.int32)  # number of the current one
        self._beliefs = Beliefs(len(games), games.seats)
        self._dice = Remembering(games.chance)
        games.chance = self._dice
        self._noted: list[_Decided | _Dealt] = []  # in their order
        self._waiting = 0  # events among them
        self._valued: list[Events] = []
        self._note_deals(np.arange(len(games)))

    def step(self, actions: UInt8) -> None:
        """Take a legal action in each game."""
        games, begun = self.games, self.games.round.copy()
        events, before = np.flatnonzero(chance_decides(games, actions)), games.copy()
        games.perform(actions)
        games.is_offered = False
        self._note(before, actions, events)
        self.decision += 1
        self._note_deals(np.flatnonzero((games.round != begun) & ~games.finished))

    def keep(self, games: Index) -> None:
        """Drop all other games."""
        self.games, self.match = self.games.select(games), self.match[games]
        self.decision = self.decision[games]

    def events(self) -> Events:
        """Return all events with their values."""
        self._value()
        columns: list[Any] = [np.concatenate(each) for each in zip(*self._valued, strict=True)]
        match, _, decision, kind, *_ = columns
        order = np.lexsort((kind != DEAL_NUMBER, decision, match))
        ordered: list[Any] = [column[order] for column in columns]
        return Events(*ordered)

    # Pending events

    def _note(self, before: Games, actions: UInt8, events: Index) -> None:
        rolled, drew = self._dice.shown, actions[events] == DRAW
        seat = before.seat[events].astype(np.int64)
        if rolled is None and not drew.all():  # another seat's card made it draw
            made = events[~drew]
            seat[~drew] = next_seats(before.active_bits[made], before.seat[made])
        faces = np.zeros((len(events), 3), np.intp) if rolled is None else rolled[: len(events)]
        decided = _Decided(self.match, self.decision.copy(), before, actions, events, seat, faces)
        self._noted.append(decided)
        self._count(len(events))

    def _note_deals(self, games: Index) -> None:
        if len(games):
            match, decision = self.match[games], self.decision[games]
            self._noted.append(_Dealt(match, decision, self.games.select(games)))
            self._count(len(games))

    def _count(self, events: int) -> None:
        self._waiting += events
        if self._waiting >= ENOUGH:
            self._value()

    def _value(self) -> None:
        """Value all pending events. Strategies evaluate all decisions together."""
        noted, self._noted, self._waiting = self._noted, [], 0
        deals_, others = list[_Event](), list[_Event]()
        decided = [each for each in noted if isinstance(each, _Decided)]
        logs = self._logs_of(decided)
        for each in noted:
            if isinstance(each, _Decided):
                self._beliefs.learn(each.match, each.games.seat, next(logs))
                if len(each.events):
                    others.append(self._event(each))
            else:
                deals_.append(self._deal(each))
        for waiting, dealt in ((others, False), (deals_, True)):
            if waiting:
                self._valued.append(self._valued_together(joined(waiting), dealt))

    def _logs_of(self, decided: list[_Decided]) -> Iterator[Floats]:
        """Yield the log-likelihoods of styles for each of these decisions."""
        if not decided:
            return iter(())
        games = self.games.joined([each.games for each in decided])
        logs = log_likelihoods(games, np.concatenate([each.actions for each in decided]))
        ends = np.cumsum([len(each.match) for each in decided])
        return iter(np.split(logs, ends[:-1]))

    def _event(self, each: _Decided) -> _Event:
        rows = each.events
        match = each.match[rows]
        styles = self._beliefs.select(match).shares()
        games, actions = each.games.select(rows), each.actions[rows]
        return _Event(match, each.decision[rows], each.seat, games, actions, each.faces, styles)

    def _deal(self, each: _Dealt) -> _Event:
        count = len(each.match)
        seat, none = np.full(count, NO_SEAT), np.zeros((count, 3), np.intp)
        styles = self._beliefs.select(each.match).shares()
        actions = np.zeros(count, np.uint8)
        return _Event(each.match, each.decision, seat, each.games, actions, none, styles)

    def _valued_together(self, events: _Event, dealt: bool) -> Events:
        games = events.games
        if dealt:
            kind, made = DEAL_NUMBER, deals(games, self._seeds[events.match])
        else:
            kind = ROLL_NUMBER if self._dice.shown is not None else CARD_NUMBER
            made = branches(games, events.actions, events.faces)
        luck = luck_in(self._net, made, games.round, events.styles)
        kinds = np.full(len(luck), kind)
        return Events(events.match, games.round.copy(), events.decision, kinds, events.seat, luck)


def luck_in(net: LuckNet, made: Branches, begun: Int16, styles: Floats) -> Floats:
    """Return V of the actual branches less the mean of V over all branches (N, P)."""
    values = settled_values(net, made.games, begun[made.origin], styles.take(made.origin, axis=0))
    starts = np.flatnonzero(np.diff(made.origin, prepend=-1))
    mean = np.add.reduceat(values * made.weight[:, None], starts, axis=0)
    luck: Floats = (values.take(made.came, axis=0) - mean).astype(np.float32)
    return luck


def joined(parts: Sequence[_Event]) -> _Event:
    """Concatenate events."""
    columns = list(zip(*parts, strict=True))
    match, decision, seat, games, actions, faces, styles = columns
    return _Event(
        np.concatenate(match),
        np.concatenate(decision),
        np.concatenate(seat),
        games[0].joined(games),
        np.concatenate(actions),
        np.concatenate(faces),
        np.concatenate(styles),
    )


class Remembering:
    """Chance that remembers its last roll of dice."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.shown: Int | None = None  # (M, 3), the numbers of faces; None before any roll

    def decks(self, seeds: UInt64, rounds: Int, deck: UInt8) -> UInt8:
        return self._chance.decks(seeds, rounds, deck)

    def faces(self, seeds: UInt64, rounds: Int, rolls: Int) -> Int:
        self.shown = self._chance.faces(seeds, rounds, rolls)
        return self.shown
