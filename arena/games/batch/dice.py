"""Batch simulation of LAMA Dice."""

import numpy as np

from arena.games.batch.arrays import (
    Bool,
    Index,
    Int,
    Int8,
    Int16,
    UInt8,
    UInt32,
    as_flags,
    counted,
    entries,
    nth_share,
    several,
)
from arena.games.batch.dice_legal import (
    FIRST_MATCH,
    FIRST_RETURN,
    FIRST_TAKE,
    NO_MATCH,
    NOTHING,
    ROLL_OR_QUIT,
    VALUES,
    legal_sets,
)
from arena.games.batch.rounds import FINISHED, RETURN, TURN, Known, by_place
from arena.games.batch.tokens import TokenGames
from arena.games.decisions import Decisions
from arena.games.rules.dice import DISCARDS, FIRST_DISCARD, GREY_DECK, QUIT, ROLL, TAKE, Dice
from arena.games.rules.dice_rolls import faces_of
from arena.games.rules.dice_rows import HAND, LLAMA, SCORES
from arena.games.rules.rows import NONE

DISCARD, TAKING = 2, 3  # phases
NO_DICE = -1

CARDS_OF = np.array([[kinds.count(v) for v in range(VALUES)] for kinds in DISCARDS], np.uint8)
SIZES = CARDS_OF.sum(axis=1, dtype=np.uint8)


class DiceGames(TokenGames):
    """Each player has six open cards; the llama row has one card of each value (DICE-1)."""

    rules = Dice
    state = (*TokenGames.state, "rows", "sizes", "llama_bits", "dice", "rolls", "legal_sets")

    rows: UInt8  # (N, seats, 7): number of open cards, by value
    sizes: UInt8  # (N, seats): cards in each row
    llama_bits: UInt8  # (N,): bit v is set while the llama row has the card of value v
    dice: Int8  # (N, 3): the values of the roll to use, else -1
    rolls: Int  # (N,): rolls in this round
    legal_sets: Int16  # (N,): number of the set of legal actions

    def set_up(self) -> None:
        """Reads the faces of the dice from the options (DICE-4)."""
        super().set_up()
        count = len(self)
        self.faces = np.array(faces_of(self.options["dice.faces"]), np.uint8)
        self.deck = np.array(GREY_DECK, np.uint8)
        self.rows = np.zeros((count, self.seats, VALUES), np.uint8)
        self.sizes = np.zeros((count, self.seats), np.uint8)
        self.llama_bits = np.zeros(count, np.uint8)
        self.dice = np.full((count, 3), NO_DICE, np.int8)
        self.rolls = np.zeros(count, np.int32)
        self.legal_sets = np.zeros(count, np.int16)

    def fill(self, decisions: Decisions) -> None:
        """Fills all rows and the dice."""
        super().fill(decisions)
        self.rows[:] = decisions.column("rows")
        row = decisions.column("llama_row").astype(np.bool_)
        self.llama_bits[:] = np.packbits(row, axis=1, bitorder="little")[:, 0]
        dice = decisions.column("dice")
        # Cast to signed first: newer NumPy rejects -1 among bytes.
        self.dice[:] = np.where(dice == NONE, np.int8(NO_DICE), dice.astype(np.int8))
        self.sizes[:] = self.rows.sum(axis=2)
        self.offer_uses()

    def offer_uses(self) -> None:
        """Sets the legal actions for rolls to use, from the dice and the rows."""
        games = (self.phase == DISCARD).nonzero()[0]
        dice = self.dice[games].view(np.uint8)
        self.begin_discard(games, dice, self.matching(games, dice))
        taking = (self.phase == TAKING).nonzero()[0]
        to_take = self.takeable(taking, self.dice[taking].view(np.uint8))
        self.legal_sets[taking] = FIRST_TAKE + to_take.astype(np.int16)

    def takeable(self, games: Index, dice: UInt8) -> UInt8:
        """Returns the cards of the llama row that match the dice (M, 3), as bits (M,) (DICE-12)."""
        one = np.uint8(1)
        first, second, third = np.ascontiguousarray(dice.T)
        bits: UInt8 = (one << first | one << second | one << third) & self.llama_bits[games]
        return bits

    @property
    def llama_row(self) -> Bool:
        """The cards left in the llama row, (N, 7)."""
        return as_flags(self.llama_bits, VALUES)

    def begin_matches(self, games: Index) -> None:
        """Every player starts without tokens (DICE-5)."""
        self.whites[games] = self.blacks[games] = 0

    def make_deck(self) -> UInt8:
        """Returns the grey cards (DICE-2)."""
        return self.deck

    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """Deals six cards each, hides the others, refills the llama row (DICE-2, DICE-31)."""
        rows = decks[:, : HAND * self.seats].reshape(len(games), self.seats, HAND)
        self.rows[games] = counted(rows, VALUES)
        self.sizes[games] = HAND
        self.llama_bits[games] = (1 << VALUES) - 1
        self.dice[games] = NO_DICE
        self.rolls[games] = 0

    def pass_turn(self, games: Index) -> None:
        """Clears the dice (DICE-15)."""
        super().pass_turn(games)
        self.dice[games] = NO_DICE

    def perform(self, actions: Int) -> None:
        """Carries out actions; `arena.games.rules.dice` describes them."""
        keep = self.rules.keep
        quits, rolls = (actions == QUIT).nonzero()[0], (actions == ROLL).nonzero()[0]
        takes = ((actions >= TAKE) & (actions < FIRST_DISCARD)).nonzero()[0]
        discarding = ((actions >= FIRST_DISCARD) & (actions < keep)).nonzero()[0]
        backs = ((actions >= keep) & (actions <= keep + len(self.rules.returns))).nonzero()[0]
        last = self.quit(quits)
        passing, over = zip(
            (quits[~last], quits[last]),
            self.discard(discarding, actions[discarding] - FIRST_DISCARD),
            self.take(takes, actions[takes] - TAKE),
            self.roll(rolls),
            strict=True,
        )
        self.pass_turn(np.concatenate(passing))
        self.end_play(np.concatenate(over))
        self.give_back(backs, actions[backs] - keep)

    # Each returns the games whose turn passes, and those whose round is over.

    def roll(self, games: Index) -> tuple[Index, Index]:
        """Rolls all three dice, once (DICE-7)."""
        rolls = self.rolls[games] + 1
        self.rolls[games] = rolls
        shown = self.chance.faces(self.seeds[games], self.round[games], rolls)
        dice = self.faces[np.arange(3), shown]
        self.dice[games] = dice
        return self.use_dice(games, dice)

    def use_dice(self, games: Index, dice: UInt8) -> tuple[Index, Index]:
        """Three llamas (DICE-8), then the player's row (DICE-9), then the llama row (DICE-12). Else
        bust (DICE-13). A player who is alone busts even with a match in the llama row (DICE-18)."""
        first, second, third = np.ascontiguousarray(dice.T)
        llamas = (first == LLAMA) & (second == LLAMA) & (third == LLAMA)
        match = self.matching(games, dice)
        discard = (match[:, 0] | match[:, 1] | match[:, 2]) & ~llamas
        to_take = self.takeable(games, dice)
        take = several(self.active_bits[games]) & (to_take != 0) & ~(discard | llamas)
        self.begin_discard(games[discard], dice[discard], match[discard])
        self.phase[games[take]] = TAKING
        self.legal_sets[games[take]] = FIRST_TAKE + to_take[take].astype(np.int16)
        blown = games[~(llamas | discard | take)]
        self.bust(blown)
        return self.three_llamas(games[llamas]), blown

    def matching(self, games: Index, dice: UInt8) -> Bool:
        """Whether each die matches a separate card of the row (DICE-9, -10, -20), (M, 3)."""
        rows = self.seat_index(games, self.seat[games])
        held = self.rows.reshape(-1)[rows[:, None] * VALUES + dice]
        first, second, third = dice.T
        used = np.zeros(dice.shape, np.bool_)  # whether an earlier die has the same value
        used[:, 1] = second == first
        used[:, 2] = (third == first) | (third == second)  # three equal values are llamas (DICE-8)
        match: Bool = held > used
        return match

    def begin_discard(self, games: Index, dice: UInt8, match: Bool) -> None:
        """The player discards at least one of the matching cards (DICE-9, DICE-11)."""
        self.phase[games] = DISCARD
        first, second, third = np.where(match, dice, np.uint8(NO_MATCH)).T.astype(np.int16)
        self.legal_sets[games] = FIRST_MATCH + 64 * first + 8 * second + third

    def three_llamas(self, games: Index) -> Index:
        """The player may return a token, even if alone; no card leaves (DICE-8, -19, -29). Returns
        the games in which the player has none, so that the turn passes."""
        back = entries(self.points, games, self.seat[games]) > 0
        self.phase[games[back]] = RETURN
        return games[~back]

    def bust(self, games: Index) -> None:
        """The player takes the whole llama row and the round ends (DICE-13, DICE-22)."""
        rows = self.seat_index(games, self.seat[games])
        self.rows.reshape(-1, VALUES)[rows] += self.llama_row[games]
        self.sizes.reshape(-1)[rows] += np.bitwise_count(self.llama_bits[games])
        self.llama_bits[games] = 0

    def discard(self, games: Index, choices: UInt8) -> tuple[Index, Index]:
        """The cards leave the round (DICE-16); a player without cards ends it (DICE-21)."""
        rows = self.seat_index(games, self.seat[games])
        self.rows.reshape(-1, VALUES)[rows] -= CARDS_OF[choices]
        left = self.sizes.reshape(-1)[rows] - SIZES[choices]
        self.sizes.reshape(-1)[rows] = left
        return games[left > 0], games[left == 0]

    def take(self, games: Index, values: UInt8) -> tuple[Index, Index]:
        """The card joins the player's row; taking the llama row's last ends the round (DICE-23)."""
        rows = self.seat_index(games, self.seat[games])
        self.rows.reshape(-1)[rows * VALUES + values] += 1
        self.sizes.reshape(-1)[rows] += 1
        left = self.llama_bits[games] & ~(np.uint8(1) << values)
        self.llama_bits[games] = left
        return games[left > 0], games[left == 0]

    # The end of a round

    def end_play(self, games: Index) -> None:
        """All rows score, including cards taken (DICE-25)."""
        self.dice[games] = NO_DICE
        self.score(games, entries(self.sizes, games, self.seat[games]) == 0)

    def after_return(self, games: Index) -> None:
        """After three llamas, if the player still has cards, the round continues (DICE-8, -19)."""
        over = entries(self.sizes, games, self.seat[games]) == 0
        self.pass_turn(games[~over])
        self.end_round(games[over])

    def penalty(self, games: Index) -> Int16:
        """Each value in a row counts once, llamas 10 (DICE-25)."""
        held = (self.rows[games] > 0).astype(np.int16)
        scores: Int16 = held @ np.array(SCORES, np.int16)
        return scores

    def deal_hidden(self, games: Index) -> None:
        """Does nothing: the only hidden cards are out of this round (DICE-2)."""

    def known(self) -> Known:
        """All rows and the dice are open (DICE-6, INFO-3). The cards put aside are left out."""
        dice = (self.dice[:, :, None] == np.arange(VALUES)).sum(axis=1)
        return [
            *super().known(),
            (by_place(self.seats, [f"row {card}" for card in Dice.kinds]), self.turned(self.rows)),
            ([f"llama row {card}" for card in Dice.kinds], self.llama_row),
            ([f"dice {card}" for card in Dice.kinds], dice),
        ]

    # What is legal

    def offer(self) -> None:
        """Roll or quit, even when alone (DICE-7, DICE-17); returns depend on tokens."""
        np.copyto(self.legal_sets, ROLL_OR_QUIT, where=self.phase == TURN)
        np.copyto(self.legal_sets, NOTHING, where=self.phase == FINISHED)
        games = (self.phase == RETURN).nonzero()[0]
        back = self.returnable(games, self.seat[games])
        self.legal_sets[games] = FIRST_RETURN + back[:, 0] + 2 * back[:, 1]

    @property
    def legal(self) -> Bool:
        return legal_sets()[2][self.offered().legal_sets]

    def is_legal(self, actions: Int) -> Bool:
        flags = legal_sets()[2]
        found: Bool = flags[self.offered().legal_sets, np.minimum(actions, flags.shape[1] - 1)]
        return found

    def nth_legal(self, words: UInt32) -> Int:
        counts, actions, _ = legal_sets()
        chosen = self.offered().legal_sets
        return actions[chosen, nth_share(words, counts[chosen])]
