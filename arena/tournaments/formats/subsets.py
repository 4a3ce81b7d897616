"""Tables without siblings, by number: so that none of them has to be listed.

With authors of s_1, s_2, ... bots there are e_k tables of k without siblings, the k-th elementary
symmetric polynomial of these sizes: for each choice of k authors the product of their sizes. The
tables are numbered by author first, and then by bot. Where every author has one bot, these are
all tables in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

Authors = tuple[int, ...]  # by entrant


def count(authors: Authors, size: int) -> int:
    """How many tables of `size` have no siblings."""
    return _ways(authors, size)[0][size]


def subset(authors: Authors, size: int, number: int) -> list[int]:
    """The table of that number, from 0; entrants ascending."""
    ways = _ways(authors, size)
    chosen: list[int] = []
    for place, members in enumerate(_members(authors)):
        left = size - len(chosen)
        if not left:
            break
        rest = ways[place + 1][left - 1]  # ways to go on from one of these members
        if number < len(members) * rest:
            member, number = divmod(number, rest)
            chosen.append(members[member])
        else:
            number -= len(members) * rest
    return sorted(chosen)


def sittings(authors: Authors, size: int) -> tuple[int, int]:
    """At how many of these tables an entrant sits, at least and at most."""
    ways, sizes = _ways(authors, size)[0], set(map(len, _members(authors)))
    counts = [_without(ways, each)[size - 1] for each in sizes]
    return min(counts), max(counts)


def meetings(authors: Authors, size: int) -> tuple[int, int]:
    """At how many of these tables two entrants who are not siblings meet, at least and at most.
    For two authors or more, and tables of two or more."""
    ways = _ways(authors, size)[0]
    counts = [
        _without(_without(ways, one), other)[size - 2]
        for one, other in _pairs(map(len, _members(authors)))
    ]
    return min(counts), max(counts)


@lru_cache(maxsize=64)
def _members(authors: Authors) -> tuple[tuple[int, ...], ...]:
    """The entrants of each author."""
    members: dict[int, list[int]] = {}
    for entrant, author in enumerate(authors):
        members.setdefault(author, []).append(entrant)
    return tuple(map(tuple, members.values()))


@lru_cache(maxsize=64)
def _ways(authors: Authors, size: int) -> tuple[tuple[int, ...], ...]:
    """By place of an author, and by number: the tables of so many among its bots and those of
    the authors after it."""
    ways = [(1, *[0] * size)]
    for members in reversed(_members(authors)):
        after = ways[-1]
        ways.append((1, *(after[n] + len(members) * after[n - 1] for n in range(1, size + 1))))
    return tuple(reversed(ways))


def _without(ways: Sequence[int], members: int) -> list[int]:
    """The number of tables of 0, 1, 2, ... without an author of so many bots."""
    left = [1]
    for with_it in ways[1:]:
        left.append(with_it - members * left[-1])
    return left


def _pairs(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The sizes of two authors, each combination once."""
    all_ = sorted(sizes)
    for one, other in combinations_with_replacement(sorted(set(all_)), 2):
        if one != other or all_.count(one) > 1:
            yield one, other
