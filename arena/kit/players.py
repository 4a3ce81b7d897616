"""The players named on the command line: house bots, Python files, modules, and commands."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.bots import BOTS
from arena.kit.homes import Home
from arena.sdk import Bot, load_bot

LONGEST = 40  # characters of a name


@dataclass(frozen=True, slots=True)
class Player:
    """A player as given on the command line, and its name in tables and records."""

    name: str
    source: str  # a house bot's name, FILE.py, FILE.py:CLASS, module:CLASS or a command

    @property
    def house(self) -> bool:
        return self.source in BOTS

    @property
    def program(self) -> bool:
        """Whether it is a program started by a command."""
        return not self.house and is_command(self.source)

    @property
    def home(self) -> Path | None:
        """The folder of its modules; None for house bots and programs."""
        if self.house or self.program:
            return None
        place = _place(self.source)
        return Path(place).resolve().parent if place.endswith(".py") else Path.cwd()

    def load(self, home: Home | None) -> type[Bot]:
        """Load the class. Raises InvalidRequest, caused by the exception of the author's code."""
        if home is None:
            return BOTS[self.source]
        with home.loading():
            return load_bot(self.source)


def players_of(sources: Sequence[str]) -> tuple[Player, ...]:
    """Return players with unique names. Raises InvalidRequest for an unknown bot."""
    players = [Player(_first_name(source), source) for source in sources]
    by_name: dict[str, set[str]] = {}
    for player in players:
        by_name.setdefault(player.name.lower(), set()).add(player.source)
    longer = [
        replace(player, name=_longer_name(player.source))
        if len(by_name[player.name.lower()]) > 1
        else player
        for player in players
    ]
    return tuple(_numbered(longer))


def _numbered(players: Sequence[Player]) -> Iterator[Player]:
    taken: set[str] = set()
    for player in players:
        name, number = player.name, 1
        while name.lower() in taken:
            number += 1
            name = f"{player.name[: LONGEST - 4]}-{number}"
        taken.add(name.lower())
        yield replace(player, name=name)


def _place(source: str) -> str:
    return source.rpartition(":")[0] if ":" in source else source


def is_command(source: str) -> bool:
    """Whether a source is a command: neither FILE.py[:CLASS] nor module:CLASS."""
    place, class_name = _place(source), source.rpartition(":")[2]
    if ":" in source and class_name.isidentifier() and all(map(str.isidentifier, place.split("."))):
        return False
    if not place.endswith(".py"):
        return True
    # "python other.py" ends like a file whose name contains a space.
    words = _words(source)
    return not Path(place).is_file() and len(words) > 1 and shutil.which(words[0]) is not None


def _words(source: str) -> list[str]:
    """Split a command into words. Raises InvalidRequest."""
    try:
        words = shlex.split(source)
    except ValueError as error:
        raise InvalidRequest(f"{source} is not a command: {error}.") from None
    if not words:
        raise InvalidRequest("No bot. Name a file, or the command that starts it.")
    return words


def command_words(source: str) -> list[str]:
    """Return the words of a command. Raises InvalidRequest if it cannot be started."""
    words = _words(source)
    name = words[0]
    if shutil.which(name) is not None:
        return words
    if Path(name).is_file():
        quoted = shlex.quote(name)
        raise InvalidRequest(
            f"{name} cannot be started. It is not executable. Run `chmod +x {quoted}`, or name the"
            f' program that runs it, as in "node {quoted}".'
        )
    what = "file" if os.sep in name else "command"
    raise InvalidRequest(f"{name} cannot be started. There is no such {what}.")


def _is_misspelt(source: str) -> bool:
    """Whether a single word is neither a house bot nor anything else."""
    [name, *others] = _words(source)
    plain = not others and os.sep not in name
    return plain and not Path(name).exists() and shutil.which(name) is None


def _first_name(source: str) -> str:
    """Return the name of the house bot, the class or the file."""
    if source in BOTS:
        return source
    if is_command(source):
        if _is_misspelt(source):
            raise InvalidRequest(
                f"There is no house bot {source}. Choose one of {', '.join(BOTS)}, or name your own"
                " bot as FILE.py, FILE.py:CLASS, module:CLASS, or by the command that starts it."
            )
        return _clean(_named_file(command_words(source)).stem)
    place, class_name = _place(source), source.rpartition(":")[2]
    if ":" in source and class_name:
        return _clean(class_name)
    return _clean(Path(place).stem)


def _named_file(words: Sequence[str]) -> Path:
    """Return the first argument that is a file, as in "node mybot.js", else the command."""
    arguments = (Path(word) for word in words[1:] if not word.startswith("-"))
    return next((path for path in arguments if path.suffix), Path(words[0]))


def _longer_name(source: str) -> str:
    if source in BOTS:
        return source
    name, place = _first_name(source), _place(source)
    if is_command(source):
        before = _named_file(_words(source)).resolve().parent.name
    else:
        before = Path(place).resolve().parent.name if place.endswith(".py") else place
    return _clean(f"{before}-{name}")


def _clean(name: str) -> str:
    """Replace characters that a bot's name cannot have."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("._-")[:LONGEST] or "bot"


def one_player(source: str) -> type[Bot]:
    """Load the class of a player and keep its folder in sys.path. Raises InvalidRequest."""
    [player] = players_of([source])
    if player.house:
        return BOTS[source]
    assert player.home is not None, "programs have no class"
    sys.path.insert(0, str(player.home))
    return load_bot(source)
