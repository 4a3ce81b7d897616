"""Which bots were withdrawn from a tournament, and what their owners want to know."""

from __future__ import annotations

from collections.abc import Sequence


def withdrawn_text(names: Sequence[str]) -> str:
    """What became of these bots, in sentences; "" for none."""
    if not names:
        return ""
    were = "was" if len(names) == 1 else "were"
    return (
        f"{', '.join(names)} {were} withdrawn: not connected, and too many matches in a row "
        "forfeited for that. What was not begun by then is not played. Who was withdrawn may enter "
        "the next tournament; a bot that is benched reads on its page how it comes back."
    )
