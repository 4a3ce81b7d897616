"""What is said of ratings, wherever they are shown."""

from __future__ import annotations

# docs/ratings.md, the help of `arena ratings` and the dashboard's legends say the same (a test
# compares them).
TWO_NUMBERS = (
    "Rating ± 95 % weighs all matches at once, whatever their order, and is what to compare bots "
    "by; Elo, counted from the same 1500, moves with every match and swings by luck."
)
UNRATED = "no complete deal yet"
