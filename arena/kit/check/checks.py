"""What is tried with a bot, in order, and what its author can do where it fails."""

from __future__ import annotations

from arena.base import website
from arena.kit.check import answering, connecting
from arena.kit.check.trial import Check

CHECKS = (
    Check("Hello", answering.hello, f"See {website.docs('protocol#hello')}."),
    Check(
        "every game and number of seats",
        answering.every_game,
        "Answer with one of view.actions, or with the index beside it in view.indices.",
    ),
    Check("unusual positions", answering.unusual, "Every view is complete; decide by it alone."),
    Check(
        "many decisions at a time",
        answering.many,
        "Answer each, in any order, in time; otherwise declare a smaller max_in_flight.",
    ),
    Check(
        "packed decisions",
        answering.packed,
        f"Read rows as in {website.docs('protocol#packed-decisions')}, or leave out Hello.packed.",
    ),
    Check(
        "the same decision again", answering.asked_again, "Tickets name decisions; matches do not."
    ),
    Check(
        "too late",
        answering.too_late,
        "Read on after a Fault or a Problem: they are for the author, and end nothing.",
    ),
    Check(
        "large messages and unknown fields",
        answering.large,
        "Leave the limit for received messages at 4 MiB or more; ignore what is unknown.",
    ),
    Check("silence", answering.silence, "Answer only what was asked, once."),
    Check("drain", connecting.drain, "Answer on until Closed; then connect again."),
    Check(
        "cut off in a match",
        connecting.cut,
        "Connect again at once, then after 0.2 to 4 s; what is open is sent again.",
    ),
    Check("closed for good", connecting.closed, "Stop when Closed says reconnect = false."),
    Check(
        "refused",
        connecting.refused,
        "Stop at UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT and UNIMPLEMENTED, and print "
        "the status message.",
    ),
)
