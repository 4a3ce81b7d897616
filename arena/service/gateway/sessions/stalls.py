"""Detects times in which the gateway, not its bots, was slow or cut off.

There are four signs: a late tick, an overdue echo (see `arena.service.gateway.echo`), no heartbeat
in Redis, and bots that cannot connect without Redis. Times are monotonic seconds.
"""

from math import inf
from typing import NamedTuple

import structlog

from arena.base.keepalive import CUT_OFF_S, GATEWAY_TTL_S, RECONNECT_S

log = structlog.get_logger(__name__)

TICK_S = 0.02
STALL_S = 0.25  # a delay of a tick that means a stall of this process
ECHO_S = 0.05  # between two echoes
MOST_SILENCE_S = 30.0  # if no echo comes for so long, it is the echo that is broken


class Interval(NamedTuple):
    """A time span."""

    since: float
    until: float


class Tick(NamedTuple):
    """What a tick finds."""

    stalls: list[Interval]  # to be given back to clocks and absences
    judged: float | None  # decisions whose time was up by then may end; None: nothing may end
    closed: Interval | None = None  # bots could not come in; not to be counted as absence


class StallDetector:
    """The detector of one gateway."""

    def __init__(self) -> None:
        self._ticked: float | None = None
        self._echoed: float | None = None  # when the newest echo was sent that has come back
        self._heard: float | None = None  # everything received before this moment was processed
        self._resumed = -inf
        self._deaf_since: float | None = None
        self._forgiven_until = -inf
        self._beaten = -inf  # the last heartbeat that Redis took; before the first, none is missing
        self._closed = False  # bots cannot connect, or could not until a moment ago
        self._reopened = self._held_until = -inf

    def echoed(self, sent: float) -> None:
        """An echo came back that was sent at this moment, after the one before had come back: so
        everything received before that one was sent has been processed."""
        self._heard, self._echoed = self._echoed, sent

    def resumed(self, now: float) -> None:
        """Ticks and echoes go on after a pause. What they missed is not a stall."""
        self._ticked = self._resumed = now
        self._deaf_since = None

    def beaten(self, now: float) -> Interval | None:
        """Redis has taken a heartbeat. Return a silence before it that was too long: whatever cut
        the gateway off from Redis may have cut it off from its bots."""
        since = max(self._beaten, self._resumed)
        silent = self._beaten > -inf and now - since > CUT_OFF_S
        self._beaten = now
        return Interval(since, now) if silent else None

    def tick(self, now: float) -> Tick:
        """Return what is to be given back, and what may end. To be called every `TICK_S`."""
        late = 0.0 if self._ticked is None else now - self._ticked - TICK_S
        self._ticked = now
        stalls = [Interval(now - late, now)] if late > STALL_S else []
        if self._deaf(now, stalls) or late > STALL_S:
            return Tick(stalls, None)
        return Tick(stalls, self._judged_until(now), self._closed_for(now))

    def new_part(self, stall: Interval) -> Interval | None:
        """Return the part of a stall that was not given back for another sign of it."""
        since = max(stall.since, self._forgiven_until)
        if since >= stall.until:
            return None
        self._forgiven_until = stall.until
        return Interval(since, stall.until)

    def sound_until(self, now: float) -> float:
        """Return until when there was no sign of a stall that may last until now, whether or not a
        tick has found it yet."""
        signs = (
            (self._ticked, TICK_S + STALL_S),
            (self._heard, 2 * ECHO_S + TICK_S + STALL_S),
            (self._beaten, CUT_OFF_S),
        )
        known = [(max(last, self._resumed), most) for last, most in signs if last is not None]
        return min([now, *(last for last, most in known if -inf < last < now - most)])

    def _judged_until(self, now: float) -> float:
        """Return up to when all answers have been read, and the network worked."""
        known = [now]
        if self._heard is not None:
            known.append(self._heard)
        if self._beaten > -inf:
            known.append(self._beaten)
        return min(known)

    def _closed_for(self, now: float) -> Interval | None:
        """Return the time since the last call in which bots could not connect: without Redis, and
        for a moment afterwards, in which they try again."""
        if self._beaten > -inf and now - self._beaten > GATEWAY_TTL_S:
            if not self._closed:
                self._closed, self._held_until = True, self._beaten
            self._reopened = now + RECONNECT_S
        if now >= self._reopened:
            self._closed = False
            return None
        closed, self._held_until = Interval(self._held_until, now), now
        return closed

    def _deaf(self, now: float, stalls: list[Interval]) -> bool:
        """Return whether an echo is overdue, that is, answers may not have been read. Adds the
        stall once it is over."""
        if self._heard is None:
            return False
        # Two echoes have to come back, and a tick to follow.
        expected = max(self._heard, self._resumed) + 2 * ECHO_S + TICK_S
        if now - expected > MOST_SILENCE_S:
            log.error("no echo comes back; the gateway goes on without", seconds=now - expected)
            self._heard = self._echoed = None
        elif now - expected > STALL_S:
            self._deaf_since = self._deaf_since or expected
            return True
        if self._deaf_since is not None:
            stalls.append(Interval(self._deaf_since, now))
            self._deaf_since = None
        return False
