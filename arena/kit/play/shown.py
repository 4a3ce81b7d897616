"""Views and tracebacks as text for the bot's author."""

from __future__ import annotations

import traceback

from arena.games.rules import View
from arena.sdk.answer import BadAnswer, is_ours, own_frames, own_traceback


def view_in_short(view: View) -> str:
    """Return a view in a few lines."""
    by_seat = " ".join(map(str, view.points))
    lines = [f"round {view.round}, {view.ask}, seat {view.seat} of {view.seats}, points {by_seat}"]
    if view.rows:
        rows = " | ".join(" ".join(row) or "-" for row in view.rows)
        lines.append(f"rows {rows}; llama row {' '.join(view.llama_row)}")
        if view.dice:
            lines.append(f"dice {' '.join(view.dice)}")
    else:
        sizes = " ".join(map(str, view.hand_sizes))
        lines.append(
            f"hand {' '.join(view.hand) or '-'}; top {view.top}; hand sizes {sizes}; "
            f"pile {view.pile}"
        )
    lines.append(f"actions {', '.join(view.actions)}")
    return "\n".join(lines)


def traceback_from_bot(error: BaseException) -> str:
    """Return the bot's part of the traceback; "" if only the answer is wrong."""
    if isinstance(error, BadAnswer):
        return ""
    return own_traceback(error).rstrip("\n")


def place_of(error: BaseException) -> str:
    """Return the exception's class and the line of the bot's code."""
    frames = traceback.extract_tb(own_frames(error))
    last = next((f for f in reversed(frames) if not is_ours(f.filename)), None)
    where = f"{last.filename}:{last.lineno}" if last else ""
    return f"{type(error).__name__} {where}"
