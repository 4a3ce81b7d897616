"""`bench tokens`: the tokens that a bot with a language model uses."""

from dataclasses import asdict

import click

from arena.games.rules import GAMES
from tests.lab.commands.figures import json_option, stream_json, stream_table

COLUMNS = {"game": 7, "seats": 5, "decisions": 9, "tokens": 7, "per decision": 12}


@click.command("tokens")
@click.option("--matches", type=click.IntRange(1), default=30, show_default=True, help="Matches.")
@json_option
def tokens(matches: int, as_json: bool) -> None:
    """Measure the tokens that the bot of `arena new --language llm` sends in a match.

    A server in this process answers as the house bot sharp, against the same bot. A token counts as
    four characters. The answers of a real model come on top.
    """
    from tests.lab.bench.tokens import measure

    found = (measure(game, seats, matches) for game in GAMES for seats in (2, 4))
    if as_json:
        stream_json(tokens=(asdict(one) for one in found))
        return
    rows = (
        (
            one.game,
            one.seats,
            f"{one.decisions:.0f}",
            f"{one.tokens:,.0f}",
            f"{one.tokens / one.decisions:.0f}",
        )
        for one in found
    )
    stream_table(COLUMNS, rows, left=["game"])
