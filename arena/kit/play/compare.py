"""Round-robin: win rates, points, differences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from arena.kit.play.session import Session
from arena.kit.play.tally import FEWEST, Mean, PairTally, PlayerTally, Tally
from arena.kit.text import table, with_error

PLAYERS = ("player", "win rate ± 95%", "points ± 95%", "per round", "faults", "ms/decision")
DIFFERENCES = ("difference", "win rate ± 95%", "points ± 95%", "")


def run(session: Session) -> int:
    """Play all matches and print the results. Returns the exit status."""
    tally = Tally(len(session.plan.players), session.plan.matches_per_deal)
    with session.playing() as outcomes:
        for outcome in outcomes:
            tally.add(outcome)
    session.save_faults()
    if session.as_json:
        print(json.dumps(_as_json(session, tally), indent=2))
    else:
        for line in _lines(session, tally):
            print(line)
    return session.end()


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
    return with_error(value, None if error is None else f"{100 * error:.1f}")


def _number(mean: Mean, sign: int = 0) -> str:
    error = mean.plus_minus
    value = f"{sign * mean.mean:+.1f}" if sign else f"{mean.mean:.1f}"
    return with_error(value, None if error is None else f"{error:.1f}")


def _as_json(session: Session, tally: Tally) -> dict[str, object]:
    names = [player.name for player in session.plan.players]
    about = session.about(tally.deals, tally.deals * session.plan.matches_per_deal)
    return {
        **about,
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
