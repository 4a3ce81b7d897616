"""Rendering Markdown pages as HTML, with the same anchors as on GitHub."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

NAME_OF_A_FILE = re.compile(r"[\w./-]+\.md")


class LinkTarget(NamedTuple):
    """The target of a link; `title` is empty unless it is a page of the documentation."""

    address: str
    title: str = ""


Resolve = Callable[[str], LinkTarget | None]


class Section(NamedTuple):
    """A heading with the text below it; the first one, of level 1, is the page's title."""

    level: int
    title: str
    anchor: str
    text: str


class Rendered(NamedTuple):
    """The page without its title."""

    body: Markup
    sections: tuple[Section, ...]


def render(text: str, resolve: Resolve) -> Rendered:
    """Render trusted text. `resolve` returns a link's target, or None to keep only its text."""
    parser = _parser()
    tokens = [token for token in parser.parse(text) if not _is_comment(token)]
    _add_anchors(tokens)
    _empty_headers(tokens)
    for token in tokens:
        token.children = _linked(token.children, resolve) if token.children else token.children
    body = parser.renderer.render(tokens[3:], parser.options, {})
    return Rendered(Markup(body), tuple(_sections(tokens)))  # noqa: S704


def slug(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    parser.add_render_rule(
        "table_open",
        lambda *_: '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>',
    )
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _code(_: object, tokens: Sequence[Token], at: int, *__: object) -> str:
    code = tokens[at].content
    label = f"Code: {code.strip().partition(chr(10))[0][:60]}"
    return str(
        Markup('<div class="snippet" data-copy><pre tabindex="0" role="group" aria-label="')
        + label
        + Markup('"><code>')
        + code
        + Markup("</code></pre></div>\n")
    )


def _is_comment(token: Token) -> bool:
    return token.type == "html_block" and token.content.startswith("<!--")


def _add_anchors(tokens: Sequence[Token]) -> None:
    """Add ids to headings; repeated titles get a number."""
    seen: dict[str, int] = {}
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            anchor = slug(_words(inline))
            number = seen[anchor] = seen.get(anchor, -1) + 1
            token.attrSet("id", f"{anchor}-{number}" if number else anchor)


def _empty_headers(tokens: Sequence[Token]) -> None:
    """Turn empty header cells of tables into ordinary cells."""
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not inline.content:
            opening.tag = closing.tag = "td"


def _linked(children: list[Token], resolve: Resolve) -> list[Token]:
    """Return the tokens of a line with resolved links; unresolved links become text."""
    kept: list[Token] = []
    target: LinkTarget | None = None
    for token in children:
        if token.type == "link_open":
            target = resolve(str(token.attrs["href"]))
            token.attrSet("href", target.address if target else "")
        elif token.type == "image":
            shown = resolve(str(token.attrs["src"]))
            token.attrSet("src", shown.address if shown else "")
        elif token.type == "text" and target and target.title:
            token.content = NAME_OF_A_FILE.sub(target.title, token.content)
        if target or token.type not in ("link_open", "link_close"):
            kept.append(token)
        if token.type == "link_close":
            target = None
    return kept


def _sections(tokens: Sequence[Token]) -> Iterator[Section]:
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        heading, title = tokens[start], _words(tokens[start + 1])
        text = " ".join(filter(None, map(_words, tokens[start + 3 : end])))
        yield Section(int(heading.tag[1:]), title, str(heading.attrs["id"]), text)


def _words(token: Token) -> str:
    """Return the text of a line or of a block of code."""
    if token.type in ("fence", "code_block"):
        return token.content
    return "".join(" " if each.type == "softbreak" else each.content for each in _texts(token))


def _texts(token: Token) -> Iterator[Token]:
    for child in token.children or []:
        if child.type in ("text", "code_inline", "softbreak"):
            yield child
