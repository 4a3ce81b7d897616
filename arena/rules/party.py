"""LAMA Party Edition: plus cards give another turn, the pink llama goes on everything."""

from __future__ import annotations

from arena.rules.shedding import SheddingGame

NUMBERS = (1, 2, 3, 4, 5, 6)
LLAMA, PINK = 12, 13  # kinds
VALUES = (1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 10, 20)


def step(kind: int) -> int:
    """A kind's place in the circle 1 to 6, llama: a plus card counts as its value (PARTY-5)."""
    return kind // 2 if kind < LLAMA else 6


def follows(top: int) -> tuple[int, ...]:
    """The same value or the next one, and the pink llama on any card (PARTY-5, PARTY-6).

    The pink llama itself is followed as any llama is (PARTY-7, PARTY-8).
    """
    here = step(top)
    near = [kind for kind in range(PINK) if step(kind) in (here, (here + 1) % 7)]
    return (*near, PINK)


class Party(SheddingGame):
    """The deck of PARTY-1, with tokens of 1, 10 and 20 points (PARTY-2)."""

    name = "party"
    title = "LAMA Party Edition"
    ruleset = "party/1"

    kinds = (*(f"{number}{plus}" for number in NUMBERS for plus in ("", "+")), "llama", "pink")
    deck = tuple(
        kind
        for kind in range(14)
        for _ in range(1 if kind == PINK or (kind < LLAMA and kind % 2) else 7)
    )
    values = VALUES
    follows = tuple(follows(top) for top in range(14))
    returns = (1, 10, 20)

    __slots__ = ()

    def turn_after(self, kind: int) -> int:
        """Who played a plus card must take another turn, with all three actions (PARTY-20, -21).

        The card turned over at the start gives none: nobody played it (PARTY-9). As the last
        card it ends the round like any other (PARTY-25).
        """
        plus = kind < LLAMA and kind % 2 == 1
        return self.seat if plus else self.next_active()

    @classmethod
    def penalty(cls, hand: list[int]) -> int:
        """All llamas together score 10, or 20 with the pink one among them (PARTY-30, -31)."""
        llamas = 20 if hand[PINK] else 10 if hand[LLAMA] else 0
        return llamas + sum(
            number for number in NUMBERS if hand[2 * number - 2] or hand[2 * number - 1]
        )

    def next_starter(self) -> int:
        """The last to take a turn starts, even if he quit (PARTY-41, PARTY-42)."""
        return self.last_actor
