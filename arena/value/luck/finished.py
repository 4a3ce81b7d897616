"""The luck in stored matches, which are replayed in a batch."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool, Index, Int, UInt8, UInt64
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.batch.dice import DiceGames
from arena.games.batch.rounds import RETURN, TURN
from arena.games.packed_log import choices_in
from arena.games.record import RecordError
from arena.games.rules.dice import QUIT as NO_MORE_ROLLS
from arena.games.rules.kadabra import COLLECT
from arena.games.rules.shedding import QUIT
from arena.games.rules.shuffles import SEED_BYTES
from arena.value import catalog
from arena.value.luck.model import DEAL, KINDS, UNIT, FinishedMatch, LuckEvent, MatchLuck
from arena.value.luck.valuing import LATER, SHOW, LuckNet, find
from arena.value.luck.watching import NO_SEAT, Events, Watch
from arena.value.strategies.dice import usual
from arena.value.turns import pairs

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
    """Return the luck in matches of one game with the same options and number of seats.

    All are None if there is no model for the game, seats and options, or if `ruleset` is not the
    game's newest. An empty `ruleset` means the newest. A match with a damaged log, or one that does
    not fit its seed, is None. The luck in a match depends only on the match and `version_of`, up to
    a few UNITs of rounding. The only IO is that models are read once. Raises UnknownGame, BadSeats,
    BadOption.
    """
    known = events_of(game, seats, matches, options, ruleset, folder)
    net = find(game, seats, options, folder)
    if known is None or net is None:
        return [None] * len(matches)
    sound, events = known
    found = zip(sound.tolist(), matches_luck(net, events, len(matches)), strict=True)
    return [luck if whole else None for whole, luck in found]


def events_of(
    game: str,
    seats: int,
    matches: Sequence[FinishedMatch],
    options: Mapping[str, str] | None = None,
    ruleset: str = "",
    folder: Path = catalog.NETS,
) -> tuple[Bool, Events] | None:
    """Return which matches (N,) have a complete log that fits its seed, and all shrunk events.

    Events are in the order of matches; ignore those of matches with a bad log. None if `luck_of`
    returns None for all matches.
    """
    batch = batch_class(game)
    batch.rules.check_seats(seats)
    net = find(game, seats, options, folder)
    if net is None or ruleset not in ("", batch.rules.ruleset) or not matches:
        return None
    logs = [_choices(match) for match in matches]
    readable = np.flatnonzero([log is not None for log in logs])
    sound = np.zeros(len(matches), np.bool_)
    if not len(readable):
        return None
    chosen = [matches[number] for number in readable.tolist()]
    watch = Watch(net, _dealt(batch, seats, chosen, options or {}), deal_seeds(chosen))
    sound[readable] = _Replay(watch, [log for log in logs if log is not None]).run()
    events = shrunk(net, watch.events())
    return sound, events._replace(match=readable[events.match])


def version_of(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> str | None:
    """Return the `MatchLuck.net` of such matches, at most 24 characters, or None without a model.
    Do not add up luck of different versions."""
    net = find(game, seats, options, folder)
    return net.version if net else None


def _choices(match: FinishedMatch) -> tuple[bytes, list[int]] | None:
    if len(match.seed) != SEED_BYTES:
        return None
    try:
        return choices_in(match.log)
    except RecordError:
        return None


def _dealt(
    batch: type[Games], seats: int, matches: Sequence[FinishedMatch], options: Mapping[str, str]
) -> Games:
    """Return new games with the cards of these matches."""
    games = batch(len(matches), seats, bytes(SEED_BYTES), options)
    seeds = b"".join(match.seed for match in matches)
    games.seeds = np.frombuffer(seeds, "<u8").astype(np.uint64).reshape(-1, 2)
    games.chance = AS_IN_ARENA
    games.round[:] = 0
    games.begin_round(np.arange(len(games)), np.zeros(len(games), np.int8))
    return games


def deal_seeds(matches: Sequence[FinishedMatch]) -> UInt64:
    """Return seeds of the other deals (N, 2), from each match's seed and id. The seed keeps them
    secret during the match. The id makes them differ between matches that share a deal."""
    digests = [
        hashlib.sha256(DEAL_SEEDS + match.seed + match.id.encode()).digest()[:16]
        for match in matches
    ]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64).reshape(-1, 2)


class _Replay:
    """Replays logged decisions, forced moves and default moves of forfeited seats."""

    def __init__(self, watch: Watch, logs: Sequence[tuple[bytes, list[int]]]) -> None:
        self._watch, games = watch, len(logs)
        self._lengths = np.array([len(actions) for actions, _ in logs])
        shape = (games, int(self._lengths.max(initial=0)) + 1)
        self._actions, self._forfeits = np.zeros(shape, np.uint8), np.zeros(shape, np.bool_)
        for number, (actions, forfeits) in enumerate(logs):
            self._actions[number, : len(actions)] = np.frombuffer(actions, np.uint8)
            self._forfeits[number, forfeits] = True
        self._next = np.zeros(games, np.intp)  # logged decision, by match
        self._out = np.zeros((games, watch.games.seats), np.bool_)  # forfeited seats
        self._sound = np.ones(games, np.bool_)

    def run(self) -> Bool:
        """Replay all matches. Return whether each log leads to the end of its match."""
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
        actions = lowest.astype(np.uint8)
        if out.any():
            actions[out] = default_actions(games, lowest, highest)[out]
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
    """Return the default actions of forfeited seats (COM-16), given the lowest and highest legal
    actions (N,)."""
    if isinstance(games, DiceGames):
        chosen = usual()[games.legal_sets].astype(np.intp)
        return np.where(games.phase == TURN, NO_MORE_ROLLS, chosen)
    phases = [games.phase == TURN, games.phase == RETURN, games.phase == SHOW]
    return np.select(phases, [np.full(len(games), QUIT), highest, COLLECT], lowest)


# Luck from events


def matches_luck(net: LuckNet, events: Events, count: int) -> list[MatchLuck]:
    """Return the luck in matches 0 to `count` - 1, in whole UNITs, from shrunk events."""
    pair_luck = np.rint(events.pairs * UNIT).astype(np.int32)
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


def shrunk(net: LuckNet, events: Events) -> Events:
    """Return the events with the luck of each pair times the shrinkage of the event's kind."""
    part = net.shrinkage
    factors = np.array([part[kind] for kind in KINDS])[events.kind]
    later = (events.kind == KINDS.index(DEAL)) & (events.round > 1)
    factors[later] = part[LATER]
    return events._replace(pairs=events.pairs * factors[:, None])
