"""The state of LLAMA Kadabra with its views: cards, tokens, the stage and the magic token."""

from typing import Final, Self

from arena.games.rules import rows
from arena.games.rules.kadabra_cards import KINDS, SPECIALS, VALUES, deck_of, may_follow
from arena.games.rules.shedding import SheddingGame
from arena.games.rules.tokens import TEN, Tokens
from arena.games.rules.view import View

FIRST_WHITES: Final = 3

# Values of `magic` if no seat has the token
POOL: Final = -1
STAGE: Final = -2


class MagicGame(SheddingGame):
    """A card game with white and black tokens, a stage and a magic token."""

    kinds = KINDS
    deck = deck_of(SPECIALS.default)
    follows = tuple(
        tuple(kind for kind, card in enumerate(VALUES) if may_follow(card, top)) for top in VALUES
    )
    returns = (1, 10)
    extra = (*(f"give +{places}" for places in range(1, 6)), "swap", "collect", "return magic")

    __slots__ = ("armed", "last_card", "magic", "stage", "tokens")

    tokens: list[Tokens]  # by seat
    stage: Tokens
    magic: int  # the seat that has it, or POOL or STAGE
    armed: bool  # whether a show is in progress (KAD-38)
    last_card: bool  # whether the action of a last card is in progress

    def set_up(self) -> None:
        """Each player takes three whites, once; the stage is empty (KAD-7)."""
        self.tokens = [Tokens(FIRST_WHITES) for _ in range(self.seats)]
        self.stage = Tokens()
        self.magic = POOL
        self.count_points()

    def clone(self) -> Self:
        other = super().clone()
        other.tokens = [tokens.clone() for tokens in self.tokens]
        other.stage = self.stage.clone()
        other.magic = self.magic
        other.armed = self.armed
        other.last_card = self.last_card
        return other

    def has_token(self) -> bool:
        """Whether the player has any token, including the magic one."""
        return bool(self.tokens[self.seat].count) or self.magic == self.seat

    def score(self, penalties: list[int]) -> None:
        """The holder of the magic token scores 10 more; it returns to the pool (KAD-57)."""
        if self.magic >= 0:
            penalties[self.magic] += TEN
            self.magic = POOL
        super().score(penalties)

    def receive(self, seat: int, points: int) -> None:
        """The player takes white and black tokens (KAD-56). The 10 points for the magic token are
        a black (KAD-57)."""
        super().receive(seat, points)
        self.tokens[seat].receive(points)

    def returnable(self, seat: int) -> tuple[int, ...]:
        """A 1 or a 10; ten whites may be swapped first (KAD-58)."""
        return self.tokens[seat].returnable()

    def return_token(self, token: int) -> None:
        super().return_token(token)
        self.tokens[self.seat].give_back(token)

    def count_points(self) -> None:
        """Sets points from tokens. Above 40 during a round, nothing happens (KAD-59)."""
        self.points = [tokens.points for tokens in self.tokens]

    # Views

    def view(self, match: str = "", number: int = 0) -> View:
        """All players see all tokens, the stage and the magic token."""
        return (
            super()
            .view(match, number)
            ._replace(
                whites=tuple([tokens.whites for tokens in self.tokens]),
                blacks=tuple([tokens.blacks for tokens in self.tokens]),
                stage=(self.stage.whites, self.stage.blacks),
                magic={POOL: "pool", STAGE: "stage"}.get(self.magic, str(self.magic)),
            )
        )

    @classmethod
    def more_columns(cls, seats: int) -> list[tuple[str, int]]:
        """Tokens by seat, whites and blacks on the stage, and the place of the magic token."""
        return [("whites", seats), ("blacks", seats), ("stage", 2), ("magic", 1)]

    def more_packed(self) -> bytes:
        """Returns tokens, stage and magic token in bytes."""
        magic = {POOL: rows.POOL, STAGE: rows.STAGE}.get(self.magic, self.magic)
        return bytes(
            [
                *[tokens.whites for tokens in self.tokens],
                *[tokens.blacks for tokens in self.tokens],
                self.stage.whites,
                self.stage.blacks,
                magic,
            ]
        )
