"""Searching the sections of the documentation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from dashboard.docs.contents import ENTRIES, DocPage
from dashboard.docs.markdown import Section
from dashboard.docs.rendered import rendered

MOST = 30
AROUND = 110  # characters of an excerpt before and after the first word


class SectionHit(NamedTuple):
    """A section that contains all words."""

    entry: DocPage
    section: Section
    excerpt: Markup


def search(wanted: str, root: str) -> list[SectionHit]:
    """Return the sections that contain all words, those with words in the title first."""
    words = list(dict.fromkeys(wanted.lower().split()))
    found = [
        (_rank(section, words), entry, section)
        for entry in ENTRIES.values()
        for section in rendered(entry.name, root).sections
        if words and _has_all(f"{section.title} {section.text}".lower(), words)
    ]
    best = sorted(found, key=lambda each: each[0], reverse=True)[:MOST]
    return [SectionHit(entry, section, _excerpt(section.text, words)) for _, entry, section in best]


def _has_all(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def _rank(section: Section, words: Sequence[str]) -> tuple[int, int]:
    title, text = section.title.lower(), section.text.lower()
    return sum(word in title for word in words), sum(text.count(word) for word in words)


def _excerpt(text: str, words: Sequence[str]) -> Markup:
    """Return the text around the first word, with all words marked."""
    any_word = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    first = any_word.search(text)
    start = max(0, first.start() - AROUND) if first else 0
    end = start + 2 * AROUND
    shown = f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
    pieces = re.split(f"({any_word.pattern})", shown, flags=re.IGNORECASE)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(piece) if at % 2 else escape(piece)
        for at, piece in enumerate(pieces)
    )
