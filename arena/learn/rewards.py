"""The rewards of a match, for both kinds of environments."""

from collections.abc import Sequence


def rewards(ranks: Sequence[int]) -> list[float]:
    """Returns rewards by seat, given ranks by seat: the share of other seats that it beat minus
    the share that beat it. The best seat gets 1, the worst -1; ties share, and the sum is 0."""
    others = len(ranks) - 1
    return [(sum(rank > own for rank in ranks) - sum(rank < own for rank in ranks)) / others
            for own in ranks]  # fmt: skip
