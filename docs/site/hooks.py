"""What MkDocs does besides: pages from outside docs/, the version, and a look at what was built.

Pages link to each other, and to files of the repository, as they do there. Here those links are
turned into links within the site; a file that is no page becomes one that shows it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import command_reference  # noqa: E402
import for_assistants  # noqa: E402
import proto_tables  # noqa: E402

from arena import __version__  # noqa: E402

# Pages that are not in docs/, and what they are in the site.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    ".github/SECURITY.md": "security.md",
}
# Pages that are made when the site is, and what makes them.
MADE = {
    "reference/commands.md": command_reference.reference,
    "reference/messages.md": proto_tables.reference,
}
LANGUAGES = {".proto": "protobuf", ".py": "python", ".toml": "toml", "": "text"}

LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
# What a browser fetches by itself when it shows a page.
FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|icon|preload|preconnect))[^>]*"
    r"\bhref=[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|url\([\"']?((?:https?:)?//[^\"')]+)"
)


def on_config(config: Any) -> None:
    """Every page says which release it is about."""
    config.copyright = f"lama-arena {__version__}"


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that are not in docs/ or made here, and a page for each file that one links
    to."""
    from mkdocs.structure.files import File, InclusionLevel

    for source, uri in ELSEWHERE.items():
        text = (ROOT / source).read_text()
        files.append(File.generated(config, uri, content=text))
    for uri, make in MADE.items():
        files.append(File.generated(config, uri, content=make()))
    for source in sorted(linked()):
        beside = InclusionLevel.NOT_IN_NAV
        page = File.generated(config, place(source), content=shown(source), inclusion=beside)
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turns the links of a page into links within the site."""
    return within_site(markdown, page.file.src_uri)


def on_post_build(config: Any) -> None:
    """Adds the file for assistants, and fails if a page would have browsers fetch something from
    another host."""
    (Path(config.site_dir) / for_assistants.NAME).write_text(for_assistants.full_text())
    for file in sorted(Path(config.site_dir).rglob("*")):
        if file.suffix in (".html", ".css"):
            for address in fetched(file.read_text()):
                from mkdocs.exceptions import PluginError

                raise PluginError(f"{file.name} fetches {address}: pages bring all they need along")


def place(source: str) -> str:
    """Where a file of the repository is in the site."""
    if source in ELSEWHERE:
        return ELSEWHERE[source]
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    return f"source/{source.lstrip('.')}.md"


def origin(uri: str) -> str:
    """Which file of the repository a page of the site was made from."""
    return {place: source for source, place in ELSEWHERE.items()}.get(uri, f"docs/{uri}")


def within_site(markdown: str, uri: str) -> str:
    """A page's text with links as they have to be in the site. Links to nothing stay what they
    are; MkDocs complains about them."""

    def link(found: re.Match[str]) -> str:
        target = _target(origin(uri), found[1])
        if not (ROOT / target).is_file():
            return found[0]
        return f"]({os.path.relpath(place(target), os.path.dirname(uri) or '.')}{found[2] or ''})"

    return markdown if uri.startswith("source/") else LINK.sub(link, markdown)


def linked() -> set[str]:
    """The files outside docs/ that pages link to and that are no pages themselves."""
    found = {
        _target(page.relative_to(ROOT).as_posix(), link[1])
        for page in _pages()
        for link in LINK.finditer(page.read_text())
    }
    return {
        target
        for target in found
        if (ROOT / target).is_file() and not target.startswith("docs/") and target not in ELSEWHERE
    }


def shown(source: str) -> str:
    """A page that shows a file."""
    path = ROOT / source
    return f"# {source}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text()}\n````\n"


def fetched(html: str) -> list[str]:
    """The addresses of other hosts that a browser fetches when it shows a text."""
    return [next(filter(None, found)) for found in FETCHED.findall(html)]


def _pages() -> Iterator[Path]:
    yield from (ROOT / source for source in ELSEWHERE)
    yield from (ROOT / "docs").glob("*.md")


def _target(source: str, link: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(source), link)).replace(os.sep, "/")
