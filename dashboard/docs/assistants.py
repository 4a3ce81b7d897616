"""llms-full.txt: everything that an assistant needs to write a bot, as one plain text file."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import arena
from arena.games.guides import guide
from arena.games.rules import GAMES
from arena.protocol.contract import contract
from arena.sdk import View
from dashboard.docs.contents import ENTRIES, FOLDER, PLACEHOLDER, leads_to, markdown

NAME = "llms-full.txt"
PAGES = ("tutorial", "bots", "testing", "sdk", "protocol")
SECTIONS = {"rules": ("Options", "Notation")}
EXAMPLE, CONTRACT = "examples/mybot.py", "play.proto"
CODE = Path(arena.__file__).parents[1]
HEAD = """\
Everything you need to write a bot for lama-arena, a tournament and bot arena for four card and dice
games. This file is generated from the documentation and code of the arena at {site}. Each part
starts with a line of equals signs and its title. A Python bot needs only the package `lama-arena`
from {site}/sdk. In any other language it needs gRPC and the last part, play.proto.
"""

FENCED = re.compile(r"(^ *```.*?^ *```[^\n]*\n)", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([^)\s]+)\)")


def full_text(site: str) -> str:
    return template().replace(PLACEHOLDER, site)


@cache
def template() -> str:
    """Return the file with a placeholder for the arena's address."""
    parts = list(_parts(PLACEHOLDER))
    titles = "\n".join(f"- {title}" for title, _ in parts)
    body = [f"{'=' * 78}\n{title}\n{'=' * 78}\n\n{text.strip()}\n" for title, text in parts]
    return "\n".join([HEAD.format(site=PLACEHOLDER), f"The parts:\n\n{titles}\n", *body])


def _parts(site: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        yield ENTRIES[page].title, plain(markdown(page), page, site)
    for game in GAMES:
        yield f"arena rules {game}", guide(game)
    for page, headings in SECTIONS.items():
        text = "".join(section(markdown(page), heading) for heading in headings)
        yield f"{ENTRIES[page].title}: {', '.join(headings)}", plain(text, page, site)
    yield "help(View)", View.__doc__ or ""
    yield "arena.sdk", outlines()
    yield EXAMPLE, (FOLDER / EXAMPLE).read_text()
    yield CONTRACT, contract(CONTRACT)


def section(page: str, heading: str) -> str:
    """Return a section of a page with its heading. Raises ValueError if it is missing."""
    found = re.search(rf"^## {heading}\n.*?(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"the page has no section {heading!r}")
    return found[0]


# Links


def plain(text: str, page: str, site: str) -> str:
    """Return a page's Markdown without pictures and comments, with link targets in words.
    Code blocks are unchanged."""
    parts = FENCED.split(text)
    return "".join(part if n % 2 else _in_words(part, page, site) for n, part in enumerate(parts))


def _in_words(text: str, page: str, site: str) -> str:
    def words(link: re.Match[str]) -> str:
        picture, said, href = link.groups()
        leads = _leads_to(href, page, site)
        return "" if picture else f"{said} ({leads})" if leads else said

    return LINK.sub(words, COMMENT.sub("", text))


def _leads_to(href: str, page: str, site: str) -> str | None:
    """Return a part of this file or an address; None for a file that the arena does not serve."""
    target = leads_to(href, page, site)
    if target is None:
        return None
    path, _, anchor = target.address.removeprefix(f"{site}/").partition("#")
    part = path.removeprefix("docs/") or page
    if part in PAGES:
        heading = f', "{anchor.replace("-", " ")}"' if anchor else ""
        return f"{ENTRIES[part].title}{heading}, in this file"
    if path == f"sdk/{CONTRACT}":
        return f"{CONTRACT}, at the end of this file"
    return target.address


# The SDK


def outlines() -> str:
    """Return the signatures, fields and docstrings of everything in `arena.sdk.__all__`."""
    tree = ast.parse((CODE / "arena/sdk/__init__.py").read_text())
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
    """Return a class or function without function bodies and private methods. Reads the source,
    because modules may be compiled."""
    source = (CODE / f"{module.replace('.', '/')}.py").read_text()
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
    """Return the line numbers of a function's body, or of all of a private function."""
    first = min([function.lineno, *[each.lineno for each in function.decorator_list]])
    last = function.end_lineno or first
    if function.name.startswith("_") and function.name != "__init__":
        return set(range(first, last + 1))
    told = function.body[0]
    if not isinstance(told, ast.Expr) or not isinstance(told.value, ast.Constant):
        return set(range(told.lineno, last + 1))
    return set(range((told.end_lineno or last) + 1, last + 1))
