"""The rounds of all games: dealing, turns, quitting, scoring, returning tokens, and the end."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar, Final

from arena.games.rules.errors import BadDeck
from arena.games.rules.shuffles import shuffled

NOBODY: Final = -1
GAME_ENDS_AT: Final = 40  # points; COM-6, LAMA-34


@dataclass(slots=True)
class RoundLog:
    """The log of a round: the seed determines its start, `moves` the rest."""

    number: int  # from 1
    starter: int
    deck: list[int]  # card kinds, top first, as shuffled
    moves: list[tuple[int, int]] = field(default_factory=list)  # seat, action
    final_hands: list[list[int]] = field(default_factory=list)  # by seat: cards at scoring
    penalties: list[int] = field(default_factory=list)  # by seat: penalty points for cards
    points: list[int] = field(default_factory=list)  # by seat: total after scoring and returns

    def clone(self) -> RoundLog:
        """Returns a copy to which moves can be added."""
        return RoundLog(
            self.number,
            self.starter,
            self.deck,
            list(self.moves),
            self.final_hands,
            self.penalties,
            self.points,
        )


class Rounds:
    """The rounds of a match in progress; `Game` is the rest of it. This is not an ABC: compiled
    classes would share its `isinstance` cache."""

    title: ClassVar[str]
    deck: ClassVar[tuple[int, ...]]  # kinds, in the order before shuffling
    returns: ClassVar[tuple[int, ...]]  # tokens that may be given back, ascending
    keep: ClassVar[int]  # the action "keep"; the returns follow it

    __slots__ = (
        "active",
        "codes",
        "finished",
        "history",
        "in_round",
        "last_actor",
        "legal_actions",
        "log",
        "max_rounds",
        "phase",
        "points",
        "rounds",
        "scored",
        "seat",
        "seats",
        "seed",
        "went_out",
    )

    seats: int
    seed: bytes
    max_rounds: int
    points: list[int]  # current penalty points, by seat
    rounds: list[RoundLog]
    finished: bool
    seat: int  # the deciding seat
    phase: str  # the kind of decision: "turn", "return", ...
    legal_actions: tuple[int, ...]

    # Implemented by each game

    def make_deck(self) -> tuple[int, ...]:
        """Returns the deck that a round is dealt from."""
        return self.deck

    @abstractmethod
    def deal_cards(self, deck: list[int]) -> None:
        """Deals the shuffled cards, top card first."""

    @abstractmethod
    def begin_turn(self, seat: int) -> None:
        """Starts a player's turn: sets `seat`, `phase` and `legal_actions`."""

    @abstractmethod
    def end_play(self) -> None:
        """Ends the play of a round and scores it."""

    # Shared by all games

    @property
    def round(self) -> int:
        """The number of the current round, from 1."""
        return len(self.rounds)

    def begin_round(self, starter: int) -> None:
        """Shuffles all cards for the next round (LAMA-30, PARTY-40, DICE-31, KAD-61)."""
        self.open_round(shuffled(self.seed, len(self.rounds) + 1, self.make_deck()), starter)

    def deal(self, deck: list[int], starter: int) -> None:
        """Starts a round with this deck, top card first. Raises BadDeck if these are not the game's
        cards. The state is then unchanged."""
        if sorted(deck) != sorted(self.make_deck()):
            self._refuse_deck(deck)
        self.open_round(deck, starter)

    def _refuse_deck(self, deck: list[int]) -> None:
        given, whole = Counter(deck), Counter(self.make_deck())
        raise BadDeck(
            f"These cards are not the deck of {self.title}: "
            f"{(whole - given).total()} are missing, {(given - whole).total()} are too many."
        )

    def open_round(self, deck: list[int], starter: int) -> None:
        """Starts a round with all players in it, and its log."""
        self.log = RoundLog(len(self.rounds) + 1, starter, deck)
        self.history: list[str] = []  # public moves of this round: "SEAT ACTION"
        self.codes = b""  # these moves in bytes, as far as already packed
        self.rounds.append(self.log)
        self.active = [True] * self.seats
        self.in_round = self.seats
        self.went_out = NOBODY  # the seat that played or discarded its last card
        self.scored = False
        self.last_actor = NOBODY  # the seat that took the last turn
        self.deal_cards(deck)
        self.begin_turn(starter)

    def next_active(self) -> int:
        """Returns the next player on the left who is in the round (COM-2, COM-3)."""
        seat = (self.seat + 1) % self.seats
        while not self.active[seat]:
            seat = (seat + 1) % self.seats
        return seat

    def quit(self) -> None:
        """The player quits the round; the last player to quit ends it (LAMA-15, DICE-24)."""
        self.active[self.seat] = False
        self.in_round -= 1
        if self.in_round:
            self.begin_turn(self.next_active())
        else:
            self.end_play()

    def score(self, penalties: list[int]) -> None:
        """All players score their cards at once (COM-4), regardless of the tokens left (COM-8).

        Then a player who went out may return a token if they have any (LAMA-25, LAMA-27, LAMA-28).
        Only in Kadabra can they have 40 points at that moment (COM-14, KAD-58).
        """
        self.log.penalties = penalties
        self.scored = True
        for seat, penalty in enumerate(penalties):
            self.receive(seat, penalty)
        if self.went_out != NOBODY and self.points[self.went_out]:
            self.begin_return(self.went_out)
        else:
            self.end_round()

    def receive(self, seat: int, points: int) -> None:
        """The player takes tokens for these points (LAMA-23, PARTY-36)."""
        self.points[seat] += points

    def begin_return(self, seat: int) -> None:
        """The player may return a token, or none (COM-11, COM-12, LAMA-29)."""
        self.seat, self.phase = seat, "return"
        back = [self.keep + 1 + self.returns.index(token) for token in self.returnable(seat)]
        self.legal_actions = (self.keep, *back)

    def returnable(self, seat: int) -> tuple[int, ...]:
        """Returns the tokens that a player may return. Tokens are swapped freely, so only points
        matter: LAMA-24, LAMA-26, PARTY-33, PARTY-34. The supply is unlimited (PARTY-35).
        """
        held = self.points[seat]
        return tuple([token for token in self.returns if token <= held])

    def give_back(self, action: int) -> None:
        """The player returns a token or keeps everything."""
        if action > self.keep:
            self.return_token(self.returns[action - self.keep - 1])
        self.after_return()

    def return_token(self, token: int) -> None:
        """Takes a token from the player's points."""
        self.points[self.seat] -= token

    def after_return(self) -> None:
        """Continues after a return, which happens once the round has been scored."""
        self.end_round()

    def end_round(self) -> None:
        """Ends the match if a player has 40 points or more, else starts the next round.

        Only current points count (COM-5, -6, -7; LAMA-34, PARTY-43, DICE-33, KAD-63), so a
        player of LAMA ends with at most 39 + 31 = 70 (LAMA-35).
        """
        self.log.points = list(self.points)
        if max(self.points) >= GAME_ENDS_AT or self.round >= self.max_rounds:
            self.finished, self.seat, self.phase, self.legal_actions = True, NOBODY, "", ()
        else:
            self.begin_round(self.next_starter())

    def next_starter(self) -> int:
        """Returns the last player to take a turn, even if they quit. PARTY-27, PARTY-41, PARTY-42,
        DICE-32, KAD-62. LAMA has a different rule."""
        return self.last_actor
