"""docs/ratings.md agrees with the code."""

import re
from pathlib import Path

from arena.cli.ratings_text import COLUMNS, PAIR_COLUMNS
from arena.tournaments.ratings.elo import expected

TEXT = (Path(__file__).parents[3] / "docs" / "ratings.md").read_text()


def test_documented_shares_follow_the_formula() -> None:
    told = re.findall(r"(0\.\d+) at (?:D = )?(\d+)", TEXT)
    assert len(told) == 5
    for share, distance in told:
        assert f"{expected(float(distance), 0.0):.2f}".rstrip("0") == share


def test_every_column_is_explained() -> None:
    for column in (*COLUMNS, *PAIR_COLUMNS):
        if column not in ("", "bot", "version", "other", "deals"):
            assert re.search(rf"^\| .*\b{re.escape(column)}", TEXT, re.MULTILINE) or (
                f"| {column} |" in TEXT
            ), column
