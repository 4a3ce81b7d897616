"""One repeated decision as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.cli.match_text import in_columns

if TYPE_CHECKING:
    from arena.sdk.again import AskedAgain

DIFFERS = "*"


def lines(asked: AskedAgain) -> Iterator[str]:
    """Yield the situation, the options, the recorded action and the answer now."""
    view = asked.view
    lies = f"dice {' '.join(view.dice)}" if view.dice else f"top {view.top}" if view.top else ""
    yield from in_columns(f"  {view.number:>4}  {lies:18}  hand     ", view.hand)
    *options, last = view.actions
    yield from in_columns(f"{'':28}options  ", [*(f"{option}," for option in options), last])
    fault = f" (fault: {asked.fault})" if asked.fault else ""
    yield f"{'':28}played   {asked.played}{fault}"
    mark = DIFFERS if asked.differs else " "
    yield f"  {mark:>4}{'':22}now      {asked.now or 'no answer'}"
    yield from (f"{'':10}{line}" for line in asked.problem.splitlines())
