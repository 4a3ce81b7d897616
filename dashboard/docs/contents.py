"""The table of contents: every page of the documentation, by reader, in reading order."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A page; `name` is its file without .md, and the end of its address."""

    name: str
    title: str
    about: str


class Group(NamedTuple):
    """The pages for one kind of reader."""

    title: str
    entries: tuple[Entry, ...]

    @property
    def anchor(self) -> str:
        """Its place in the table of contents."""
        return self.title.lower().replace(" ", "-")


GROUPS = (
    Group(
        "Tutorials",
        (
            Entry("tutorial", "Your first bot", "Write three bots, each better than the last."),
            Entry(
                "first-tournament",
                "Your first tournament",
                "Start an arena, connect bots, and play for ratings.",
            ),
        ),
    ),
    Group(
        "For bot authors",
        (
            Entry(
                "bots", "Connect a bot", "Connect a program in any language, and keep it connected."
            ),
            Entry(
                "testing", "Test and compare bots", "Play, compare and debug bots without an arena."
            ),
            Entry("submitting", "Upload a bot", "Let the arena run your program."),
            Entry("learning", "Search and train", "Simulate rounds, search, and train a policy."),
        ),
    ),
    Group(
        "For players and organisers",
        (
            Entry("play", "Play in the browser", "Play against the bots, and manage your account."),
            Entry("tournaments", "Run a tournament", "Create, watch and finish a tournament."),
            Entry("webhooks", "Webhooks and feeds", "Get a message when something happens."),
        ),
    ),
    Group(
        "For operators",
        (
            Entry(
                "deploying",
                "Deploy an arena",
                "Choose machines, and set up TLS, e-mail and sign-in.",
            ),
            Entry(
                "upgrading", "Upgrade, back up, archive", "Keep the data safe, and change versions."
            ),
            Entry("operations", "Monitor and troubleshoot", "Read the signs, and fix an incident."),
            Entry("hosting", "Host bots", "Run uploaded bots on hosts."),
        ),
    ),
    Group(
        "Reference",
        (
            Entry("rules", "Game rules", "All four games and their notation."),
            Entry("protocol", "Protocol", "Sessions, status codes, clocks and faults."),
            Entry("sdk", "Python SDK", "arena.sdk, and whole arrays of games."),
            Entry("formats", "Tournament formats", "Schedules, options and tie-breaks."),
            Entry("data", "Data", "Match records, exports and shuffles."),
            Entry("api", "JSON API", "Addresses, paging, CSV and errors."),
            Entry("limits", "Limits", "The limits that you can meet."),
            Entry("configuration", "Configuration", "Every setting and its default."),
            Entry("reference/commands", "Commands", "Every command and its options."),
            Entry("reference/messages", "Services and messages", "Every gRPC call and message."),
            Entry("glossary", "Glossary", "The terms of the arena."),
            Entry("releases/0.1.0", "Release 0.1.0", "The changes, and how to upgrade."),
        ),
    ),
    Group(
        "Explanation",
        (
            Entry("ratings", "Ratings", "What the numbers mean, and what they prove."),
            Entry(
                "luck", "Luck and reviews", "How luck is measured, and how far to trust a review."
            ),
            Entry(
                "fairness",
                "Fairness and security",
                "Seats, deals, secrets and accounts.",
            ),
            Entry("sandbox", "The sandbox", "What uploaded bots can and cannot do."),
            Entry("reliability", "Reliability", "Promises, and what happens when a part fails."),
            Entry("architecture", "Architecture", "Packages, request flows, and what to touch."),
        ),
    ),
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


def group_of(name: str) -> Group:
    """The group of a page."""
    return next(group for group in GROUPS if ENTRIES[name] in group.entries)


def neighbours(name: str) -> tuple[Entry | None, Entry | None]:
    """The pages before and after a page."""
    order = [None, *ENTRIES.values(), None]
    at = order.index(ENTRIES[name])
    return order[at - 1], order[at + 1]
