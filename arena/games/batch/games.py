"""Many matches of one game, which are stepped one decision at a time."""

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from arena.games.batch.arrays import Bool, Index, Int, UInt8, UInt32
from arena.games.batch.chance import SPLIT_MIX, Chance, derived_seeds
from arena.games.batch.errors import BadBatch
from arena.games.batch.moves import Moves
from arena.games.batch.rounds import IGNORED, Rounds
from arena.games.decisions import Decisions
from arena.games.rules.errors import BadDeck, IllegalAction, OutOfTurn
from arena.games.rules.rounds import NOBODY
from arena.games.rules.shuffles import SEED_BYTES


class Games(Rounds):
    """N matches of one game in progress, as arrays whose first axis is the game. To play:

        while not games.finished.all():
            games.step(one legal action of each game)

    Actions are indices into the `notation` of the game's class in `arena.games.rules`. The arrays
    are the state itself: they change with each step. Do not write to them.
    """

    def __init__(
        self,
        count: int,
        seats: int,
        seed: bytes,
        options: Mapping[str, str] | None = None,
        chance: Chance = SPLIT_MIX,
    ) -> None:
        """Starts `count` matches with seeds derived from `seed`; seat 0 starts (COM-10). Raises
        BadSeats, BadOption, or ValueError for a seed that is not 16 bytes or a count below 1."""
        self.seats = self.rules.check_seats(seats)
        self.options = self.rules.check_options(options or {})
        self._draw_from(seed, chance)
        if count < 1:
            raise ValueError(f"a batch must have at least one game, not {count}")
        self.is_offered = False  # whether the legal actions are up to date
        self.seeds = np.zeros((count, 2), np.uint64)
        self.seat, self.phase, self.starter = np.full((3, count), NOBODY, np.int8)
        self.round = np.zeros(count, np.int16)
        self.active_bits = np.zeros(count, np.uint8)
        self.set_up()
        self.restart(np.arange(count))

    def _draw_from(self, seed: bytes, chance: Chance) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed must have {SEED_BYTES} bytes, not {len(seed)}")
        self.max_rounds = int(self.options["max_rounds"])
        self.seed, self.chance = seed, chance
        self.begun = 0  # matches started with seeds of this batch

    @classmethod
    def seen(cls, decisions: Decisions) -> Self:
        """Returns games with only the information of the deciding seats, for `observe`. Raises
        BadSeats and BadOption."""
        games = cls.__new__(cls)
        games.seats = cls.rules.check_seats(decisions.seats)
        games.options = cls.rules.check_options(decisions.options)
        games.is_offered = False
        games.seat = decisions.column("seat").astype(np.int8)
        games.phase = decisions.column("ask").astype(np.int8)
        games.starter = decisions.column("starter").astype(np.int8)
        games.round = decisions.column("round").astype(np.int16)
        active = decisions.column("active").astype(np.bool_)
        games.active_bits = np.packbits(active, axis=1, bitorder="little")[:, 0]
        games.set_up()
        games.fill(decisions)
        return games

    @classmethod
    def resumed(
        cls, decisions: Decisions, seed: bytes, chance: Chance = SPLIT_MIX, *, moves: bool = False
    ) -> Self:
        """Returns games in play that are consistent with these decisions, for searchers.

        Hidden information and the future are drawn as by `determinize`. Scores of the previous
        round are unknown (`penalties` are 0). With `moves`, the moves of the round are kept for
        inference. Raises BadSeats, BadOption, or ValueError for a seed that is not 16 bytes.
        """
        games = cls.seen(decisions)
        games._draw_from(seed, chance)
        games.seeds = np.zeros((len(games), 2), np.uint64)
        if moves:
            games.moves = Moves.of(len(games), *decisions.played())
        games.determinize()
        return games

    # Implemented by each game

    def fill(self, decisions: Decisions) -> None:
        """Copies the information of the deciding seats, for `seen`."""
        self.points[:] = decisions.column("points")

    @abstractmethod
    def perform(self, actions: Int) -> None:
        """Carries out a legal action in each game that is not finished."""

    @abstractmethod
    def offer(self) -> None:
        """Updates the legal actions of all games; called by `offered`."""

    @property
    @abstractmethod
    def legal(self) -> Bool:
        """The legal actions, (N, A); none in a finished game."""

    @abstractmethod
    def is_legal(self, actions: Int) -> Bool:
        """Returns whether each of these actions of the game (N,) is legal now."""

    @abstractmethod
    def nth_legal(self, words: UInt32) -> Int:
        """Returns legal action ⌊w·n / 2³²⌋ of n for each word (N,); 0 in a finished game."""

    @abstractmethod
    def deal_hidden(self, games: Index) -> None:
        """Redeals the cards that the deciding seats do not know."""

    # Decisions

    def keep_moves(self) -> None:
        """Starts recording each round's moves in `moves`, for inference. The current round is
        recorded from this point on."""
        self.moves = Moves(len(self))

    def seed_of(self, game: int) -> bytes:
        """Returns the seed of a game's match, with which `chance` repeats shuffles and rolls."""
        return bytes(self.seeds[game].astype("<u8").tobytes())

    def offered(self) -> Self:
        """Returns the batch with up-to-date legal actions."""
        if not self.is_offered:
            self.offer()
            self.is_offered = True
        return self

    def step(self, actions: Int) -> None:
        """Carries out one decision of every game. Entries of finished games are ignored.

        `actions` is (N,), of any integer type. Raises BadBatch if it is not, OutOfTurn if all
        games are finished, IllegalAction if an action is not legal. All games are then unchanged.
        """
        given = np.asarray(actions)
        if given.shape != self.seat.shape or given.dtype.kind not in "iu":
            raise BadBatch(
                f"{len(self)} games need an integer array with as many actions, not one of shape "
                f"{given.shape} and type {given.dtype}."
            )
        known = np.minimum(given.astype(_unsigned(given), copy=False), 255).astype(np.uint8)
        legal = (known < len(self.rules.notation)) & self.is_legal(known)
        if not legal.all():
            known = self._ignoring_finished(given, known, legal)
        if self.moves is not None:
            going = np.flatnonzero(~self.finished)
            self.moves.note(going, self.seat[going], known[going])
        self.perform(known)
        self.is_offered = False

    def _ignoring_finished(self, given: Int, known: UInt8, legal: Bool) -> UInt8:
        finished = self.finished
        if finished.all():
            raise OutOfTurn("All games of the batch are finished. Start new ones with `restart`.")
        if not (legal | finished).all():
            self._refuse(given, int(np.flatnonzero(~(legal | finished))[0]))
        known[finished] = IGNORED
        return known

    def _refuse(self, given: Int, game: int) -> None:
        action, notation = int(given[game]), self.rules.notation
        text = notation[action] if 0 <= action < len(notation) else f"action {action}"
        legal = ", ".join(notation[index] for index in np.flatnonzero(self.legal[game]))
        raise IllegalAction(f"{text!r} is not legal in game {game}. Legal actions: {legal}.")

    def random_actions(self, rng: np.random.Generator) -> Int:
        """Returns a random legal action of each game, (N,); 0 for finished games."""
        random = rng.integers(0, 1 << 64, (len(self) + 1) // 2, dtype=np.uint64)
        return self.nth_legal(random.view(np.uint32)[: len(self)])

    # Batches

    def deal(self, games: Index, decks: Int, starters: Int) -> None:
        """Starts the next round of these games with these decks (M, D), top card first.

        Current rounds are not scored. Raises BadDeck if the cards are not the game's, BadBatch if
        the arrays do not fit.
        """
        chosen, whole = self._chosen(games), np.sort(self.make_deck())
        given, seats = np.asarray(decks), np.asarray(starters)
        if given.shape != (len(chosen), len(whole)) or seats.shape != chosen.shape:
            raise BadBatch(
                f"{len(chosen)} games need decks of shape {(len(chosen), len(whole))} and as "
                f"many starters, not {given.shape} and {seats.shape}."
            )
        if not np.isin(seats, range(self.seats)).all():
            raise BadBatch(f"A starter must be a seat from 0 to {self.seats - 1}.")
        if wrong := np.flatnonzero((np.sort(given, axis=1) != whole).any(axis=1)).tolist():
            raise BadDeck(
                f"The cards for game {chosen[wrong[0]]} are not the deck of {self.rules.title}."
            )
        self._open_round(chosen, given.astype(np.uint8), seats.astype(np.int8))
        self.is_offered = False

    def restart(self, games: Index | None = None) -> None:
        """Replaces these games, by default all finished ones, with new matches. Each gets an unused
        seed. Raises BadBatch."""
        chosen = np.flatnonzero(self.finished) if games is None else self._chosen(games)
        if not len(chosen):
            return
        self.seeds[chosen] = derived_seeds(self.seed, self.begun, len(chosen))
        self.begun += len(chosen)
        self.round[chosen] = self.penalties[chosen] = self.points[chosen] = 0
        self.begin_matches(chosen)
        self.begin_round(chosen, np.zeros(len(chosen), np.int8))
        self.is_offered = False

    def select(self, games: Index) -> Self:
        """Returns a batch of copies of these games (M,), at least one. Games may be repeated.

        Copies have the same seeds, so their hidden cards, later rounds and later matches are the
        same, until `determinize`. Raises BadBatch.
        """
        chosen = self._chosen(games, distinct=False)
        if not len(chosen):
            raise BadBatch("A batch must have at least one game. Select one or more.")
        made = copy.copy(self)
        for name in self.state:
            setattr(made, name, getattr(self, name).take(chosen, axis=0))
        if self.moves is not None:
            made.moves = self.moves.select(chosen)
        return made

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Returns a batch of copies of all games of these batches, which must have the same
        settings. It has no moves."""
        made = copy.copy(parts[0])
        for name in made.state:
            setattr(made, name, np.concatenate([getattr(part, name) for part in parts]))
        made.moves, made.is_offered = None, False
        return made

    def copy(self) -> Self:
        """Returns a batch of copies of all games."""
        return self.select(np.arange(len(self)))

    def determinize(self) -> None:
        """Redraws everything that the deciding seats do not know: a determinization, for searchers.

        All placements of the hidden cards are equally likely, regardless of the others' moves. Each
        game gets an unused seed, so later rounds and rolls change, too.
        """
        self.new_seeds()
        self.deal_hidden(np.flatnonzero(~self.finished))

    def new_seeds(self) -> None:
        """Gives each game an unused seed."""
        self.seeds[:] = derived_seeds(self.seed, self.begun, len(self))
        self.begun += len(self)

    def _chosen(self, games: Int, distinct: bool = True) -> Index:
        chosen = np.asarray(games)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise BadBatch("Games must be chosen by an array of their numbers.")
        if distinct and len(np.unique(chosen)) < len(chosen):
            raise BadBatch("The choice contains a game twice. Choose each game once.")
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(self):
            raise BadBatch(f"Some games are not in the batch. It has games 0 to {len(self) - 1}.")
        return chosen.astype(np.intp, copy=False)


def _unsigned(numbers: Int) -> np.dtype[np.unsignedinteger]:
    """Returns the unsigned type of the same size, in which negative numbers are large."""
    return np.dtype(f"u{numbers.dtype.itemsize}")
