"""How long a bot may take before its process is ended."""

from __future__ import annotations

from arena.base.durations import latency

HANG_S = 60.0  # for a decision without --move-time
MARGIN_S = 2.0  # beyond --move-time; an answer that comes within it is only late
START_S = 120.0  # until a bot is loaded and prepared, or its program has connected
MOST_UNANSWERED = 6  # decisions of a bot; then the run stops if half of its matches have one


def patience_s(move_ms: int | None) -> float:
    """Seconds after which a decision is given up and the bot's process ended."""
    return HANG_S if move_ms is None else move_ms / 1000 + MARGIN_S


def no_answer(move_ms: int | None) -> str:
    """The reason of the fault."""
    return f"No answer within {latency(1e6 * patience_s(move_ms))}. The bot's process was ended."
