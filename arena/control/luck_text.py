"""What cards and seats did in a tournament, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from arena.protocol.v1 import control_pb2 as pb


def luck_lines(luck: pb.Luck) -> Iterator[str]:
    """One sentence on what duplicate deals save, where deals are shared, and one on the seats; none
    before the first deal."""
    if not luck.matches:
        return
    if luck.shared:
        yield _saved(luck)
    points = ", ".join(f"{mean:.2f}" for mean in luck.mean_points)
    yield f"Mean points by seat, first to last, over {luck.matches:,} matches: {points}."


def _saved(luck: pb.Luck) -> str:
    if luck.HasField("saved"):
        plus_minus = f"± {luck.plus_minus:.0%}, " if luck.HasField("plus_minus") else ""
        return f"{_worth(luck.saved)} ({plus_minus}measured on {luck.deals:,} deals)."
    if luck.deals:
        return "Duplicate deals: every table had the same results on all its deals."
    return "Duplicate deals: what they save is known when a table has played two deals."


def _worth(saved: float) -> str:
    if saved < 0:
        return (
            "Duplicate deals: the matches of a deal resemble each other, "
            f"{-saved:.0%} more variance than independent ones"
        )
    return (
        f"Duplicate deals save {saved:.0%} of a match's variance: {100 * (1 - saved):.0f} matches "
        "tell as much as 100 independent ones"
    )
