"""`arena match explain`: ask a bot again for the decisions of a finished match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import click

from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.cli.match_text import in_columns
from arena.cli.records import name_of, records
from arena.cli.screen import note, say
from arena.cli.where import Where, arena_options, open_control
from arena.games.record import RecordError, explained, parse

if TYPE_CHECKING:
    from arena.sdk import Bot
    from arena.sdk.again import AskedAgain

DIFFERS = "*"


@dataclass
class MatchTotals:
    """Totals over all matches."""

    matches: int = 0
    decisions: int = 0
    different: int = 0
    failed: int = 0
    broken: int = 0  # records that could not be replayed


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--bot", "program", required=True, metavar="FILE:CLASS", help="Bot to ask.")
@click.option("--as", "name", default="", metavar="NAME", help="Name of the bot in the record.")
@click.option("--seat", type=click.IntRange(0, 5), help="Seat of the bot, from 0.")
@click.option("--file", "file", type=click.File(), help="Match records as JSON lines; - is stdin.")
@click.option("--different", is_flag=True, help="Only decisions with a different answer.")
@arena_options
def explain(
    id_: str | None,
    program: str,
    name: str,
    seat: int | None,
    file: IO[str] | None,
    different: bool,
    where: Where,
) -> None:
    """Compare a bot's answers now with a recorded match.

    The bot runs in this process. For each decision of its seat, the command prints the hand, the
    top card, the options, the recorded action and the answer now. Differences are marked with *.
    The match continues as recorded. FILE:CLASS is as in `arena bot connect`.

    The seat is --seat, or the seat of the bot named --as, else of a bot named like the class or the
    file. With the same ARENA_BOT_KEY, view.rng() gives the same numbers as in the match. Other
    random generators cause random differences.

    \b
    Examples:
      arena match explain 5gcswqqqq73sn8r4 --bot mybot.py:MyBot
      arena match explain --file t3.jsonl --bot mybot.py:MyBot --as mybot --different
    """
    if (id_ is None) == (file is None):
        raise InvalidRequest("Give either the ID of a match or --file.")
    from arena.sdk import load_bot
    from arena.sdk.token import take_key

    kind = load_bot(program)
    bot = kind()
    take_key(bot)
    file_name = program.rpartition("/")[2].partition(".")[0]
    own = _Seat(seat, (name,) if name else (kind.__name__, file_name))
    tally = MatchTotals()
    for line in _report(_texts(id_, file, where), bot, own, different, tally):
        say(line)
    _conclude(tally, own)


def _texts(id_: str | None, file: IO[str] | None, where: Where) -> Iterator[str]:
    if file is not None:
        yield from filter(str.strip, file)
    else:
        with open_control(where) as control:
            yield from records(control, [id_ or ""])


@dataclass(frozen=True)
class _Seat:
    """The bot's seat: a number, or the first of these names at the table."""

    number: int | None
    names: tuple[str, ...]

    def of(self, record: Mapping[str, Any]) -> int | None:
        """Return the seat; None if no bot of that name played. Raises InvalidRequest."""
        names = [str(seat["bot"]).lower() for seat in record["seats"]]
        if self.number is None:
            found = [name.lower() for name in self.names if name.lower() in names]
            return names.index(found[0]) if found else None
        if self.number < len(names):
            return self.number
        raise InvalidRequest(
            f"Match {record['id']} has no seat {self.number}. Choose 0 to {len(names) - 1}."
        )


def _report(
    texts: Iterable[str], bot: Bot, own: _Seat, different: bool, tally: MatchTotals
) -> Iterator[str]:
    """Yield the lines of all matches. Broken records are reported and skipped."""
    for number, text in enumerate(texts, 1):
        try:
            yield from _match(parse(text), bot, own, different, tally)
        except RecordError as error:
            tally.broken += 1
            note(f"{name_of(text, number)}: {error}")


def _match(
    record: Mapping[str, Any], bot: Bot, own: _Seat, different: bool, tally: MatchTotals
) -> Iterator[str]:
    from arena.sdk.again import ask_again

    with explained():
        seat = own.of(record)
        if seat is None:
            return
        title = (
            f"Match {record['id']}: {record['game']}, seat {seat}, {record['seats'][seat]['bot']}"
        )
    decisions = ask_again(record, seat, bot)
    yield title
    tally.matches += 1
    round_ = 0
    for asked in decisions:
        tally.decisions += 1
        tally.different += asked.differs
        tally.failed += bool(asked.problem)
        if different and not asked.differs:
            continue
        if asked.view.round != round_:
            round_ = asked.view.round
            yield f"Round {round_}"
        yield from lines(asked)


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


def _conclude(tally: MatchTotals, own: _Seat) -> None:
    """Print the totals. Exit status 1 if a record was broken."""
    if not tally.matches and not tally.broken:
        raise InvalidRequest(
            f"No bot named {' or '.join(own.names)} played here. Give --as NAME or --seat."
        )
    matches = plural(tally.matches, "match", "matches")
    text = f"{tally.different:,} of {tally.decisions:,} decisions in {matches} differ"
    say(text + (f", {tally.failed:,} of them without a legal answer" if tally.failed else ""))
    if tally.broken:
        raise SystemExit(1)
