"""Round-robin: win rates, points, differences, with 95% intervals whose unit is the deal.

The matches of a deal are dependent, so each deal contributes one number per player, the mean over
its matches. Intervals come from the variance between deals. For win shares (0 to 1), one deal of
the maximum variance is added: a player who won none of 30 deals might win the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt

from arena.kit.output import table
from arena.kit.play.job import PlayedMatch
from arena.kit.play.session import Session
from arena.tournaments.ratings.normal import Z95

FEWEST = 10  # deals for an interval
PLAYERS = ("player", "win rate ± 95%", "points ± 95%", "per round", "faults", "ms/decision")
DIFFERENCES = ("difference", "win rate ± 95%", "points ± 95%", "")


@dataclass(slots=True)
class Mean:
    """Mean of one number per deal, with one prior deal of the variance `greatest`."""

    greatest: float = 0.0
    deals: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, number: float) -> None:
        self.deals += 1
        self.total += number
        self.squares += number * number

    @property
    def mean(self) -> float:
        """The mean; 0 before the first deal."""
        return self.total / self.deals if self.deals else 0.0

    @property
    def plus_minus(self) -> float | None:
        """Half the width of the 95% interval; None for fewer than FEWEST deals."""
        if self.deals < FEWEST:
            return None
        spread = max(self.squares - self.total**2 / self.deals, 0.0)
        variance = (spread + self.greatest) / (self.deals if self.greatest else self.deals - 1)
        return Z95 * sqrt(variance / self.deals)


@dataclass(slots=True)
class PlayerTally:
    """One player. `wins` is the share of matches won; shared wins count as their share."""

    wins: Mean = field(default_factory=lambda: Mean(0.25))
    points: Mean = field(default_factory=Mean)
    matches: int = 0
    rounds: int = 0
    penalties: int = 0  # for cards left, over all rounds
    faults: int = 0
    forfeits: int = 0
    decisions: int = 0
    thought_ns: int = 0

    @property
    def per_round(self) -> float:
        """Mean points for cards left at the end of a round."""
        return self.penalties / max(self.rounds, 1)

    @property
    def ms(self) -> float:
        """Mean milliseconds to decide."""
        return self.thought_ns / max(self.decisions, 1) / 1e6


@dataclass(slots=True)
class PairTally:
    """The differences between two players, over the deals in which they met."""

    wins: Mean = field(default_factory=lambda: Mean(1.0))
    points: Mean = field(default_factory=Mean)


class Tally:
    """All players and pairs, over complete deals."""

    def __init__(self, players: int, matches_per_deal: int) -> None:
        self.players = [PlayerTally() for _ in range(players)]
        self.pairs = {pair: PairTally() for pair in combinations(range(players), 2)}
        self.deals = 0
        self._whole = matches_per_deal
        self._begun: dict[int, list[PlayedMatch]] = {}

    def add(self, outcome: PlayedMatch) -> None:
        """Add a match. It counts once its deal is complete."""
        deal = self._begun.setdefault(outcome.planned.deal, [])
        deal.append(outcome)
        if len(deal) == self._whole:
            self._count(self._begun.pop(outcome.planned.deal))

    def _count(self, deal: Sequence[PlayedMatch]) -> None:
        self.deals += 1
        wins: dict[int, float] = {}
        points: dict[int, float] = {}
        for outcome in deal:
            for seat, entrant in enumerate(outcome.planned.seats):
                won = 1 / len(outcome.winners) if seat in outcome.winners else 0.0
                wins[entrant] = wins.get(entrant, 0.0) + won / len(deal)
                held = outcome.played.points[seat] / len(deal)
                points[entrant] = points.get(entrant, 0.0) + held
                self._add_up(self.players[entrant], outcome, seat)
        for entrant, won in wins.items():
            self.players[entrant].wins.add(won)
            self.players[entrant].points.add(points[entrant])
        for one, other in combinations(sorted(wins), 2):
            self.pairs[one, other].wins.add(wins[one] - wins[other])
            self.pairs[one, other].points.add(points[one] - points[other])

    @staticmethod
    def _add_up(player: PlayerTally, outcome: PlayedMatch, seat: int) -> None:
        entrant = outcome.planned.seats[seat]
        player.matches += 1
        player.rounds += outcome.rounds
        player.penalties += outcome.penalties[seat]
        player.forfeits += outcome.played.forfeited[seat]
        player.decisions += outcome.decisions[seat]
        player.thought_ns += outcome.thought_ns[seat]
        player.faults += sum(
            report.entrant == entrant and report.kind is not None for report in outcome.faults
        )


def run(session: Session) -> int:
    """Play all matches and print the results. Returns the exit status."""
    tally = Tally(len(session.plan.players), session.plan.matches_per_deal)
    with session.playing() as outcomes:
        for outcome in outcomes:
            tally.add(outcome)
    return session.end(lambda: _as_json(session, tally), _lines(session, tally))


def _lines(session: Session, tally: Tally) -> Iterator[str]:
    names = [player.name for player in session.plan.players]
    yield session.what_was_played(tally.deals, tally.deals * session.plan.matches_per_deal)
    if tally.deals:
        yield from _tables(names, tally)
    yield from session.faults.lines(session.records)


def _tables(names: Sequence[str], tally: Tally) -> Iterator[str]:
    order = sorted(range(len(names)), key=lambda at: -tally.players[at].wins.mean)
    yield ""
    yield from table(PLAYERS, [_row(names[at], tally.players[at]) for at in order])
    yield ""
    yield from table(DIFFERENCES, _differences(names, order, tally))
    if tally.deals < FEWEST:
        yield f"(no ±: an interval needs {FEWEST} deals)"


def _row(name: str, player: PlayerTally) -> Sequence[str]:
    return (
        name,
        _percent(player.wins),
        _number(player.points),
        f"{player.per_round:.1f}",
        f"{player.faults:,}",
        f"{player.ms:.3f}",
    )


def _differences(names: Sequence[str], order: Sequence[int], tally: Tally) -> Iterator[list[str]]:
    for place, one in enumerate(order):
        for other in order[place + 1 :]:
            pair = tally.pairs[min(one, other), max(one, other)]
            if pair.wins.deals:
                sign = 1 if one < other else -1
                words = f"{names[one]} - {names[other]}"
                clear = _verdict(pair, names[one], names[other], sign)
                yield [words, _percent(pair.wins, sign), _number(pair.points, sign), clear]


def _verdict(pair: PairTally, one: str, other: str, sign: int) -> str:
    error = pair.wins.plus_minus
    if error is None or abs(pair.wins.mean) <= error:
        return "not clear"
    return f"{one if sign * pair.wins.mean > 0 else other} wins more"


def _percent(mean: Mean, sign: int = 0) -> str:
    error = mean.plus_minus
    value = f"{100 * sign * mean.mean:+.1f}%" if sign else f"{100 * mean.mean:.1f}%"
    return value if error is None else f"{value} ± {100 * error:.1f}"


def _number(mean: Mean, sign: int = 0) -> str:
    error = mean.plus_minus
    value = f"{sign * mean.mean:+.1f}" if sign else f"{mean.mean:.1f}"
    return value if error is None else f"{value} ± {error:.1f}"


def _as_json(session: Session, tally: Tally) -> dict[str, object]:
    names = [player.name for player in session.plan.players]
    return {
        **session.about(tally.deals, tally.deals * session.plan.matches_per_deal),
        "results": [_player(names[at], each) for at, each in enumerate(tally.players)],
        "differences": [
            {
                "player": names[one],
                "other": names[other],
                "deals": pair.wins.deals,
                "win_rate": _mean(pair.wins),
                "points": _mean(pair.points),
            }
            for (one, other), pair in tally.pairs.items()
        ],
    }


def _player(name: str, player: PlayerTally) -> dict[str, object]:
    return {
        "player": name,
        "matches": player.matches,
        "win_rate": _mean(player.wins),
        "points": _mean(player.points),
        "points_per_round": player.per_round,
        "faults": player.faults,
        "forfeits": player.forfeits,
        "decisions": player.decisions,
        "ms_per_decision": player.ms,
    }


def _mean(mean: Mean) -> dict[str, float | None]:
    return {"mean": mean.mean, "plus_minus": mean.plus_minus}
