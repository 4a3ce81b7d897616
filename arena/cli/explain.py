"""`arena match explain`: what a bot answers now to the decisions of a match that is over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import click

from arena.base.errors import InvalidRequest
from arena.cli.explain_text import lines
from arena.cli.records import name_of, parse, records
from arena.cli.screen import note, say
from arena.cli.where import Where, arena_options, open_control
from arena.games.record import RecordError, explained

if TYPE_CHECKING:
    from arena.sdk import Bot


@dataclass
class Tally:
    """What was found in all matches together."""

    matches: int = 0
    decisions: int = 0
    different: int = 0
    failed: int = 0
    broken: int = 0  # records that could not be played again


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--bot", "program", required=True, metavar="FILE:CLASS", help="The bot to ask.")
@click.option("--as", "name", default="", metavar="NAME", help="The registered bot it stands for.")
@click.option("--seat", type=click.IntRange(0, 5), help="The seat it takes, from 0.")
@click.option("--file", "file", type=click.File(), help="Records as JSON lines; - is stdin.")
@click.option("--different", is_flag=True, help="Only decisions that it answers differently.")
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
    """Ask a bot in this process what it would answer now, decision by decision.

    Shows each decision of its seat in the match ID, or in the matches of a file of records: the
    hand, the top card, the options, what was played and what it answers now; * marks what
    differs. The match goes on as it was played. FILE:CLASS is as in `arena bot connect`. Its seat
    is that of the bot of this NAME, or of the class's or the file's name, or --seat. A bot that
    draws from view.rng() gets the same numbers with the key that it had (ARENA_BOT_KEY); one that
    draws otherwise differs by chance.

    \b
    Examples:
      arena match explain 5gcswqqqq73sn8r4 --bot mybot.py:MyBot
      arena match explain --file t3.jsonl --bot mybot.py:MyBot --as mybot --different
    """
    if (id_ is None) == (file is None):
        raise InvalidRequest("Give either the ID of a match or --file.")
    from arena.sdk import load_bot
    from arena.sdk.key import take_key

    kind = load_bot(program)
    bot = kind()
    take_key(bot)
    file_name = program.rpartition("/")[2].partition(".")[0]
    own = _Seat(seat, (name,) if name else (kind.__name__, file_name))
    tally = Tally()
    for line in _told(_texts(id_, file, where), bot, own, different, tally):
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
    """Which seat of a match the bot takes: by its number, or by the first of these names that a
    bot at the table has."""

    number: int | None
    names: tuple[str, ...]

    def of(self, record: Mapping[str, Any]) -> int | None:
        """Its number; None where nobody of that name played. Raises InvalidRequest."""
        names = [str(seat["bot"]).lower() for seat in record["seats"]]
        if self.number is None:
            found = [name.lower() for name in self.names if name.lower() in names]
            return names.index(found[0]) if found else None
        if self.number < len(names):
            return self.number
        raise InvalidRequest(
            f"Match {record['id']} has the seats 0 to {len(names) - 1}, and no {self.number}."
        )


def _told(
    texts: Iterable[str], bot: Bot, own: _Seat, different: bool, tally: Tally
) -> Iterator[str]:
    """What is printed of each match in turn; a record that is broken is named, and left out."""
    for number, text in enumerate(texts, 1):
        try:
            yield from _match(parse(text), bot, own, different, tally)
        except RecordError as error:
            tally.broken += 1
            note(f"{name_of(text) or f'Record {number}'}: {error}")


def _match(
    record: Mapping[str, Any], bot: Bot, own: _Seat, different: bool, tally: Tally
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


def _conclude(tally: Tally, own: _Seat) -> None:
    """Counts; exit status 1 where a record was broken."""
    if not tally.matches and not tally.broken:
        raise InvalidRequest(
            f"No {' or '.join(own.names)} played here: give --as with a bot that did, or --seat."
        )
    matches = f"{tally.matches:,} match{'' if tally.matches == 1 else 'es'}"
    text = f"{tally.different:,} of {tally.decisions:,} decisions in {matches} differ"
    say(text + (f", {tally.failed:,} of them no legal answer" if tally.failed else ""))
    if tally.broken:
        raise SystemExit(1)
