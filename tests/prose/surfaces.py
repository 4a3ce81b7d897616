"""The prose of the project, line by line."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
CODE = ("arena", "workers", "dashboard", "deploy", "docs")
MADE = ("_pb2.py", "/reference/")  # generated from what is checked itself
WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
PRAGMA = re.compile(r"# (type|noqa|pragma|fmt|mypy|ruff)")
ATTRIBUTES = re.compile(r'(?:title|aria-label|placeholder|alt)="([^"]*)"')
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Line(NamedTuple):
    """A line of prose: what it is a part of, the file, its number, its text."""

    surface: str
    file: str
    number: int
    text: str


def lines(root: Path = ROOT) -> Iterator[Line]:
    """All of it."""
    documents = [
        "README.md",
        "CHANGELOG.md",
        *(f".github/{n}.md" for n in ("CONTRIBUTING", "SECURITY")),
    ]
    named = [root / name for name in documents]
    for file in [
        *named,
        *sorted((root / "docs").rglob("*.md")),
        *sorted((root / "deploy").rglob("*.md")),
    ]:
        if not is_made(file):
            yield from _markdown(file, root)
    for file in sorted((root / "dashboard").rglob("*.html")):
        yield from _page(file, root)
    for folder in CODE:
        for file in sorted((root / folder).rglob("*.py")):
            if not is_made(file) and "pages" not in file.parts and "templates" not in file.parts:
                yield from _python(file, root)
    for file in sorted((root / "proto").rglob("*.proto")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if comment := re.search(r"//\s*(.+)", line):
                yield Line("proto", str(file.relative_to(root)), number, comment[1])


def is_made(file: Path) -> bool:
    """Whether a file is generated."""
    return any(part in str(file) for part in MADE)


def _markdown(file: Path, root: Path) -> Iterator[Line]:
    in_code = False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and not line.strip().startswith("<!--") and not line.startswith("    "):
            yield Line("documents", str(file.relative_to(root)), number, line)


def _page(file: Path, root: Path) -> Iterator[Line]:
    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = re.sub(r"\{#.*?#\}", blank, file.read_text(), flags=re.S)
    text = re.sub(r"<(script|style)\b.*?</\1>", blank, text, flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        shown = re.sub(r"<[^>]*>", " ", re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " … ", line))
        for each in (shown, *ATTRIBUTES.findall(line)):
            if WORDS.search(each):
                yield Line("pages", str(file.relative_to(root)), number, " ".join(each.split()))


def _python(file: Path, root: Path) -> Iterator[Line]:
    source, name = file.read_text(), str(file.relative_to(root))
    tree, docstrings = ast.parse(source), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and node.body:
            first = node.body[0]
            text = _text(first.value) if isinstance(first, ast.Expr) else None
            if text and isinstance(first, ast.Expr):
                docstrings.add(id(first.value))
                for more, line in enumerate(text.splitlines()):
                    yield Line("docstrings", name, first.lineno + more, line.strip())
    seen = set[int]()
    for node in ast.walk(tree):
        text = _text(node)
        if (
            text
            and id(node) not in seen | docstrings
            and WORDS.search(text)
            and "SELECT" not in text
        ):
            seen.update(id(each) for each in ast.walk(node))
            yield Line("texts", name, getattr(node, "lineno", 0), text.replace("\n", " "))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_prose = token.type == tokenize.COMMENT and WORDS.search(token.string)
        if is_prose and not PRAGMA.match(token.string):
            yield Line("comments", name, token.start[0], token.string.lstrip("# "))


def _text(node: ast.AST) -> str | None:
    """The text of a string, with gaps for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "{…}" for part in node.values]
        return "".join(map(str, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (_text(node.left) or "") + (_text(node.right) or "")
    return None
