"""The cards of LLAMA Kadabra: kinds, values, and how many of each."""

from functools import lru_cache
from typing import Final

from arena.games.rules.options import Option, is_count

# The icons on cards (KAD-3)
GIVE: Final = "o"
NEXT_DRAWS: Final = "#"
TAKE_MAGIC: Final = "*"
COPIES = {1: 8, 2: 7, 3: 7, 4: 7, 5: 7, 6: 8}  # cards of each value, with special ones (KAD-1)
DOUBLES, LLAMAS = 2, 12  # copies of each double card; number of llamas
LLAMA_VALUE: Final = 7


def all_kinds() -> tuple[str, ...]:
    """Returns every possible card, in the order of a sorted hand. 1s give; others draw or take."""
    kinds: list[str] = []
    for value in COPIES:
        icons = ("", GIVE) if value == 1 else ("", NEXT_DRAWS, TAKE_MAGIC)
        kinds += [f"{value}{icon}" for icon in icons]
        kinds += {2: ["2/3"], 4: ["4/5"]}.get(value, [])
    return (*kinds, "llama")


KINDS: Final = all_kinds()
LLAMA: Final = KINDS.index("llama")


def values_of(kind: str) -> tuple[int, ...]:
    """Returns a card's values without its icon (KAD-12): two for double cards, 7 for llamas."""
    if kind == "llama":
        return (LLAMA_VALUE,)
    return tuple(int(value) for value in kind.rstrip(GIVE + NEXT_DRAWS + TAKE_MAGIC).split("/"))


VALUES: Final = tuple(values_of(kind) for kind in KINDS)


def may_follow(card: tuple[int, ...], top: tuple[int, ...]) -> bool:
    """Whether a value of the card equals or follows a value of the top (KAD-8 to KAD-11)."""
    return any(value in (under, under % LLAMA_VALUE + 1) for value in card for under in top)


def normal_specials(text: str) -> str:
    """Validates and sorts the counts of special cards: `1o:8 2#:1 2*:1 ...` (KAD-3, KAD-4)."""
    counts: dict[str, int] = {}
    for word in text.split():
        kind, _, count = word.partition(":")
        special = kind in KINDS and kind[-1] in GIVE + NEXT_DRAWS + TAKE_MAGIC
        if not special or kind in counts or not is_count(count):
            raise ValueError(
                f"takes words like 1o:8 2#:1 3*:1 (a card with an icon, a colon, a count; each "
                f"card once); {word[:20]!r} does not fit"
            )
        counts[kind] = int(count)
    for value, copies in COPIES.items():
        specials = sum(count for kind, count in counts.items() if kind[:-1] == str(value))
        if specials > copies:
            raise ValueError(f"asks for {specials} special {value}s, but the deck has {copies}")
    return " ".join(f"{kind}:{counts[kind]}" for kind in KINDS if counts.get(kind))


SPECIALS = Option(
    default="1o:8 2#:1 2*:1 3#:1 3*:1 4#:1 4*:1 5#:1 5*:1 6#:1 6*:1",
    about="Cards with an icon, and how many of each",
    normalize=normal_specials,
    title="Special cards",
    rare="1o:1 2*:3 3#:3 4*:3 5#:3 6*:3",
)


@lru_cache(maxsize=64)
def deck_of(specials: str) -> tuple[int, ...]:
    """Returns the 60 cards, including these special cards, as sorted kinds."""
    counts = {word.partition(":")[0]: int(word.partition(":")[2]) for word in specials.split()}
    for value, copies in COPIES.items():
        icons = sum(count for kind, count in counts.items() if kind[:-1] == str(value))
        counts[str(value)] = copies - icons
    counts |= {"2/3": DOUBLES, "4/5": DOUBLES, "llama": LLAMAS}
    return tuple(place for place, kind in enumerate(KINDS) for _ in range(counts.get(kind, 0)))
