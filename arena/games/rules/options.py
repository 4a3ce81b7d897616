"""Options of a game. Values are text everywhere, so that they have the same form when stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.base.errors import ArenaError


@dataclass(frozen=True)
class Option:
    """An option. `normalize` returns a value's canonical text, or raises ValueError with a message
    that says what the option takes. Pages show the `title`, programs use the name."""

    default: str  # normalized
    about: str
    normalize: Callable[[str], str]
    title: str = ""
    rare: str = ""  # a valid value that bots rarely meet, for checks
    values_stay: bool = False  # whether it leaves the values of game states as they are


def option_title(options: Mapping[str, Option], name: str) -> str:
    """Returns the title of an option. It is made from the name if the option has no title or is
    unknown."""
    option = options.get(name)
    if option is not None and option.title:
        return option.title
    return name.rpartition(".")[2].replace("_", " ").capitalize()


def is_count(text: str) -> bool:
    """Whether a text is a number of at most nine ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) < 10


def whole_number(least: int, most: int) -> Callable[[str], str]:
    """Returns a normalizer that takes a whole number from `least` to `most`."""

    def normalize(text: str) -> str:
        if not (is_count(text) and least <= int(text) <= most):
            raise ValueError(f"takes a whole number from {least} to {most}")
        return str(int(text))

    return normalize


def complete_options(
    options: Mapping[str, Option], given: Mapping[str, str], owner: str, error: type[ArenaError]
) -> dict[str, str]:
    """Returns all options with their values, by default their defaults.

    Raises `error` for an unknown name or an invalid value. Its message names the `owner`: a game's
    title, or "the format swiss".
    """
    for name in given:
        if name not in options:
            has = f"It has: {', '.join(options)}" if options else "It has none"
            subject = owner[0].upper() + owner[1:]
            raise error(f'{subject} has no option "{name[:40]}". {has}.')
    values = {}
    for name, option in options.items():
        text = str(given.get(name, option.default))
        try:
            values[name] = text if text == option.default else option.normalize(text)
        except ValueError as refusal:
            raise error(f'Option {name} of {owner} {refusal}. It is "{text[:80]}".') from None
    return values
