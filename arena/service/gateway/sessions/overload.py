"""Detects that bots run out of time because this machine is overloaded.

Two conditions must hold within `WINDOW_S` seconds. The machine is busy, as measured by the gateway
(`arena.service.gateway.machine_load`). And clocks run out for more than half of the bots with
decisions, of more than half of their authors, and for at least three bots. Then clocks get the time
back. Authors are counted so that one author's bots cannot stop the clocks.

While the machine is busy, a decision whose time is up is held for `HOLD_S` seconds, since others
may follow. An answer in that time counts only if a quarter of bots and authors are late, too.

Overload comes in waves. So for `AFTER_S` seconds after most bots were late, a quarter counts as
most, and answers to held decisions count.
"""

from collections.abc import Mapping
from enum import Enum, auto
from math import inf

from arena.service.gateway.sessions.player_session import PlayerSession

WINDOW_S = 2.0
HOLD_S = 0.5
AFTER_S = 10.0
BUSY_S = 3.0  # for which a measurement of the machine counts
MOST, SOME, LEAST_BOTS = 1 / 2, 1 / 4, 3


class Late(Enum):
    """The share of late bots while the machine is busy."""

    NOBODY = auto()  # or the machine is not busy
    FEW = auto()
    SOME = auto()
    MOST = auto()


class Overload:
    """Counts the bots that are late."""

    def __init__(self) -> None:
        self._busy_until = self._wave_until = -inf
        self._late: dict[int, float] = {}  # by player: when last late

    def machine_is_busy(self, now: float) -> None:
        """The machine was measured to be busy."""
        self._busy_until = now + BUSY_S

    def judge(self, sessions: Mapping[int, PlayerSession], judged: float, now: float) -> Late:
        """Return the share of late sessions. `judged`: clocks that ran out by then are late."""
        if now >= self._busy_until:
            self._late.clear()
            return Late.NOBODY
        self._late |= {p: now for p, session in sessions.items() if session.overdue(judged)}
        since = now - WINDOW_S
        self._late = {p: at for p, at in self._late.items() if at >= since and p in sessions}
        if not self._late:
            return Late.NOBODY
        asked = {p: one.author for p, one in sessions.items() if one.asked_since(since)}
        late = {p: sessions[p].author for p in self._late}
        asked |= late
        bots, authors = len(late) / len(asked), len({*late.values()}) / len({*asked.values()})
        share, wave = min(bots, authors), now < self._wave_until
        if share > (SOME if wave else MOST) and len(late) >= (2 if wave else LEAST_BOTS):
            self._wave_until = now + AFTER_S if share > MOST else self._wave_until
            return Late.MOST
        return Late.SOME if wave or (share > SOME and len(late) > 1) else Late.FEW
