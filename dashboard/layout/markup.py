"""Small pieces of HTML and SVG for templates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup, escape

COMMAND = re.compile(r"`([^`]+)`")


def ticked(sentence: str) -> Markup:
    """Return a sentence, escaped, with its commands in backticks as code."""
    return Markup(COMMAND.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704


def share_bar(share: float) -> Markup:
    """Return a share, from 0 to 1, as a short bar with a mark in the middle."""
    return Markup(  # noqa: S704
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="share-all" width="100" height="8"/>'
        f'<rect width="{100 * share:.1f}" height="8"/>'
        '<rect class="share-half" x="49.5" width="1" height="8"/></svg>'
    )


def select_options(entries: Iterable[tuple[object, str]], chosen: object) -> Markup:
    """Return an option for each value and text; the chosen one is selected, ignoring case."""
    options, places = _options(tuple(entries))
    at = places.get(str(chosen).lower())
    if at is None:
        return Markup(options)  # noqa: S704
    return Markup(f"{options[:at]} selected{options[at:]}")  # noqa: S704


@lru_cache(maxsize=32)  # the list of all bots is on many pages
def _options(entries: tuple[tuple[object, str], ...]) -> tuple[str, dict[str, int]]:
    """Options, and by value in lower case the place for an attribute."""
    options, places = "", dict[str, int]()
    for value, words in entries:
        options += f'<option value="{escape(value)}"'
        places[str(value).lower()] = len(options)
        options += f">{escape(words)}</option>"
    return options, places
