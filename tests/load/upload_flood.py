"""Effects of an upload flood on other uploads: `python -m tests.load.upload_flood`.

One account uploads bots that sleep or compute, up to its limit. Meanwhile, another author uploads
an honest bot several times. Prints the times of those uploads before and during the attack, and
the results of the attacker's uploads. Ends in about two minutes.
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass
from itertools import count
from statistics import median

from arena.base.errors import LimitReached
from arena.store import Store, open_store
from arena.store.registry import accounts, bots, submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import OVER
from tests.lab.bench.hosted_bots import PROGRAM, staged

HONEST, TURNS, LOOK_S = PROGRAM.format(in_flight=1, seconds=0), 5, 0.1
SLEEPING = HONEST.replace("return", "time.sleep(45)\n        return")
COMPUTING = PROGRAM.format(in_flight=1, seconds=1.5)


@dataclass(frozen=True)
class Flooded:
    """The results of an attack."""

    before_s: list[float]  # from upload to acceptance of an honest bot
    during_s: list[float]
    uploaded: int  # by the attacker
    refusal: str  # of the first upload beyond the limit
    ends: Counter[str]  # states and reasons of the attacker's uploads so far


def attack() -> Flooded:
    """Runs an arena with a host and attacks it."""
    with staged(lambda line: None) as stage:
        store = open_store(stage.arena.settings.database)
        with store.write() as conn:
            eve = accounts.sign_up(conn, "eve", "-").id
            ada = bots.register(conn, "ada")[0]
        before = [accepted_s(store, ada) for _ in range(TURNS)]
        uploaded, refusal = flood(store, eve)
        during = [accepted_s(store, ada) for _ in range(TURNS)]
        found = Flooded(before, during, uploaded, refusal, ends(store, eve))
        store.dispose()
        return found


def flood(store: Store, account: int) -> tuple[int, str]:
    """Uploads until the limit; returns the number of uploads and the refusal."""
    for number in count():
        with store.write() as conn:
            bots.register(conn, f"eve{number}")
            bot = bots.set_owner(conn, f"eve{number}", account)
            program = COMPUTING if number % 2 else SLEEPING
            try:
                submissions.submit(conn, bot, program.encode())
            except LimitReached as error:
                return number, str(error)
    raise AssertionError


def accepted_s(store: Store, bot: RegisteredBot) -> float:
    """Uploads the honest bot, and returns the seconds until it is accepted."""
    began = time.monotonic()
    with store.write() as conn:
        found = submissions.submit(conn, bot, HONEST.encode())
    while found.state not in OVER:
        time.sleep(LOOK_S)
        with store.read() as conn:
            found = submissions.get(conn, found.id)
    assert found.state == "accepted", found.reason
    return time.monotonic() - began


def ends(store: Store, account: int) -> Counter[str]:
    """The states of the attacker's uploads, with their reasons."""
    with store.read() as conn:
        newest = [submissions.of_bot(conn, bot.id, 1) for bot in bots.owned_by(conn, account)]
    return Counter(f"{each.state} {each.reason}".strip() for each, *_ in filter(None, newest))


def main() -> None:
    """Attacks and prints the results."""
    found = attack()
    for when, seconds in (("before", found.before_s), ("during", found.during_s)):
        sys.stdout.write(
            f"{when}: an honest upload is accepted after {median(seconds):.1f} s"
            f" (at most {max(seconds):.1f} s)\n"
        )
    sys.stdout.write(f"{found.uploaded} uploads of the attacker, then: {found.refusal}\n")
    for end, number in found.ends.most_common():
        sys.stdout.write(f"{number:4} {end}\n")


if __name__ == "__main__":
    main()
