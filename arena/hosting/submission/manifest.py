"""bot.toml: the language of a hosted bot, its entry point and its needs.

It is untrusted, even out of a sandbox, so every reader checks all of it.
"""

import dataclasses
import difflib
import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import File, check_name, shown
from arena.hosting.submission.unpack import PROGRAM

FILE = "bot.toml"
LARGEST = 64 * 1024  # bytes of the file
MEMORY_MB = 256  # default
LANGUAGES = ("python", "node", "binary")
LEAST_MEMORY_MB = 32
MOST_WORDS, LONGEST_WORD = 32, 1_000  # of a command
MOST_DEPENDENCIES = 32
MOST_VARIABLES, LONGEST_VALUE = 64, 4_096
OUR_VARIABLES = "ARENA_"

_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}", re.ASCII)
_ENTRY = re.compile(r"(?P<file>[^:]+\.py)(:[A-Za-z_]\w{0,99})?", re.ASCII)
_DEPENDENCY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of bot.toml. Raises InvalidRequest, with a sentence for the author, if it is
    invalid."""

    language: str = "python"
    entry: str = ""  # of Python: FILE.py:CLASS, or FILE.py if it has only one bot
    command: Sequence[str] = ()  # of other languages
    memory_mb: int = MEMORY_MB
    dependencies: Sequence[str] = ()
    version: str = ""  # label of the version; empty: the next number
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_language(self.language)
        _check_start(self.language, self.entry, self.command)
        _check_memory(self.memory_mb)
        _check_dependencies(self.dependencies)
        _check_version(self.version)
        _check_environment(self.environment)
        object.__setattr__(self, "command", tuple(self.command))
        object.__setattr__(self, "dependencies", tuple(self.dependencies))

    @property
    def is_program(self) -> bool:
        """Whether the bot is a program in a language other than Python."""
        return self.language != "python"

    def check_allowed(self, most_memory_mb: int, dependencies: Collection[str]) -> None:
        """Raises InvalidRequest unless the arena offers the memory and the packages of the bot."""
        if self.memory_mb > most_memory_mb:
            raise InvalidRequest(
                f"memory_mb in {FILE} is {self.memory_mb}. The limit of this arena is"
                f" {most_memory_mb}."
            )
        missing = [name for name in self.dependencies if name not in dependencies]
        if missing:
            offered = ", ".join(sorted(dependencies)) or "none"
            raise InvalidRequest(
                f"{FILE} depends on {', '.join(missing)}, which this arena does not offer. It"
                f" offers: {offered}. Put a wheel into the folder wheels, or remove the dependency."
            )

    def to_json(self) -> str:
        """Return one line of JSON; equal manifests give equal lines."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, separators=(",", ":"))


def from_json(text: str | bytes) -> Manifest:
    """Parse and check the output of `to_json`. Raises InvalidRequest."""
    try:
        return _of_table(json.loads(text))
    except (ValueError, RecursionError):
        raise InvalidRequest("The manifest is not valid JSON.") from None


def parse(content: bytes) -> Manifest:
    """Parse and check a bot.toml. Raises InvalidRequest."""
    if len(content) > LARGEST:
        raise InvalidRequest(f"{FILE} is larger than {LARGEST // 1024} kB, the limit.")
    try:
        table = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise InvalidRequest(f"{FILE} is not valid UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{FILE} is not valid TOML: {error}.") from None
    return _of_table(table)


def of_files(files: Sequence[File]) -> Manifest:
    """Return the manifest of an unpacked submission; a single Python file needs none. Raises
    InvalidRequest if it is missing or invalid, or names a missing file."""
    contents = {file.name: file.content for file in files}
    if list(contents) == [PROGRAM]:
        return Manifest(entry=PROGRAM)
    if FILE not in contents:
        raise InvalidRequest(_missing(contents))
    manifest = parse(contents[FILE])
    named = _file_of(manifest)
    if named and named not in contents:
        raise InvalidRequest(f"{FILE} names {named}, which is not among the files.")
    return manifest


def _missing(names: Collection[str]) -> str:
    inside = next((name for name in sorted(names) if name.endswith(f"/{FILE}")), "")
    if inside:
        return f"{FILE} is in {inside.removesuffix(FILE)}, not at the root. Submit that folder."
    return f"There is no {FILE}. Write one with language and entry, or submit a single .py file."


def _file_of(manifest: Manifest) -> str:
    """Return the file that starts the bot, if the manifest names one."""
    if manifest.language == "python":
        return manifest.entry.partition(":")[0]
    if manifest.language == "binary":
        return manifest.command[0].removeprefix("./")
    return ""


def _of_table(table: Any) -> Manifest:
    if not isinstance(table, dict):
        raise InvalidRequest("The manifest is not a table of keys and values.")
    known = [each.name for each in dataclasses.fields(Manifest)]
    for key in table:
        if key not in known:
            nearest = difflib.get_close_matches(str(key), known, n=1, cutoff=0)
            raise InvalidRequest(
                f'Unknown key "{shown(key)}" in {FILE}. Did you mean "{nearest[0]}"?'
            )
    return Manifest(**table)


def _check_language(language: Any) -> None:
    if language not in LANGUAGES:
        raise InvalidRequest(
            f'language in {FILE} is "{shown(str(language))}". It must be one of: '
            f"{', '.join(LANGUAGES)}."
        )


def _check_start(language: str, entry: Any, command: Any) -> None:
    """Check that a Python bot has an entry, and any other a command."""
    if language == "python":
        if command:
            raise InvalidRequest(f"A Python bot has no command in {FILE}. Set entry, its class.")
        _check_entry(entry)
        return
    if entry:
        raise InvalidRequest(f"Only a Python bot has an entry in {FILE}. Set command.")
    if not _are_texts(command, MOST_WORDS, LONGEST_WORD) or not command or not command[0]:
        raise InvalidRequest(
            f'command in {FILE} must be a list of words such as ["node", "bot.js"], at most '
            f"{MOST_WORDS} of {LONGEST_WORD:,} characters."
        )


def _check_entry(entry: Any) -> None:
    found = _ENTRY.fullmatch(entry) if isinstance(entry, str) else None
    if found is None:
        raise InvalidRequest(f'entry in {FILE} must be a file and its class: "mybot.py:MyBot".')
    check_name(found["file"])


def _check_memory(memory_mb: Any) -> None:
    """Check the minimum. `Manifest.check_allowed` checks the maximum."""
    if type(memory_mb) is not int or memory_mb < LEAST_MEMORY_MB:
        raise InvalidRequest(
            f"memory_mb in {FILE} must be a number of megabytes, {LEAST_MEMORY_MB} or more."
        )


def _check_dependencies(names: Any) -> None:
    fits = _are_texts(names, MOST_DEPENDENCIES, LONGEST_WORD)
    if not fits or not all(_DEPENDENCY.fullmatch(name) for name in names):
        raise InvalidRequest(
            f'dependencies in {FILE} must be a list of names such as ["numpy"], without versions, '
            f"at most {MOST_DEPENDENCIES}."
        )


def _check_version(version: Any) -> None:
    if not isinstance(version, str) or (version and not _VERSION.fullmatch(version)):
        raise InvalidRequest(
            f'version in {FILE} must consist of 1 to 40 letters, digits, ".", "_", "+" and "-", '
            "starting with a letter or digit."
        )


def _check_environment(variables: Any) -> None:
    fits = isinstance(variables, Mapping)
    if not fits or not _are_texts(list(variables.values()), MOST_VARIABLES, LONGEST_VALUE):
        raise InvalidRequest(
            f"environment in {FILE} must be a table of at most {MOST_VARIABLES} strings, with "
            f"at most {LONGEST_VALUE:,} characters each."
        )
    for name in variables:
        if not _VARIABLE.fullmatch(name) or name.startswith(OUR_VARIABLES):
            raise InvalidRequest(
                f'"{shown(name)}" cannot be a variable in {FILE}. Use letters, digits and "_". The'
                f" prefix {OUR_VARIABLES} is reserved."
            )


def _are_texts(values: Any, most: int, longest: int) -> bool:
    """Return whether it is a list of at most `most` printable strings."""
    return (
        isinstance(values, (list, tuple))
        and len(values) <= most
        and all(isinstance(each, str) and len(each) <= longest for each in values)
        and all(each.isprintable() for each in values)
    )
