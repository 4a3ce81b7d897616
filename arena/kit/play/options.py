"""The command line of `arena play`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.base.text import together
from arena.games.rules import GAMES
from arena.kit.play import compare, sequential
from arena.kit.play.job import HANG_S, START_S
from arena.kit.play.plan import Plan, PlayRequest, round_robin, versus
from arena.kit.play.pool import cores
from arena.kit.play.session import Session

DEALS = 100
GAME_HELP = f"{together(list(GAMES), 'or')} [lama]"
TEST = ("elo0", "elo1", "alpha", "beta", "max_deals")
EPILOG = """\
examples:
  arena play mybot.py sharp careful five --deals 500
  arena play mybot.py sharp five --game dice --out played.jsonl
  arena play "node mybot.js" sharp
  arena play --versus old.py new.py
  arena play --versus old.py new.py sharp five --game kadabra --seed 7
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Play bots against each other, without an arena.\n\n"
        "Uses all cores of this machine. Each deal is played in every rotation of the seats.\n"
        "Prints win rates and differences with 95% intervals, and faults with their tracebacks."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "players", nargs="*", metavar="PLAYER",
        help="a house bot (random, timid, stubborn, five, careful, sharp), FILE.py, FILE.py:CLASS, "
        "module:CLASS, or the command that starts a program in any language",
    )  # fmt: skip
    _add_what(parser)
    _add_test(parser)
    _add_results(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("matches")
    group.add_argument("--game", default="lama", help=GAME_HELP)
    group.add_argument(
        "--seats", type=int, metavar="N",
        help="seats at a table; with more players, all tables of N play [number of players]",
    )  # fmt: skip
    group.add_argument(
        "--deals", type=at_least(1), metavar="N",
        help=f"deals per table, each played in every rotation of the seats [{DEALS}]",
    )  # fmt: skip
    add_repeatable(group, "matches")
    group.add_argument(
        "--move-time", type=at_least(1), metavar="MS",
        help="milliseconds per move; 2 s after a timeout, the bot's process is ended "
        f"[no limit; the process is ended after {HANG_S:g} s]",
    )  # fmt: skip
    group.add_argument(
        "--start-time", type=at_least(1), metavar="S", default=round(START_S),
        help=f"seconds to load and prepare a bot, or for a program to connect [{START_S:g}]",
    )  # fmt: skip
    group.add_argument(
        "--sandbox", action="store_true",
        help="run bots like hosted ones: in a sandbox, one process per match, with limited CPU "
        "time (2 s per move, or --move-time)",
    )  # fmt: skip


def add_repeatable(parser: argparse._ActionsContainer, what: str) -> None:
    """Add the options shared by commands that play. The same values give the same results."""
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE",
        help="game option, see `arena rules GAME`; can be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, metavar="N",
        help=f"random seed; the same seed, players and options give the same {what} [random]",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=at_least(1), metavar="N", help="number of processes [one per core]"
    )


def _add_test(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "comparing two versions", "A sequential test, which stops as soon as the result is clear."
    )
    group.add_argument(
        "--versus", nargs=2, metavar=("OLD", "NEW"),
        help="test NEW against OLD; further players join them, and sharp takes free seats",
    )  # fmt: skip
    group.add_argument(
        "--elo0", type=float, metavar="ELO",
        help="improvement at or below which NEW fails [0]",
    )  # fmt: skip
    group.add_argument(
        "--elo1", type=float, metavar="ELO", help="improvement at which NEW passes [20]"
    )
    group.add_argument(
        "--alpha",
        type=float,
        metavar="P",
        help="probability that NEW passes although it is only elo0 better [0.05]",
    )
    group.add_argument(
        "--beta",
        type=float,
        metavar="P",
        help="probability that NEW fails although it is elo1 better [0.05]",
    )
    group.add_argument(
        "--max-deals", type=at_least(1), metavar="N",
        help="number of deals after which the test ends undecided [10000]",
    )  # fmt: skip


def _add_results(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("results")
    group.add_argument(
        "--out", type=Path, metavar="FILE.jsonl",
        help="file for the records of all matches, for `arena replay` and `arena match verify`",
    )  # fmt: skip
    group.add_argument(
        "--fault-records", type=Path, default=Path("play-faults.jsonl"), metavar="FILE.jsonl",
        help="file for matches with faults, if there is no --out [play-faults.jsonl]",
    )  # fmt: skip
    group.add_argument("--json", action="store_true", help="JSON output")


def at_least(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least {least}")
        return int(text)

    return whole


def run(args: argparse.Namespace) -> int:
    """Play. Returns 0, 2 if a bot gives no answers, 130 after Ctrl-C. Raises ArenaError."""
    test = {name: value for name in TEST if (value := getattr(args, name)) is not None}
    plan = _plan(args, test)
    session = Session(plan, args.jobs or cores(), args.out, args.fault_records, args.json)
    if args.versus:
        return sequential.run(session)
    return compare.run(session)


def _plan(args: argparse.Namespace, test: dict[str, float]) -> Plan:
    wanted = PlayRequest(
        game=args.game,
        seats=args.seats,
        seed=args.seed,
        options=dict(map(option, args.option)),
        move_ms=args.move_time,
        start_s=args.start_time,
        keep="all" if args.out else "faulty",
        sandbox=args.sandbox,
    )
    if args.versus:
        if args.deals is not None:
            raise InvalidRequest("--deals does not work with --versus. Use --max-deals instead.")
        old, new = args.versus
        texts = {name: f"{value:.10g}" for name, value in test.items()}
        return versus(old, new, args.players, texts, wanted)
    if test:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in test)
        raise InvalidRequest(f"{names} only works with --versus OLD NEW.")
    return round_robin(args.players, args.deals or DEALS, wanted)


def option(text: str) -> tuple[str, str]:
    """Return the name and the value of a game option. Raises InvalidRequest."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InvalidRequest(f'"{text}" is not a game option. Write NAME=VALUE.')
    return name, value
