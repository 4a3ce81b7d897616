"""LAMA Party Edition: plus cards give another turn, and the pink llama goes on any card."""

from typing import Final

from arena.games.rules.shedding import SheddingGame

NUMBERS: Final = (1, 2, 3, 4, 5, 6)
LLAMA: Final = 12  # kinds
PINK: Final = 13


def step(kind: int) -> int:
    """Returns a kind's position in the cycle 1 to 6, llama; plus cards as numbers (PARTY-5)."""
    return kind // 2 if kind < LLAMA else 6


def follows(top: int) -> tuple[int, ...]:
    """Returns the kinds that may follow: the same value, the next one, or pink (PARTY-5, PARTY-6).
    The pink llama is followed like any other llama (PARTY-7, PARTY-8)."""
    here = step(top)
    near = [kind for kind in range(PINK) if step(kind) in (here, (here + 1) % 7)]
    return (*near, PINK)


class Party(SheddingGame):
    """The deck of PARTY-1, with tokens of 1, 10 and 20 points (PARTY-2).

    Turns and the end of a round are the same as in LAMA (PARTY-4, PARTY-10, PARTY-11).
    """

    name = "party"
    title = "LAMA Party Edition"
    ruleset = "party/1"
    typical_decisions = (93, 107, 113, 111, 116)

    kinds = (*(f"{number}{plus}" for number in NUMBERS for plus in ("", "+")), "llama", "pink")
    deck = tuple(
        kind
        for kind in range(14)
        for _ in range(1 if kind == PINK or (kind < LLAMA and kind % 2) else 7)
    )
    follows = tuple(follows(top) for top in range(14))
    returns = (1, 10, 20)

    __slots__ = ()

    def turn_after(self, kind: int) -> int:
        """A player of a plus card must take another turn (PARTY-20, PARTY-21).

        The extra turn is an ordinary one (PARTY-23, -24) on the card just played (PARTY-26), and
        another plus card gives yet another turn (PARTY-22). A player's last card ends the round
        even if it is a plus card (PARTY-25). As the start card, it gives no turn (PARTY-9).
        """
        plus = kind < LLAMA and kind % 2 == 1
        return self.seat if plus else self.next_active()

    @classmethod
    def penalty(cls, hand: list[int]) -> int:
        """Each value counts once, as a plus card or not (PARTY-30). All llamas together score 10,
        or 20 if the pink one is among them (PARTY-31), so the maximum is 41 (PARTY-32)."""
        llamas = 20 if hand[PINK] else 10 if hand[LLAMA] else 0
        return llamas + sum([n for n in NUMBERS if hand[2 * n - 2] or hand[2 * n - 1]])
