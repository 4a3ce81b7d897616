"""Sentences with commands in backticks, as HTML."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

COMMAND = re.compile(r"`([^`]+)`")


def ticked(sentence: str) -> Markup:
    """The sentence with its commands set as code; all else is escaped."""
    return Markup(COMMAND.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704
