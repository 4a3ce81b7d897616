"""The actions on offer as groups of buttons."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arena.games.rules import View
from arena.games.rules.tokens import TEN
from dashboard.matches.detail.sheet import OF_CARDS

GroupName = Literal["cards", "turn", "people", "tokens", "beside", "leave"]

DIGITS = "1234567890"
SPARE = "vwxyz"  # for cards that share a digit
LETTERS = {
    "draw": "d", "roll": "r", "collect": "c", "quit": "q", "keep": "k", "swap": "s",
    "return magic": "m",
}  # fmt: skip
LABELS = {
    "draw": "Draw a card",
    "roll": "Roll the dice",
    "collect": "Collect the stage",
    "quit": "Quit the round",
    "keep": "Keep your tokens",
    "swap": "Swap ten whites for a black",
    "return magic": "Give the magic token back",
}
CARD_LABELS = {"play": "Play", "discard": "Discard", "take": "Take"}
CARD_TITLES = {
    "play": "Play a card",
    "discard": "Discard what you rolled",
    "take": "Take a card from the llama row",
}
TITLES = {
    "people": "Your lowest token goes to",
    "tokens": "Give a token back?",
    "beside": "First, if you like",
    "leave": "Or leave the round",
}
# Order of the groups; quitting the round comes last.
ORDER: tuple[GroupName, ...] = ("cards", "people", "tokens", "turn", "beside", "leave")


@dataclass(frozen=True)
class Choice:
    """One offered action: a button."""

    index: int  # stable index
    action: str  # in notation
    label: str
    cards: tuple[str, ...] = ()
    token: str = ""
    note: str = ""  # its effect
    key: str = ""  # on the keyboard; "shift+3" with the Shift key

    @property
    def key_label(self) -> str:
        """The key as its button shows it."""
        return self.key.replace("shift+", "\u21e7").upper()


@dataclass(frozen=True)
class ButtonGroup:
    """Buttons that belong together."""

    name: GroupName
    title: str  # may be empty
    choices: tuple[Choice, ...]


def groups(view: View, names: Sequence[str]) -> list[ButtonGroup]:
    """The actions of a decision, each in exactly one group; `names` are by seat."""
    by_name: dict[GroupName, list[Choice]] = {name: [] for name in ORDER}
    for index, action in zip(view.indices, view.actions, strict=True):
        by_name[group_of(action)].append(_choice(index, action, view, names))
    taken = set[str]()
    return [
        ButtonGroup(name, _title(name, view, choices), tuple(_with_keys(choices, taken)))
        for name, choices in by_name.items()
        if choices
    ]


def group_of(action: str) -> GroupName:
    verb, _, what = action.partition(" ")
    if verb in OF_CARDS:
        return "cards"
    if verb == "give":
        return "people"
    if verb == "keep" or (verb == "return" and what.isdigit()):
        return "tokens"
    if verb == "swap":
        return "beside"
    return "leave" if verb == "quit" else "turn"


def _choice(index: int, action: str, view: View, names: Sequence[str]) -> Choice:
    verb, _, what = action.partition(" ")
    if verb in OF_CARDS:
        cards = tuple(what.split())
        note = ICONS.get(what[-1], "") if verb == "play" else ""
        return Choice(index, action, CARD_LABELS[verb], cards=cards, note=note)
    if verb == "give":
        return Choice(index, action, names[(view.seat + int(what)) % len(names)])
    if verb == "return" and what.isdigit():
        swapped = what == str(TEN) and view.blacks and not view.blacks[view.seat]
        note = "for ten whites" if swapped else ""
        return Choice(index, action, "Give back", token=what, note=note)
    note = _of_quitting(view) if action == "quit" else NOTES.get(action, "")
    return Choice(index, action, LABELS.get(action, action), note=note)


ICONS = {
    "+": "and play again",
    "o": "and give a token away",
    "#": "and the next one draws",
    "*": "and take the magic token",
}
NOTES = {
    "collect": "you take all its tokens, then have your turn",
    "return magic": "that is your turn",
}


def _of_quitting(view: View) -> str:
    magic = TEN if view.magic == str(view.seat) else 0
    if not view.penalty + magic:
        return "your cards cost nothing"
    with_it = f", {view.penalty + magic} with the magic token" if magic else ""
    return f"your cards cost {view.penalty}{with_it}"


def _title(name: GroupName, view: View, choices: Sequence[Choice]) -> str:
    if name == "cards":
        return CARD_TITLES[choices[0].action.partition(" ")[0]]
    if name == "turn":
        if any(group_of(action) == "cards" for action in view.actions):
            return "Or"
        return "No card of yours fits" if view.ask == "turn" and view.top else ""
    return TITLES[name]


def _with_keys(choices: Sequence[Choice], taken: set[str]) -> Iterator[Choice]:
    for choice in choices:
        key = next((key for key in _keys(choice) if key not in taken), "")
        taken.add(key)
        yield replace(choice, key=key)


def _keys(choice: Choice) -> Iterable[str]:
    if letter := LETTERS.get(choice.action):
        return letter
    if not choice.cards:
        return DIGITS
    if len(choice.cards) > 1:  # the page selects these card by card
        return ()
    return _keys_of_card(choice.cards[0])


def _keys_of_card(card: str) -> Iterable[str]:
    """Possible keys for a card, best first: 3 for "3" and "3+", L for "llama"."""
    own = [digit for digit in card if digit.isdigit()] or [card[0]]
    return [*own, *(f"shift+{key}" for key in own), *SPARE]


def in_hand(view: View) -> dict[str, Choice]:
    """Maps cards of the player's hand to the action of pressing them, where it is unambiguous."""
    choices = {}
    for index, action in zip(view.indices, view.actions, strict=True):
        verb, _, what = action.partition(" ")
        if verb in ("play", "discard") and " " not in what:
            choices[what] = Choice(index, action, CARD_LABELS[verb], cards=(what,))
    return choices
