"""Numbers the tables without siblings, so that they need not be listed.

With authors of s_1, s_2, ... bots, the number of tables of k without siblings is e_k, the k-th
elementary symmetric polynomial of these sizes: for each choice of k authors, the product of their
sizes. Tables are ordered by author, then by bot. If every author has one bot, these are all
tables in lexicographic order.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

Authors = tuple[int, ...]  # by entrant


def count(authors: Authors, size: int) -> int:
    """Returns the number of tables of `size` without siblings."""
    return _ways(authors, size)[0][size]


def subset(authors: Authors, size: int, number: int) -> list[int]:
    """Returns table `number` (from 0), entrants ascending."""
    ways = _ways(authors, size)
    chosen: list[int] = []
    for place, members in enumerate(_members(authors)):
        left = size - len(chosen)
        if not left:
            break
        rest = ways[place + 1][left - 1]  # ways to complete the table after one of these members
        if number < len(members) * rest:
            member, number = divmod(number, rest)
            chosen.append(members[member])
        else:
            number -= len(members) * rest
    return sorted(chosen)


def sittings(authors: Authors, size: int) -> tuple[int, int]:
    """Returns the least and most of these tables at which an entrant sits."""
    ways, sizes = _ways(authors, size)[0], set(map(len, _members(authors)))
    counts = [_without(ways, each)[size - 1] for each in sizes]
    return min(counts), max(counts)


def meetings(authors: Authors, size: int) -> tuple[int, int]:
    """Returns the least and most of these tables at which two entrants of different authors meet.
    Needs at least two authors and tables of at least two."""
    ways = _ways(authors, size)[0]
    counts = [
        _without(_without(ways, one), other)[size - 2]
        for one, other in _pairs(map(len, _members(authors)))
    ]
    return min(counts), max(counts)


@lru_cache(maxsize=64)
def _members(authors: Authors) -> tuple[tuple[int, ...], ...]:
    """Returns the entrants of each author."""
    members: dict[int, list[int]] = {}
    for entrant, author in enumerate(authors):
        members.setdefault(author, []).append(entrant)
    return tuple(map(tuple, members.values()))


@lru_cache(maxsize=64)
def _ways(authors: Authors, size: int) -> tuple[tuple[int, ...], ...]:
    """Returns by author's place, then by table size: the number of tables among the bots of this
    and later authors."""
    ways = [(1, *[0] * size)]
    for members in reversed(_members(authors)):
        after = ways[-1]
        ways.append((1, *(after[n] + len(members) * after[n - 1] for n in range(1, size + 1))))
    return tuple(reversed(ways))


def _without(ways: Sequence[int], members: int) -> list[int]:
    """Returns the numbers of tables of 0, 1, 2, ... without an author of `members` bots."""
    left = [1]
    for with_it in ways[1:]:
        left.append(with_it - members * left[-1])
    return left


def _pairs(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yields each combination of the sizes of two authors once."""
    all_ = sorted(sizes)
    for one, other in combinations_with_replacement(sorted(set(all_)), 2):
        if one != other or all_.count(one) > 1:
            yield one, other
