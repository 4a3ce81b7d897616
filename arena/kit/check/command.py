"""`arena check BOT`: check that a bot in any language follows the protocol."""

import argparse
import asyncio
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack

from arena.base.errors import InvalidRequest
from arena.base.text import how_ended
from arena.kit.check.checks import CHECKS
from arena.kit.check.playing import PlayStats
from arena.kit.check.program import Program, command_of
from arena.kit.check.server import CannotPlay, Failed, Gone, opened, serving
from arena.kit.check.trial import Check, NotTried, Trial

PASSED, FAILED = 0, 1
MOST_FAILED = 2  # checks in which the bot cannot play
ENDING_S = 0.5  # for a program to end after its stream
TELL_S = 10.0  # between two lines on the progress of a check


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Check that a bot follows the protocol.\n\n"
        "Plays all games of the bot with every number of seats, sends many decisions at a time,\n"
        "drops connections, stops the gateway, and more. Needs no arena. Exit status 1 if a check\n"
        "fails."
    )
    parser.epilog = (
        "Examples:\n"
        "  arena check mybot.py\n"
        '  arena check "node mybot.js"\n'
        "  arena check --listen 0.0.0.0:7420 --token any      a bot started elsewhere"
    )
    parser.add_argument(
        "program",
        metavar="BOT",
        nargs="?",
        help="FILE.py, FILE.py:CLASS, or the command that starts the bot; ARENA_URL and ARENA_TOKEN"
        " are set for it",
    )
    parser.add_argument("--listen", metavar="HOST:PORT", help="address for a bot started elsewhere")
    parser.add_argument(
        "--only",
        metavar="CHECK",
        choices=[check.name for check in CHECKS],
        help="single check to run: " + "; ".join(check.name for check in CHECKS),
    )
    parser.add_argument("--token", help="token of the bot, with --listen [random]")
    parser.add_argument(
        "--matches", type=int, default=3, help="matches per game and number of seats (default: 3)"
    )
    parser.add_argument(
        "--move-time", type=float, default=5.0, help="seconds per decision (default: 5)"
    )
    parser.add_argument(
        "--start-time", type=float, default=60.0, help="seconds to connect (default: 60)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the checks and print a line for each. Raises InvalidRequest, Unavailable."""
    if bool(args.program) == bool(args.listen):
        raise InvalidRequest("Give either a bot to start or --listen.")
    if args.matches < 1 or args.move_time <= 0 or args.start_time <= 0:
        raise InvalidRequest("--matches, --move-time and --start-time must be positive.")
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
            _print_output(program)
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
        _print_output(trial.program)
        if sum(isinstance(each, CannotPlay) for each in failures) >= MOST_FAILED:
            print("The bot cannot play. The other checks are skipped.")
            break
        if not await _restarted(trial):
            print("The bot no longer connects. The other checks are skipped.")
            break
    failed_of = f"{len(failures)} of {len(checks)} checks failed."
    print(failed_of if failures else "All checks passed.")
    return FAILED if failures else PASSED


async def _one(check: Check, trial: Trial) -> Failed | None:
    """Run one check and print its line. Returns the failure, if any."""
    try:
        print(f"ok      {check.name}: {await _followed(check, trial)}", flush=True)
    except NotTried as reason:
        print(f"-       {check.name}: {reason}", flush=True)
    except (Failed, TimeoutError) as error:
        failed = error if isinstance(error, Failed) else Failed("Timeout.")
        if isinstance(error, Gone) and (how := await _ended(trial.program)):
            advice = f"Find out why it ended. {check.remedy}"
            failed = CannotPlay(f"{failed} Its program {how}.", advice)
        remedy = failed.remedy or check.remedy
        print(f"FAILED  {check.name}: {failed}\n        {remedy}", flush=True)
        return failed
    return None


async def _followed(check: Check, trial: Trial) -> str:
    """Run a check, with a line on its progress from time to time. Returns its summary."""
    trial.seen = PlayStats()
    running = asyncio.ensure_future(check.run(trial))
    while not (await asyncio.wait([running], timeout=TELL_S))[0]:
        print(f"...     {check.name}: {trial.seen}", flush=True)
    return await running


async def _ended(program: Program | None) -> str:
    """Return how a program ended, or "" if it runs."""
    if program is None or not await program.ended(ENDING_S) or program.status is None:
        return ""
    return how_ended(program.status)


async def _restarted(trial: Trial) -> bool:
    """Start a new session after a failure. Returns whether the bot connects."""
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


def _print_output(program: Program | None) -> None:
    if program is not None and (output := program.said()):
        print(f"        Its last output:\n{output}")
