"""Batch simulation of LLAMA Kadabra."""

import numpy as np

from arena.games.batch.arrays import (
    Bool,
    Index,
    Int,
    Int8,
    Int16,
    UInt8,
    UInt32,
    entries,
    next_seats,
    several,
)
from arena.games.batch.kadabra_tables import FORCES_DRAW, ICONS, penalties
from arena.games.batch.rounds import TURN, Known, by_place
from arena.games.batch.shedding import SheddingGames
from arena.games.batch.tokens import TokenGames
from arena.games.decisions import Decisions
from arena.games.rules import rows
from arena.games.rules.cards import HAND
from arena.games.rules.kadabra import COLLECT, FIRST_GIVE, RETURN_MAGIC, SHOW_AT, SWAP, Kadabra
from arena.games.rules.kadabra_cards import GIVE, LLAMA, NEXT_DRAWS, TAKE_MAGIC, deck_of
from arena.games.rules.kadabra_tokens import FIRST_WHITES, POOL, STAGE
from arena.games.rules.shedding import DRAW, PLAY
from arena.games.rules.tokens import TEN

SHOW, GIVING = 2, 3  # phases


class KadabraGames(TokenGames, SheddingGames):
    """60 cards (KAD-1); white and black tokens, and one magic token (KAD-2)."""

    rules = Kadabra
    bits = np.uint64
    state = (
        *SheddingGames.state,
        "whites",
        "blacks",
        "stage_whites",
        "stage_blacks",
        "magic",
        "armed",
    )

    stage_whites: Int16  # (N,): tokens of 1 point on the magic stage
    stage_blacks: Int16  # (N,): tokens of 10 points on it
    magic: Int8  # (N,): the seat with the magic token, -1 for the pool, -2 for the stage
    armed: Bool  # (N,): whether a show is in progress (KAD-38)

    def set_up(self) -> None:
        """Sets the deck from an option (KAD-3, KAD-4)."""
        super().set_up()
        self.deck = np.array(deck_of(self.options["kadabra.specials"]), np.uint8)
        count = len(self)
        self.decks = np.zeros((count, len(self.deck)), np.uint8)
        self.stage_whites, self.stage_blacks = np.zeros((2, count), np.int16)
        self.magic = np.full(count, POOL, np.int8)
        self.armed = np.zeros(count, np.bool_)

    def fill(self, decisions: Decisions) -> None:
        """Fills the stage and the magic token."""
        super().fill(decisions)
        self.stage_whites[:], self.stage_blacks[:] = decisions.column("stage").T
        magic = decisions.column("magic").astype(np.int16)
        self.magic[:] = np.select((magic == rows.POOL, magic == rows.STAGE), (POOL, STAGE), magic)
        self.armed[:] = self.phase == SHOW

    def begin_matches(self, games: Index) -> None:
        """Each player takes three whites, once; the stage is empty (KAD-7)."""
        self.whites[games] = self.points[games] = FIRST_WHITES
        self.blacks[games] = 0
        self.stage_whites[games] = self.stage_blacks[games] = 0
        self.magic[games] = POOL

    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """Tokens of players and stage stay (KAD-53, KAD-61), but a show ends (KAD-39)."""
        super().deal_cards(games, decks)
        self.armed[games] = False

    def pass_turn(self, games: Index) -> None:
        """A show continues for the next player in the round (KAD-38, KAD-46, KAD-47)."""
        super().pass_turn(games)
        self.phase[games[self.armed[games]]] = SHOW

    # Actions that only this game has

    def perform(self, actions: Int) -> None:
        """Also handles gives, swaps, collects and returns of the magic token."""
        super().perform(actions)
        special = ((actions >= FIRST_GIVE) & (actions <= RETURN_MAGIC)).nonzero()[0]
        if not len(special):
            return
        done = actions[special]
        self.swap(special[done == SWAP])
        self.collect(special[done == COLLECT])
        self.return_magic(special[done == RETURN_MAGIC])
        gives = done < SWAP
        self.give_token(special[gives], done[gives] - (FIRST_GIVE - 1))

    def swap(self, games: Index) -> None:
        """Ten whites become a black, only by choice (KAD-18). The decision is then repeated."""
        seats = self.seat[games]
        self.whites[games, seats] -= TEN
        self.blacks[games, seats] += 1

    def collect(self, games: Index) -> None:
        """The player takes all tokens from the stage. The show ends, a turn follows (KAD-43)."""
        seats = self.seat[games]
        self.whites[games, seats] += self.stage_whites[games]
        self.blacks[games, seats] += self.stage_blacks[games]
        self.points[games, seats] += self.stage_whites[games] + TEN * self.stage_blacks[games]
        self.stage_whites[games] = self.stage_blacks[games] = 0
        magic = self.magic[games] == STAGE
        self.magic[games[magic]] = seats[magic]
        self.armed[games] = False
        self.phase[games] = TURN

    def return_magic(self, games: Index) -> None:
        """The magic token returns to the pool. This ends the turn, but not a show (KAD-15, -44)."""
        self.magic[games] = POOL
        self.pass_turn(games)

    # Cards and their actions

    def after_play(self, games: Index, kinds: UInt8, empty: Bool) -> tuple[Index, Index]:
        """The card's action is always carried out (KAD-20, -29, -30, -35), before a round ends."""
        giving = ICONS[GIVE].take(kinds)
        able = giving.nonzero()[0]
        giving[able] = self.can_give(games[able])
        self.phase[games[giving]] = GIVING
        self.place_on_stage(games[kinds == LLAMA])
        self.next_draws(games[ICONS[NEXT_DRAWS].take(kinds)])
        taking = games[ICONS[TAKE_MAGIC].take(kinds)]
        self.magic[taking] = self.seat[taking]  # from any place (KAD-27, KAD-28)
        return games[~(empty | giving)], games[empty & ~giving]

    def can_give(self, games: Index) -> Bool:
        """Whether the player is not alone and has any token, including the magic one."""
        seats = self.seat[games]
        held = (entries(self.points, games, seats) > 0) | (self.magic[games] == seats)
        able: Bool = several(self.active_bits[games]) & held
        return able

    def lose_lowest(self, games: Index) -> Bool:
        """Removes a white from the deciding seats, or a black without whites (KAD-21, KAD-36). They
        must have one of them. Returns whether it was a white, (M,)."""
        seats = self.seat[games]
        held = self.seat_index(games, seats)
        white = self.whites.reshape(-1).take(held) > 0
        self.whites.reshape(-1)[held] -= white
        self.blacks.reshape(-1)[held] -= ~white
        self.points.reshape(-1)[held] -= np.where(white, 1, TEN).astype(np.int16)
        return white

    def place_on_stage(self, games: Index) -> None:
        """The player of a llama must place their lowest token, if they have any (KAD-36, KAD-49).

        The magic token counts towards a show like any other (KAD-37). The rule also applies to a
        last card; the tokens then stay on the stage (KAD-52, KAD-54).
        """
        if not len(games):
            return
        seats = self.seat[games]
        held = entries(self.points, games, seats) > 0
        self.magic[games[~held & (self.magic[games] == seats)]] = STAGE
        placing = games[held]
        white = self.lose_lowest(placing)
        self.stage_whites[placing] += white
        self.stage_blacks[placing] += ~white
        on_stage = self.stage_whites[games] + self.stage_blacks[games]
        self.armed[games] = on_stage + (self.magic[games] == STAGE) >= SHOW_AT

    def give_token(self, games: Index, places: UInt8) -> None:
        """Gives a white before a black before the magic token (KAD-21, KAD-23). The action of a
        last card is then complete, and the round ends (KAD-30, KAD-31)."""
        if not len(games):
            return
        seats = self.seat[games]
        receivers = (seats + places) % self.seats
        held = entries(self.points, games, seats) > 0
        self.magic[games[~held]] = receivers[~held]
        giving, to = games[held], receivers[held]
        white = self.lose_lowest(giving)
        taken = self.seat_index(giving, to)
        self.whites.reshape(-1)[taken] += white
        self.blacks.reshape(-1)[taken] += ~white
        self.points.reshape(-1)[taken] += np.where(white, 1, TEN).astype(np.int16)
        last = entries(self.sizes, games, seats) == 0
        self.pass_turn(games[~last])
        self.score(games[last], np.ones(int(last.sum()), np.bool_))

    def next_draws(self, games: Index) -> None:
        """The next active player draws a card, or the player if alone (KAD-24, -25, -26)."""
        if not len(games):
            return
        drawing = games[self.drawn[games] < len(self.deck)]
        seats = next_seats(self.active_bits[drawing], self.seat[drawing])
        self.give_card(drawing, seats)

    def take_back(self, games: Index, random: UInt32) -> tuple[Int8, UInt8]:
        """Also restores shows and gifts. A llama played in a show is treated as an ordinary turn,
        because the difference cannot be seen."""
        seats, actions = super().take_back(games, random)
        self.armed[games] = actions == COLLECT
        self.phase[games[actions == COLLECT]] = SHOW
        self.phase[games[(actions >= FIRST_GIVE) & (actions < SWAP)]] = GIVING
        return seats, actions

    def drawing(self, games: Index, seats: Int8, actions: UInt8) -> Int8:
        """Also includes players made to draw by a card, unless the pile was empty."""
        assert self.moves is not None
        drawing = super().drawing(games, seats, actions)
        forcing = FORCES_DRAW[actions].nonzero()[0]
        before = self.moves.actions.take(games[forcing], axis=0)
        drawn = (FORCES_DRAW[before] | (before == DRAW)).sum(axis=1)
        forcing = forcing[drawn < len(self.deck) - HAND * self.seats - 1]
        drawing[forcing] = next_seats(self.active_bits[games[forcing]], seats[forcing])
        return drawing

    # The end of a round

    def penalty(self, games: Index) -> Int16:
        """Each value once (KAD-56); 10 for the magic token (KAD-57)."""
        holds = self.magic[games][:, None] == np.arange(self.seats)
        scores: Int16 = penalties(self.held.take(games, axis=0)) + np.int16(TEN) * holds
        return scores

    def receive(self, games: Index, points: Int16) -> None:
        """Returns the magic token to the pool if a player has it (KAD-57)."""
        super().receive(games, points)
        self.magic[games[self.magic[games] >= 0]] = POOL

    def known(self) -> Known:
        """Adds the stage and the magic token, which are public."""
        has_magic = self.magic[:, None] == np.arange(self.seats)
        places = np.stack((self.magic == POOL, self.magic == STAGE), axis=1)
        stage = np.stack((self.stage_whites, self.stage_blacks), axis=1)
        return [
            *super().known(),
            (["stage whites", "stage blacks"], stage),
            (["magic in pool", "magic on stage"], places),
            (by_place(self.seats, ["magic"]), self.turned(has_magic)),
        ]

    # What is legal

    def turn_bits(self) -> Int:
        """An ordinary turn (KAD-13, -14, -16, -60), plus the actions with tokens."""
        legal: Int = super().turn_bits() | self.extra_bits(np.arange(len(self)))
        return legal

    def extra_bits(self, games: Index) -> Int:
        """They may swap whites and, unless alone, return the magic token (KAD-15, KAD-44)."""
        several_in = several(self.active_bits[games])
        magic = (self.magic[games] == self.seat[games]) & several_in
        bits: Int = self.swap_bits(games) | magic.astype(np.uint64) << RETURN_MAGIC
        return bits

    def swap_bits(self, games: Index) -> Int:
        """A player may swap ten whites at any of their decisions (KAD-17)."""
        whites = entries(self.whites, games, self.seat[games])
        bits: Int = (whites >= TEN).astype(np.uint64) << SWAP
        return bits

    def offer_otherwise(self, games: Index) -> None:
        """Also offers shows and gives."""
        super().offer_otherwise(games)
        self.offer_show(games[self.phase[games] == SHOW])
        self.offer_gives(games[self.phase[games] == GIVING])

    def offer_show(self, games: Index) -> None:
        """They play a llama or collect the stage (KAD-40, -41, -42), even when alone (KAD-48). They
        cannot quit or draw before (KAD-45)."""
        held = entries(self.held, games, self.seat[games]).astype(np.uint64)
        llama = (held >> LLAMA & np.uint64(1)) << PLAY + LLAMA
        self.legal_bits[games] = llama | np.uint64(1 << COLLECT) | self.extra_bits(games)

    def offer_gives(self, games: Index) -> None:
        """Other players in the round, by distance to the left (KAD-14, KAD-21)."""
        bits, seats = self.swap_bits(games), self.seat[games]
        for places in range(1, self.seats):
            receiver = (seats + places) % self.seats
            active = self.active_bits[games] >> receiver.view(np.uint8) & np.uint8(1)
            bits |= active.astype(np.uint64) << FIRST_GIVE + places - 1
        self.legal_bits[games] = bits
