"""The events at the table since the player's last move, with only the player's own draws."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.games.match import Fault, Match
from arena.games.replay import restarted
from arena.games.rules import Game, RoundLog
from arena.games.rules.view import PLAY
from dashboard.matches.detail.sheet import VERBS, Words, in_words

OWN_VERBS = {of_others: verb for verb, of_others in VERBS.items()}


@dataclass(frozen=True)
class StoryLine:
    """One move."""

    number: int  # of the decision, in the match
    seat: int
    action: str  # in notation
    who: str  # "sharp", "You"
    words: Words
    dice: tuple[str, ...]
    drawn: tuple[str, ...]  # cards the player got by it
    fault: Fault | None
    no_choice: bool  # the player's forced move, played without asking


@dataclass(frozen=True)
class Scored:
    """The end of a round; sequences are by seat."""

    round: int
    left: Sequence[Sequence[str]]  # cards, now open
    penalties: Sequence[int]
    otherwise: Sequence[int]  # what else changed the points since the last scoring
    points: Sequence[int]


def story(match: Match, seat: int, names: Sequence[str]) -> list[StoryLine | Scored]:
    """The moves and scorings since the last decision that the player made."""
    movers = [mover for log in match.game.rounds for mover, _ in log.moves]
    # Moves for a fault are the arena's, not the player's.
    own = [a.number for a in match.logged if movers[a.number - 1] == seat and not a.fault]
    since = max(own, default=0)
    return [event for number, event in _events(match, seat, names) if number >= since]


def scorings(match: Match) -> list[Scored]:
    ended = [log for log in match.game.rounds if log.points]
    before = [restarted(match.game).points, *(log.points for log in ended)]
    return [_scored(match, log, held) for log, held in zip(ended, before, strict=False)]


def _events(
    match: Match, seat: int, names: Sequence[str]
) -> Iterator[tuple[int, StoryLine | Scored]]:
    game = restarted(match.game)
    decisions = {a.number for a in match.logged}
    faults = {fault.number: fault for fault in match.faults}
    number, held = 0, list(game.points)
    for log in match.game.rounds:
        for place, (mover, action) in enumerate(log.moves):
            number += 1
            dice = match.game.move_result(log, place).get("dice", ())
            line = StoryLine(
                number=number,
                seat=mover,
                action=match.game.notation[action],
                who="You" if mover == seat else names[mover],
                words=_words(match.game.notation[action], mover, names, own=mover == seat),
                dice=tuple(dice) if isinstance(dice, list) else (),
                drawn=_carried_out(game, mover, action, seat),
                fault=faults.get(number),
                no_choice=mover == seat and number not in decisions,
            )
            yield number, line
        if log.points:
            yield number, _scored(match, log, held)
            held = log.points


def _words(action: str, mover: int, names: Sequence[str], own: bool) -> Words:
    words = in_words(action, mover, names)
    return words._replace(verb=OWN_VERBS.get(words.verb, words.verb)) if own else words


def _carried_out(game: Game, mover: int, action: int, seat: int) -> tuple[str, ...]:
    """Applies a move and returns the cards that the player at `seat` drew by it."""
    sizes = getattr(game, "sizes", None)  # games without a pile have no hidden hands either
    if sizes is None:
        game.apply(action, mover)
        return ()
    played = mover == seat and game.notation[action].startswith(PLAY)
    log, first, expected = game.log, _drawn(game), sizes[seat] - played
    game.apply(action, mover)
    if game.log is not log or game.sizes[seat] <= expected:  # type: ignore[attr-defined]
        return ()
    return tuple([game.kinds[kind] for kind in log.deck[first : _drawn(game)]])


def _drawn(game: Game) -> int:
    return int(getattr(game, "drawn", 0))


def _scored(match: Match, log: RoundLog, held: Sequence[int]) -> Scored:
    changes = zip(held, log.penalties, log.points, strict=True)
    return Scored(
        log.number,
        match.game.final_hands(log),
        log.penalties,
        [after - before - penalty for before, penalty, after in changes],
        log.points,
    )
