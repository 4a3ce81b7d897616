"""The checks, in order, each with advice for the author."""

from __future__ import annotations

from arena.base import website
from arena.kit.check import answering, connecting
from arena.kit.check.trial import Check

CHECKS = (
    Check("Hello", answering.hello, f"See {website.docs('reference/messages#hello')}."),
    Check(
        "every game and number of seats",
        answering.every_game,
        "Answer each decision once, with its ticket.",
    ),
    Check("unusual positions", answering.unusual, "Decide from the view alone. It is complete."),
    Check(
        "many decisions at a time",
        answering.many,
        "Answer all decisions in time, in any order, or declare a smaller max_in_flight.",
    ),
    Check(
        "packed decisions",
        answering.packed,
        f"See {website.docs('protocol#packed-decisions')}, or do not set Hello.packed.",
    ),
    Check("the same decision again", answering.asked_again, "Identify decisions by their tickets."),
    Check(
        "too late",
        answering.too_late,
        "Continue after a Fault or a Problem. They only inform the author.",
    ),
    Check(
        "large messages and unknown fields",
        answering.large,
        "Set the limit for received messages to at least 4 MiB, and ignore unknown fields.",
    ),
    Check("silence", answering.silence, "Answer each decision once, and send nothing else."),
    Check("drain", connecting.drain, "Keep answering until Closed, then connect again."),
    Check(
        "cut off in a match",
        connecting.cut,
        "Connect again at once, then every 0.2 to 4 s. Open decisions are sent again.",
    ),
    Check("closed for good", connecting.closed, "Stop when Closed says reconnect = false."),
    Check(
        "refused",
        connecting.refused,
        "After UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT or UNIMPLEMENTED, print the "
        "status message and stop.",
    ),
)
