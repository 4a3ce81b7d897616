"""The table of contents: every page of the documentation, by reader, in reading order."""

from __future__ import annotations

from typing import NamedTuple


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
        """Its place in the table of contents."""
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
            ("operations", "Monitor and troubleshoot", "Read the signs, and fix an incident."),
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
    """The group of a page."""
    return next(group for group in GROUPS if ENTRIES[name] in group.entries)


def neighbours(name: str) -> tuple[DocPage | None, DocPage | None]:
    """The pages before and after a page."""
    order = [None, *ENTRIES.values(), None]
    at = order.index(ENTRIES[name])
    return order[at - 1], order[at + 1]
