"""`arena analyse --leaks`: a bot's losses by situation, compared with house bots."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from arena.games.match import Match
from arena.games.rules import GAMES
from arena.value.review import Judged, Review
from arena.value.review.leaks import (
    Answers,
    Leak,
    Part,
    Spot,
    answers_of,
    decisions_of_leaks,
    leak_payload,
    leaks,
    parts,
    spot_of,
)
from arena.value.review.peers import FAST, SLOW, choices, others, views_of

MOST = 10  # printed leaks
SAMPLED = 10  # decisions per leak for `master`
WIDE = 1.96  # standard errors in ± 95%

Reviewed = Sequence[tuple[Match, Review]]


def print_leaks(reviewed: Reviewed, bot: str, as_json: bool) -> None:
    """Print the leaks of a bot by game, the greatest loss first."""
    by_game: dict[str, list[tuple[Match, Review]]] = defaultdict(list)
    for match, review in reviewed:
        by_game[review.game].append((match, review))
    told = {game: with_slow(leaks_of(found, bot), found, bot) for game, found in by_game.items()}
    if as_json:
        found = [(game, each) for game, every in told.items() for each in every]
        print(json.dumps([{"game": game, **leak_payload(each)} for game, each in found]))
        return
    for game, every in told.items():
        for line in lines(game, every, len(by_game[game]), bot):
            print(line)


def leaks_of(reviewed: Reviewed, bot: str) -> list[Leak]:
    """Return the leaks in matches of one game, compared with the fast house bots."""
    return leaks(
        (match.setup.id, part)
        for match, review in reviewed
        for part in parts_of(match, review, bot)
    )


def parts_of(match: Match, review: Review, bot: str) -> Iterator[Part]:
    """Yield the results of the bot's seats of a match by spot."""
    seats = [number for number, seat in enumerate(match.setup.seats) if seat.bot == bot]
    numbers = [each.number for seat in seats for each in decisions_of_leaks(review, seat)]
    known = others(match, numbers)
    for seat in seats:
        yield from parts(review, seat, known)


def with_slow(found: Sequence[Leak], reviewed: Reviewed, bot: str) -> list[Leak]:
    """Add the answers of `master` to some decisions of the first leaks."""
    by_spot: dict[Spot, list[tuple[Match, Judged]]] = {leak.spot: [] for leak in found[:MOST]}
    for match, review in reviewed:
        for each in decisions_of_leaks(review):
            if match.setup.seats[each.seat].bot == bot:
                spot = spot_of(each, each.situation)
                if len(by_spot.get(spot, range(SAMPLED))) < SAMPLED:
                    by_spot[spot].append((match, each))
    return [
        leak._replace(others={**leak.others, **_slow(by_spot.get(leak.spot, ()))}) for leak in found
    ]


def _slow(sampled: Sequence[tuple[Match, Judged]]) -> dict[str, Answers]:
    chosen: dict[int, dict[str, str]] = {}
    alike: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for place, (match, _) in enumerate(sampled):
        alike[tuple(sorted(match.setup.options.items()))].append(place)
    for places in alike.values():
        views = [
            view
            for place in places
            for view in views_of(sampled[place][0], [sampled[place][1].number])
        ]
        chosen |= zip(places, choices(views, (SLOW,)), strict=True)
    return answers_of([each for _, each in sampled], [chosen[at] for at in range(len(sampled))])


HEAD = (
    f"{'played':<23}{'better':<23}{'points':>7}{'cards':>6}{'seats':>6}{'times':>7}"
    f"{'lost each':>11}{'±':>6}{'in all':>8}"
)


def lines(game: str, found: Sequence[Leak], matches: int, bot: str) -> Iterator[str]:
    """Yield the leaks of one game as a table."""
    title = GAMES[game].title
    if not found:
        yield f"No leaks of {bot} found at {title} in {matches} matches."
        return
    yield f"Leaks of {bot} at {title} in {matches} matches, the greatest loss first"
    yield "Points and cards are those in hand. The last columns show how often a house bot chooses"
    yield f"the better action in the same decisions ({SLOW}: in at most {SAMPLED} per row)."
    yield ""
    names = (*FAST, SLOW)
    yield HEAD + "".join(f"{name:>9}" for name in names) + "  example"
    for each in found[:MOST]:
        yield _line(each, names)
    yield ""


def _line(leak: Leak, names: Sequence[str]) -> str:
    spot = leak.spot
    shares = [_share(leak.others.get(name)) for name in names]
    return (
        f"{spot.chosen:<23}{spot.best:<23}{spot.points:>7}{spot.cards:>6}{spot.seats:>6}"
        f"{leak.times:>7}{leak.each:>11.1%}{WIDE * leak.error:>6.1%}{leak.lost:>8.2f}"
        + "".join(f"{share:>9}" for share in shares)
        + f"  {leak.match} {leak.number}"
    )


def _share(answers: Answers | None) -> str:
    return f"{answers.better / answers.asked:.0%}" if answers and answers.asked else ""
