"""Small pieces of HTML and SVG for templates."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    wanted = str(chosen).lower()
    return Markup(  # noqa: S704
        "".join([_option(value, words, str(value).lower() == wanted) for value, words in entries])
    )


def _option(value: object, words: str, chosen: bool) -> str:
    return (
        f'<option value="{escape(value)}"{" selected" if chosen else ""}>{escape(words)}</option>'
    )
