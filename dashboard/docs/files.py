"""The files of the documentation, their pages as HTML, and the targets of links between them."""

from __future__ import annotations

import posixpath
from functools import cache, lru_cache
from pathlib import Path

from arena.protocol.contract import NAMES
from dashboard.docs.contents import ENTRIES
from dashboard.docs.markdown import LinkTarget, Rendered, render

FOLDER = Path(__file__).with_name("pages")  # in a checkout, a link to docs
PROTOS = {f"proto/arena/v1/{name}": f"sdk/{name}" for name in NAMES}
PLACEHOLDER = "http://HOST:7421"  # in the pages, the address of the website
# Files that pages show or link to. Screenshots are too large for the package.
FILES = {
    "examples/*.py": "text/plain",
    "images/*.svg": "image/svg+xml",
}


def markdown(name: str) -> str:
    """The text of a page of ENTRIES."""
    return (FOLDER / f"{name}.md").read_text()


def mimetype(path: str) -> str | None:
    """The type of a file that is not a page, None if it is not served."""
    return _mimetypes().get(path)


@cache
def _mimetypes() -> dict[str, str]:
    return {
        found.relative_to(FOLDER).as_posix(): kind
        for pattern, kind in FILES.items()
        for found in FOLDER.glob(pattern)
    }


def leads_to(href: str, name: str, root: str) -> LinkTarget | None:
    """The target of a link in a page, None if the website does not have the file. `root` is the
    address of the website."""
    if "://" in href or href.startswith(("#", "mailto:")):
        return LinkTarget(href)
    path, hash_, anchor = href.partition("#")
    file = posixpath.normpath(posixpath.join("docs", posixpath.dirname(name), path))
    page = file.removeprefix("docs/").removesuffix(".md")
    place = _place(file, page)
    title = ENTRIES[page].title if page in ENTRIES else ""
    return LinkTarget(f"{root}/{place}{hash_}{anchor}", title) if place else None


def _place(file: str, page: str) -> str | None:
    if page in ENTRIES or mimetype(page):
        return f"docs/{page}"
    return {"README.md": "docs"}.get(file) or PROTOS.get(file)


@lru_cache(maxsize=4 * len(ENTRIES))
def rendered(name: str, root: str) -> Rendered:
    """A page of ENTRIES, with links for a website whose addresses begin with `root`. It does not
    change while the process runs."""
    return render(markdown(name), lambda href: leads_to(href, name, root))
