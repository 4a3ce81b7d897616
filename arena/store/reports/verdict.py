"""Whether a tournament's results can be trusted: decisions at fault, by bot and cause.

A bot is *at fault* if faults moved its own score by about 0.01 or more, which is 7 Elo:

- 1% of its decisions. It has about 27 in a match, so in every fourth match the arena played a
  default action for it, which costs a few hundredths of the score.
- or 2% of its matches forfeited. Each costs half a win on average.

Fewer than three faults are an accident.

Timeouts and lost connections have a *shared* cause if more than half of the bots and more than half
of their authors are at fault by them, and at least three bots. Then no bot is blamed. Authors
count, so that one author's bots cannot fail together to spoil or excuse a result. Illegal actions
and errors are always the bot's own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sqlalchemy import Connection, func, select

from arena.base.errors import Unavailable
from arena.base.text import plural, together
from arena.store.cache import DatabaseCache
from arena.store.matches import archived
from arena.store.reports import standings
from arena.store.reports.runs import counted
from arena.store.reports.standings import Standing
from arena.store.tables import fault_notes, match_seats, matches
from arena.store.tournaments import tournaments

AT_FAULT, FORFEITED, FEWEST = 0.01, 0.02, 3
SHARED_KINDS, SHARED_BY = ("timeout", "disconnect"), 3
SAMPLE = 100  # matches whose decisions are counted
USUAL = 27.0  # decisions of a bot in a match if no log can be read
NAMED = 5  # bots named in the sentence
WORDS = {
    "timeout": "timeout",
    "illegal": "illegal move",
    "disconnect": "lost connection",
    "error": "error",
    "unknown": "of unknown cause",
}

Cause: TypeAlias = Literal["none", "bots", "shared"]


@dataclass(frozen=True, slots=True)
class BotAtFault:
    """A bot whose faults changed its results: their `share` of its decisions, and their kinds."""

    bot: str
    version: str
    faults: int
    forfeits: int
    share: float
    kinds: Mapping[str, int]

    @property
    def causes(self) -> str:
        """For example "100 illegal moves, 1 timeout"."""
        return _causes(self.kinds)


@dataclass(frozen=True, slots=True)
class TrustVerdict:
    """Whether the results can be `trusted`, and why not. `share` is the share of the `decisions`
    (estimated) that were at fault. `bots` are those with changed results, worst first."""

    trusted: bool
    cause: Cause
    decisions: int
    faults: int
    share: float
    kinds: Mapping[str, int]
    bots: tuple[BotAtFault, ...]
    sentence: str


def verdict(
    lines: Sequence[Standing],
    authors: Sequence[int],
    kinds: Mapping[int, Counter[str]],
    per_match: float,
) -> TrustVerdict:
    """The verdict on a tournament with these standings. `authors` belong to the bots in the same
    order; if empty, all have one author. `kinds` are faults by player, as far as their causes are
    stored. `per_match` is the number of decisions of a bot in a match."""
    at_fault = [_bot(line, kinds.get(line.player, Counter()), per_match) for line in lines]
    guilty = [bot for bot in at_fault if bot is not None]
    decisions = round(per_match * sum(line.matches for line in lines))
    faults = sum(line.faults for line in lines)
    by_kind = sum((_known(line, kinds.get(line.player, Counter())) for line in lines), Counter())
    cause: Cause = "bots" if guilty else "none"
    if _shared(at_fault, authors or [0] * len(lines)):
        cause = "shared"
    found = TrustVerdict(
        trusted=cause != "shared",
        cause=cause,
        decisions=decisions,
        faults=faults,
        share=_share(faults, decisions),
        kinds=dict(by_kind.most_common()),
        bots=tuple(sorted(guilty, key=lambda bot: -bot.share)),
        sentence="",
    )
    return replace(found, sentence=_sentence(found, len(lines)))


def _bot(line: Standing, kinds: Counter[str], per_match: float) -> BotAtFault | None:
    """The bot, if its faults changed its results."""
    share = _share(line.faults, line.matches * per_match)
    many = share >= AT_FAULT or line.forfeits >= FORFEITED * line.matches
    if line.faults < FEWEST or not many:
        return None
    known = dict(_known(line, kinds).most_common())
    return BotAtFault(line.called, line.version, line.faults, line.forfeits, share, known)


def _share(faults: int, decisions: float) -> float:
    """The share of the decisions, whose number is an estimate and can be too small."""
    return min(faults / max(decisions, 1.0), 1.0)


def _known(line: Standing, kinds: Counter[str]) -> Counter[str]:
    """The bot's faults by kind. The causes of archived ones are only in their archives."""
    return kinds + Counter(unknown=max(line.faults - kinds.total(), 0))


def _shared(bots: Sequence[BotAtFault | None], authors: Sequence[int]) -> bool:
    """Whether most bots of most authors timed out or lost their connection."""
    late = [bot is not None and _late(bot) for bot in bots]
    theirs = {author for author, one in zip(authors, late, strict=True) if one}
    most = 2 * sum(late) > len(bots) and 2 * len(theirs) > len(set(authors))
    return most and sum(late) >= SHARED_BY


def _late(bot: BotAtFault) -> bool:
    return 2 * sum(bot.kinds.get(kind, 0) for kind in SHARED_KINDS) > bot.faults


def _sentence(found: TrustVerdict, bots: int) -> str:
    if not found.decisions:
        return "No match is stored yet."
    if not found.faults:
        return "All bots answered every decision in time, with a legal action."
    about = f"about {round(float(f'{found.decisions:.3g}')):,} decisions"
    what = f"{_percent(found.share)} of {about} were at fault ({_causes(found.kinds)})"
    if found.cause == "none":
        return f"{what}, too few to change the results."
    if found.cause == "bots":
        return f"{what}, most of them by {_names(found.bots)}. {_reading(found.bots, bots)}"
    by = f"{len(found.bots)} of {bots} bots"
    if found.kinds.get("disconnect", 0) > found.kinds.get("timeout", 0):
        return (
            f"Do not trust these results. {what}, by {by}. The likely cause is a failed machine or "
            "network, not each bot. Play the tournament again when all bots are connected."
        )
    return (
        f"Do not trust these results. {what}, by {by}. The likely cause is an overloaded machine, "
        "the network or too short a move time, not each bot. Play the tournament again with fewer "
        "bots on a machine or with a longer move time."
    )


def _reading(guilty: Sequence[BotAtFault], bots: int) -> str:
    """Explains the results if some bots are at fault."""
    its = "Its results show its faults" if len(guilty) == 1 else "Their results show their faults"
    strength = "its strength" if len(guilty) == 1 else "their strength"
    others = " The others can be trusted." if len(guilty) < bots else ""
    return f"{its}, not {strength}.{others}"


def _causes(kinds: Mapping[str, int]) -> str:
    return ", ".join(_counted(count, kind) for kind, count in kinds.items())


def _counted(count: int, kind: str) -> str:
    if kind == "unknown":
        return f"{count:,} {WORDS[kind]}"
    return plural(count, WORDS.get(kind, kind))


def _percent(share: float) -> str:
    percent = 100 * share
    if percent < 0.01:
        return "Less than 0.01%"  # always starts a sentence
    return f"{percent:.2g}%" if percent < 10 else f"{percent:.0f}%"


def _names(guilty: Sequence[BotAtFault]) -> str:
    more = len(guilty) - NAMED
    listed = [bot.bot for bot in guilty[:NAMED]]
    return together([*listed, *([plural(more, "other")] if more > 0 else [])])


# The verdict on stored matches

_cached: DatabaseCache[TrustVerdict] = DatabaseCache(64)


def verdict_on(conn: Connection, tournament: int) -> TrustVerdict:
    """The verdict on the stored matches of a tournament, cached. Raises NotFound. In a large
    running tournament it may be a few seconds old."""
    return _cached.get(
        conn,
        (tournament,),
        lambda now: tournaments.played(now, tournament),
        lambda now: _read(now, tournament),
        lambda loaded: verdict(*loaded),
    )


_Read: TypeAlias = tuple[list[Standing], list[int], Mapping[int, Counter[str]], float]


def _read(conn: Connection, number: int) -> _Read:
    lines = standings.standings(conn, number)
    item = tournaments.get(conn, number)
    of = dict(zip(item.players, item.spec.authors, strict=False))
    kinds = _kinds(conn, number) if any(line.faults for line in lines) else {}
    authors = [of[line.player] for line in lines] if item.spec.authors else []
    return lines, authors, kinds, _per_match(conn, number, item.played, item.spec.seats)


def _kinds(conn: Connection, tournament: int) -> Mapping[int, Counter[str]]:
    """Faults by player and kind. Those in missing archives are left out."""
    note, seat, row = fault_notes.c, match_seats.c, matches.c
    query = (
        select(seat.player, note.kind, func.count())
        .join_from(matches, fault_notes, note.match == row.number)
        .join(match_seats, (seat.match == note.match) & (seat.seat == note.seat))
        .where(row.tournament == tournament)
        .group_by(seat.player, note.kind)
    )
    found: dict[int, Counter[str]] = {}
    for player, kind, count in conn.execute(query):
        found.setdefault(player, Counter())[kind] = count
    with suppress(Unavailable):
        for match in archived.with_faults(conn, tournament):
            for fault in match.notes:
                found.setdefault(match.seats[fault.seat].player, Counter())[fault.kind] += 1
    return found


def _per_match(conn: Connection, tournament: int, played: int, seats: int) -> float:
    """Decisions of a bot in a match, estimated from matches spread over the tournament. Those in
    missing archives are left out."""
    row, places = matches.c, range(0, max(played, 1), max(played // SAMPLE, 1))
    query = select(row.log).where(row.tournament == tournament, row.position.in_(places))
    logs = list(conn.scalars(query))
    with suppress(Unavailable):
        logs += archived.logs_at(conn, tournament, places)
    counts = counted(logs)
    return sum(counts) / len(counts) / seats if counts else USUAL
