"""The order in which entrants are seeded."""

from collections.abc import Mapping

from arena.games.rules.options import Option
from arena.tournaments.formats.choices import OneOf
from arena.tournaments.formats.deals import derive
from arena.tournaments.formats.spec import TournamentSpec

SEEDING: Mapping[str, Option] = {
    "seeding": Option(
        "entered",
        "how bots are seeded. entered: in the order listed; elo: by Elo when the tournament is "
        "created; random: by lot",
        OneOf(("entered", "elo", "random")),
    )
}


def by_elo(spec: TournamentSpec) -> bool:
    """Whether bots are entered in the order of their Elo, which only the store knows."""
    return spec.format_options.get("seeding") == "elo"


def seeded(spec: TournamentSpec) -> list[int]:
    """Returns the entrants, best seed first. With `elo`, the entry order is already by Elo."""
    entrants = list(range(len(spec.bots)))
    if spec.format_options.get("seeding") == "random":
        entrants.sort(key=lambda entrant: derive("seeding", spec.seed, entrant))
    return entrants
