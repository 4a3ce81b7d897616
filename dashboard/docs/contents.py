"""The pages of the documentation: every page by reader, in reading order, their files, and the
targets of links between them."""

import posixpath
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.protocol.contract import NAMES
from dashboard.docs.markdown import LinkTarget, Rendered, render


class DocPage(NamedTuple):
    """A page; `name` is its file without .md, and the end of its address."""

    name: str
    title: str
    about: str


class PageGroup(NamedTuple):
    """The pages for one kind of reader."""

    title: str
    entries: tuple[DocPage, ...]

    @property
    def anchor(self) -> str:
        return self.title.lower().replace(" ", "-")


GROUPS = tuple(
    PageGroup(title, tuple(DocPage(*entry) for entry in entries))
    for title, entries in {
        "Tutorials": (
            ("tutorial", "Your first bot", "Write three bots, each better than the last."),
            (
                "first-tournament",
                "Your first tournament",
                "Start an arena, connect bots, and play for ratings.",
            ),
        ),
        "For bot authors": (
            ("bots", "Connect a bot", "Connect a program in any language, and keep it connected."),
            ("testing", "Test and compare bots", "Play, compare and debug bots without an arena."),
            ("submitting", "Upload a bot", "Let the arena run your program."),
            ("learning", "Search and train", "Simulate rounds, search, and train a policy."),
        ),
        "For players and organisers": (
            ("play", "Play in the browser", "Play against the bots, and manage your account."),
            ("tournaments", "Run a tournament", "Create, watch and finish a tournament."),
            ("webhooks", "Webhooks and feeds", "Get a message when something happens."),
        ),
        "For operators": (
            (
                "deploying",
                "Deploy an arena",
                "Choose machines, and set up TLS, e-mail and sign-in.",
            ),
            ("upgrading", "Upgrade, back up, archive", "Keep the data safe, and change versions."),
            (
                "operations",
                "Monitor and troubleshoot",
                "Find causes, and watch health, logs and metrics.",
            ),
            ("hosting", "Host bots", "Run uploaded bots on hosts."),
        ),
        "Reference": (
            ("rules", "Game rules", "All four games and their notation."),
            ("protocol", "Protocol", "Sessions, status codes, clocks and faults."),
            ("sdk", "Python SDK", "arena.sdk, and whole arrays of games."),
            ("formats", "Tournament formats", "Schedules, options and tie-breaks."),
            ("data", "Data", "Match records, exports and shuffles."),
            ("api", "JSON API", "Addresses, paging, CSV and errors."),
            ("limits", "Limits", "The limits that you can meet."),
            ("configuration", "Configuration", "Every setting and its default."),
            ("reference/commands", "Commands", "Every command and its options."),
            ("reference/messages", "Services and messages", "Every gRPC call and message."),
            ("glossary", "Glossary", "The terms of the arena."),
            ("releases/0.1.0", "Release 0.1.0", "The changes, and how to upgrade."),
        ),
        "Explanation": (
            ("ratings", "Ratings", "What the numbers mean, and what they prove."),
            ("luck", "Luck and reviews", "How luck is measured, and how far to trust a review."),
            ("fairness", "Fairness and security", "Seats, deals, secrets and accounts."),
            ("sandbox", "The sandbox", "What uploaded bots can and cannot do."),
            ("reliability", "Reliability", "Promises, and what happens when a part fails."),
            ("architecture", "Architecture", "Packages, request flows, and what to touch."),
        ),
    }.items()
)

FOLDER = Path(__file__).with_name("pages")  # in a checkout, a link to docs
PROTOS = {f"proto/arena/v1/{name}": f"sdk/{name}" for name in NAMES}
PLACEHOLDER = "http://HOST:7421"  # in the pages, the address of the website
# Files that pages show or link to. Screenshots are too large for the package.
FILES = {
    "examples/*.py": "text/plain",
    "images/*.svg": "image/svg+xml",
}

# Addresses of pages that have moved.
MOVED = {
    "accounts": "deploying",
    "dashboard": "tournaments",
    "exports": "data",
    "faults": "protocol",
    "jail": "sandbox",
    "performance": "deploying",
    "review": "luck",
    "scale": "deploying",
}

ENTRIES = {entry.name: entry for group in GROUPS for entry in group.entries}


def group_of(name: str) -> PageGroup:
    return next(group for group in GROUPS if ENTRIES[name] in group.entries)


def neighbours(name: str) -> tuple[DocPage | None, DocPage | None]:
    order = [None, *ENTRIES.values(), None]
    at = order.index(ENTRIES[name])
    return order[at - 1], order[at + 1]


def markdown(name: str) -> str:
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
