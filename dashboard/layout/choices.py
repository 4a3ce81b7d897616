"""The options of a select element, which may be hundreds."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape


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
