"""Many matches of one game: one decision of each in every step, and batches of copies."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from arena.games.batch.arrays import Bool, Index, Int, Int16, UInt8, UInt32
from arena.games.batch.chance import SPLIT_MIX, Chance, derived_seeds
from arena.games.batch.decision_columns import DecisionColumns
from arena.games.batch.errors import BadBatch
from arena.games.batch.moves import Moves
from arena.games.batch.observation import Known, by_place
from arena.games.batch.rounds import IGNORED, Rounds
from arena.games.rules.errors import BadDeck, IllegalAction, OutOfTurn
from arena.games.rules.game import NOBODY
from arena.games.rules.shuffles import SEED_BYTES


class Games(Rounds):
    """N matches of one game in progress, as arrays whose first axis is the game. To play:

        while not games.finished.all():
            games.step(one legal action of each game)

    Actions are indices into the `notation` of the game's class in `arena.games.rules`. The arrays
    are the state itself: they change with each step and are to be read only.
    """

    def __init__(
        self,
        count: int,
        seats: int,
        seed: bytes,
        options: Mapping[str, str] | None = None,
        chance: Chance = SPLIT_MIX,
    ) -> None:
        """Begins `count` matches with seeds that follow from `seed`; seat 0 starts (COM-10).

        Raises BadSeats, BadOption; ValueError for a seed that is not 16 bytes or a count below 1.
        """
        self.seats = self.rules.check_seats(seats)
        self.options = self.rules.check_options(options or {})
        self._draw_from(seed, chance)
        if count < 1:
            raise ValueError(f"a batch has at least one game, not {count}")
        self.is_offered = False  # whether the legal actions are those of the present state
        self.seeds = np.zeros((count, 2), np.uint64)
        self.seat, self.phase, self.starter = np.full((3, count), NOBODY, np.int8)
        self.round = np.zeros(count, np.int16)
        self.active_bits = np.zeros(count, np.uint8)
        self.set_up()
        self.restart(np.arange(count))

    def _draw_from(self, seed: bytes, chance: Chance) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        self.max_rounds = int(self.options["max_rounds"])
        self.seed, self.chance = seed, chance
        self.begun = 0  # matches begun with seeds of this batch

    @classmethod
    def seen(cls, decisions: DecisionColumns) -> Self:
        """Games of which only what the deciding seats know is there, for `observe`. Raises
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
        cls,
        decisions: DecisionColumns,
        seed: bytes,
        chance: Chance = SPLIT_MIX,
        *,
        moves: bool = False,
    ) -> Self:
        """Games in play in which the deciding seats would see just this, for searchers.

        What they do not know is drawn as by `determinize`, and so is all that comes. Points that
        were scored in the round before are not known (`penalties` are 0). With `moves` what was
        done in the round is kept, for who infers from it. Raises BadSeats and BadOption; ValueError
        for a seed that is not 16 bytes.
        """
        games = cls.seen(decisions)
        games._draw_from(seed, chance)
        games.seeds = np.zeros((len(games), 2), np.uint64)
        if moves:
            games.moves = Moves.of(len(games), *decisions.played())
        games.determinize()
        return games

    # What a game implements

    def fill(self, decisions: DecisionColumns) -> None:
        """Takes over what the deciding seats know, for `seen`."""
        self.points[:] = decisions.column("points")

    @abstractmethod
    def perform(self, actions: Int) -> None:
        """Carries out a legal action in each game that is not finished."""

    @abstractmethod
    def offer(self) -> None:
        """Finds the legal actions of all games anew; called by `offered`."""

    @property
    @abstractmethod
    def legal(self) -> Bool:
        """Which actions are legal: (N, A); none in a finished game."""

    @abstractmethod
    def is_legal(self, actions: Int) -> Bool:
        """Whether each of these actions (N,), which are actions of the game, is legal now."""

    @abstractmethod
    def nth_legal(self, words: UInt32) -> Int:
        """The legal action number ⌊w·n / 2³²⌋ of n for each word (N,); 0 in a finished game."""

    @abstractmethod
    def deal_hidden(self, games: Index) -> None:
        """Deals the cards anew that the deciding seats do not know."""

    # Deciding

    def keep_moves(self) -> None:
        """From now on `moves` has what was done in each round, for who infers from it. A round in
        which something was done already is kept from here on."""
        self.moves = Moves(len(self))

    def seed_of(self, game: int) -> bytes:
        """The seed of one game's match: with it, `chance` gives the same shuffles and rolls."""
        return bytes(self.seeds[game].astype("<u8").tobytes())

    def offered(self) -> Self:
        """The batch, once its legal actions are found: when they are asked for after a change."""
        if not self.is_offered:
            self.offer()
            self.is_offered = True
        return self

    def step(self, actions: Int) -> None:
        """Carries out one decision of every game; what stands for finished games is ignored.

        `actions` is (N,), of any integer type. Raises BadBatch if it is not, OutOfTurn if all
        games are finished, IllegalAction if an action is not legal; all games are then unchanged.
        """
        given = np.asarray(actions)
        if given.shape != self.seat.shape or given.dtype.kind not in "iu":
            raise BadBatch(
                f"{len(self)} games take that many whole numbers as actions, not an array of "
                f"shape {given.shape} and type {given.dtype}."
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
            raise OutOfTurn("All games of the batch are finished; `restart` begins new ones.")
        if not (legal | finished).all():
            self._refuse(given, int(np.flatnonzero(~(legal | finished))[0]))
        known[finished] = IGNORED
        return known

    def _refuse(self, given: Int, game: int) -> None:
        action, notation = int(given[game]), self.rules.notation
        text = notation[action] if 0 <= action < len(notation) else f"action {action}"
        legal = ", ".join(notation[index] for index in np.flatnonzero(self.legal[game]))
        raise IllegalAction(f"{text!r} is not legal in game {game}; legal actions are: {legal}.")

    def random_actions(self, rng: np.random.Generator) -> Int:
        """A legal action of each game (N,), all equally likely; 0 for finished games."""
        random = rng.integers(0, 1 << 64, (len(self) + 1) // 2, dtype=np.uint64)
        return self.nth_legal(random.view(np.uint32)[: len(self)])

    # What the deciding seat knows

    def known(self) -> Known:
        """The columns of an observation with their values, for all games."""
        phases = self.phase[:, None] == np.arange(len(self.rules.phases))
        return [
            ([f"phase {phase}" for phase in self.rules.phases], phases),
            (["round"], self.round[:, None]),
            (by_place(self.seats, ["active"]), self.turned(self.active)),
            (by_place(self.seats, ["points"]), self.turned(self.points)),
        ]

    def turned(self, by_seat: Int) -> Int:
        """What is by seat (N, seats, …), from the deciding seat on to the left."""
        places = self.seat[:, None] + np.arange(self.seats)
        turned: Int = by_seat[np.arange(len(self))[:, None], places % self.seats]
        return turned

    def observe(self) -> Int16:
        """What the deciding seats may know (INFO-1, INFO-3): (N, C), zeros in finished games.

        No card of another hand, of the draw pile or put aside is in it, nor anything that follows
        from one. It is the present state without the order of past moves.
        """
        parts = [values.reshape(len(self), -1) for _, values in self.known()]
        seen = np.concatenate(parts, axis=1, dtype=np.int16)
        seen[self.finished] = 0
        return seen

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `observe`: (C,)."""
        return tuple(name for names, _ in self.known() for name in names)

    # Batches

    def deal(self, games: Index, decks: Int, starters: Int) -> None:
        """Begins the next round of these games with these decks (M, D), top card first.

        What was open in their rounds is not scored. Raises BadDeck if the cards are not those of
        the game, BadBatch if the arrays do not fit.
        """
        chosen, whole = self._chosen(games), np.sort(self.make_deck())
        given, seats = np.asarray(decks), np.asarray(starters)
        if given.shape != (len(chosen), len(whole)) or seats.shape != chosen.shape:
            raise BadBatch(
                f"{len(chosen)} games take decks of shape {(len(chosen), len(whole))} and that "
                f"many starters, not {given.shape} and {seats.shape}."
            )
        if not np.isin(seats, range(self.seats)).all():
            raise BadBatch(f"A starter is a seat from 0 to {self.seats - 1}.")
        if wrong := np.flatnonzero((np.sort(given, axis=1) != whole).any(axis=1)).tolist():
            raise BadDeck(
                f"The cards for game {chosen[wrong[0]]} are not the deck of {self.rules.title}."
            )
        self._open_round(chosen, given.astype(np.uint8), seats.astype(np.int8))
        self.is_offered = False

    def restart(self, games: Index | None = None) -> None:
        """Begins new matches, each with a seed that was not used yet, in place of these games.

        By default of all finished ones. Raises BadBatch.
        """
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
        """A batch of copies of these games (M,), which may name one several times; M > 0.

        Copies have the same seeds, so their hidden cards, later rounds and later matches are the
        same too; `determinize` parts them. Raises BadBatch.
        """
        chosen = self._chosen(games, distinct=False)
        if not len(chosen):
            raise BadBatch("A batch has at least one game; none was selected.")
        made = copy.copy(self)
        for name in self.state:
            setattr(made, name, getattr(self, name)[chosen])
        if self.moves is not None:
            made.moves = self.moves.select(chosen)
        return made

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """A batch of copies of all games of these batches, which have the same settings. It keeps
        no moves."""
        made = copy.copy(parts[0])
        for name in made.state:
            setattr(made, name, np.concatenate([getattr(part, name) for part in parts]))
        made.moves, made.is_offered = None, False
        return made

    def copy(self) -> Self:
        """A batch of copies of all games."""
        return self.select(np.arange(len(self)))

    def determinize(self) -> None:
        """Draws anew whatever the deciding seats do not know: a determinization, for searchers.

        All ways in which the hidden cards can lie are equally likely, whatever the others' moves
        suggest. Each game gets a seed that was not used yet, so later rounds and rolls change too.
        """
        self.new_seeds()
        self.deal_hidden(np.flatnonzero(~self.finished))

    def new_seeds(self) -> None:
        """Gives each game a seed that was not used yet."""
        self.seeds[:] = derived_seeds(self.seed, self.begun, len(self))
        self.begun += len(self)

    def _chosen(self, games: Int, distinct: bool = True) -> Index:
        chosen = np.asarray(games)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise BadBatch("Games are chosen by an array of their numbers.")
        if distinct and len(np.unique(chosen)) < len(chosen):
            raise BadBatch("What is chosen names a game twice.")
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(self):
            raise BadBatch(f"The batch has games 0 to {len(self) - 1}, not all of those chosen.")
        return chosen.astype(np.intp)


def _unsigned(numbers: Int) -> np.dtype[np.unsignedinteger]:
    """The unsigned type of the same size, in which negative numbers are large."""
    return np.dtype(f"u{numbers.dtype.itemsize}")
