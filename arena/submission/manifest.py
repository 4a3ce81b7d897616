"""bot.toml: what a hosted bot is written in, how it begins, what it needs.

Whoever reads one checks all of it: it is the author's, and what a jail says of it is a stranger's.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import InvalidRequest
from arena.submission.files import File, check_name, shown
from arena.submission.unpack import PROGRAM

FILE = "bot.toml"
LARGEST = 64 * 1024  # bytes of the file
LANGUAGES = ("python", "node", "binary")
MEMORY_MB = 256  # if nothing is said
LEAST_MEMORY_MB = 32
MOST_WORDS, LONGEST_WORD = 32, 1_000  # of a command
MOST_DEPENDENCIES = 32
MOST_VARIABLES, LONGEST_VALUE = 64, 4_096
OUR_VARIABLES = "ARENA_"

VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}", re.ASCII)
_ENTRY = re.compile(r"(?P<file>[^:]+\.py)(:[A-Za-z_]\w{0,99})?", re.ASCII)
_DEPENDENCY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What bot.toml says. Raises InvalidRequest, with a sentence for the author, unless all of it
    can be meant."""

    language: str = "python"
    entry: str = ""  # of Python: FILE.py:CLASS, or FILE.py if it has only one bot
    command: Sequence[str] = ()  # of the others
    memory_mb: int = MEMORY_MB
    dependencies: Sequence[str] = ()
    version: str = ""  # label of the version; empty: the next number
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for check in _CHECKS:
            check(self)
        object.__setattr__(self, "command", tuple(self.command))
        object.__setattr__(self, "dependencies", tuple(self.dependencies))

    def check_allowed(self, most_memory_mb: int, dependencies: Collection[str]) -> None:
        """Raises InvalidRequest unless an organiser allows so much memory, and these packages."""
        if self.memory_mb > most_memory_mb:
            raise InvalidRequest(
                f"memory_mb in {FILE} is {self.memory_mb}; this arena gives a bot {most_memory_mb} "
                "at most."
            )
        missing = [name for name in self.dependencies if name not in dependencies]
        if missing:
            offered = ", ".join(sorted(dependencies)) or "none"
            raise InvalidRequest(
                f"{FILE} asks for {', '.join(missing)}, which this arena does not offer; it has: "
                f"{offered}. Put the package into the folder, or do without it."
            )

    def to_json(self) -> str:
        """As one line of JSON, the same for the same manifest."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, separators=(",", ":"))


def from_json(text: str | bytes) -> Manifest:
    """The manifest that `to_json` wrote, checked like an author's. Raises InvalidRequest."""
    try:
        return _of_table(json.loads(text))
    except (ValueError, RecursionError):
        raise InvalidRequest("The manifest is no JSON.") from None


def parse(content: bytes) -> Manifest:
    """What a bot.toml says. Raises InvalidRequest."""
    if len(content) > LARGEST:
        raise InvalidRequest(f"{FILE} is larger than {LARGEST // 1024} kB, which is the most.")
    try:
        table = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise InvalidRequest(f"{FILE} is no text (UTF-8).") from None
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{FILE} is no TOML: {error}.") from None
    return _of_table(table)


def of_files(files: Sequence[File]) -> Manifest:
    """The manifest of an unpacked submission; a single Python file needs none.

    Raises InvalidRequest where it is missing or wrong, or names a file that is not there.
    """
    contents = {file.name: file.content for file in files}
    if list(contents) == [PROGRAM]:
        return Manifest(entry=PROGRAM)
    if FILE not in contents:
        raise InvalidRequest(_missing(contents))
    manifest = parse(contents[FILE])
    named = _file_of(manifest)
    if named and named not in contents:
        raise InvalidRequest(
            f"{FILE} says that the bot is in {named}, but that is not among the files."
        )
    return manifest


def _missing(names: Collection[str]) -> str:
    inside = next((name for name in sorted(names) if name.endswith(f"/{FILE}")), "")
    if inside:
        return (
            f"{FILE} is in {inside.removesuffix(FILE)} and must be at the root: pack that folder."
        )
    return (
        f"There is no {FILE} beside the bot: write one that says language and entry, or submit a "
        "single .py file."
    )


def _file_of(manifest: Manifest) -> str:
    """The file that the bot begins with, as far as the manifest names it."""
    if manifest.language == "python":
        return manifest.entry.partition(":")[0]
    if manifest.language == "binary":
        return manifest.command[0].removeprefix("./")
    return ""


def _of_table(table: Any) -> Manifest:
    if not isinstance(table, dict):
        raise InvalidRequest("The manifest is no table of keys and values.")
    known = [each.name for each in dataclasses.fields(Manifest)]
    for key in table:
        if key not in known:
            nearest = difflib.get_close_matches(str(key), known, n=1, cutoff=0)
            raise InvalidRequest(f'{FILE} has no key "{shown(key)}"; did you mean "{nearest[0]}"?')
    return Manifest(**table)


def _check_language(it: Manifest) -> None:
    if it.language not in LANGUAGES:
        raise InvalidRequest(
            f'language in {FILE} is "{_quoted(it.language)}"; it must be one of: '
            f"{', '.join(LANGUAGES)}."
        )


def _check_start(it: Manifest) -> None:
    if it.language == "python":
        if it.command:
            raise InvalidRequest(f"A Python bot has no command in {FILE}: say entry, its class.")
        _check_entry(it.entry)
        return
    if it.entry:
        raise InvalidRequest(f"Only a Python bot has an entry in {FILE}: say command.")
    if not _are_texts(it.command, MOST_WORDS, LONGEST_WORD) or not it.command or not it.command[0]:
        raise InvalidRequest(
            f'command in {FILE} must be a list of words such as ["node", "bot.js"], at most '
            f"{MOST_WORDS} of {LONGEST_WORD:,} characters."
        )


def _check_entry(entry: Any) -> None:
    found = _ENTRY.fullmatch(entry) if isinstance(entry, str) else None
    if found is None:
        raise InvalidRequest(f'entry in {FILE} must be a file and its class: "mybot.py:MyBot".')
    check_name(found["file"])


def _check_memory(it: Manifest) -> None:
    if type(it.memory_mb) is not int or it.memory_mb < LEAST_MEMORY_MB:
        raise InvalidRequest(
            f"memory_mb in {FILE} must be a number of megabytes, {LEAST_MEMORY_MB} or more."
        )


def _check_dependencies(it: Manifest) -> None:
    names = it.dependencies
    fits = _are_texts(names, MOST_DEPENDENCIES, LONGEST_WORD) and all(
        _DEPENDENCY.fullmatch(name) for name in names
    )
    if not fits:
        raise InvalidRequest(
            f'dependencies in {FILE} must be a list of names such as ["numpy"], without versions, '
            f"at most {MOST_DEPENDENCIES}."
        )


def _check_version(it: Manifest) -> None:
    version = it.version
    if not isinstance(version, str) or (version and not VERSION.fullmatch(version)):
        raise InvalidRequest(
            f'version in {FILE} must be a text of 1 to 40 letters, digits, ".", "_", "+" and "-", '
            "beginning with a letter or digit."
        )


def _check_environment(it: Manifest) -> None:
    variables = it.environment
    fits = isinstance(variables, Mapping) and len(variables) <= MOST_VARIABLES
    if not fits or not _are_texts(list(variables.values()), MOST_VARIABLES, LONGEST_VALUE):
        raise InvalidRequest(
            f"environment in {FILE} must be a table of at most {MOST_VARIABLES} texts, with "
            f"at most {LONGEST_VALUE:,} characters each."
        )
    for name in variables:
        if not _VARIABLE.fullmatch(name) or name.startswith(OUR_VARIABLES):
            raise InvalidRequest(
                f'"{shown(name)}" cannot be a variable in {FILE}: take letters, digits and "_", '
                f"and not {OUR_VARIABLES}, which is the arena's."
            )


_CHECKS: tuple[Callable[[Manifest], None], ...] = (
    _check_language,
    _check_start,
    _check_memory,
    _check_dependencies,
    _check_version,
    _check_environment,
)


def _are_texts(values: Any, most: int, longest: int) -> bool:
    """Whether it is a list of so many texts that a program can be given."""
    return (
        isinstance(values, (list, tuple))
        and len(values) <= most
        and all(isinstance(each, str) and len(each) <= longest for each in values)
        and all("\0" not in each and each.isprintable() for each in values)
    )


def _quoted(value: Any) -> str:
    return shown(str(value))
