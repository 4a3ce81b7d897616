"""The luck in matches that are stored: they are replayed together, and watched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arena.batch import Games, batch_class
from arena.batch.arrays import Bool, Index, Int, UInt8, UInt64
from arena.batch.chance import AS_IN_ARENA
from arena.batch.dice import DiceGames
from arena.batch.rounds import RETURN, TURN
from arena.record import PackedDecision, RecordError, unpack
from arena.rules.dice import QUIT as NO_MORE_ROLLS
from arena.rules.kadabra import COLLECT
from arena.rules.shedding import QUIT
from arena.rules.shuffles import SEED_BYTES
from arena.value import catalog
from arena.value.luck.model import DEAL, KINDS, UNIT, FinishedMatch, LuckEvent, MatchLuck
from arena.value.luck.valuing import LATER, SHOW, LuckNet, find
from arena.value.luck.watching import NO_SEAT, Events, Watch
from arena.value.strategies.dice import usual
from arena.value.turns import pairs

AT_ONCE = 4096  # matches that are replayed together
LOWEST, HIGHEST = np.array([[0], [0xFFFFFFFF]], np.uint32)  # words for `nth_legal`
DEAL_SEEDS = b"lama-arena/luck/1"


def luck_of(
    game: str,
    seats: int,
    matches: Sequence[FinishedMatch],
    options: Mapping[str, str] | None = None,
    ruleset: str = "",
    folder: Path = catalog.NETS,
) -> list[MatchLuck | None]:
    """The luck in each of these matches, of one game with the same options and as many seats.

    None for all if there is no net for the game, seats and options, or if `ruleset` is not the
    game's newest (empty: it is); None for a match whose log is damaged or does not fit its seed.
    What comes out for a match depends on nothing but itself and `version_of`, to a few UNITs: how
    sums are rounded differs with what is calculated beside it. Pure, without IO but for reading the
    nets once; a few milliseconds a match, when there are some hundred together.
    Raises UnknownGame, BadSeats, BadOption.
    """
    batch = batch_class(game)
    batch.rules.check_seats(seats)
    net = find(game, seats, options, folder)
    if net is None or ruleset not in ("", batch.rules.ruleset):
        return [None] * len(matches)
    found: list[MatchLuck | None] = []
    for first in range(0, len(matches), AT_ONCE):
        some = matches[first : first + AT_ONCE]
        found += _luck_of(net, batch, seats, some, options or {})
    return found


def version_of(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> str | None:
    """What `MatchLuck.net` is for such matches; None if there is no net. At most 24 characters.

    Luck of different versions must not be added up in one table.
    """
    net = find(game, seats, options, folder)
    return net.version if net else None


def _luck_of(
    net: LuckNet,
    batch: type[Games],
    seats: int,
    matches: Sequence[FinishedMatch],
    options: Mapping[str, str],
) -> list[MatchLuck | None]:
    logs = [_decisions(match) for match in matches]
    readable = [number for number, log in enumerate(logs) if log is not None]
    found: list[MatchLuck | None] = [None] * len(matches)
    if not readable:
        return found
    chosen = [matches[number] for number in readable]
    watch = Watch(net, _dealt(batch, seats, chosen, options), deal_seeds(chosen))
    sound = _Replay(watch, [logs[number] or [] for number in readable]).run()
    luck = matches_luck(net, watch.events(), len(chosen))
    for number, is_sound, each in zip(readable, sound.tolist(), luck, strict=True):
        found[number] = each if is_sound else None
    return found


def _decisions(match: FinishedMatch) -> list[PackedDecision] | None:
    if len(match.seed) != SEED_BYTES:
        return None
    try:
        return unpack(match.log)
    except RecordError:
        return None


def _dealt(
    batch: type[Games], seats: int, matches: Sequence[FinishedMatch], options: Mapping[str, str]
) -> Games:
    """Newly begun games with the cards of these matches."""
    games = batch(len(matches), seats, bytes(SEED_BYTES), options)
    seeds = b"".join(match.seed for match in matches)
    games.seeds = np.frombuffer(seeds, "<u8").astype(np.uint64).reshape(-1, 2)
    games.chance = AS_IN_ARENA
    games.round[:] = 0
    games.begin_round(np.arange(len(games)), np.zeros(len(games), np.int8))
    return games


def deal_seeds(matches: Sequence[FinishedMatch]) -> UInt64:
    """Seeds of the other deals (N, 2): nobody knows them before the match is over, since they
    follow from its seed, and its id makes them differ where matches share a deal."""
    digests = [
        hashlib.sha256(DEAL_SEEDS + match.seed + match.id.encode()).digest()[:16]
        for match in matches
    ]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64).reshape(-1, 2)


class _Replay:
    """Carries out the logged decisions, forced ones and those of seats that have forfeited."""

    def __init__(self, watch: Watch, logs: Sequence[Sequence[PackedDecision]]) -> None:
        self._watch, games = watch, len(logs)
        self._lengths = np.array([len(log) for log in logs])
        shape = (games, int(self._lengths.max(initial=0)) + 1)
        self._actions, self._forfeits = np.zeros(shape, np.uint8), np.zeros(shape, np.bool_)
        for number, log in enumerate(logs):
            self._actions[number, : len(log)] = [entry.action for entry in log]
            self._forfeits[number, : len(log)] = [entry.forfeited for entry in log]
        self._next = np.zeros(games, np.intp)  # logged decision, by match
        self._out = np.zeros((games, watch.games.seats), np.bool_)  # who has forfeited
        self._sound = np.ones(games, np.bool_)

    def run(self) -> Bool:
        """Replays all; whether each log led to the end of its match."""
        watch = self._watch
        while True:
            going = np.flatnonzero(~watch.games.finished & self._sound[watch.match])
            if len(going) < len(watch.match):
                if not len(going):
                    break
                watch.keep(going)
            self._step()
        self._sound &= self._next == self._lengths
        return self._sound

    def _step(self) -> None:
        watch, games = self._watch, self._watch.games.offered()
        match = watch.match
        lowest, highest = games.nth_legal(LOWEST), games.nth_legal(HIGHEST)
        out = self._out[match, games.seat]
        logged = np.flatnonzero(~out & (lowest != highest))
        actions = np.where(out, default_actions(games, lowest, highest), lowest).astype(np.uint8)
        numbers, place = match[logged], self._next[match[logged]]
        given = self._actions[numbers, place]
        wrong = place >= self._lengths[numbers]
        wrong |= ~_legal(games, logged, given)
        self._sound[numbers[wrong]] = False
        actions[logged] = np.where(wrong, lowest[logged], given)
        self._out[numbers, games.seat[logged]] |= self._forfeits[numbers, place]
        self._next[numbers] += ~wrong
        watch.step(actions)


def _legal(games: Games, chosen: Index, actions: UInt8) -> Bool:
    known = actions < len(games.rules.notation)
    flags = games.legal[chosen]
    legal: Bool = known & flags[np.arange(len(chosen)), np.where(known, actions, 0)]
    return legal


def default_actions(games: Games, lowest: Int, highest: Int) -> Int:
    """What is played for seats that have forfeited (COM-16); by the lowest and highest legal
    actions (N,)."""
    if isinstance(games, DiceGames):
        chosen = usual()[games.legal_sets].astype(np.intp)
        return np.where(games.phase == TURN, NO_MORE_ROLLS, chosen)
    phases = [games.phase == TURN, games.phase == RETURN, games.phase == SHOW]
    return np.select(phases, [np.full(len(games), QUIT), highest, COLLECT], lowest)


# What becomes of events


def matches_luck(net: LuckNet, events: Events, count: int) -> list[MatchLuck]:
    """The luck in matches number 0 to `count` - 1, shrunk, in whole UNITs."""
    pair_luck = shrunk(net, events)
    left, right = pairs(net.seats)
    full = np.zeros((len(pair_luck), net.seats, net.seats), np.int32)
    full[:, left, right], full[:, right, left] = pair_luck, -pair_luck
    ends = np.searchsorted(events.match, np.arange(count + 1))
    columns = zip(
        *(column.tolist() for column in (events.round, events.decision, events.kind, events.seat)),
        full,
        strict=True,
    )
    noted = [
        LuckEvent(number, decision, KINDS[kind], None if seat == NO_SEAT else seat, each)
        for number, decision, kind, seat, each in columns
    ]
    version = net.version
    return [
        MatchLuck(version, tuple(noted[first:last]), full[first:last].sum(axis=0, dtype=np.int32))
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]


def shrunk(net: LuckNet, events: Events) -> npt.NDArray[np.int32]:
    """The luck of each pair (E, P) times the shrinkage of its kind, in whole UNITs."""
    part = net.shrinkage
    factors = np.array([part[kind] for kind in KINDS])[events.kind]
    later = (events.kind == KINDS.index(DEAL)) & (events.round > 1)
    factors[later] = part[LATER]
    luck: npt.NDArray[np.int32] = np.rint(events.pairs * (factors * UNIT)[:, None]).astype(np.int32)
    return luck
