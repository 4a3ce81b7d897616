"""Time limits after which a bot's process is ended."""

from __future__ import annotations

from arena.base.durations import latency

HANG_S = 60.0  # for a decision without --move-time
MARGIN_S = 2.0  # after --move-time, in which an answer is only late
START_S = 120.0  # until a bot is loaded and prepared, or its program has connected
MOST_UNANSWERED = 6  # decisions, after which the run stops if half of the bot's matches have one


def patience_s(move_ms: int | None) -> float:
    """Return the seconds after which the bot's process is ended."""
    return HANG_S if move_ms is None else move_ms / 1000 + MARGIN_S


def no_answer(move_ms: int | None) -> str:
    """Return the reason of the fault."""
    return f"No answer within {latency(1e6 * patience_s(move_ms))}. The bot's process was ended."
