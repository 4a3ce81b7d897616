"""Siblings: bots of the same owner, which could share their hands or play for each other.

A tournament's spec numbers the author of each entrant. The numbers are fixed when the tournament
is created, like names and versions. Equal numbers mean the same author; they have no other
meaning. House bots have no siblings. By default, a schedule keeps siblings apart wherever its
format can.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from arena.games.rules.options import Option
from arena.tournaments.formats.choices import OneOf
from arena.tournaments.formats.spec import TournamentSpec

APART, ALLOWED = "apart", "allowed"

# An option of every tournament format.
SIBLINGS: Mapping[str, Option] = {
    "siblings": Option(
        APART,
        "bots of the same owner. apart: never at one table, unless the format leaves no choice; "
        "allowed: seated like all others, so they could share their hands",
        OneOf((APART, ALLOWED)),
    )
}

SHOWN = 5  # most names listed in a sentence

Authors = tuple[int, ...]  # by entrant


def numbered(authors: Iterable[Hashable | None]) -> Authors:
    """Returns authors as numbers from 0, in order of first appearance. Each None gets its own
    number, so it has no siblings."""
    numbers: dict[Hashable, int] = {}
    numbered_authors = []
    for place, author in enumerate(authors):
        key = ("nobody", place) if author is None else ("author", author)
        numbered_authors.append(numbers.setdefault(key, len(numbers)))
    return tuple(numbered_authors)


def there_are(authors: Sequence[int]) -> bool:
    """Whether any two have the same author."""
    return len(set(authors)) < len(authors)


def keeps_apart(spec: TournamentSpec) -> bool:
    """Whether there are siblings that must be kept apart."""
    choice = spec.format_options.get("siblings", ALLOWED)
    return choice == APART and there_are(spec.authors)


def apart(spec: TournamentSpec, entrants: Iterable[int], seats: int) -> Authors:
    """Returns the authors of these entrants, numbered from 0, to keep apart at tables of `seats`.
    Empty if there are no siblings to keep apart, or fewer authors than seats."""
    if not keeps_apart(spec) or seats < 2:
        return ()
    authors = numbered(spec.authors[entrant] for entrant in entrants)
    return authors if there_are(authors) and len(set(authors)) >= seats else ()


def most_of_one(authors: Iterable[int]) -> int:
    """Returns the largest number of bots of one author; 0 if there are none."""
    return max(Counter(authors).values(), default=0)


def listed(names: Sequence[str]) -> str:
    """Joins the first names, and counts the others."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def sentence(parts: Iterable[str]) -> str:
    """Joins parts to a sentence; "" if there are none."""
    text = "; ".join(parts)
    return f"Bots of the same owner: {text}." if text else ""


def meet(spec: TournamentSpec, entrants: Iterable[int]) -> str:
    """Returns a sentence that says why siblings among these entrants meet: they are allowed to, or
    there are fewer authors than seats. Otherwise ""."""
    authors = [spec.authors[entrant] for entrant in entrants] if spec.authors else []
    if not there_are(authors):
        return ""
    if not keeps_apart(spec):
        return "Bots of the same owner may meet, because siblings=allowed."
    count = len(set(authors))
    if count < spec.seats:
        by = "1 owner" if count == 1 else f"{count} owners"
        return f"Bots of the same owner meet: {spec.seats} seats, but only {by}."
    return ""
