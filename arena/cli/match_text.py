"""A match record as text: the result, then every round, move by move, with all hands open."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from arena.base.text import plural
from arena.games.record import replayed
from arena.games.replay import Step, steps

Record = Mapping[str, Any]

WIDTH = 80  # columns of a narrow terminal
NO_BREAK = "\N{NO-BREAK SPACE}"
NAME = 16  # columns of a bot's name


def lines(record: Record, luck: Sequence[float] = ()) -> Iterator[str]:
    """Yield the lines of the match, with the luck of each seat if known. Raises RecordError."""
    names = short_names(record)
    yield f"Match {record['id']}: {record['game']} ({record['ruleset']})"
    yield f"Seed  {record['seed']}"
    yield from _result(record, names, luck)
    stepped = steps(replayed(record), record["id"])
    for number, round_ in enumerate(record["rounds"], 1):
        yield ""
        yield from _round(number, round_, names, stepped)


def short_names(record: Record) -> list[str]:
    """Return the bots by seat, shortened and padded to one width."""
    names = [str(seat["bot"]) for seat in record["seats"]]
    width = min(NAME, max(map(len, names)))
    return [f"{name if len(name) <= width else name[: width - 1] + '…':{width}}" for name in names]


def in_columns(before: str, cards: Sequence[str]) -> Iterator[str]:
    """Yield cards or actions after a prefix, wrapped and aligned."""
    # No-break spaces keep cards of several words together.
    text = " ".join(card.replace(" ", NO_BREAK) for card in cards)
    first, *more = wrap(text, WIDTH - len(before), break_on_hyphens=False) or [""]
    yield (before + first.replace(NO_BREAK, " ")).rstrip()
    for rest in more:
        yield " " * len(before) + rest.replace(NO_BREAK, " ")


def move_text(move: Mapping[str, Any], drawn: Sequence[str]) -> str:
    """Return the action, with the dice rolled or the cards drawn."""
    shown = move.get("dice") or drawn
    return str(move["action"]) + (f": {' '.join(shown)}" if shown else "")


def _result(record: Record, names: list[str], luck: Sequence[float]) -> Iterator[str]:
    result = record["result"]
    for seat, name in enumerate(names):
        fault = result["faults"][seat]
        yield (
            f"  seat {seat}  {name}  rank {result['ranks'][seat]}"
            f"  {plural(result['points'][seat], 'point'):>10}"
            + (f"  luck {luck[seat]:+.2f}" if luck else "")
            + (f"  forfeited: {fault}" if fault else "")
            + ("  winner" if seat in result["winners"] else "")
        )


def _round(number: int, round_: Record, names: list[str], stepped: Iterator[Step]) -> Iterator[str]:
    yield f"Round {number}"
    for name, hand in zip(names, round_.get("hands") or round_["rows"], strict=True):
        yield from in_columns(f"        {name}  dealt  ", hand)
    if "top" in round_:
        yield f"        {'':{len(names[0])}}  start  {round_['top']}"
    for move in round_["moves"]:
        yield from _move(move, names[move["seat"]], next(stepped))
    yield from _scores(round_, names)


def _move(move: Record, name: str, step: Step) -> Iterator[str]:
    """Yield a move: its number, the top card, the action and the hand."""
    view, words = step.view, move_text(move, step.drawn)
    yield from in_columns(f"  {view.number:>4}  {name}  {view.top:5}  {words:22}  ", view.hand)
    if "fault" in move:
        yield f"        {'':{len(name)}}         (fault: {move['fault']})"
    elif move.get("forfeited"):
        yield f"        {'':{len(name)}}         (forfeited)"


def _scores(round_: Record, names: list[str]) -> Iterator[str]:
    for name, penalty, held in zip(names, round_["penalties"], round_["points"], strict=True):
        yield f"        {name}  scores {penalty:>2}, holds {held:>2}"
