"""The code blocks of the pages, and the comments that mark them.

The fence decides how a block is tested: `python` is executed, `sh` is typed line by line in a
shell, `json` is parsed. A comment directly before the block changes that:

<!-- not run: WHY -->   do not run it; its commands must exist
<!-- file: NAME -->      run it, and save it as a file for the rest of the page
<!-- output -->         the output of the block before it, where "..." matches anything
<!-- record: GAME -->   JSON with remarks and gaps, in the form of a match record
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / ".github").glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/contributing").glob("*.md")),
    *sorted((ROOT / "docs/releases").glob("*.md")),
]
RUN = ("python", "sh", "json")

COMMENT = re.compile(r"<!--\s*(not run|file|output|record)(?::\s*(.+?))?\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A code block. `mark` and `said` come from the comment before it; "" without one."""

    page: Path
    line: int  # its first line of code, from 1
    language: str  # "" if not given
    text: str
    mark: str = ""
    said: str = ""

    def __str__(self) -> str:
        return f"{name(self.page)}:{self.line}"

    @property
    def runs(self) -> bool:
        """Whether the block is run."""
        return self.language in RUN and self.mark in ("", "file")

    def save(self, folder: Path) -> None:
        """Writes the block into a folder, if it is a file."""
        if self.mark == "file":
            (folder / self.said).write_text(self.text)


def name(page: Path) -> str:
    """The name of a page in test ids and messages."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, text: str | None = None) -> list[Block]:
    """The blocks of a page, in order; `text` replaces its content."""
    tokens = parsed(page.read_text() if text is None else text)
    return [
        _block(page, token, tokens[i - 1] if i else None)
        for i, token in enumerate(tokens)
        if token.type in ("fence", "code_block")
    ]


@cache
def parsed(text: str) -> list[Token]:
    """The tokens of a page, cached."""
    return MarkdownIt().enable("table").parse(text)


def code_spans(page: Path) -> Iterator[str]:
    """The inline code of a page."""
    for token in parsed(page.read_text()):
        for child in token.children or []:
            if child.type == "code_inline":
                yield child.content


def _block(page: Path, token: Token, before: Token | None) -> Block:
    comment = before and before.type == "html_block" and COMMENT.fullmatch(before.content.strip())
    mark, said = (comment[1], comment[2] or "") if comment else ("", "")
    fenced = token.type == "fence"
    language = token.info.strip() if fenced else _language(token.content)
    first = (token.map or [0])[0] + (2 if fenced else 1)
    return Block(page, first, language, token.content, mark, " ".join(said.split()))


def _language(indented: str) -> str:
    """The language of an indented block, which has no fence: recognises commands."""
    commands = all(
        re.match(r"(arena|python -m tests\.lab) ", each) for each in indented.splitlines()
    )
    return "sh" if commands else ""
