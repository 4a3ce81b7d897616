"""`arena check BOT`: whether a bot, in whatever language, keeps to the contract."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack

from arena.base.errors import InvalidRequest
from arena.kit.check.checks import CHECKS
from arena.kit.check.program import Program, command_of
from arena.kit.check.server import opened, serving
from arena.kit.check.session import Failed, NoAnswer
from arena.kit.check.trial import Check, NotTried, Trial

PASSED, FAILED = 0, 1
MOST_UNANSWERED = 2  # checks in which the bot gives no answer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A bot, and how patient to be with it."""
    parser.description = (
        "Check that a bot keeps to the contract: all its games at all numbers of seats, many\n"
        "decisions at a time, lost connections, a gateway that stops, and more. Nothing else is\n"
        "needed. Exit status 0 if all is well, 1 if not."
    )
    parser.epilog = (
        "Examples:\n"
        "  arena check mybot.py\n"
        '  arena check "node mybot.js"\n'
        "  arena check --listen 0.0.0.0:7420 --token any      a bot that is started elsewhere"
    )
    parser.add_argument(
        "program",
        metavar="BOT",
        nargs="?",
        help="FILE.py, FILE.py:CLASS, or the command that starts it; it is given ARENA_URL and"
        " ARENA_TOKEN",
    )
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help="wait for a bot that is started elsewhere"
    )
    parser.add_argument(
        "--only",
        metavar="CHECK",
        choices=[check.name for check in CHECKS],
        help="make one check: " + "; ".join(check.name for check in CHECKS),
    )
    parser.add_argument("--token", help="with --listen, the token that the bot is to send")
    parser.add_argument(
        "--matches", type=int, default=3, help="matches per game and seats (default: 3)"
    )
    parser.add_argument(
        "--move-time", type=float, default=5.0, help="seconds for a decision (default: 5)"
    )
    parser.add_argument(
        "--start-time", type=float, default=60.0, help="seconds until it connects (default: 60)"
    )


def run(args: argparse.Namespace) -> int:
    """Checks it, a line for each check. Raises InvalidRequest, Unavailable."""
    if bool(args.program) == bool(args.listen):
        raise InvalidRequest("Name a bot to start, or where to wait for one with --listen.")
    if args.matches < 1 or args.move_time <= 0 or args.start_time <= 0:
        raise InvalidRequest("--matches, --move-time and --start-time take more than nothing.")
    return asyncio.run(_check(args))


async def _check(args: argparse.Namespace) -> int:
    token = args.token or secrets.token_urlsafe(12)
    async with AsyncExitStack() as stack:
        place = args.listen or "127.0.0.1:0"
        server, port = await stack.enter_async_context(serving(place, token))
        program = None
        if args.program:
            started = Program(command_of(args.program), f"127.0.0.1:{port}", token)
            program = await stack.enter_async_context(started)
        else:
            print(f"Waiting for a bot at {args.listen}, with ARENA_TOKEN={token}", flush=True)
        try:
            if program is not None:
                session = await opened(server, program, args.start_time)
            else:
                session = await server.opened(args.start_time)
                await session.welcome(args.start_time)
        except TimeoutError:
            print(f"FAILED  No bot connected within {args.start_time:g} s.")
            return FAILED
        except Failed as failed:
            print(f"FAILED  {failed}")
            _tell_what_was_said(program)
            return FAILED
        trial = Trial(server, program, session, args.start_time, args.move_time, args.matches)
        return await _all(trial, [each for each in CHECKS if args.only in (None, each.name)])


async def _all(trial: Trial, checks: Sequence[Check]) -> int:
    failures: list[Failed] = []
    for check in checks:
        failed = await _one(check, trial)
        if failed is None:
            continue
        failures.append(failed)
        _tell_what_was_said(trial.program)
        if sum(isinstance(each, NoAnswer) for each in failures) >= MOST_UNANSWERED:
            print("It does not answer, so the other checks are not made.")
            break
        if not await _anew(trial):
            print("It no longer connects, so the other checks are not made.")
            break
    print("All is well." if not failures else f"{len(failures)} of {len(checks)} checks failed.")
    return FAILED if failures else PASSED


async def _one(check: Check, trial: Trial) -> Failed | None:
    """Prints a line about one check; why the bot does not pass, if it does not."""
    try:
        print(f"ok      {check.name}: {await check.run(trial)}", flush=True)
    except NotTried as reason:
        print(f"-       {check.name}: {reason}", flush=True)
    except (Failed, TimeoutError) as error:
        failed = error if isinstance(error, Failed) else Failed("It took too long.")
        print(f"FAILED  {check.name}: {failed}\n        {check.remedy}", flush=True)
        return failed
    return None


async def _anew(trial: Trial) -> bool:
    """Begins a new session after a failure; whether the bot takes part."""
    trial.session.end()
    try:
        if trial.program is not None:
            await trial.program.stop()
            trial.server.forget()
            await trial.program.start()
        await trial.back(trial.start_s if trial.program else 10.0)
    except Failed:
        return False
    return True


def _tell_what_was_said(program: Program | None) -> None:
    if program is not None and (said := program.said()):
        print(f"        What it printed last:\n{said}", file=sys.stdout)
