"""Rate limits by address and by token, and bans. See docs/limits.md.

Calls with a valid token count against the token, and all others against the address. So no one can
get a bot banned without its token. Tokens that were valid before are admitted from a banned
address, which may be shared by a whole school.

`arena.service.gateway.throttle` counts. This module adds the clock, the settings and the texts.
"""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Set

import structlog

from arena.base.addresses import networks
from arena.base.config import Settings
from arena.base.errors import LimitReached
from arena.base.text import duration
from arena.service.gateway import metrics
from arena.service.gateway.limits import NOTES_PER_MINUTE
from arena.service.gateway.throttle import Peer, Refusal, Throttle
from arena.store.registry.tokens import digest

log = structlog.get_logger(__name__)

# Calls that their client cancels within this time count as abandoned.
ABANDONED_WITHIN_S = 1.0
MOST_KNOWN = 100_000  # remembered valid tokens
# Clients send about ten header fields. An attacker can pack thousands into 8 kB, and each costs the
# gateway CPU time and memory.
MOST_FIELDS = 100
FIELDS_COUNT = 10  # abandoned calls that such a call counts as

PHRASES = {
    "calls": "calls",
    "failed_logins": "calls with a wrong token",
    "abandoned_calls": "calls that were cancelled immediately",
    "notes": "calls with notes",
    "reconnects": "new streams with this token",
    "spare_choices": "choices beyond the decisions sent",
}
ADVICE = {
    "calls": "Make fewer calls, and keep streams open",
    "failed_logins": "Check ARENA_TOKEN or ARENA_ADMIN_TOKEN",
    "abandoned_calls": "Wait for an answer before cancelling",
    "notes": "Send the notes of each match once, with a pause",
    "reconnects": "Pause longer after each attempt, and run one program per token",
    "spare_choices": "Answer each decision once",
}


class LimitExceeded(LimitReached):
    """The caller has exceeded a limit or is banned. It may retry in `wait_s` seconds."""

    def __init__(self, sentence: str, wait_s: float, *, banned: bool) -> None:
        super().__init__(sentence)
        self.wait_s = wait_s
        self.banned = banned


class RateLimiter:
    """The limits of one gateway. Its state is bounded and not stored."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        people = settings.people_per_address
        self.exempt = networks(settings.exempt_addresses)
        self._clock = clock
        self._ban_s = settings.ban_s
        self._addresses = Throttle(
            {
                "calls": people * settings.calls_per_minute,
                "failed_logins": people * settings.failed_logins_per_minute,
                "abandoned_calls": people * settings.abandoned_calls_per_minute,
            },
            people * settings.refusals_per_minute,
            settings.ban_s,
        )
        self._abandoned = settings.abandoned_calls_per_minute
        # A connection belongs to one person, even behind a shared address.
        self._connections = Throttle(
            {"abandoned_calls": settings.abandoned_calls_per_minute},
            settings.refusals_per_minute,
            settings.ban_s,
        )
        self._tokens = Throttle(
            {
                "notes": NOTES_PER_MINUTE,
                "reconnects": settings.reconnects_per_minute,
                "spare_choices": settings.spare_choices_per_minute,
            },
            settings.refusals_per_minute,
            settings.ban_s,
        )
        self._good = OrderedDict[bytes, None]()  # digests
        self.busy = Counter[Peer]()  # open calls
        self.to_hang_up = set[Peer]()
        self.hang_up_wanted = asyncio.Event()
        self.on_ban: Callable[[str, str], None] = lambda token, sentence: None

    # Calls

    def call_started(self, peer: Peer, token: str, *, trusted: bool = False) -> None:
        """Count a call; `call_ended` must follow. Raises LimitExceeded unless the caller is
        `trusted` (the administrator or a host)."""
        self.busy[peer] += 1
        if trusted or peer.within(self.exempt):
            return
        now = self._clock()
        # Calls of a connection that was closed for its resets: thousands may be in gRPC's queue,
        # and delay all others.
        if refusal := self._connections.exhausted(peer, "abandoned_calls", now):
            self._addresses.charge(peer.network, "abandoned_calls", now)
            self._refuse_peer(peer, refusal)
        refusal = self._addresses.take(peer.network, "calls", now)
        if refusal is None or self.is_good(token):
            return
        self._refuse_peer(peer, refusal)

    def headers_read(self, peer: Peer, fields: int) -> None:
        """Check the number of header fields of a call. If it is too high, close the connection and
        raise LimitExceeded."""
        if fields <= MOST_FIELDS or peer.within(self.exempt):
            return
        now, what = self._clock(), "abandoned_calls"
        refusal = self._connections.charge(peer, what, now, 2 * self._abandoned + 1)
        self._addresses.charge(peer.network, what, now, FIELDS_COUNT)
        self.hang_up({peer})
        assert refusal is not None
        self._refuse_peer(peer, refusal)

    def call_ended(self, peer: Peer) -> None:
        self.busy[peer] -= 1
        if not self.busy[peer]:
            del self.busy[peer]

    def call_cancelled(self, peer: Peer, began: float) -> None:
        """The client cancelled a call that started at `began`."""
        now = self._clock()
        if now - began > ABANDONED_WITHIN_S or peer.within(self.exempt):
            return
        if self._connections.charge(peer, "abandoned_calls", now):
            self.hang_up({peer})
        if refusal := self._addresses.charge(peer.network, "abandoned_calls", now):
            self._note(refusal, address=peer.network)
            if refusal.banned:
                self.hang_up({peer})

    def hang_up(self, peers: Set[Peer]) -> None:
        """Schedule the connections of these peers to be closed."""
        self.to_hang_up |= peers
        self.hang_up_wanted.set()

    # Tokens

    def login_tried(self, peer: Peer, token: str) -> None:
        """Check before a token is looked up. Raises LimitExceeded after too many wrong tokens from
        the address, unless this one was valid before."""
        if peer.within(self.exempt) or self.is_good(token):
            return
        now = self._clock()
        if refusal := self._addresses.exhausted(peer.network, "failed_logins", now):
            self._refuse_peer(peer, refusal)

    def login_failed(self, peer: Peer, token: str) -> None:
        self._good.pop(digest(token), None)
        if not peer.within(self.exempt):
            self._addresses.charge(peer.network, "failed_logins", self._clock())

    def login_good(self, token: str) -> None:
        key = digest(token)
        self._good[key] = None
        self._good.move_to_end(key)
        if len(self._good) > MOST_KNOWN:
            self._good.popitem(last=False)

    def is_good(self, token: str) -> bool:
        """Return whether this token was valid when last looked up here."""
        return bool(token) and digest(token) in self._good

    def stream_asked_for(
        self, peer: Peer, token: str, what: str = "reconnects", *, shared: bool = False
    ) -> None:
        """Check a new stream of a bot, or its call with "notes", before the token is looked up. A
        connection that is `shared` with other bots is not closed. Raises LimitExceeded."""
        if not self.is_good(token):
            return
        refusal = self._tokens.take(digest(token), what, self._clock())
        if refusal is not None:
            # A proxy carries others, too.
            if refusal.banned and not shared and not peer.within(self.exempt):
                self.hang_up({peer})
            raise self._refused_token(refusal, token)

    def spare_choices(self, token: str, count: int) -> LimitExceeded | None:
        """Count choices beyond the decisions sent. Return an error for the bot if there are too
        many."""
        refusal = self._tokens.charge(digest(token), "spare_choices", self._clock(), count)
        return None if refusal is None else self._refused_token(refusal, token)

    def _refused_token(self, refusal: Refusal, token: str) -> LimitExceeded:
        self._note(refusal, token=digest(token).hex()[:8])
        error = self._error(refusal, "this bot", "This token")
        if refusal.begins:
            self.on_ban(token, str(error))
        return error

    def _refuse_peer(self, peer: Peer, refusal: Refusal) -> None:
        self._note(refusal, address=peer.network)
        if refusal.banned:
            self.hang_up({peer})
        raise self._error(refusal, peer.network, f"The address {peer.network}")

    def _error(self, refusal: Refusal, source: str, banned: str) -> LimitExceeded:
        phrase, advice = PHRASES[refusal.what], ADVICE[refusal.what]
        wait = duration(max(1.0, refusal.wait_s))
        if refusal.banned:
            sentence = (
                f"{banned} is banned for another {wait}, because it sent too many {phrase} and"
                f" ignored the warning. {advice}."
            )
        else:
            sentence = (
                f"More than {refusal.most:,.0f} {phrase} a minute came from {source}. Try again in"
                f" {wait}. {advice}. Clients that retry earlier are banned for"
                f" {duration(self._ban_s)}."
            )
        return LimitExceeded(sentence, refusal.wait_s, banned=refusal.banned)

    @staticmethod
    def _note(refusal: Refusal, **whose: str) -> None:
        metrics.REFUSALS.labels(refusal.what).inc()
        if refusal.begins:
            metrics.BANS.labels(refusal.what).inc()
            log.warning("banned", what=refusal.what, seconds=refusal.wait_s, **whose)
