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
        "For authors of bots",
        (
            Entry("tutorial", "Tutorial", "Three bots, from ten lines to one that looks ahead."),
            Entry("bots", "Writing a bot", "The SDK, and measuring bots without an arena."),
            Entry("submitting", "Submitting a bot", "Upload a program that the arena runs."),
            Entry("protocol", "The protocol", "Messages and clocks, for any other language."),
            Entry("rules", "The rules", "All four games, their notation and the match record."),
            Entry("learning", "Search and learning", "Environments, self-play and training."),
            Entry("review", "Reviews of matches", "The value of each decision in a match."),
            Entry("faults", "Faults", "What happens when a bot or the arena fails."),
            Entry("reference/commands", "Commands", "All commands and their options."),
            Entry("reference/messages", "Services and messages", "All gRPC calls and messages."),
        ),
    ),
    Group(
        "For everyone",
        (
            Entry("play", "Playing yourself", "Play a match against the bots in the browser."),
            Entry("dashboard", "The dashboard", "What the pages show."),
            Entry("accounts", "Accounts", "Accounts, owners of bots, and permissions."),
            Entry("webhooks", "Webhooks", "Get an HTTP request when something happens."),
            Entry("api", "JSON", "The JSON interface: addresses, paging, CSV, errors."),
            Entry("glossary", "Glossary", "The words of the arena."),
        ),
    ),
    Group(
        "For organisers",
        (
            Entry("tournaments", "Tournaments", "The formats, their options and tie-breaks."),
            Entry("ratings", "Ratings", "What the numbers mean, and what they prove."),
            Entry("luck", "Luck", "Measuring luck, and removing it from scores."),
            Entry("exports", "Exports", "Standings, crosstables and matches as CSV and JSON."),
        ),
    ),
    Group(
        "For operators",
        (
            Entry("operations", "Operations", "Backups, upgrades, monitoring and incidents."),
            Entry("configuration", "Configuration", "All settings, and several machines."),
            Entry("hosting", "Hosting bots", "Bot hosts, and how many bots fit on one."),
            Entry("limits", "Limits", "The limits on what clients can use."),
            Entry("sandbox", "The sandbox", "What a hosted program can and cannot do."),
            Entry("scale", "Scaling", "How far one arena scales."),
            Entry("releases/0.1.0", "Release 0.1.0", "The changes, and how to upgrade."),
        ),
    ),
    Group(
        "Background",
        (
            Entry("architecture", "Architecture", "Processes, packages and request flows."),
            Entry("reliability", "Reliability", "The guarantees, and how they are tested."),
            Entry("performance", "Performance", "Benchmarks, and how to repeat them."),
        ),
    ),
)

ENTRIES = {entry.name: entry for group in GROUPS for entry in group.entries}


def group_of(name: str) -> Group:
    """The group of a page."""
    return next(group for group in GROUPS if ENTRIES[name] in group.entries)


def neighbours(name: str) -> tuple[Entry | None, Entry | None]:
    """The pages before and after a page."""
    order = [None, *ENTRIES.values(), None]
    at = order.index(ENTRIES[name])
    return order[at - 1], order[at + 1]
