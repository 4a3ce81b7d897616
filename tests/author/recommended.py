"""Collects the commands that authors read about."""

import ast
import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.blocks import ROOT, code_spans

# The documentation for authors.
PAGES = [
    ROOT / f"docs/{name}.md"
    for name in ("tutorial", "bots", "testing", "sdk", "submitting", "learning", "luck")
]
# Modules in an author's installation.
CODE = (
    "bots",
    "extras.py",
    "folder.py",
    "hosted",
    "sandbox",
    "kit",
    "learn",
    "sdk",
    "submission",
    "value",
)
QUOTED = re.compile(r"`(arena [^`]+)`")
ON_A_PAGE = re.compile(r"<code>(arena [^<]+)</code>")
COMMAND = re.compile(r"arena((?: [a-z][a-z-]*)+)")
OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]*")


@cache
def mentioned() -> dict[str, str]:
    """Commands `arena ...` in texts for authors, each with its place."""
    found: dict[str, str] = {}
    for path in [
        *_files(ROOT / "arena", "*.py"),
        *_files(ROOT / "arena/kit/new/templates", "*.md"),
    ]:
        for text in _strings(path):
            found |= dict.fromkeys(QUOTED.findall(text), str(path.relative_to(ROOT)))
    for path in (ROOT / "dashboard").rglob("*.html"):
        for text in ON_A_PAGE.findall(path.read_text()):
            found[html.unescape(text)] = str(path.relative_to(ROOT))
    for page in PAGES:
        for span in code_spans(page):
            if span.startswith("arena "):
                found[span] = str(page.relative_to(ROOT))
    return found


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    for path in sorted(folder.rglob(pattern)):
        top = path.relative_to(ROOT / "arena").parts[0]
        if top in CODE:
            yield path


def _strings(path: Path) -> Iterator[str]:
    """The texts in a file; for Python its strings, with {} for inserted values."""
    if path.suffix != ".py":
        yield path.read_text()
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def words_and_options(command: str) -> tuple[list[str], list[str]]:
    """Words and options of a command: ["bot", "submit"] for `arena bot submit DIR --version V`."""
    found = COMMAND.match(command)
    return (found[1].split() if found else []), OPTION.findall(command)
