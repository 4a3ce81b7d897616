"""bot.toml: the language of a hosted bot, its entry point and its needs.

It is untrusted, even out of a sandbox, so every reader checks all of it.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.submission import checks
from arena.hosting.submission.checks import FILE
from arena.hosting.submission.files import File, shown
from arena.hosting.submission.unpack import PROGRAM

LARGEST = 64 * 1024  # bytes of the file
MEMORY_MB = 256  # default


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
        checks.check_language(self.language)
        checks.check_start(self.language, self.entry, self.command)
        checks.check_memory(self.memory_mb)
        checks.check_dependencies(self.dependencies)
        checks.check_version(self.version)
        checks.check_environment(self.environment)
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
    """Return the manifest of an unpacked submission; a single Python file needs none.

    Raises InvalidRequest if it is missing or invalid, or names a missing file.
    """
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
