"""llms-full.txt: all that an assistant needs to write a bot, in one file of plain text."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from arena.game_guides import guide
from arena.rules import GAMES

ROOT = Path(__file__).parents[2]
NAME = "llms-full.txt"
PAGES = ("docs/tutorial.md", "docs/bots.md", "docs/protocol.md")
SECTIONS = {"docs/rules.md": ("Options", "Notation")}
FILES = ("docs/examples/mybot.py", "proto/arena/v1/play.proto")
HEAD = """\
All that is needed to write a bot for lama-arena, a tournament and bot arena for four card and dice
games. It is made from the arena's documentation and code, one part after the other; each begins
with a line of equals signs and its name. A bot in Python needs the package `lama-arena` alone,
which every arena serves at /sdk; in any other language it needs gRPC and the last part, play.proto.
"""

FENCED = re.compile(r"(^ *```.*?^ *```[^\n]*\n)", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([^)\s]+)\)")


def full_text() -> str:
    """The file."""
    parts = list(_parts())
    titles = "\n".join(f"- {title}" for title, _ in parts)
    body = [f"{'=' * 78}\n{title}\n{'=' * 78}\n\n{text.strip()}\n" for title, text in parts]
    return "\n".join([HEAD, f"The parts:\n\n{titles}\n", *body])


def _parts() -> Iterator[tuple[str, str]]:
    """What it is made of: titles and texts."""
    for page in PAGES:
        yield page, plain((ROOT / page).read_text(), page)
    for game in GAMES:
        yield f"arena rules {game}", guide(game)
    for page, headings in SECTIONS.items():
        text = "".join(section((ROOT / page).read_text(), heading) for heading in headings)
        yield f"{page}: {', '.join(headings)}", plain(text, page)
    yield "arena.sdk", outlines()
    for source in FILES:
        yield source, (ROOT / source).read_text()


def section(page: str, heading: str) -> str:
    """A page's section with its heading. Raises ValueError if there is none."""
    found = re.search(rf"^## {heading}\n.*?(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"the page has no section {heading!r}")
    return found[0]


# Links


def plain(markdown: str, page: str) -> str:
    """A page's text with links that say in words where they lead, without pictures and comments.
    Blocks of code stay as they are."""
    parts = FENCED.split(markdown)
    return "".join(text if n % 2 else _in_words(text, page) for n, text in enumerate(parts))


def _in_words(text: str, page: str) -> str:
    def words(link: re.Match[str]) -> str:
        picture, said, target = link.groups()
        return "" if picture else f"{said} ({_leads_to(target, page)})"

    return LINK.sub(words, COMMENT.sub("", text))


def _leads_to(target: str, page: str) -> str:
    if "://" in target:
        return target
    path, _, anchor = target.partition("#")
    leads = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    where = "this file" if leads in (*PAGES, *FILES) else "the arena's documentation"
    if leads.startswith("proto/"):
        return f"{leads}, at the end of this file"
    part = f', "{anchor.replace("-", " ")}"' if anchor else ""
    return f"{leads}{part}, in {where}"


# The SDK


def outlines() -> str:
    """What an author of a bot imports: signatures, fields and docstrings."""
    tree = ast.parse((ROOT / "arena/sdk/__init__.py").read_text())
    imports = {
        name.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("arena.")
        for name in node.names
    }
    (exported,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return "\n\n".join(
        f"# {imports[name]}.{name}\n{outline(imports[name] or '', name)}" for name in exported
    )


def outline(module: str, name: str) -> str:
    """A class or function without the bodies of its functions and without what is private. It is
    read from the source, for modules may be compiled."""
    source = (ROOT / f"{module.replace('.', '/')}.py").read_text()
    named = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    (node,) = (
        each for each in ast.parse(source).body if isinstance(each, named) and each.name == name
    )
    hidden: set[int] = set()
    for function in [node] if not isinstance(node, ast.ClassDef) else node.body:
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            hidden |= _hidden(function)
    lines = source.splitlines()
    shown = [n for n in range(node.lineno, (node.end_lineno or 0) + 1) if n not in hidden]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines[n - 1] for n in shown))


def _hidden(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    """The lines of a function that nobody needs who calls it."""
    first = min([function.lineno, *[each.lineno for each in function.decorator_list]])
    last = function.end_lineno or first
    if function.name.startswith("_") and function.name != "__init__":
        return set(range(first, last + 1))
    told = function.body[0]
    if not isinstance(told, ast.Expr) or not isinstance(told.value, ast.Constant):
        return set(range(told.lineno, last + 1))
    return set(range((told.end_lineno or last) + 1, last + 1))
