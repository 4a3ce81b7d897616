"""The tournament formats in words, the same on pages and for programs."""

from __future__ import annotations

from arena.tournaments.formats.formats import format_of

# Title, and what it is in a sentence.
FORMAT_WORDS = {
    "round-robin": ("Round-robin", "Everybody meets everybody, equally often."),
    "gauntlet": ("Gauntlet", "One candidate sits at every table, against a field of others."),
    "knockout": ("Knockout", "At every table the best go on, and the others are out."),
    "swiss": ("Swiss", "Each round bots meet others that have done about as well."),
    "versus": (
        "Versus",
        "Is the candidate better than the baseline? It stops by itself when that is clear.",
    ),
    "ladder": (
        "Ladder",
        "Plays on where the order of the bots is least sure; bots may join at any time.",
    ),
}


def format_words(name: str) -> tuple[str, str]:
    """A format's title, and what it is in a sentence; a new one's name, and what its class says.
    Raises InvalidRequest for an unknown one."""
    said = (type(format_of(name)).__doc__ or "").partition("\n")[0]
    return FORMAT_WORDS.get(name, (name, said))
