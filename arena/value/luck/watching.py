"""Watches matches of a batch as they are played, and values what chance does in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Index, Int, Int16, UInt8, UInt64, next_seats
from arena.batch.chance import Chance
from arena.rules.shedding import DRAW
from arena.value.luck.beliefs import Beliefs
from arena.value.luck.chances import Branches, branches, chance_decides, deals
from arena.value.luck.model import DRAW as CARD
from arena.value.luck.model import KINDS, ROLL
from arena.value.luck.valuing import LuckNet, settled_values
from arena.value.network import Floats

NO_SEAT = -1
ENOUGH = 2048  # events that are valued together
CARD_NUMBER, ROLL_NUMBER, DEAL_NUMBER = KINDS.index(CARD), KINDS.index(ROLL), KINDS.index("deal")


class Events(NamedTuple):
    """What chance did, in the order of matches and decisions."""

    match: Index  # (E,): the number of the match
    round: Int  # (E,)
    decision: Int  # (E,)
    kind: Int  # (E,): an index into KINDS
    seat: Int  # (E,): -1 for a deal
    pairs: Floats  # (E, P): for each pair of seats, V of what came less the mean of V


class _Open(NamedTuple):
    """Events that are not valued yet."""

    match: Index
    decision: Int
    seat: Int
    games: Games  # before it; for a deal, after it
    actions: UInt8
    faces: Int
    styles: Floats  # how each seat plays (N, seats, S), as `Beliefs` has it


class Watch:
    """Steps games, and notes what chance does in them. See `events` when all is played."""

    def __init__(self, net: LuckNet, games: Games, seeds: UInt64) -> None:
        """Of newly begun `games`, as numbered; other deals of match i come from `seeds[i]`."""
        self._net, self._seeds = net, seeds
        self.games, self.match = games, np.arange(len(games))
        self.decision = np.ones(len(games), np.int32)  # number of the present one
        self._beliefs = Beliefs(len(games), games.seats)
        self._dice = Remembering(games.chance)
        games.chance = self._dice
        self._deals: list[_Open] = []
        self._others: list[_Open] = []
        self._valued: list[Events] = []
        self._note_deals(np.arange(len(games)))

    def step(self, actions: UInt8) -> None:
        """Carries out a legal action of each game."""
        games, begun = self.games, self.games.round.copy()
        events = np.flatnonzero(chance_decides(games, actions))
        before = games.select(events) if len(events) else None
        self._beliefs.note(games, actions)
        games.perform(actions)
        games.is_offered = False
        if before is not None:
            self._note(events, before, actions[events])
        self.decision += 1
        self._note_deals(np.flatnonzero((games.round != begun) & ~games.finished))

    def keep(self, games: Index) -> None:
        """Goes on with these games only."""
        self.games, self.match = self.games.select(games), self.match[games]
        self.decision = self.decision[games]
        self._beliefs = self._beliefs.select(games)

    def events(self) -> Events:
        """All events, valued."""
        self._value(0)
        columns: list[Any] = [np.concatenate(each) for each in zip(*self._valued, strict=True)]
        match, _, decision, kind, *_ = columns
        order = np.lexsort((kind != DEAL_NUMBER, decision, match))
        ordered: list[Any] = [column[order] for column in columns]
        return Events(*ordered)

    # What has to be valued

    def _note(self, events: Index, before: Games, actions: UInt8) -> None:
        rolled = self._dice.shown
        faces = np.zeros((len(events), 3), np.intp) if rolled is None else rolled
        seat = before.seat.astype(np.int64)
        made = np.flatnonzero((actions != DRAW) & (rolled is None))
        if len(made):  # to draw, by another's card
            seat[made] = next_seats(before.active_bits[made], before.seat[made])
        match, decision = self.match[events], self.decision[events]
        styles = self._beliefs.select(events).shares()
        noted = _Open(match, decision, seat, before, actions, faces, styles)
        self._others.append(noted)
        self._value(ENOUGH)

    def _note_deals(self, games: Index) -> None:
        if not len(games):
            return
        seat, none = np.full(len(games), NO_SEAT), np.zeros((len(games), 3), np.intp)
        begun = self.games.select(games)
        actions = np.zeros(len(games), np.uint8)
        match, decision = self.match[games], self.decision[games]
        styles = self._beliefs.select(games).shares()
        noted = _Open(match, decision, seat, begun, actions, none, styles)
        self._deals.append(noted)
        self._value(ENOUGH)

    def _value(self, enough: int) -> None:
        for waiting, limit in ((self._others, enough), (self._deals, enough // 4)):
            if waiting and sum(len(each.match) for each in waiting) >= limit:
                self._valued.append(self._valued_together(joined(waiting), waiting is self._deals))
                waiting.clear()

    def _valued_together(self, events: _Open, dealt: bool) -> Events:
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
    """V of what came, less the mean of V over what could have come (N, P)."""
    values = settled_values(net, made.games, begun[made.origin], styles[made.origin])
    starts = np.flatnonzero(np.diff(made.origin, prepend=-1))
    mean = np.add.reduceat(values * made.weight[:, None], starts, axis=0)
    luck: Floats = (values[made.came] - mean).astype(np.float32)
    return luck


def joined(parts: list[_Open]) -> _Open:
    """All events in one."""
    games = parts[0].games.select(np.arange(len(parts[0].match)))
    for name in games.state:
        setattr(games, name, np.concatenate([getattr(part.games, name) for part in parts]))
    games.is_offered = False
    columns = list(zip(*parts, strict=True))
    match, decision, seat, _, actions, faces, styles = columns
    return _Open(
        np.concatenate(match),
        np.concatenate(decision),
        np.concatenate(seat),
        games,
        np.concatenate(actions),
        np.concatenate(faces),
        np.concatenate(styles),
    )


class Remembering:
    """Chance that remembers what dice it has shown last."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.shown: Int | None = None  # (M, 3), the numbers of faces; None before any roll

    def decks(self, seeds: UInt64, rounds: Int, deck: UInt8) -> UInt8:
        """See Chance."""
        return self._chance.decks(seeds, rounds, deck)

    def faces(self, seeds: UInt64, rounds: Int, rolls: Int) -> Int:
        """See Chance."""
        self.shown = self._chance.faces(seeds, rounds, rolls)
        return self.shown
