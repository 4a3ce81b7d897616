"""Elo of people and puzzles: an answer is a game of the person against the puzzle.

The person scores S = 1 with the right answer, otherwise 0:

    E = 1 / (1 + 10^((R_puzzle - R_person) / 400))
    change of the person = K(answers of the person)  · (S - E)
    change of the puzzle = K(answers to the puzzle)  · (E - S)
    K(n) = max(4, 64 / (1 + n / 40))

Only rated answers count, n before this one. Both start at 1500. K shrinks from 64 to 4, as for
bots (`elo`): first answers say most. The two changes differ if one side has more answers. Source:
R. Pelánek, "Applications of the Elo rating system in adaptive educational systems", Computers &
Education 98 (2016), with an uncertainty function of the form a / (1 + b n).
"""

from arena.tournaments.ratings.elo import expected, k_factor


def changes(
    person: float, answered: int, puzzle: float, tried: int, *, right: bool
) -> tuple[float, float]:
    """Return the changes of the ratings of a person and of a puzzle. `answered` and `tried` are the
    numbers of rated answers before: of the person, to the puzzle."""
    surprise = float(right) - expected(person, puzzle)
    return k_factor(answered) * surprise, -k_factor(tried) * surprise
