"""Siblings: bots of one author, who could show each other their hands and play for each other.

A tournament's spec has a number for the author of each entrant, frozen when it is made like names
and versions: equal numbers are one author, and a number says nothing else. The house's bots are
nobody's siblings. By default a schedule keeps siblings from one table wherever its format can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from arena.games.rules.options import Option
from arena.tournaments.formats.choices import one_of
from arena.tournaments.formats.spec import TournamentSpec

APART, ALLOWED = "apart", "allowed"

# An option of every tournament format.
SIBLINGS: Mapping[str, Option] = {
    "siblings": Option(
        APART,
        "bots by the same author. apart: never at one table, unless the format leaves no choice; "
        "allowed: seated like all others, so they could tell each other their hands",
        one_of(APART, ALLOWED),
    )
}

SHOWN = 5  # names in a sentence

Authors = tuple[int, ...]  # by entrant


def numbered(authors: Iterable[Hashable | None]) -> Authors:
    """Authors as numbers from 0, in the order in which they first come. None is nobody's sibling
    and has a number of its own each time."""
    numbers: dict[Hashable, int] = {}
    numbered_authors = []
    for place, author in enumerate(authors):
        key = ("nobody", place) if author is None else ("author", author)
        numbered_authors.append(numbers.setdefault(key, len(numbers)))
    return tuple(numbered_authors)


def there_are(authors: Sequence[int]) -> bool:
    """Whether any two are of one author."""
    return len(set(authors)) < len(authors)


def keeps_apart(spec: TournamentSpec) -> bool:
    """Whether there are siblings, and they are to be kept apart."""
    choice = spec.format_options.get("siblings", ALLOWED)
    return choice == APART and there_are(spec.authors)


def apart(spec: TournamentSpec, entrants: Iterable[int], seats: int) -> Authors:
    """The authors of these entrants, numbered from 0, to be kept apart at tables of so many seats.
    Empty where there is nobody to keep apart, and where there are fewer authors than seats."""
    if not keeps_apart(spec) or seats < 2:
        return ()
    authors = numbered(spec.authors[entrant] for entrant in entrants)
    return authors if there_are(authors) and len(set(authors)) >= seats else ()


def most_of_one(authors: Iterable[int]) -> int:
    """How many the author with the most has; 0 for none."""
    return max(Counter(authors).values(), default=0)


def listed(names: Sequence[str]) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def sentence(parts: Iterable[str]) -> str:
    """One sentence of several parts; "" of none."""
    text = "; ".join(parts)
    return f"Siblings: {text}." if text else ""


def meet(spec: TournamentSpec, entrants: Iterable[int]) -> str:
    """Why siblings among these entrants meet at the tables of a tournament, in a sentence: because
    they are allowed to, or because there are fewer authors than seats. Else ""."""
    authors = [spec.authors[entrant] for entrant in entrants] if spec.authors else []
    if not there_are(authors):
        return ""
    if not keeps_apart(spec):
        return "Bots of one author may meet: siblings are allowed at one table."
    count = len(set(authors))
    if count < spec.seats:
        by = "1 author" if count == 1 else f"{count} authors"
        return f"Bots of one author meet: there are {spec.seats} seats for bots of {by}."
    return ""
