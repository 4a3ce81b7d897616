"""How a tournament deals its cards, and what they follow from, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from arena.pairing import TournamentSpec, format_of
from arena.pairing.cycles import shares_deals
from arena.protocol.v1 import control_pb2 as pb


def dealt(spec: TournamentSpec) -> str:
    """How often a table plays, and with which cards."""
    per = "in a block" if spec.format == "versus" else "for each table"
    if not shares_deals(spec):
        return f"{spec.matches:,} matches {per}, each with a deal of its own"
    each = format_of(spec.format).matches_per_deal(spec)
    return f"{spec.deals:,} shared deals {per}, each played {each} times"


def rounded_up(requested: int, planned: int) -> str:
    """Why there are more matches than were asked for."""
    return f"{planned:,} matches, not {requested:,}: so all have every seat equally often"


def secret_lines(item: pb.Tournament) -> Iterator[str]:
    """What is published of the secret, from which all cards follow."""
    if item.commitment:
        yield f"Commitment: {item.commitment}"
    if item.secret:
        yield f"Secret: {item.secret}"
    if item.repeatable:
        repeats = f" of {item.spec.seed}" if item.spec.HasField("seed") else ""
        yield f"Repeatable: the secret was made of a number{repeats}, and who guessed it knew all."
    elif item.spec.HasField("seed"):
        yield f"Seed: {item.spec.seed}"
